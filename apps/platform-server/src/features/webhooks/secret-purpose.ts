/** What a sealed secret is for: it opens as the one of this webhook alone. */
export const secretPurpose = (webhookId: string): string => `secret of the webhook ${webhookId}`

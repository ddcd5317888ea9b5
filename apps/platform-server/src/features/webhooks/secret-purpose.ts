/** The purpose of a sealed secret: it can be decrypted only for this webhook. */
export const secretPurpose = (webhookId: string): string => `secret of the webhook ${webhookId}`

/** The value of an expression below its field. */
export const value = {
  forInput: 'for the input below',
  missed: 'The input below does not come to this step.',
  failed: (message: string) => `No value for the input below: ${message}`,
}

export type ValueTexts = typeof value

/**
 * The expression that stands where one could not be carried over: a call of a function that does not exist, with the
 * original text. The draft shows what is missing, and cannot be published before it is written.
 */
export function lostExpression(original: string): string {
  return `lost(${JSON.stringify(original.slice(0, 1000))})`
}

/** The same as the cell of an input column. */
export function lostTest(original: string): string {
  return `? ${lostExpression(original)}`
}

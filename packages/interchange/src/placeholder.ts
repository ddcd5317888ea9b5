/**
 * The placeholder for an expression that could not be converted: a call of an unknown function with the original text.
 * The draft shows the missing part, and cannot be published until it is replaced.
 */
export function lostExpression(original: string): string {
  return `lost(${JSON.stringify(original.slice(0, 1000))})`
}

/** The placeholder for an input cell. */
export function lostTest(original: string): string {
  return `? ${lostExpression(original)}`
}

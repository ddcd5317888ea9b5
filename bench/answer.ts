/** The codes that an answer names, three at most. */
export function codesIn(text: string): string {
  return [...new Set([...text.matchAll(/"code":"([^"]*)"/g)].map(([, code]) => code))].slice(0, 3).join(' ')
}

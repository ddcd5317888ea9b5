/**
 * Offset after the quoted JSON text that starts at `start`; the length of the input when it is not closed. Linear, and
 * without a regular expression, which would need stack for each escape.
 */
export function jsonTextEnd(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote >= 0; quote = json.indexOf('"', quote + 1)) {
    let before = quote - 1
    while (json[before] === '\\') before--
    if ((quote - before) % 2 === 1) return quote + 1
  }
  return json.length
}

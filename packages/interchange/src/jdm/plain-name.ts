/** Longest id that is made of a text. */
const MAX_LENGTH = 60

/** A text as the name of a variable, or of a step. */
export function plainName(text: string, otherwise: string): string {
  const name = text
    .replaceAll(/[^A-Za-z0-9_]+/g, '_')
    .replace(/^_+/, '')
    .slice(0, MAX_LENGTH)
    .replace(/_+$/, '')
  if (name === '') return otherwise
  return /^\d/.test(name) ? `${otherwise}_${name}` : name
}

/** Maximum length of an id derived from a text. */
const MAX_LENGTH = 60

/** A text as a valid name of a variable or step. */
export function plainName(text: string, otherwise: string): string {
  const name = text
    .replaceAll(/[^A-Za-z0-9_]+/g, '_')
    .replace(/^_+/, '')
    .slice(0, MAX_LENGTH)
    .replace(/_+$/, '')
  if (name === '') return otherwise
  return /^\d/.test(name) ? `${otherwise}_${name}` : name
}

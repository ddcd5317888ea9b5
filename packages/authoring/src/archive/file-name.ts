/**
 * Characters of names that are used unchanged in file names. Others, which some file systems forbid or shells
 * interpret, are percent-encoded per byte.
 */
const PLAIN = /^[\p{L}\p{M}\p{N}_~-]$/u

/** A name encoded as a path segment: never empty, `.` or `..`, without `/`, identical on every file system. */
export function fileName(name: string): string {
  return Array.from(name, (character, index) =>
    PLAIN.test(character) || (character === '.' && index > 0) ? character : escaped(character),
  ).join('')
}

function escaped(character: string): string {
  return Array.from(encodeURIComponent(character).matchAll(/%..|./g), ([part]) =>
    part.startsWith('%') ? part : `%${part.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('')
}

/** The name that `fileName` encoded as this path segment; undefined when it is not such a segment. */
export function nameOfFile(part: string): string | undefined {
  try {
    const name = decodeURIComponent(part)
    return fileName(name) === part ? name : undefined
  } catch {
    return undefined
  }
}

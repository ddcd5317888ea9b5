/**
 * Characters of names that stand in the names of files as they are. Others, which some file systems forbid or shells read
 * otherwise, are written as `%` and the two digits of each byte.
 */
const PLAIN = /^[\p{L}\p{M}\p{N}_~-]$/u

/** The name of a thing as a part of a path: never empty, `.` or `..`, without `/`, the same on every file system. */
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

/** The name that `fileName` made this part of a path of; undefined: it made no such part. */
export function nameOfFile(part: string): string | undefined {
  try {
    const name = decodeURIComponent(part)
    return fileName(name) === part ? name : undefined
  } catch {
    return undefined
  }
}

/** Characters of a name that a mail shows. */
const MAX_NAME_LENGTH = 100

/**
 * The name of a person or an organization as a mail may show it: on one line, and without anything that a mail program
 * turns into a link or displays in another order. A user who chooses a name chooses words in our mail to a stranger.
 */
export function nameInMail(name: string): string {
  const line = name
    // Full-width letters and points are linked as well.
    .normalize('NFKC')
    // Bidirectional controls and other invisible characters.
    .replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replaceAll(/[\p{Z}\p{Cc}]+/gu, ' ')
    .replaceAll(/["“”„]/g, "'")
    .trim()
  const short = Array.from(line).slice(0, MAX_NAME_LENGTH).join('')
  return unlinked(short)
}

/** Blanks where addresses have none: behind points, colons and slashes, and around `@`. */
function unlinked(line: string): string {
  return line
    .replaceAll(/[.。:/\\](?=[^ ])/g, '$& ')
    .replaceAll(/ ?@ ?/g, ' at ')
    .trim()
}

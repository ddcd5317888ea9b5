/** Maximum number of characters of a name in a mail. */
const MAX_NAME_LENGTH = 100

/**
 * The name of a person or an organization in a form that is safe in a mail: on one line, and without anything that a
 * mail program turns into a link or displays in another order. A user who chooses a name controls text that the
 * platform sends to a stranger.
 */
export function nameInMail(name: string): string {
  const line = name
    // Full-width letters and dots are turned into links as well.
    .normalize('NFKC')
    // Bidirectional controls and other invisible characters.
    .replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replaceAll(/[\p{Z}\p{Cc}]+/gu, ' ')
    .replaceAll(/["“”„]/g, "'")
    .trim()
  const short = Array.from(line).slice(0, MAX_NAME_LENGTH).join('')
  return unlinked(short)
}

/** Inserts blanks where addresses have none: after dots, colons and slashes, and around `@`. */
function unlinked(line: string): string {
  return line
    .replaceAll(/[.。:/\\](?=[^ ])/g, '$& ')
    .replaceAll(/ ?@ ?/g, ' at ')
    .trim()
}

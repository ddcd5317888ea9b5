/** A file with one entry a line has mistakes. The message has all of them, with their lines. */
export class LineFileError extends Error {}

/**
 * Go through a file with one entry a line; blank lines and those that begin with `#` are none. Throws `LineFileError`.
 *
 * @param take takes an entry, without the blanks around it, and says what is wrong with it; undefined: nothing
 */
export function readLines(text: string, take: (line: string) => string | undefined): void {
  const faults: string[] = []
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) continue
    const fault = take(line)
    if (fault !== undefined) faults.push(`line ${index + 1}: ${fault}`)
  }
  if (faults.length > 0) throw new LineFileError(faults.join('; '))
}

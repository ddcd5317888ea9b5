/** A file with one entry per line has errors. The message lists all of them with line numbers. */
export class LineFileError extends Error {}

/**
 * Reads a file with one entry per line; skips blank lines and lines that start with `#`. Throws `LineFileError`.
 *
 * @param take processes a trimmed entry and returns its error; undefined if there is none
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

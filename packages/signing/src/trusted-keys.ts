import { BadKey, parsePublicKey } from './keys.ts'

/** Public keys in base64. Strict base64 has one text for each key, so texts can be compared. */
export type TrustedKeys = ReadonlySet<string>

/** A list of keys has mistakes: one message for each, with its line. */
export class BadTrustedKeys extends Error {
  override readonly name = 'BadTrustedKeys'
}

/**
 * Read the file of trusted keys: one base64 key a line, lines starting with `#` are comments (specification 5.7). Throws
 * `BadTrustedKeys` with all lines at fault.
 */
export function parseTrustedKeys(text: string): TrustedKeys {
  const faults: string[] = []
  const keys = new Set<string>()
  // A byte order mark is what some editors put before the first line.
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) continue
    try {
      parsePublicKey(line)
      keys.add(line)
    } catch (error) {
      if (!(error instanceof BadKey)) throw error
      faults.push(`line ${index + 1}: ${error.message}`)
    }
  }
  if (faults.length > 0) throw new BadTrustedKeys(faults.join('; '))
  return keys
}

import { BadKey, parsePublicKey, type TrustedKeys } from '@engine/signing'
import { readLines } from '@engine/process'

/**
 * Parses the file of trusted keys: one base64 key per line, lines starting with `#` are comments (specification 5.7).
 * Throws `LineFileError`.
 */
export function parseTrustedKeys(text: string): TrustedKeys {
  const keys = new Set<string>()
  readLines(text, (line) => {
    try {
      parsePublicKey(line)
    } catch (error) {
      if (error instanceof BadKey) return error.message
      throw error
    }
    keys.add(line)
    return undefined
  })
  return keys
}

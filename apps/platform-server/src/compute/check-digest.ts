import { createPauses, jsonText } from '@engine/process'
import { createHash } from 'node:crypto'
import type { CheckTask } from './tasks.ts'

/** Number of characters hashed per turn, in about a millisecond. */
const CHARACTERS_PER_TURN = 256 * 1024

/** A digest of all inputs of a check, computed in pieces between other requests. */
export async function digestOfCheck({ subject, used }: Pick<CheckTask, 'subject' | 'used'>): Promise<string> {
  const draft = 'draftText' in subject ? subject.draftText : await jsonText(subject.draft)
  const { contract, concepts, mode } = subject.contract ?? {}
  const references = [[...subject.subRules], [...used], contract ?? null, [...(concepts ?? [])], mode ?? null]
  return digestOfTexts([draft, await jsonText(references)])
}

/** A digest of texts in this order, computed in pieces between other requests. */
export async function digestOfTexts(texts: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  const paused = createPauses()
  for (const text of texts) {
    hash.update(`${text.length}:`)
    for (let at = 0; at < text.length; at += CHARACTERS_PER_TURN) {
      // Hashed as UTF-16: a piece may end within a surrogate pair.
      hash.update(text.slice(at, at + CHARACTERS_PER_TURN), 'utf16le')
      await paused()
    }
  }
  return hash.digest('hex')
}

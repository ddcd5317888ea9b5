import type { Problem } from '@engine/authoring'
import type { Texts } from '../texts/en.ts'

/** The words for problems: a sentence for each code, built from the quoted parts of the engine's message. */
export type ProblemWords = Texts['problemMessages']

/** The sentence for a problem in the reader's language. For an unknown code, the engine's message is shown. */
export function problemText({ code, message }: Pick<Problem, 'code' | 'message'>, words: ProblemWords): string {
  const found = Object.hasOwn(words, code) ? words[code] : undefined
  if (found === undefined) return message
  const quoted = Array.from(message.matchAll(/`([^`]*)`/g), ([, text = '']) => text)
  const numbers = Array.from(message.replaceAll(/`[^`]*`/g, '').matchAll(/\d+/g), ([number]) => Number(number))
  return found({ quoted, numbers, message })
}

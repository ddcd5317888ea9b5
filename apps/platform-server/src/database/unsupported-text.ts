import { escapedKey } from '@engine/expression'

/** Escapes of characters that PostgreSQL cannot store; the body itself is UTF-8, which has neither. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/i

/** Whether a text of JSON may have a value that cannot be stored. */
export const mayBeUnsupported = (text: string): boolean => UNSTORABLE.test(text)

/** A text that cannot be stored, and where it is. */
export interface UnsupportedText {
  /** JSON pointer into the body. */
  readonly path: string
  readonly message: string
}

/**
 * The first text with the character NUL or with half a surrogate pair, in the values and the names of a body. PostgreSQL
 * answers the first with an error, and the others would be stored as U+FFFD: two texts that differ would become one.
 */
export function unsupportedTextIn(value: unknown): UnsupportedText | undefined {
  const found = faultIn(value)
  if (found === undefined) return undefined
  const { keys, message } = found
  const path = keys.map((key) => `/${escapedKey(key)}`).join('')
  return { path, message }
}

/** The same with the keys on the way to it: most values have no fault, and a path of each would cost more than to look at it. */
function faultIn(value: unknown): { readonly keys: readonly string[]; readonly message: string } | undefined {
  if (typeof value === 'string') {
    const message = faultOf(value)
    return message === undefined ? undefined : { keys: [], message }
  }
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, member] of Object.entries(value)) {
    const fault = faultOf(name)
    if (fault !== undefined) return { keys: [], message: `has a member whose name ${fault}` }
    const within = faultIn(member)
    if (within !== undefined) return { ...within, keys: [name, ...within.keys] }
  }
  return undefined
}

function faultOf(text: string): string | undefined {
  if (text.includes('\0')) return 'has the character NUL'
  return text.isWellFormed() ? undefined : 'has half a surrogate pair'
}

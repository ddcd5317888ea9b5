import type { TextTest } from './operations.ts'

/** A substring test in a database's syntax. */
export interface TextMatching {
  readonly test: TextTest
  readonly isNegative: boolean
  /** The column, or another expression with the text. */
  readonly subject: string
  readonly part: string
  /** The literal or placeholder of a text. */
  readonly text: (value: string) => string
}

export type TextMatch = (matching: TextMatching) => string

/** By `LIKE` with `ESCAPE`, and a suffix for databases that otherwise ignore case. */
export function like(word: string): TextMatch {
  return ({ test, isNegative, subject, part, text }) => {
    const escaped = part.replaceAll(/[!%_]/g, (character) => `!${character}`)
    const pattern = `${test === 'starts_with' ? '' : '%'}${escaped}${test === 'ends_with' ? '' : '%'}`
    return `${subject} ${isNegative ? 'NOT ' : ''}LIKE${word} ${text(pattern)} ESCAPE '!'`
  }
}

/** SQLite's `LIKE` ignores case. */
export const sqliteMatch: TextMatch = ({ test, isNegative, subject, part, text }) => {
  if (test === 'contains') return `instr(${subject}, ${text(part)}) ${isNegative ? '= 0' : '> 0'}`
  const length = [...part].length
  const compared = test === 'starts_with' ? `substr(${subject}, 1, ${length})` : `substr(${subject}, -${length})`
  return `${compared} ${isNegative ? '!=' : '='} ${text(part)}`
}

/** A function name, or a function that writes the call. */
type Written = string | ((subject: string, text: string) => string)

/** By database functions. A negative test without its own function is negated. */
export function calls(written: Readonly<Record<TextTest, Written>> & { readonly not_contains?: Written }): TextMatch {
  return ({ test, isNegative, subject, part, text }) => {
    const negative = isNegative && test === 'contains' ? written.not_contains : undefined
    const form = negative ?? written[test]
    const call = typeof form === 'string' ? `${form}(${subject}, ${text(part)})` : form(subject, text(part))
    return isNegative && negative === undefined ? `NOT ${call}` : call
  }
}

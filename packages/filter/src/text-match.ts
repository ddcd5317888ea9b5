import type { TextTest } from './operations.ts'

/** A test for a part of a text, as a database writes it. */
export interface TextMatching {
  readonly test: TextTest
  readonly isNegative: boolean
  /** The column, or what else has the text. */
  readonly subject: string
  readonly part: string
  /** The literal or placeholder of a text. */
  readonly text: (value: string) => string
}

export type TextMatch = (matching: TextMatching) => string

/** By `LIKE` with `ESCAPE`, and a word behind it for databases that else do not mind case. */
export function like(word: string): TextMatch {
  return ({ test, isNegative, subject, part, text }) => {
    const escaped = part.replaceAll(/[!%_]/g, (character) => `!${character}`)
    const pattern = `${test === 'starts_with' ? '' : '%'}${escaped}${test === 'ends_with' ? '' : '%'}`
    return `${subject} ${isNegative ? 'NOT ' : ''}LIKE${word} ${text(pattern)} ESCAPE '!'`
  }
}

/** `LIKE` of SQLite does not tell `a` from `A`. */
export const sqliteMatch: TextMatch = ({ test, isNegative, subject, part, text }) => {
  if (test === 'contains') return `instr(${subject}, ${text(part)}) ${isNegative ? '= 0' : '> 0'}`
  const length = [...part].length
  const compared = test === 'starts_with' ? `substr(${subject}, 1, ${length})` : `substr(${subject}, -${length})`
  return `${compared} ${isNegative ? '!=' : '='} ${text(part)}`
}

/** The name of a function, or what to write. */
type Written = string | ((subject: string, text: string) => string)

/** By functions of the database. What is not written for the negative is negated. */
export function calls(written: Readonly<Record<TextTest, Written>> & { readonly not_contains?: Written }): TextMatch {
  return ({ test, isNegative, subject, part, text }) => {
    const negative = isNegative && test === 'contains' ? written.not_contains : undefined
    const form = negative ?? written[test]
    const call = typeof form === 'string' ? `${form}(${subject}, ${text(part)})` : form(subject, text(part))
    return isNegative && negative === undefined ? `NOT ${call}` : call
  }
}

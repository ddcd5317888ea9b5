import { type Concepts, type ConvertedDraft, convertHeld } from '@engine/authoring'
import { ReadExpressions, type Ruleset } from '@engine/ruleset'
import type { Refused, Subject } from './tasks.ts'

/** An executable draft, and the source positions of its parts. */
export interface Executable {
  readonly kind: 'executable'
  readonly ruleset: Ruleset
  readonly places: ConvertedDraft
}

/** Parsed expressions of the open draft, of which an edit changes few. */
const expressions = new ReadExpressions()

export const conceptsOf = ({ concepts }: Subject): Concepts =>
  new Map(concepts.map(({ name, fields }) => [name, fields]))

/** The draft in engine format, with its problems. */
export function converted(subject: Subject) {
  const { draft, contract, subRules } = subject
  const held = contract && { contract, concepts: conceptsOf(subject) }
  return convertHeld(draft, { subRules: new Map(Object.entries(subRules)), contract: held, expressions })
}

/** The draft as an executable ruleset, or the problems that prevent execution. */
export function executable(subject: Subject): Refused | Executable {
  const places = converted(subject)
  const { problems } = places
  const ruleset = places.decoded()
  if (ruleset === undefined || problems.some(({ severity }) => severity === 'error'))
    return { kind: 'problems', problems }
  return { kind: 'executable', ruleset, places }
}

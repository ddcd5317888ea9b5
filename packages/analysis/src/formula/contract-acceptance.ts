import { isNumber, NO_SPAN, type Segment } from '@engine/expression'
import { type ContractField, type Ruleset, typeText } from '@engine/ruleset'
import { type Literal, negated, TRUE } from '../search/solver.ts'
import { kindOf, sortedText, type Term } from '../terms/term.ts'
import { contractText, enforcedFields, kindsOfType } from './contract-domain.ts'
import type { Encoder } from './encoder.ts'

/** The code of the error of an input that an enforced contract refuses. */
export const INVALID_INPUT = 'INVALID_INPUT'

/** Whether it can be expressed when a ruleset refuses inputs: a default changes the input that is decided. */
export function hasKnownAcceptance(ruleset: Ruleset): boolean {
  return (enforcedFields(ruleset) ?? []).every((field) => field.default === undefined)
}

/**
 * When the enforced contract of a ruleset accepts an input. Parts that the search does not model, such as items of lists and
 * digits, are open; the same parts of two contracts are the same.
 */
export function acceptanceOf(encoder: Encoder, ruleset: Ruleset): Literal {
  const fields = enforcedFields(ruleset)
  if (fields === undefined) return TRUE
  const concepts = ruleset.config.contract?.concepts
  return encoder.solver.and(
    fields.map((field) =>
      acceptedBy(encoder, field, concepts === undefined || concepts.size === 0 ? '' : contractText(ruleset)),
    ),
  )
}

function acceptedBy(encoder: Encoder, field: ContractField, concepts: string): Literal {
  const { solver } = encoder
  const path = field.path.map((name): Segment => ({ kind: 'name', name }))
  const term = encoder.field({ kind: 'field', path, span: NO_SPAN })
  const absent = field.required ? [] : [term.is('missing'), term.is('null')]
  const present = [
    term.isAny(...kindsOfType(field.type)),
    ...rangeOf(encoder, term, field),
    valuesOf(encoder, term, field),
  ]
  const isExact = EXACT.has(field.type.kind) && field.limits === undefined
  if (field.type.kind === 'integer') present.push(encoder.wholeness(term))
  else if (!isExact) {
    const rest = [
      ...field.path,
      typeText(field.type),
      sortedText([field.limits?.digits ?? null, field.limits?.decimals ?? null]),
    ]
    present.push(encoder.free(`accepted ${rest.join(' ')} ${concepts}`))
  }
  return solver.or([...absent, solver.and(present)])
}

/** Types of which all values of their kinds are. */
const EXACT: ReadonlySet<string> = new Set(['string', 'number', 'boolean', 'object', 'any'])

function rangeOf({ solver }: Encoder, term: Term, { minimum, maximum }: ContractField): readonly Literal[] {
  const isOther = negated(term.is('number'))
  return [
    ...(minimum === undefined ? [] : [solver.or([isOther, negated(term.numbers.below(minimum))])]),
    ...(maximum === undefined ? [] : [solver.or([isOther, term.numbers.atMost(maximum)])]),
  ]
}

function valuesOf(encoder: Encoder, term: Term, { values }: ContractField): Literal {
  if (values === undefined) return TRUE
  const { solver } = encoder
  return solver.or(
    values.map((value) => {
      const kind = kindOf(value)
      if (typeof value === 'string') {
        term.noteText(value)
        return solver.and([term.is(kind), term.texts.equals(value)])
      }
      if (isNumber(value)) return solver.and([term.is(kind), term.numbers.equals(value)])
      const isOpen = kind === 'list' || kind === 'object'
      return solver.and([
        term.is(kind),
        isOpen ? encoder.free(`equals ${sortedText(value)} ${JSON.stringify(term.field?.path)}`) : TRUE,
      ])
    }),
  )
}

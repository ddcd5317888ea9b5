import { isNumber, LENIENT, orderOf, parsePath, type Segment, type Value } from '@engine/expression'
import { type Kind, kindOf, KINDS, sortedText } from '../terms/term.ts'
import { evaluate } from './evaluate.ts'
import type { NumberPoint } from '../terms/order.ts'

/** The domain of one field according to a contract. */
export interface FieldDomain {
  readonly types: readonly ('null' | 'boolean' | 'number' | 'string' | 'array' | 'object')[]
  /** The field is always present. */
  readonly required?: boolean
  /** Whole numbers only. */
  readonly integer?: boolean
  readonly minimum?: NumberPoint
  readonly maximum?: NumberPoint
  /** The values that are allowed. */
  readonly values?: readonly Value[]
}

/** Which inputs there are, by canonical field path; a path that is not named can be anything. */
export type InputDomain = ReadonlyMap<string, FieldDomain>

export const ANY_INPUT: InputDomain = new Map()

const KINDS_OF: Readonly<Record<FieldDomain['types'][number], readonly Kind[]>> = {
  null: ['null'],
  boolean: ['false', 'true'],
  number: ['number'],
  string: ['text'],
  array: ['empty list', 'list'],
  object: ['empty object', 'object'],
}

/** The kinds that the domain allows for a field. */
export function kindsOf(domain: FieldDomain | undefined): readonly Kind[] {
  if (domain === undefined) return KINDS.filter((kind) => kind !== 'error')
  const kinds = domain.types.flatMap((type) => KINDS_OF[type])
  return domain.required === true ? kinds : ['missing', ...kinds]
}

/** Whether an input is one that there is. */
export function isInDomain(domain: InputDomain, input: Value): boolean {
  for (const [text, field] of domain) {
    const parsed = parsePath(text)
    if (parsed.kind === 'failed' || parsed.expression.kind !== 'field') continue
    const found = evaluate(parsed.expression, LENIENT, input)
    const value = 'value' in found && isThere(input, parsed.expression.path) ? found.value : undefined
    if (!kindsOf(field).includes(kindOf(value))) return false
    if (value === undefined) continue
    if (field.values !== undefined && !field.values.some((one) => sortedText(one) === sortedText(value))) return false
    if (!isNumber(value)) continue
    if (field.minimum !== undefined && orderOf(value, field.minimum) < 0) return false
    if (field.maximum !== undefined && orderOf(value, field.maximum) > 0) return false
    if (field.integer === true && typeof value !== 'bigint' && !Number.isInteger(value)) return false
  }
  return true
}

function isThere(input: Value, path: readonly Segment[]): boolean {
  let place: Value | undefined = input
  for (const segment of path) {
    if (segment.kind === 'wildcard' || typeof place !== 'object' || place === null) return false
    const key = segment.kind === 'name' ? segment.name : String(segment.index)
    if (!Object.hasOwn(place, key)) return false
    place = (place as { readonly [name: string]: Value })[key]
  }
  return true
}

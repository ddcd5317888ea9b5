import type { Value } from '@engine/expression'
import { type Kind, KINDS } from '../terms/term.ts'
import type { NumberPoint } from '../terms/order.ts'

/** What a contract says about one field. */
export interface FieldDomain {
  readonly types: readonly ('null' | 'boolean' | 'number' | 'string' | 'array' | 'object')[]
  /** The field is there. */
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

/** What a field can be, as far as its domain says. */
export function kindsOf(domain: FieldDomain | undefined): readonly Kind[] {
  if (domain === undefined) return KINDS.filter((kind) => kind !== 'error')
  const kinds = domain.types.flatMap((type) => KINDS_OF[type])
  return domain.required === true ? kinds : ['missing', ...kinds]
}

import { isNumber, NO_SPAN, printPath, type Value } from '@engine/expression'
import { type ContractField, type FieldType, type Ruleset, typeText } from '@engine/ruleset'
import type { NumberPoint } from '../terms/order.ts'
import { type Kind, sortedText } from '../terms/term.ts'
import { ANY_INPUT, type FieldDomain, type InputDomain, kindsOf } from './domain.ts'

/**
 * The inputs that a ruleset decides: those that keep its enforced contract, or any. Concepts, items of lists and digits
 * are not narrowed, so the domain may allow inputs that the contract refuses, never the other way round.
 */
export function contractDomain(ruleset: Ruleset): InputDomain {
  return domainOfFields(enforcedFields(ruleset))
}

/** The inputs that keep a ruleset's contract, whether it is enforced or not: what its author assumes. */
export function assumedDomain({ config: { contract } }: Ruleset): InputDomain {
  return domainOfFields(contract?.fields)
}

function domainOfFields(fields: readonly ContractField[] | undefined): InputDomain {
  return fields === undefined ? ANY_INPUT : new Map(fields.map((field) => [pathText(field), domainOf(field)]))
}

/** A text that is equal for rulesets that enforce the same contract; empty: they enforce none. */
export function contractText(ruleset: Ruleset): string {
  const fields = enforcedFields(ruleset)
  if (fields === undefined) return ''
  const members = fields.map(({ path, type, required, default: standIn, values, minimum, maximum, limits }): Value => [
    [...path],
    typeText(type),
    required,
    standIn !== undefined,
    [...(values ?? [])],
    [minimum ?? null, maximum ?? null],
    [limits?.digits ?? null, limits?.decimals ?? null],
  ])
  const types = [...(ruleset.config.contract?.concepts ?? [])].map(([name, parts]): Value => [
    name,
    parts.map((part) => [part.name, part.type]),
  ])
  return sortedText([members, types])
}

/** The fields of an enforced contract; undefined: none is enforced. */
export function enforcedFields({ config: { contract } }: Ruleset): readonly ContractField[] | undefined {
  return contract?.mode === 'enforce' ? contract.fields : undefined
}

const pathText = ({ path }: ContractField) =>
  printPath({ kind: 'field', path: path.map((name) => ({ kind: 'name', name })), span: NO_SPAN })

function domainOf({ type, required, default: standIn, values, minimum, maximum }: ContractField): FieldDomain {
  return {
    types: [...TYPES[type.kind], ...(required ? [] : (['null'] as const))],
    required: required && standIn === undefined,
    integer: type.kind === 'integer',
    ...(values !== undefined && { values }),
    ...(isBound(minimum) && { minimum }),
    ...(isBound(maximum) && { maximum }),
  }
}

const isBound = (bound: ContractField['minimum']): bound is NumberPoint => bound !== undefined && isNumber(bound)

/** The kinds of values of a type; those of its items and members are not looked at. */
export const kindsOfType = ({ kind }: FieldType): readonly Kind[] => kindsOf({ types: TYPES[kind], required: true })

const ALL = ['null', 'boolean', 'number', 'string', 'array', 'object'] as const

const TYPES: { readonly [Type in FieldType['kind']]: FieldDomain['types'] } = {
  string: ['string'],
  number: ['number'],
  integer: ['number'],
  decimal: ['number'],
  boolean: ['boolean'],
  object: ['object'],
  any: ALL,
  array: ['array'],
  concept: ['object'],
}

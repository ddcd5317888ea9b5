import type { FeelType } from './ast.ts'
import { type FeelFunction, type FeelValue, isContext, isKind, isList, kindOf, NotConstant } from './value.ts'

/** Item definitions of a model by name; undefined if unknown. */
export type NamedTypes = (name: string) => ItemType | undefined

/** An item definition: a type, or a list of it, and the allowed values. */
export interface ItemType {
  readonly type: FeelType
  readonly isAllowed: ((value: FeelValue) => boolean) | undefined
}

const BASE: ReadonlyMap<string, string> = new Map([
  ['number', 'number'],
  ['string', 'string'],
  ['boolean', 'boolean'],
  ['date', 'date'],
  ['time', 'time'],
  ['date and time', 'dateTime'],
  ['dateTime', 'dateTime'],
  ['days and time duration', 'dayTime'],
  ['dayTimeDuration', 'dayTime'],
  ['years and months duration', 'yearMonth'],
  ['yearMonthDuration', 'yearMonth'],
])

/** Maximum depth of definitions that refer to each other. */
const MAX_DEPTH = 32

/**
 * Whether a value is of a type; null conforms to every type except in `instance of`. Throws `NotConstant` for unknown
 * types.
 */
export function conforms(value: FeelValue, type: FeelType, named: NamedTypes, depth = 0): boolean {
  if (depth > MAX_DEPTH) throw new NotConstant('types that refer to each other')
  if (value === null) return true
  switch (type.kind) {
    case 'named': {
      if (type.name === 'Any') return true
      if (type.name === 'Null') return false
      const item = named(type.name)
      if (item !== undefined)
        return conforms(value, item.type, named, depth + 1) && (item.isAllowed === undefined || item.isAllowed(value))
      const base = BASE.get(type.name.replace(/^feel[:.]/, ''))
      if (base === undefined) throw new NotConstant(`the type ${type.name}`)
      return kindOf(value) === base
    }
    case 'list':
      return isList(value) && value.every((one) => conforms(one, type.items, named, depth))
    case 'context':
      return (
        isContext(value) &&
        type.members.every(
          ([name, member]) => value.has(name) && conforms(value.get(name) ?? null, member, named, depth),
        )
      )
    case 'range': {
      if (!isKind(value, 'range')) return false
      const { low, high } = value
      return conforms(low, type.of, named) && conforms(high, type.of, named)
    }
    case 'function':
      return isKind(value, 'function') && functionConforms(value, type)
  }
}

function functionConforms(value: FeelFunction, type: FeelType & { readonly kind: 'function' }): boolean {
  const isAny = (one: FeelType | undefined) => one === undefined || (one.kind === 'named' && one.name === 'Any')
  if (value.parameters.length !== type.parameters.length) return false
  if (type.parameters.every(isAny) && isAny(type.result)) return true
  throw new NotConstant('the types of a function')
}

/**
 * A value coerced to a type: unchanged, a single item and its list converted into each other, a date as its midnight,
 * or null.
 */
export function coerced(value: FeelValue, type: FeelType | undefined, named: NamedTypes): FeelValue {
  if (value === null || type === undefined || conforms(value, type, named)) return value
  if (isList(value) && value.length === 1 && conforms(value[0] ?? null, type, named)) return value[0] ?? null
  if (!isList(value)) {
    const list = [value]
    if (isListType(type, named) && conforms(list, type, named)) return list
  }
  if (isKind(value, 'date')) {
    const time = { kind: 'time', hour: 0, minute: 0, second: 0, nanos: 0, offset: 0 } as const
    const midnight = { kind: 'dateTime', date: value, time } as const
    if (conforms(midnight, type, named)) return midnight
  }
  return null
}

/** Whether a type is a list. The type must not refer to itself, for which `conforms` throws. */
function isListType(type: FeelType, named: NamedTypes): boolean {
  if (type.kind === 'list') return true
  const item = type.kind === 'named' ? named(type.name) : undefined
  return item !== undefined && isListType(item.type, named)
}

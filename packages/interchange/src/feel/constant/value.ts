import { decimalArithmetic, isNumber, type NumberValue } from '@engine/expression'
import type { FeelType } from './ast.ts'
import {
  epochDays,
  type FeelDate,
  instantOf,
  nanosOfDay,
  NANOS,
  offsetOf,
  type Temporal,
  temporalText,
} from './temporal.ts'

/** A value of FEEL that is known at import. */
export type FeelValue =
  | null
  | boolean
  | string
  | NumberValue
  | readonly FeelValue[]
  | FeelContext
  | Temporal
  | FeelRange
  | FeelFunction

/** A context; its entries are ordered. */
export type FeelContext = ReadonlyMap<string, FeelValue>

/** `low` and `high` are null for a missing bound. */
export interface FeelRange {
  readonly kind: 'range'
  readonly low: FeelValue
  readonly high: FeelValue
  readonly isLowIncluded: boolean
  readonly isHighIncluded: boolean
  /** Written as a test such as `< 5` or `= 5`: a null bound is missing. */
  readonly isTest?: true
}

export interface FeelFunction {
  readonly kind: 'function'
  readonly parameters: readonly { readonly name: string; readonly type: FeelType | undefined }[]
  readonly result: FeelType | undefined
  readonly call: (args: readonly FeelValue[]) => FeelValue
}

/** The expression is not constant: it reads the input, or has no equivalent here. */
export class NotConstant extends Error {}

export const isList = (value: FeelValue): value is readonly FeelValue[] => Array.isArray(value)
export const isContext = (value: FeelValue): value is FeelContext => value instanceof Map
export const isFeelNumber = (value: FeelValue): value is NumberValue => isNumber(value as never)

/** A value with a `kind` property. */
type Tagged = Temporal | FeelRange | FeelFunction

/** Whether a value is tagged with a kind, such as a date. */
export const isKind = <Kind extends Tagged['kind']>(
  value: FeelValue | undefined,
  kind: Kind,
): value is Extract<Tagged, { readonly kind: Kind }> => value !== undefined && kindOf(value) === kind

/** A value with a `kind` property; undefined for any other value. */
export function taggedOf(value: FeelValue): Tagged | undefined {
  if (value === null || typeof value !== 'object' || isFeelNumber(value) || isList(value) || isContext(value))
    return undefined
  return value
}

/** The name of a value's type in FEEL. */
export function kindOf(
  value: FeelValue,
): 'null' | 'boolean' | 'string' | 'number' | 'list' | 'context' | Tagged['kind'] {
  if (value === null) return 'null'
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'string') return 'string'
  if (isFeelNumber(value)) return 'number'
  if (isList(value)) return 'list'
  if (isContext(value)) return 'context'
  return value.kind
}

/** The date on which times with zones are compared. */
const EPOCH: FeelDate = { kind: 'date', year: 1970, month: 1, day: 1 }

/** Compares two values of one ordered type; undefined if they are not comparable. */
export function compareValues(left: FeelValue, right: FeelValue): number | undefined {
  if (isFeelNumber(left) && isFeelNumber(right)) return decimalArithmetic.compare(left, right)
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : left > right ? 1 : 0
  const [one, other] = [orderOf(left), orderOf(right)]
  if (one === undefined || other === undefined || one.kind !== other.kind) return undefined
  return one.at < other.at ? -1 : one.at > other.at ? 1 : 0
}

/** Local times and times with an offset are not comparable. */
function orderOf(value: FeelValue): { readonly kind: string; readonly at: bigint } | undefined {
  const tagged = taggedOf(value)
  switch (tagged?.kind) {
    case 'date':
      return { kind: tagged.kind, at: BigInt(epochDays(tagged)) }
    case 'time': {
      const offset = offsetOf(tagged, EPOCH)
      return {
        kind: `${tagged.kind} ${offset === undefined}`,
        at: nanosOfDay(tagged) - BigInt(offset ?? 0) * NANOS,
      }
    }
    case 'dateTime':
      return { kind: `${tagged.kind} ${offsetOf(tagged.time, tagged.date) === undefined}`, at: instantOf(tagged) }
    case 'dayTime':
      return { kind: tagged.kind, at: tagged.nanos }
    case 'yearMonth':
      return { kind: tagged.kind, at: BigInt(tagged.months) }
    default:
      return undefined
  }
}

/** FEEL equality; null for different types. */
export function equalValues(left: FeelValue, right: FeelValue): boolean | null {
  if (left === null || right === null) return left === right
  const kind = kindOf(left)
  if (kind !== kindOf(right)) return null
  if (kind === 'boolean' || kind === 'string') return left === right
  if (isList(left) && isList(right))
    return left.length === right.length && left.every((item, index) => equalValues(item, right[index] ?? null) === true)
  if (isContext(left) && isContext(right))
    return (
      left.size === right.size &&
      [...left].every(([key, value]) => right.has(key) && equalValues(value, right.get(key) ?? null) === true)
    )
  if (isKind(left, 'range') && isKind(right, 'range'))
    return (
      left.isTest === right.isTest &&
      left.isLowIncluded === right.isLowIncluded &&
      left.isHighIncluded === right.isHighIncluded &&
      equalValues(left.low, right.low) === true &&
      equalValues(left.high, right.high) === true
    )
  if (kind === 'function') throw new NotConstant('functions are not compared')
  const order = compareValues(left, right)
  if (order === undefined) return false
  if (order !== 0 && isWithinSecond(left, right)) throw new NotConstant('times that differ by less than a second')
  return order === 0
}

/** Products differ in whether equality considers fractions of seconds. */
function isWithinSecond(left: FeelValue, right: FeelValue): boolean {
  const [one, other] = [orderOf(left), orderOf(right)]
  const isTime = kindOf(left) === 'time' || kindOf(left) === 'dateTime'
  return isTime && one !== undefined && other !== undefined && one.at / NANOS === other.at / NANOS
}

/** The text of `string(value)`. */
export function textOf(value: FeelValue): string | null {
  if (value === null) return null
  if (typeof value === 'string') return value
  return nestedText(value)
}

function nestedText(value: FeelValue): string {
  if (value === null) return 'null'
  if (typeof value === 'string') return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
  if (typeof value === 'boolean') return String(value)
  if (isFeelNumber(value)) {
    const text = String(value)
    if (/e/.test(text)) throw new NotConstant('the text of such a number')
    return text
  }
  if (isList(value)) return `[${value.map(nestedText).join(', ')}]`
  if (isContext(value))
    return `{${Array.from(value, ([key, one]) => `${keyText(key)}: ${nestedText(one)}`).join(', ')}}`
  const other = value
  if (other.kind === 'range') {
    const { low, high, isLowIncluded, isHighIncluded } = other
    if (low === null || high === null) throw new NotConstant('the text of such a range')
    return `${isLowIncluded ? '[' : '('}${nestedText(low)}..${nestedText(high)}${isHighIncluded ? ']' : ')'}`
  }
  if (other.kind === 'function') throw new NotConstant('the text of a function')
  return temporalText(other)
}

const keyText = (key: string) => (/^[\p{L}_][\p{L}\p{N}_ ]*$/u.test(key) ? key : `"${key.replaceAll('"', '\\"')}"`)

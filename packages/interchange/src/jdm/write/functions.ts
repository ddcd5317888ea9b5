import type { ValueType } from '../zen/text.ts'
import type { Deviation } from './zen-scope.ts'
import {
  allOf,
  atom,
  call,
  choice,
  comparison,
  infix,
  isNullable,
  itemOf,
  literal,
  list,
  NULL,
  type ZenText,
} from './zen-text.ts'

/** The ZEN equivalent of one of our functions. */
export interface FunctionRow {
  /** Undefined when these arguments cannot be expressed. */
  readonly write: (args: readonly ZenText[], deviates: (deviation: Deviation) => void) => ZenText | undefined
  /** Returns false for a null argument, which fails in ZEN. */
  readonly isPredicate?: true
  /** Number of arguments; undefined: any. */
  readonly count?: number
}

const plain = (name: string, type: ValueType, deviation?: Deviation): FunctionRow => ({
  count: 1,
  write: (args, deviates) => {
    if (deviation !== undefined) deviates(deviation)
    return call(name, type, ...args)
  },
})

const predicate = (name: string): FunctionRow => ({
  count: 2,
  isPredicate: true,
  write: (args) => call(name, 'boolean', ...args),
})

const typed = (type: string): FunctionRow => ({
  count: 1,
  write: (args) => comparison('==', call('type', 'text', ...args), literal(type)),
})

const isConstantText = (text: ZenText | undefined, least: number) =>
  text?.type === 'text' && /^(?:'[^']*'|"[^"]*")$/.test(text.text) && text.text.length >= least + 2

/** An aggregate of a list: null for an empty list here, which fails in ZEN. */
const ofItems = (name: string, isOrder: boolean): FunctionRow => ({
  write: (args, deviates) => {
    const [first] = args
    if (first === undefined) return undefined
    deviates('decimals')
    if (args.length > 1) {
      if (!args.every(({ type }) => type === 'number')) deviates('order')
      return isOrder ? call(name, 'number', list(args)) : undefined
    }
    if (first.type !== 'list' && first.type !== 'unknown') return undefined
    if (isOrder) deviates('order')
    return choice(comparison('==', call('len', 'number', first), literal(0)), NULL, call(name, 'number', first))
  },
})

/** Functions with an equivalent in ZEN, by our names. */
export const OWN_FUNCTIONS: ReadonlyMap<string, FunctionRow> = new Map<string, FunctionRow>([
  ['len', { count: 1, write: lengthOf }],
  ['trim', plain('trim', 'text')],
  ['upper', plain('upper', 'text')],
  ['lower', plain('lower', 'text')],
  ['starts_with', predicate('startsWith')],
  ['ends_with', predicate('endsWith')],
  ['contains_str', predicate('contains')],
  [
    'matches',
    {
      count: 2,
      isPredicate: true,
      write: (args, deviates) => {
        if (!isConstantText(args[1], 0)) return undefined
        if (/\\[dDwWsSbB]/.test(args[1]?.text ?? '')) deviates('unicode-classes')
        return call('matches', 'boolean', ...args)
      },
    },
  ],
  ['split', { count: 2, write: (args) => (isConstantText(args[1], 1) ? call('split', 'list', ...args) : undefined) }],
  ['to_string', { count: 1, write: ([value = NULL], deviates) => asText(value, deviates) }],
  ['abs', plain('abs', 'number', 'decimals')],
  ['floor', plain('floor', 'number', 'decimals')],
  ['ceil', plain('ceil', 'number', 'decimals')],
  // For a text, `to_int` parses the number, which fails in ZEN.
  ['to_int', { count: 1, write: ([value]) => (value?.type === 'number' ? call('trunc', 'number', value) : undefined) }],
  ['round', { write: rounded }],
  ['sum', plain('sum', 'number', 'decimals')],
  ['avg', ofItems('avg', false)],
  ['min', ofItems('min', true)],
  ['max', ofItems('max', true)],
  ['pow', { count: 2, write: power }],
  ['first', { count: 1, write: ([value = NULL]) => itemOf(value, 0) }],
  ['keys', plain('keys', 'list', 'key-order')],
  ['values', plain('values', 'list', 'key-order')],
  ['is_null', { count: 1, write: ([value = NULL]) => comparison('==', value, NULL) }],
  ['is_number', typed('number')],
  ['is_string', typed('string')],
  ['is_bool', typed('bool')],
  ['is_array', typed('array')],
  ['is_object', typed('object')],
  [
    'coalesce',
    {
      write: ([first, ...rest]) =>
        first &&
        rest.reduce(
          (left, right) => infix('??', isNullable(right) ? 'unknown' : shown(left, right), left, right),
          first,
        ),
    },
  ],
])

/** The type of a value with a fallback for null. */
const shown = (left: ZenText, right: ZenText): ValueType =>
  left.type === right.type || left.type === 'null' ? right.type : 'unknown'

/** List functions with a lambda, by their ZEN name. */
export const CLOSURES: ReadonlyMap<
  string,
  { readonly name: string; readonly type: ValueType; readonly tests: boolean }
> = new Map([
  ['any', { name: 'some', type: 'boolean', tests: true }],
  ['all', { name: 'all', type: 'boolean', tests: true }],
  ['none', { name: 'none', type: 'boolean', tests: true }],
  ['count', { name: 'count', type: 'number', tests: true }],
  ['filter', { name: 'filter', type: 'list', tests: true }],
  ['map', { name: 'map', type: 'list', tests: false }],
])

/** A predicate that is false when an argument is null. */
export function guarded(args: readonly ZenText[], value: ZenText): ZenText {
  return allOf(...args.filter(isNullable).map((arg) => comparison('!=', arg, NULL)), value)
}

/** A value as a text. */
export function asText(value: ZenText, deviates: (deviation: Deviation) => void): ZenText {
  if (value.type === 'text') return value
  if (value.type !== 'boolean' && value.type !== 'null') deviates('number-text')
  return call('string', 'text', value)
}

function lengthOf([value = NULL]: readonly ZenText[], deviates: (deviation: Deviation) => void): ZenText {
  if (value.type !== 'list') deviates('length')
  return call('len', 'number', value)
}

/** The number of digits must be constant: ZEN fails for invalid values. */
function rounded(args: readonly ZenText[], deviates: (deviation: Deviation) => void): ZenText | undefined {
  const [value, digits = literal(0)] = args
  if (value === undefined || args.length > 2 || !/^(?:\d|1[0-5])$/.test(digits.text)) return undefined
  deviates('decimals')
  return digits.text === '0' ? call('round', 'number', value) : call('round', 'number', value, digits)
}

/** Small integer exponents: ZEN approximates others. */
function power(args: readonly ZenText[], deviates: (deviation: Deviation) => void): ZenText | undefined {
  const [base = NULL, exponent = NULL] = args
  if (!/^\d{1,2}$/.test(exponent.text)) return undefined
  deviates('decimals')
  const plainBase = base.level < atom('').level ? atom(`(${base.text})`, base.type) : base
  return infix('^', 'number', plainBase, exponent)
}

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

/** A function of this program in ZEN. */
export interface FunctionRow {
  /** Undefined: these arguments have no form there. */
  readonly write: (args: readonly ZenText[], deviates: (deviation: Deviation) => void) => ZenText | undefined
  /** It is false where an argument is null, and fails there. */
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

/** An aggregate of a list: null of an empty one here, which fails there. */
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

/** Functions that have an equal there, by their own names. */
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
  // Of a text it is the number that is written in it, and fails there.
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

/** Of a value that is the second where the first is null. */
const shown = (left: ZenText, right: ZenText): ValueType =>
  left.type === right.type || left.type === 'null' ? right.type : 'unknown'

/** Functions of a list and a function of its items: the name there. */
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

/** A predicate where none of its arguments is null. */
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

/** Digits are constant: there others than these fail. */
function rounded(args: readonly ZenText[], deviates: (deviation: Deviation) => void): ZenText | undefined {
  const [value, digits = literal(0)] = args
  if (value === undefined || args.length > 2 || !/^(?:\d|1[0-5])$/.test(digits.text)) return undefined
  deviates('decimals')
  return digits.text === '0' ? call('round', 'number', value) : call('round', 'number', value, digits)
}

/** Small whole exponents: others are approximated there. */
function power(args: readonly ZenText[], deviates: (deviation: Deviation) => void): ZenText | undefined {
  const [base = NULL, exponent = NULL] = args
  if (!/^\d{1,2}$/.test(exponent.text)) return undefined
  deviates('decimals')
  const plainBase = base.level < atom('').level ? atom(`(${base.text})`, base.type) : base
  return infix('^', 'number', plainBase, exponent)
}

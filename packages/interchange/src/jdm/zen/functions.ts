import { boundaryOf, dateOf, weekOf } from './dates.ts'
import {
  allOf,
  atom,
  call,
  choice,
  comparison,
  isConstantText,
  isOf,
  LEVEL,
  literal,
  NULL,
  oneOf,
  type Text,
  type ValueType,
  within,
} from './text.ts'

/** A limit of ZEN or of this engine that the other does not have. */
export type Difference = 'decimals' | 'text-length' | 'unicode-classes' | 'key-order' | 'dates' | 'powers'

/** A ZEN function and its equivalent. */
export interface FunctionRow {
  readonly least: number
  readonly most: number
  readonly type: ValueType
  readonly difference?: Difference
  /** Undefined when these arguments have no equivalent. */
  readonly write: (...args: readonly Text[]) => Text | undefined
  /** For a predicate: the condition that it does not fail for the same arguments. */
  readonly sound?: (...args: readonly Text[]) => Text
}

const plain =
  (name: string, type: ValueType) =>
  (...args: readonly Text[]): Text =>
    call(name, type, ...args)

const numeric = (name: string): FunctionRow => ({ least: 1, most: 1, type: 'number', write: plain(name, 'number') })

const ofText = (name: string): FunctionRow => ({ least: 1, most: 1, type: 'text', write: plain(name, 'text') })

const isText = (value: Text): Text => (value.type === 'text' ? literal(true) : isOf('string', value))

const predicate = (name: string): FunctionRow => ({
  least: 2,
  most: 2,
  type: 'boolean',
  write: plain(name, 'boolean'),
  sound: (text) => isText(text),
})

/** Constant regular expressions only: computed ones cannot be checked. */
const matches: FunctionRow = {
  ...predicate('matches'),
  write: (text, pattern) =>
    pattern !== undefined && isConstantText(pattern) ? call('matches', 'boolean', text, pattern) : undefined,
}

/** `round(x, n)`: the number of digits must be constant, since invalid values fail here. */
function rounded(value: Text | undefined, digits: Text = literal(0)): Text | undefined {
  if (value === undefined || !/^(?:\d|1[0-5])$/.test(digits.text)) return undefined
  return digits.text === '0' ? call('round', 'number', value) : call('round', 'number', value, digits)
}

/** Unix seconds of a text or number; `'now'` is the time of the execution. */
function secondsOf(value: Text | undefined): Text | undefined {
  if (value === undefined) return undefined
  const time = value.text === '"now"' ? call('now', 'text') : value
  return call('time_diff', 'number', time, literal(0), literal('seconds'))
}

/** A part of a time in UTC, by its directive of `strftime`. */
const timeText = (directive: string): FunctionRow => ({
  least: 1,
  most: 1,
  type: 'text',
  write: (value) => value && call('format_time', 'text', nowOr(value), literal(directive)),
})

const timeNumber = (directive: string): FunctionRow => ({
  least: 1,
  most: 1,
  type: 'number',
  write: (value) => value && call('to_number', 'number', call('format_time', 'text', nowOr(value), literal(directive))),
})

const nowOr = (value: Text): Text => (value.text === '"now"' ? call('now', 'text') : value)

/** Length of the units of a duration in seconds. */
const SECONDS: { readonly [unit: string]: number } = {
  s: 1,
  sec: 1,
  second: 1,
  seconds: 1,
  m: 60,
  min: 60,
  minute: 60,
  minutes: 60,
  h: 3600,
  hr: 3600,
  hour: 3600,
  hours: 3600,
  d: 86_400,
  day: 86_400,
  days: 86_400,
  w: 604_800,
  week: 604_800,
  weeks: 604_800,
}

/** The seconds of a constant duration such as `1d 2h`. */
function durationOf(value: Text | undefined): Text | undefined {
  if (value?.type === 'number') return value
  const text = value?.text ?? ''
  if (!/^"\d{1,6} ?[a-z]+(?: ?\d{1,6} ?[a-z]+)*"$/.test(text)) return undefined
  let seconds = 0
  for (const [, count = '', unit = ''] of text.matchAll(/(\d+) ?([a-z]+)/g)) {
    const size = Object.hasOwn(SECONDS, unit) ? SECONDS[unit] : undefined
    if (size === undefined) return undefined
    seconds += Number(count) * size
  }
  return literal(seconds)
}

/** The seconds since midnight of a constant time such as `10:30`. */
function timeOf(value: Text | undefined): Text | undefined {
  const [, hour = '', minute = '', second = '0'] =
    /^"([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?"$/.exec(value?.text ?? '') ?? []
  return hour === '' ? undefined : literal(Number(hour) * 3600 + Number(minute) * 60 + Number(second))
}

/** The name of a type; only that of booleans differs. */
function typeName(value: Text | undefined): Text | undefined {
  if (value === undefined) return undefined
  if (value.type === 'date') return literal('date')
  const name = call('type', 'text', value)
  return choice(comparison('==', name, literal('boolean')), literal('bool'), name)
}

/** Only the text `true`, and all lists and objects, are true. */
function truthOf(value: Text | undefined): Text | undefined {
  if (value === undefined || value.type === 'boolean') return value
  if (value.type === 'number') return comparison('!=', value, literal(0))
  if (value.type === 'text') return comparison('==', value, literal('true'))
  if (value.text.length > MAX_REPEATED) return undefined
  const isTrue = oneOf(comparison('==', value, literal(true)), comparison('==', value, literal('true')))
  const isNumber = allOf(isOf('number', value), comparison('!=', value, literal(0)))
  return oneOf(isTrue, isNumber, isOf('array', value), isOf('object', value))
}

/** Maximum length of an argument whose text is repeated. */
const MAX_REPEATED = 1000

/** The median of a list of numbers; for an even count, the mean of the middle two. */
function medianOf(list: Text | undefined): Text | undefined {
  if (list === undefined || list.text.length > MAX_REPEATED) return undefined
  const sorted = call('sort', 'list', list)
  const half = (more: number) => `to_int((len(${list.text}) + ${more}) / 2)`
  return call('avg', 'number', call('slice', 'list', sorted, atom(half(-1)), atom(half(2))))
}

/** Whether a value is a number, or a text that is one. */
function numericText(value: Text | undefined): Text | undefined {
  if (value === undefined) return undefined
  if (value.type === 'number') return literal(true)
  if (value.text.length > MAX_REPEATED) return undefined
  const pattern = literal('^\\s*[-+]?(?:[0-9][0-9_]*\\.?[0-9_]*|\\.[0-9]+)(?:[eE][-+]?[0-9]+)?\\s*$')
  const isNumeral = allOf(isOf('string', value), call('matches', 'boolean', value, pattern))
  return oneOf(isOf('number', value), isNumeral)
}

/** `merge([a, b])` of objects or of lists; null is skipped. */
function merged(list: Text | undefined): Text | undefined {
  if (list?.items === undefined || list.items.length === 0 || list.text.length > MAX_REPEATED) return undefined
  const { items } = list
  const types = new Set(items.map(({ type }) => type))
  if ([...types].some((type) => !MERGED.has(type)) || (types.has('list') && types.has('object'))) return undefined
  const none = types.has('list') ? atom('[]', 'list') : atom('{}', 'object')
  const present = items
    .filter(({ type }) => type !== 'null')
    .map((item) => (item.type === 'unknown' ? choice(comparison('==', item, NULL), none, item) : item))
  return call(types.has('list') ? 'array_concat' : 'merge', none.type, none, ...present)
}

const MERGED: ReadonlySet<ValueType> = new Set(['list', 'object', 'null', 'unknown'])

/** A list with the first match of a constant pattern without groups. */
function extracted(text: Text | undefined, pattern: Text | undefined): Text | undefined {
  if (text === undefined || pattern === undefined || !isConstantText(pattern) || /[()]/.test(pattern.text))
    return undefined
  const found = call('regex_find', 'scalar', pattern, text)
  return choice(comparison('==', found, NULL), atom('[]', 'list'), atom(`[${found.text}]`, 'list'))
}

const bounding = (isEnd: boolean): FunctionRow => ({
  least: 2,
  most: 2,
  type: 'number',
  write: (value, unit) => (value === undefined ? undefined : boundaryOf(nowOr(value), unit, isEnd)),
})

/** The functions with an equivalent. All others are rejected; docs/platform/imports.md lists all functions. */
export const ZEN_FUNCTIONS: ReadonlyMap<string, FunctionRow> = new Map<string, FunctionRow>([
  ['flatten', { least: 1, most: 1, type: 'list', write: plain('flatten', 'list') }],
  ['number', { least: 1, most: 1, type: 'number', write: plain('to_number', 'number') }],
  ['bool', { least: 1, most: 1, type: 'boolean', write: truthOf }],
  ['type', { least: 1, most: 1, type: 'text', write: typeName }],
  ['d', { least: 0, most: 2, type: 'date', difference: 'dates', write: dateOf }],
  ['startOf', bounding(false)],
  ['endOf', bounding(true)],
  ['weekOfYear', { least: 1, most: 1, type: 'number', write: (value) => weekOf(value && nowOr(value)) }],
  ['median', { least: 1, most: 1, type: 'number', difference: 'decimals', write: medianOf }],
  ['isNumeric', { least: 1, most: 1, type: 'boolean', write: numericText }],
  ['merge', { least: 1, most: 1, type: 'object', write: merged }],
  ['extract', { least: 2, most: 2, type: 'list', difference: 'unicode-classes', write: extracted }],
  ['date', { least: 1, most: 1, type: 'number', write: secondsOf }],
  ['time', { least: 1, most: 1, type: 'number', write: timeOf }],
  ['duration', { least: 1, most: 1, type: 'number', write: durationOf }],
  ['year', timeNumber('%Y')],
  ['monthOfYear', timeNumber('%m')],
  ['dayOfMonth', timeNumber('%d')],
  ['dayOfYear', timeNumber('%j')],
  [
    'dayOfWeek',
    {
      least: 1,
      most: 1,
      type: 'number',
      write: (value) =>
        value && call('day_of_week', 'number', call('format_time', 'text', nowOr(value), literal('%F'))),
    },
  ],
  ['monthString', timeText('%b')],
  ['weekdayString', timeText('%a')],
  ['dateString', timeText('%F %T')],
  ['len', { least: 1, most: 1, type: 'number', difference: 'text-length', write: plain('len', 'number') }],
  ['trim', ofText('trim')],
  ['upper', ofText('upper')],
  ['lower', ofText('lower')],
  ['startsWith', predicate('starts_with')],
  ['endsWith', predicate('ends_with')],
  [
    'contains',
    {
      ...predicate('contains'),
      sound: (container) =>
        container === undefined || container.type === 'list' || container.type === 'text'
          ? literal(true)
          : {
              text: `is_string(${container.text}) || is_array(${container.text})`,
              level: LEVEL.or,
              type: 'boolean',
            },
    },
  ],
  ['matches', { ...matches, difference: 'unicode-classes' }],
  [
    'split',
    {
      least: 2,
      most: 2,
      type: 'list',
      write: (text, separator) =>
        separator !== undefined && separator.text !== '""' && isConstantText(separator)
          ? call('split', 'list', text, separator)
          : undefined,
    },
  ],
  ['string', { least: 1, most: 1, type: 'text', difference: 'decimals', write: plain('to_string', 'text') }],
  ['abs', numeric('abs')],
  ['sum', numeric('sum')],
  ['avg', { ...numeric('avg'), difference: 'decimals' }],
  ['min', numeric('min')],
  ['max', numeric('max')],
  ['floor', numeric('floor')],
  ['ceil', numeric('ceil')],
  ['trunc', numeric('to_int')],
  ['round', { least: 1, most: 2, type: 'number', write: rounded }],
  ['keys', { least: 1, most: 1, type: 'list', difference: 'key-order', write: plain('keys', 'list') }],
  ['values', { least: 1, most: 1, type: 'list', difference: 'key-order', write: plain('values', 'list') }],
])

/** A function of a list and an expression with `#` as the element. */
export interface ClosureRow {
  readonly type: ValueType
  /** The second argument is a condition. */
  readonly tests: boolean
  readonly write: (list: Text, f: Text) => Text
}

const closure = (name: string, type: ValueType, tests: boolean): ClosureRow => ({
  type,
  tests,
  write: (list, f) => call(name, type, list, f),
})

export const ZEN_CLOSURES: ReadonlyMap<string, ClosureRow> = new Map<string, ClosureRow>([
  ['filter', closure('filter', 'list', true)],
  ['map', closure('map', 'list', false)],
  ['some', closure('any', 'boolean', true)],
  ['all', closure('all', 'boolean', true)],
  ['none', closure('none', 'boolean', true)],
  ['count', closure('count', 'number', true)],
  [
    'one',
    {
      type: 'boolean',
      tests: true,
      write: (list, f) => comparison('==', call('count', 'number', list, f), literal(1)),
    },
  ],
  [
    'flatMap',
    { type: 'list', tests: false, write: (list, f) => call('flatten', 'list', call('map', 'list', list, f)) },
  ],
])

/** A value as part of a text: ZEN converts non-texts like `string`. */
export function asText(value: Text): Text {
  return value.type === 'text' ? value : call('to_string', 'text', value)
}

/** A quotient: ZEN gives null for a division by zero. */
export function quotient(left: Text, right: Text): Text {
  const divided: Text = {
    text: `${within(LEVEL.product, left)} / ${within(LEVEL.product + 1, right)}`,
    level: LEVEL.product,
    type: 'number',
  }
  if (/^\d/.test(right.text) && right.level === LEVEL.atom && Number(right.text) !== 0) return divided
  return choice(comparison('==', right, literal(0)), atom('null', 'null'), divided)
}

import { quote } from '@engine/expression'
import { type Feel, FeelFault } from './ast.ts'
import { baseShape, type FeelShape, typeOfShape } from './shape.ts'

/*
 * FEEL functions that become an expression of several functions here. If an argument has another type than the
 * parameter, the result is null, as in FEEL.
 */

/** The type of a parameter. `date`: a date or a date and time, known at import. */
type Parameter = 'string' | 'number' | 'list' | 'any' | 'date' | 'boolean'

/** A difference in meaning for some inputs. */
export type NativeDeviation = 'text-length' | 'zone'

export interface NativeFunction {
  /** Further arguments may have any type. */
  readonly parameters: readonly Parameter[]
  readonly shape: FeelShape | undefined
  readonly deviation?: NativeDeviation
  /** Our expression for arguments of the right types. */
  readonly write: (...args: readonly string[]) => string
}

type Native = Feel & { readonly kind: 'native' }

/** The shape of an expression. */
type ShapeOf = (feel: Feel) => FeelShape | undefined

const STRING = baseShape('string')
const NUMBER = baseShape('number')
const BOOLEAN = baseShape('boolean')

/** Functions whose arguments may be any values. */
const PLAIN: ReadonlyMap<string, NativeFunction> = new Map<string, NativeFunction>([
  [
    'string length',
    { parameters: ['string'], shape: NUMBER, deviation: 'text-length', write: (text) => `len(${text})` },
  ],
  [
    'substring before',
    {
      parameters: ['string', 'string'],
      shape: STRING,
      write: (text = '', match = '') =>
        `if contains_str(${text}, ${match}) then substring(${text}, 0, index_of(${text}, ${match})) else ""`,
    },
  ],
  [
    'substring after',
    {
      parameters: ['string', 'string'],
      shape: STRING,
      write: (text = '', match = '') =>
        `if contains_str(${text}, ${match}) then substring(${text}, index_of(${text}, ${match}) + len(${match})) else ""`,
    },
  ],
  [
    'modulo',
    {
      parameters: ['number', 'number'],
      shape: NUMBER,
      write: (left = '', right = '') =>
        `if ${right} == 0 then null else ${left} - ${right} * floor(${left} / ${right})`,
    },
  ],
  ['even', { parameters: ['number'], shape: BOOLEAN, write: (number) => `${number} % 2 == 0` }],
  ['odd', { parameters: ['number'], shape: BOOLEAN, write: (number) => `abs(${number} % 2) == 1` }],
  ['median', { parameters: ['list'], shape: NUMBER, write: (list = '') => medianOf(list) }],
  ['list contains', { parameters: ['list', 'any'], shape: BOOLEAN, write: (list, item) => `${item} in ${list}` }],
  [
    'all',
    {
      parameters: ['list'],
      shape: BOOLEAN,
      write: (list) =>
        `if any(${list}, one => one == false) then false else if all(${list}, one => one == true) then true else null`,
    },
  ],
  [
    'any',
    {
      parameters: ['list'],
      shape: BOOLEAN,
      write: (list) =>
        `if any(${list}, one => one == true) then true else if all(${list}, one => one == false) then false else null`,
    },
  ],
  [
    'index of',
    {
      parameters: ['list', 'any'],
      shape: { kind: 'list', items: () => NUMBER },
      write: (list, item) =>
        `filter(map(${list}, (one, at) => if one == ${item} then at + 1 else null), at => at != null)`,
    },
  ],
])

const medianOf = (list: string) =>
  `if all(${list}, one => is_number(one)) then avg(slice(sort(${list}), to_int((len(${list}) - 1) / 2), to_int((len(${list}) + 2) / 2))) else null`

/** Functions that return a list of items of the first argument. */
const OF_ITEMS: ReadonlyMap<
  string,
  { readonly parameters: readonly Parameter[]; readonly write: NativeFunction['write'] }
> = new Map<string, { readonly parameters: readonly Parameter[]; readonly write: NativeFunction['write'] }>([
  ['distinct values', { parameters: ['list'], write: (list) => `distinct(${list})` }],
  ['reverse', { parameters: ['list'], write: (list) => `reverse(${list})` }],
])

const ROUNDINGS: ReadonlyMap<string, string> = new Map([
  ['round up', 'up'],
  ['round down', 'down'],
  ['round half up', 'half_up'],
  ['round half down', 'half_down'],
])

const DATE_PARTS: ReadonlyMap<string, (day: string) => string> = new Map([
  ['day of week', (day) => `format_time(${day}, "%A")`],
  ['month of year', (day) => `format_time(${day}, "%B")`],
  ['day of year', (day) => `to_number(format_time(${day}, "%j"))`],
])

/** The names of all functions here, longest first. */
export const NATIVE_NAMES: readonly string[] = [
  ...PLAIN.keys(),
  ...OF_ITEMS.keys(),
  ...ROUNDINGS.keys(),
  ...DATE_PARTS.keys(),
  'substring',
  'matches',
  'replace',
  'split',
  'string join',
  'append',
  'concatenate',
  'union',
  'sublist',
  'insert before',
  'remove',
  'flatten',
  'number',
  'date',
  'days and time duration',
  'years and months duration',
].toSorted((left, right) => right.length - left.length)

/** A call of a function; undefined if the function is not one of these. Throws `FeelFault`. */
export function nativeCall(name: string, args: readonly Feel[], shapeOf: ShapeOf): Feel | undefined {
  const refuse = (): never => {
    throw new FeelFault(`this call of the function ${quote(name)} is not supported`)
  }
  const [first, second, third] = args
  const given = PLAIN.get(name)
  if (given !== undefined) {
    if (args.length !== given.parameters.length) refuse()
    return native(given, args)
  }
  if (first === undefined) return refuse()
  const shape = shapeOf(first)
  const ofItems = OF_ITEMS.get(name)
  if (ofItems !== undefined) return args.length === 1 ? native({ shape, ...ofItems }, args) : refuse()
  const mode = ROUNDINGS.get(name)
  if (mode !== undefined) {
    const digits = wholeOf(second) ?? refuse()
    if (args.length !== 2 || Math.abs(digits) > 15) refuse()
    const write = (number = '') => `round(${number}, ${digits}, "${mode}")`
    return native({ parameters: ['number'], shape: NUMBER, write }, [first])
  }
  const part = DATE_PARTS.get(name)
  if (part !== undefined) {
    const type = dateTypeOf(shape) ?? refuse()
    const shown = name === 'day of year' ? NUMBER : STRING
    const write = (date = '') => part(type === 'date' ? date : `substring(${date}, 0, 10)`)
    return args.length === 1 ? native({ parameters: ['date'], shape: shown, write }, args) : refuse()
  }
  switch (name) {
    case 'substring':
      return substring(first, second, third, args.length) ?? refuse()
    case 'matches':
    case 'replace':
    case 'split':
      return patternCall(name, args) ?? refuse()
    case 'string join':
      return joined(args) ?? refuse()
    case 'append': {
      if (args.length < 2) refuse()
      const write = (list = '', ...items: readonly string[]) => `array_concat(${list}, [${items.join(', ')}])`
      return native({ parameters: ['list'], shape, write }, args)
    }
    case 'concatenate':
    case 'union': {
      const write = (...lists: readonly string[]) =>
        name === 'union' ? `distinct(array_concat(${lists.join(', ')}))` : `array_concat(${lists.join(', ')})`
      return native({ parameters: args.map(() => 'list' as const), shape, write }, args)
    }
    case 'sublist':
    case 'insert before':
    case 'remove':
      return positioned(name, first, args, shape) ?? refuse()
    case 'flatten':
      return flattened(first, shape, args.length) ?? refuse()
    case 'number': {
      if (args.length !== 1 || typeOfShape(shape) !== 'string') refuse()
      const write = (text = '') =>
        `if matches(${text}, "^-?([0-9]+(\\\\.[0-9]+)?|\\\\.[0-9]+)$") then to_number(${text}) else null`
      return native({ parameters: ['string'], shape: NUMBER, write }, args)
    }
    case 'date': {
      if (args.length !== 1 || dateTypeOf(shape) === undefined) return undefined
      const write = (date = '') => `substring(${date}, 0, 10)`
      return native({ parameters: ['date'], shape: baseShape('date'), write }, args)
    }
    case 'years and months duration':
      return monthsBetween(first, second, shapeOf, args.length)
    default:
      return undefined
  }
}

const native = (of: NativeFunction, args: readonly Feel[]): Native => ({ kind: 'native', function: of, args })

function wholeOf(feel: Feel | undefined): number | undefined {
  const value = feel?.kind === 'number' ? Number(feel.text) : Number.NaN
  return Number.isSafeInteger(value) ? value : undefined
}

const textOf = (feel: Feel | undefined): string | undefined =>
  feel?.kind === 'literal' && typeof feel.value === 'string' ? feel.value : undefined

function substring(text: Feel, start: Feel | undefined, length: Feel | undefined, count: number): Feel | undefined {
  const from = wholeOf(start)
  const size = length === undefined ? undefined : wholeOf(length)
  if (from === undefined || from === 0 || count > 3 || (length !== undefined && (size === undefined || size < 1)))
    return undefined
  const begin = from > 0 ? from - 1 : from
  const end = size === undefined || begin + size === 0 || (begin < 0 && begin + size > 0) ? '' : `, ${begin + size}`
  const write = (value = '') => `substring(${value}, ${begin}${end})`
  return native({ parameters: ['string'], shape: STRING, deviation: 'text-length', write }, [text])
}

/** XPath patterns with the same meaning here. */
const PATTERN = /^(?!.*(?:\[[^\]]*\[|\(\?|[*+?}][*+?]))(?:[ -[\]-~]|\\[.?*+{}()[\]|^$-])*$/

function patternCall(name: 'matches' | 'replace' | 'split', args: readonly Feel[]): Feel | undefined {
  const [text, pattern, replacement] = args
  const own = textOf(pattern)
  if (text === undefined || own === undefined || own.length > 500 || !PATTERN.test(own)) return undefined
  // A dot in XPath matches neither `\n` nor `\r`.
  const lines = own.replaceAll(/\\.|\[\^?[^\]]*\]|\./g, (part) => (part === '.' ? String.raw`[^\n\r]` : part))
  const written = JSON.stringify(lines)
  if (name === 'matches')
    return args.length === 2
      ? native({ parameters: ['string'], shape: BOOLEAN, write: (value) => `matches(${value}, ${written})` }, [text])
      : undefined
  // In XPath, a pattern that matches the empty text is an error.
  if (matchesEmpty(own)) return undefined
  if (name === 'split') {
    const shape: FeelShape = { kind: 'list', items: () => STRING }
    const write = (value = '') => `regex_split(${written}, ${value})`
    return args.length === 2 ? native({ parameters: ['string'], shape, write }, [text]) : undefined
  }
  const by = textOf(replacement)
  // These patterns have no groups that a replacement could refer to.
  if (args.length !== 3 || by === undefined || /[\\$]/.test(by)) return undefined
  const write = (value = '') => `regex_replace(${written}, ${value}, ${JSON.stringify(by)})`
  return native({ parameters: ['string'], shape: STRING, write }, [text])
}

/** Whether such a simple pattern may match the empty text: alternatives and optional parts may. */
const matchesEmpty = (pattern: string): boolean =>
  !/^(?:\^?(?:\[\^?[^\]\\]+\]|\\.|[^\\[\](){}|*?+^$.]|\.)\+?)+$/.test(pattern)

function joined(args: readonly Feel[]): Feel | undefined {
  const [list, delimiter] = args
  const sign = delimiter === undefined ? '' : textOf(delimiter)
  if (list === undefined || sign === undefined || args.length > 2) return undefined
  const write = (value = '') =>
    `if all(${value}, one => is_string(one) || is_null(one)) then join(filter(${value}, one => one != null), ${JSON.stringify(sign)}) else null`
  return native({ parameters: ['list'], shape: STRING, write }, [list])
}

function positioned(
  name: 'sublist' | 'insert before' | 'remove',
  list: Feel,
  [, at, third, ...more]: readonly Feel[],
  shape: FeelShape | undefined,
) {
  const position = wholeOf(at)
  if (position === undefined || position < 1 || more.length > 0) return undefined
  const before = (value: string) => `slice(${value}, 0, ${position - 1})`
  const make = (least: number, items: readonly Feel[], write: NativeFunction['write']) => {
    const checked = (value = '', ...others: readonly string[]) =>
      `if len(${value}) >= ${least} then ${write(value, ...others)} else null`
    return native({ parameters: ['list'], shape, write: checked }, [list, ...items])
  }
  if (name === 'remove')
    return third === undefined
      ? make(position, [], (value = '') => `array_concat(${before(value)}, slice(${value}, ${position}))`)
      : undefined
  if (name === 'insert before')
    return third === undefined
      ? undefined
      : make(
          position,
          [third],
          (value = '', item = '') => `array_concat(${before(value)}, [${item}], slice(${value}, ${position - 1}))`,
        )
  if (third === undefined) return make(position, [], (value = '') => `slice(${value}, ${position - 1})`)
  const length = wholeOf(third)
  if (length === undefined || length < 1) return undefined
  const end = position - 1 + length
  return make(end, [], (value = '') => `slice(${value}, ${position - 1}, ${end})`)
}

/** Flattens a list whose items are certainly flat lists or no lists at all. */
function flattened(list: Feel, shape: FeelShape | undefined, count: number): Feel | undefined {
  const items = shape?.kind === 'list' ? shape.items() : undefined
  const inner = items?.kind === 'list' ? items.items() : items
  if (count !== 1 || inner === undefined || inner.kind === 'list') return undefined
  const flat: FeelShape = { kind: 'list', items: () => inner }
  return native({ parameters: ['list'], shape: flat, write: (value) => `flatten(${value})` }, [list])
}

type DateType = 'date' | 'dateTime'

function dateTypeOf(shape: FeelShape | undefined): DateType | undefined {
  const type = typeOfShape(shape)
  return type === 'date' || type === 'dateTime' ? type : undefined
}

/** Types of durations during a computation: they have no text form here. */
const SPANS = { months: 'months', seconds: 'seconds' } as const

export const isSpan = (shape: FeelShape | undefined): boolean => {
  const type = typeOfShape(shape)
  return type === SPANS.months || type === SPANS.seconds
}

function monthsBetween(from: Feel, to: Feel | undefined, shapeOf: ShapeOf, count: number): Feel | undefined {
  if (to === undefined || count !== 2) return undefined
  if (dateTypeOf(shapeOf(from)) === undefined || dateTypeOf(shapeOf(to)) === undefined) return undefined
  const day = (text: string) => `substring(${text}, 0, 10)`
  const write = (left = '', right = '') => `date_diff(${day(right)}, ${day(left)}, "months")`
  return native({ parameters: ['date', 'date'], shape: baseShape(SPANS.months), write }, [from, to])
}

const DURATION = /^(-?)P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/

/** A constant duration; undefined unless it has only years and months, or only days to seconds. */
export function durationLiteral(text: string): Feel | undefined {
  const [, sign = '', ...parts] = DURATION.exec(text) ?? []
  if (parts.every((part) => part === undefined) || /[PT]$/.test(text)) return undefined
  const of = (index: number) => Number(parts[index] ?? 0)
  const months = of(0) * 12 + of(1)
  const seconds = ((of(2) * 24 + of(3)) * 60 + of(4)) * 60 + of(5)
  if (months > 0 && seconds > 0) return undefined
  const amount = months > 0 ? months : seconds
  if (amount > 1e10) return undefined
  return {
    kind: 'span',
    amount: sign === '-' ? -amount : amount,
    unit: months > 0 ? SPANS.months : SPANS.seconds,
  }
}

/** Sums and differences of dates and durations; undefined for other operands. */
export function dateArithmetic(operator: string, left: Feel, right: Feel, shapeOf: ShapeOf): Feel | undefined {
  const [one, other] = [dateTypeOf(shapeOf(left)), dateTypeOf(shapeOf(right))]
  if (operator === '-' && one !== undefined && one === other) {
    const write = (from = '', to = '') => `date_diff(${from}, ${to}, "seconds")`
    return native({ parameters: ['date', 'date'], shape: baseShape(SPANS.seconds), write }, [left, right])
  }
  if (operator === '+' && left.kind === 'span' && other !== undefined) return plus(right, left, 1, other)
  if ((operator !== '+' && operator !== '-') || one === undefined || right.kind !== 'span') return undefined
  return plus(left, right, operator === '+' ? 1 : -1, one)
}

function plus(date: Feel, span: Feel & { readonly kind: 'span' }, sign: 1 | -1, type: DateType): Feel | undefined {
  const amount = span.amount * sign
  const isDays = span.unit === SPANS.seconds && amount % 86_400 === 0
  if (type === 'date' && span.unit === SPANS.seconds && !isDays) return undefined
  const [count, unit] =
    span.unit === SPANS.months ? [amount, 'months'] : isDays ? [amount / 86_400, 'days'] : [amount, 'seconds']
  const write = (value = '') =>
    type === 'date'
      ? `date_add(${value}, ${count}, "${unit}")`
      : // The offset and the fraction of a second are kept.
        `format_date(date_add(substring(${value}, 0, 19), ${count}, "${unit}"), "YYYY-MM-DDTHH:mm:ss") + substring(${value}, 19)`
  const deviation = type === 'dateTime' ? { deviation: 'zone' as const } : {}
  return native({ parameters: ['date'], shape: baseShape(type), ...deviation, write }, [date])
}

const DATE_MEMBERS: ReadonlyMap<string, (day: string) => string> = new Map([
  ['year', (day) => `year(${day})`],
  ['month', (day) => `month(${day})`],
  ['day', (day) => `day(${day})`],
  ['weekday', (day) => `day_of_week(${day})`],
])

const TIME_MEMBERS: ReadonlyMap<string, number> = new Map([
  ['hour', 11],
  ['minute', 14],
])

const SPAN_MEMBERS: ReadonlyMap<string, readonly [unit: string, write: (value: string) => string]> = new Map([
  ['years', [SPANS.months, (value: string) => `to_int(${value} / 12)`]],
  ['months', [SPANS.months, (value: string) => `${value} % 12`]],
  ['days', [SPANS.seconds, (value: string) => `to_int(${value} / 86400)`]],
  ['hours', [SPANS.seconds, (value: string) => `to_int(${value} % 86400 / 3600)`]],
  ['minutes', [SPANS.seconds, (value: string) => `to_int(${value} % 3600 / 60)`]],
])

const TEMPORAL: ReadonlySet<string> = new Set(
  'date dateTime time dayTimeDuration yearMonthDuration months seconds'.split(' '),
)

/** A member of a date or a duration; undefined for other values. Throws `FeelFault`. */
export function temporalMember(value: Feel, member: string, shape: FeelShape | undefined): Feel | undefined {
  const type = typeOfShape(shape)
  if (type === undefined || !TEMPORAL.has(type)) return undefined
  const of = dateTypeOf(shape)
  const date = DATE_MEMBERS.get(member)
  if (of !== undefined && date !== undefined) {
    const write = (text = '') => date(of === 'date' ? text : `substring(${text}, 0, 10)`)
    return native({ parameters: ['date'], shape: NUMBER, write }, [value])
  }
  const at = TIME_MEMBERS.get(member)
  const begin = at === undefined ? undefined : of === 'dateTime' ? at : type === 'time' ? at - 11 : undefined
  if (begin !== undefined) {
    const write = (text = '') => `to_number(substring(${text}, ${begin}, ${begin + 2}))`
    return native({ parameters: ['date'], shape: NUMBER, write }, [value])
  }
  const [unit, write] = SPAN_MEMBERS.get(member) ?? []
  if (unit === type && write !== undefined)
    return native({ parameters: ['number'], shape: NUMBER, write: (span = '') => write(`(${span})`) }, [value])
  throw new FeelFault(`the member ${quote(member)} of a value of the type ${quote(type)} is not supported`)
}

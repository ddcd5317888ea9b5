import { DecimalError, decimalArithmetic, numberOfText, type NumberValue, roundNumber } from '@engine/expression'
import { refuseMidnight24 } from './at-literal.ts'
import type { Builtin, Evaluator } from './evaluator.ts'
import { and, compared, or } from './logic.ts'
import { inRange, rangeOf } from './ranges.ts'
import { parseConstant, KnownNames } from './parser.ts'
import { patternMatches, patternReplaced, patternSplit } from './patterns.ts'
import {
  daysInMonth,
  dateOf,
  epochDays,
  type FeelDate,
  type FeelDateTime,
  type FeelTime,
  type Temporal,
  monthsBetween,
  NANOS,
  parseDate,
  parseDateTime,
  parseDuration,
  parseTime,
  timeOf,
  weekday,
} from './temporal.ts'
import {
  compareValues,
  equalValues,
  type FeelRange,
  type FeelValue,
  isContext,
  isFeelNumber,
  isList,
  isKind,
  kindOf,
  NotConstant,
  textOf,
} from './value.ts'

/** An argument of a built-in function has the wrong type, so its result is null. */
class Mistyped extends Error {}

const mistyped = (): never => {
  throw new Mistyped()
}

const text = (value: FeelValue | undefined): string => (typeof value === 'string' ? value : mistyped())
const number = (value: FeelValue | undefined): NumberValue =>
  value !== undefined && isFeelNumber(value) ? value : mistyped()
const whole = (value: FeelValue | undefined): number => Math.trunc(Number(number(value)))
const list = (value: FeelValue | undefined): readonly FeelValue[] => {
  if (value === undefined || value === null) return mistyped()
  return isList(value) ? value : [value]
}
const context = (value: FeelValue | undefined) => (value !== undefined && isContext(value) ? value : mistyped())
const temporal = <Kind extends Temporal['kind']>(kind: Kind, value: FeelValue | undefined) =>
  isKind(value, kind) ? value : mistyped()

type Call = (args: readonly FeelValue[], evaluator: Evaluator) => FeelValue

const BUILTINS = new Map<string, Builtin>()

/** `forms`: parameters of each signature, separated by `|`; `…` after the last one allows any number. */
function define(name: string, forms: string, call: Call): void {
  const parameters = forms.split('|').map((form) =>
    form
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== ''),
  )
  BUILTINS.set(name, {
    parameters: parameters.map((form) => form.map((one) => ({ name: one.replace(/[?…]$/, ''), type: undefined }))),
    call: (args, evaluator) => {
      const fits = parameters.some((form) => {
        const least = form.filter((one) => !one.endsWith('?')).length
        return args.length >= least && (form.at(-1)?.endsWith('…') === true || args.length <= form.length)
      })
      if (!fits) return null
      try {
        return call(args, evaluator)
      } catch (error) {
        if (error instanceof Mistyped || error instanceof DecimalError) return null
        throw error
      }
    },
  })
}

export const builtin = (name: string): Builtin | undefined => BUILTINS.get(name)

/** Names of the built-in functions, and of members of values, that have several words. */
export const builtinNames = (): Iterable<string> => [
  ...BUILTINS.keys(),
  'time offset',
  'start included',
  'end included',
]

const unknownNow = (): never => {
  throw new NotConstant('the time of the execution')
}
define('now', '', unknownNow)
define('today', '', unknownNow)

// Conversions
define('string', 'from', ([from = null]) => textOf(from))
define('number', 'from, grouping separator?, decimal separator?', ([from, grouping, point], _) => {
  const given = text(from)
  if (grouping !== undefined && grouping !== null && ![' ', ',', '.'].includes(text(grouping))) return null
  if (point !== undefined && point !== null && !['.', ','].includes(text(point))) return null
  if (grouping !== undefined && grouping !== null && grouping === point) return null
  let plain = given
  if (typeof grouping === 'string') plain = plain.replaceAll(grouping, '')
  if (typeof point === 'string') plain = plain.replace(point, '.')
  if (!/^-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(plain)) return null
  return numberOfText(plain.replace(/^(-?)\./, '$10.')) ?? null
})
define('date', 'from | year, month, day', (args) => {
  const [from] = args
  if (args.length === 3)
    return dateOf(Number(number(args[0])), Number(number(args[1])), Number(number(args[2]))) ?? null
  if (typeof from === 'string') return parseDate(from) ?? null
  if (isKind(from, 'date')) return from
  return temporal('dateTime', from).date
})
define('time', 'from | hour, minute, second, offset?', (args) => {
  const [from, minute, second, offset] = args
  if (args.length >= 3) {
    const [seconds = '0', fraction = ''] = String(number(second)).split('.')
    const shift =
      offset === undefined || offset === null ? undefined : Number(temporal('dayTime', offset).nanos / NANOS)
    return (
      timeOf({
        hour: Number(number(from)),
        minute: Number(number(minute)),
        second: Number(seconds),
        nanos: Number(fraction.slice(0, 9).padEnd(9, '0')),
        offset: shift,
      }) ?? null
    )
  }
  if (typeof from === 'string') {
    refuseMidnight24(from)
    return parseTime(from) ?? null
  }
  if (isKind(from, 'time')) return from
  if (isKind(from, 'date')) return { kind: 'time', hour: 0, minute: 0, second: 0, nanos: 0, offset: 0 }
  return temporal('dateTime', from).time
})
define('date and time', 'from | date, time', (args) => {
  const [from, time] = args
  if (args.length === 2) {
    const date = dateIn(from)
    return { kind: 'dateTime', date, time: temporal('time', time) }
  }
  if (typeof from === 'string') {
    refuseMidnight24(from)
    return parseDateTime(from) ?? null
  }
  if (isKind(from, 'dateTime')) return from
  const date = temporal('date', from)
  return { kind: 'dateTime', date, time: { kind: 'time', hour: 0, minute: 0, second: 0, nanos: 0, offset: 0 } }
})
define('duration', 'from', ([from]) => {
  if (isKind(from, 'dayTime') || isKind(from, 'yearMonth')) return from
  if (/\.(?!\d)/.test(text(from))) throw new NotConstant('such a duration')
  return parseDuration(text(from)) ?? null
})
define('years and months duration', 'from, to', ([from, to]) => {
  const [one, other] = [from, to].map(dateIn)
  return one === undefined || other === undefined ? null : { kind: 'yearMonth', months: monthsBetween(one, other) }
})

// Booleans
define('not', 'negand', ([negand]) => (typeof negand === 'boolean' ? !negand : null))
define('is', 'value1, value2', ([one = null, other = null]) => {
  if (kindOf(one) !== kindOf(other)) return false
  if ((isKind(one, 'time') || isKind(one, 'dateTime')) && (isKind(other, 'time') || isKind(other, 'dateTime')))
    return sameTime(one, other)
  return equalValues(one, other) === true
})

function sameTime(one: FeelTime | FeelDateTime, other: FeelTime | FeelDateTime): boolean {
  const parts = (value: FeelTime | FeelDateTime): readonly unknown[] => {
    const [day, time] = value.kind === 'time' ? [undefined, value] : [epochDays(value.date), value.time]
    return [day, time.hour, time.minute, time.second, time.nanos, time.offset, time.zone]
  }
  const left = parts(one)
  return parts(other).every((part, index) => part === left[index])
}

// Texts: positions count characters, not code units
define('substring', 'string, start position, length?', ([value, start, length]) => {
  const characters = [...text(value)]
  const from = whole(start)
  if (from === 0 || Math.abs(from) > characters.length)
    return length === undefined && from !== 0 ? outside(from, characters.length) : null
  const begin = from > 0 ? from - 1 : characters.length + from
  if (length === undefined || length === null) return characters.slice(begin).join('')
  const count = whole(length)
  return count < 1 ? null : characters.slice(begin, begin + count).join('')
})

const outside = (from: number, length: number): FeelValue => {
  throw new NotConstant(`a substring from ${from} of ${length} characters`)
}

define('string length', 'string', ([value]) => [...text(value)].length)
define('upper case', 'string', ([value]) => text(value).toUpperCase())
define('lower case', 'string', ([value]) => text(value).toLowerCase())
define('trim', 'string', ([value]) => text(value).trim())
define('substring before', 'string, match', ([value, match]) => {
  const at = text(value).indexOf(text(match))
  return at < 0 ? '' : text(value).slice(0, at)
})
define('substring after', 'string, match', ([value, match]) => {
  const at = text(value).indexOf(text(match))
  return at < 0 ? '' : text(value).slice(at + text(match).length)
})
define('contains', 'string, match', ([value, match]) => text(value).includes(text(match)))
define('starts with', 'string, match', ([value, match]) => text(value).startsWith(text(match)))
define('ends with', 'string, match', ([value, match]) => text(value).endsWith(text(match)))
const flagsOf = (flags: FeelValue | undefined) => (flags === undefined || flags === null ? '' : text(flags))
define('matches', 'input, pattern, flags?', ([input, pattern, flags]) =>
  patternMatches(text(input), text(pattern), flagsOf(flags)),
)
define('replace', 'input, pattern, replacement, flags?', ([input, pattern, replacement, flags]) =>
  patternReplaced(text(input), text(pattern), text(replacement), flagsOf(flags)),
)
define('split', 'string, delimiter', ([value, delimiter]) => patternSplit(text(value), text(delimiter)))
define('string join', 'list, delimiter?', ([values, delimiter]) => {
  const parts = list(values).filter((one) => one !== null)
  const separator = delimiter === undefined || delimiter === null ? '' : text(delimiter)
  return parts.map(text).join(separator)
})

// Lists
define('list contains', 'list, element', ([values, element = null]) =>
  list(values).some((one) => equalValues(one, element) === true),
)
define('count', 'list', ([values]) => list(values).length)

/** The list argument of a function that also accepts its items as separate arguments. */
const items = (args: readonly FeelValue[]): readonly FeelValue[] => (args.length === 1 ? list(args[0]) : args)

const extreme =
  (sign: number): Call =>
  (args) => {
    const values = items(args)
    let [found = null] = values
    for (const value of values) {
      const order = compareValues(value, found)
      if (order === undefined) return null
      if (order * sign > 0) found = value
    }
    return found
  }
define('min', 'list | c…', extreme(-1))
define('max', 'list | c…', extreme(1))
const total = (values: readonly FeelValue[]): NumberValue =>
  values.reduce<NumberValue>((sum, value) => decimalArithmetic.add(sum, number(value)), 0)
define('sum', 'list | n…', (args) => {
  const values = items(args)
  if (values.length === 0) return null
  if (values.some((one) => kindOf(one) === 'dayTime' || kindOf(one) === 'yearMonth'))
    throw new NotConstant('the sum of durations')
  return total(values)
})
define('mean', 'list | n…', (args) => {
  const values = items(args)
  return values.length === 0 ? null : decimalArithmetic.divide(total(values), values.length)
})
define('product', 'list | n…', (args) => {
  const values = items(args)
  if (values.length === 0) return null
  return values.reduce<NumberValue>((product, value) => decimalArithmetic.multiply(product, number(value)), 1)
})
const sortedNumbers = (values: readonly FeelValue[]) => values.map(number).toSorted(decimalArithmetic.compare)
define('median', 'list | n…', (args) => {
  const values = sortedNumbers(items(args))
  const middle = values.length >> 1
  if (values.length === 0) return null
  if (values.length % 2 === 1) return values[middle] ?? null
  return decimalArithmetic.divide(decimalArithmetic.add(number(values[middle - 1]), number(values[middle])), 2)
})
define('stddev', 'list | n…', (args) => {
  const values = items(args).map(number)
  if (values.length < 2) return null
  const mean = decimalArithmetic.divide(total(values), values.length)
  const squares = values.map((value) => {
    const distance = decimalArithmetic.subtract(value, mean)
    return decimalArithmetic.multiply(distance, distance)
  })
  return decimalArithmetic.squareRoot(decimalArithmetic.divide(total(squares), values.length - 1))
})
define('mode', 'list | n…', (args) => {
  const values = sortedNumbers(items(args))
  const counts: { value: NumberValue; count: number }[] = []
  for (const value of values) {
    const last = counts.at(-1)
    if (last !== undefined && decimalArithmetic.compare(last.value, value) === 0) last.count++
    else counts.push({ value, count: 1 })
  }
  const most = Math.max(...counts.map(({ count }) => count))
  return counts.filter(({ count }) => count === most).map(({ value }) => value)
})
const ternary =
  (reduce: (left: FeelValue, right: FeelValue) => FeelValue, start: boolean): Call =>
  (args) =>
    items(args)
      .map((one) => (typeof one === 'boolean' ? one : null))
      .reduce(reduce, start)
define('all', 'list | b…', (args, evaluator) => {
  const values = items(args)
  if (values.some((one) => one !== null && typeof one !== 'boolean')) return null
  return ternary(and, true)(args, evaluator)
})
define('any', 'list | b…', (args, evaluator) => {
  const values = items(args)
  if (values.some((one) => one !== null && typeof one !== 'boolean')) return null
  return ternary(or, false)(args, evaluator)
})
define('and', 'list | b…', ternary(and, true))
define('or', 'list | b…', ternary(or, false))

/** The index for a position, counted from 1, or from the end if negative. */
function indexIn(position: FeelValue | undefined, length: number): number {
  const at = Number(number(position))
  if (!Number.isInteger(at) || at === 0 || Math.abs(at) > length) return mistyped()
  return at > 0 ? at - 1 : length + at
}
define('sublist', 'list, start position, length?', ([values, start, length]) => {
  const all = list(values)
  const begin = indexIn(start, all.length)
  if (length === undefined || length === null) return all.slice(begin)
  const count = whole(length)
  return count < 1 || begin + count > all.length ? null : all.slice(begin, begin + count)
})
define('append', 'list, item…', ([values, ...more]) => [...list(values), ...more])
define('concatenate', 'list…', (args) => args.flatMap((one) => list(one)))
define('insert before', 'list, position, newItem', ([values, position, item = null]) => {
  const all = list(values)
  return all.toSpliced(indexIn(position, all.length), 0, item)
})
define('remove', 'list, position', ([values, position]) => {
  const all = list(values)
  return all.toSpliced(indexIn(position, all.length), 1)
})
define('list replace', 'list, position, newItem | list, match, newItem', ([values, position, item = null]) => {
  const all = list(values)
  if (isKind(position, 'function')) {
    const { call, parameters } = position
    if (parameters.length !== 2) return null
    const replaced = all.map((one) => ({ one, is: call([one, item]) }))
    if (replaced.some(({ is }) => typeof is !== 'boolean')) return null
    return replaced.map(({ one, is }) => (is === true ? item : one))
  }
  return all.toSpliced(indexIn(whole(position), all.length), 1, item)
})
define('reverse', 'list', ([values]) => list(values).toReversed())
define('index of', 'list, match', ([values, match = null]) =>
  list(values).flatMap((one, index) => (equalValues(one, match) === true ? [index + 1] : [])),
)
const distinct = (values: readonly FeelValue[]): readonly FeelValue[] => {
  const found: FeelValue[] = []
  for (const value of values) if (!found.some((one) => equalValues(one, value) === true)) found.push(value)
  return found
}
define('union', 'list…', (args) => distinct(args.flatMap((one) => list(one))))
define('distinct values', 'list', ([values]) => distinct(list(values)))
define('duplicate values', 'list', ([values]) => {
  const all = list(values)
  return distinct(all.filter((value) => all.filter((one) => equalValues(one, value) === true).length > 1))
})
const flat = (values: readonly FeelValue[]): readonly FeelValue[] =>
  values.flatMap((one) => (isList(one) ? flat(one) : [one]))
define('flatten', 'list', ([values]) => flat(list(values)))
define('sort', 'list, precedes?', ([values, precedes]) => {
  const all = list(values)
  if (precedes === undefined || precedes === null) {
    const kinds = new Set(all.map(kindOf))
    if (kinds.size > 1) return null
    return all.toSorted((one, other) => compareValues(one, other) ?? mistyped())
  }
  if (!isKind(precedes, 'function')) return mistyped()
  const { call } = precedes
  return all.toSorted((one, other) => (call([one, other]) === true ? -1 : call([other, one]) === true ? 1 : 0))
})

// Numbers
function rounded(
  value: FeelValue | undefined,
  scale: FeelValue | undefined,
  mode: Parameters<typeof roundNumber>[2],
): FeelValue {
  const given = number(value)
  const places = scale === undefined ? 0 : whole(scale)
  if (places < -6111 || places > 6176) return null
  if (places < -15) throw new NotConstant('such a scale')
  return places > 33 ? given : roundNumber(given, places, mode)
}
define('decimal', 'n, scale', ([n, scale]) => rounded(n, scale ?? null, 'half_even'))
define('floor', 'n, scale?', ([n, scale]) => rounded(n, scale, 'floor'))
define('ceiling', 'n, scale?', ([n, scale]) => rounded(n, scale, 'ceiling'))
define('round up', 'n, scale', ([n, scale]) => rounded(n, scale ?? null, 'up'))
define('round down', 'n, scale', ([n, scale]) => rounded(n, scale ?? null, 'down'))
define('round half up', 'n, scale', ([n, scale]) => rounded(n, scale ?? null, 'half_up'))
define('round half down', 'n, scale', ([n, scale]) => rounded(n, scale ?? null, 'half_down'))
define('abs', 'n', ([n]) => {
  if (isKind(n, 'dayTime')) {
    const { nanos } = n
    return { kind: 'dayTime', nanos: nanos < 0n ? -nanos : nanos }
  }
  if (isKind(n, 'yearMonth')) return { kind: 'yearMonth', months: Math.abs(n.months) }
  const value = number(n)
  return decimalArithmetic.compare(value, 0) < 0 ? decimalArithmetic.subtract(0, value) : value
})
define('modulo', 'dividend, divisor', ([dividend, divisor]) => {
  const rest = decimalArithmetic.remainder(number(dividend), number(divisor))
  const isOpposite = decimalArithmetic.compare(rest, 0) * decimalArithmetic.compare(number(divisor), 0) < 0
  return isOpposite ? decimalArithmetic.add(rest, number(divisor)) : rest
})
define('sqrt', 'number', ([n]) =>
  decimalArithmetic.compare(number(n), 0) < 0 ? null : decimalArithmetic.squareRoot(number(n)),
)
const finite = (value: number): FeelValue => (Number.isFinite(value) ? value : null)
define('log', 'number', ([n]) => finite(Math.log(Number(number(n)))))
define('exp', 'number', ([n]) => finite(Math.exp(Number(number(n)))))
const isDivisible = (n: FeelValue | undefined): boolean => {
  const rest = decimalArithmetic.remainder(number(n), 2)
  return decimalArithmetic.compare(rest, 0) === 0
}
define('even', 'number', ([n]) => isDivisible(n))
define('odd', 'number', ([n]) => {
  const rest = Math.abs(Number(decimalArithmetic.remainder(number(n), 2)))
  return rest === 1
})

// Contexts
define('get value', 'm, key | context, keys', ([m, key]) => {
  if (key !== undefined && isList(key))
    return key.reduce<FeelValue>(
      (found, one) => (found !== null && isContext(found) ? (found.get(text(one)) ?? null) : null),
      context(m),
    )
  return context(m).get(text(key)) ?? null
})
define('get entries', 'm', ([m]) =>
  Array.from(
    context(m),
    ([key, value]) =>
      new Map<string, FeelValue>([
        ['key', key],
        ['value', value],
      ]),
  ),
)
define('context', 'entries', ([entries]) => {
  const found = new Map<string, FeelValue>()
  for (const entry of list(entries)) {
    const one = context(entry)
    const key = text(one.get('key'))
    const value = one.get('value')
    if (value === undefined || found.has(key)) return null
    found.set(key, value)
  }
  return found
})
const put = (into: FeelValue | undefined, keys: readonly FeelValue[], value: FeelValue): FeelValue => {
  const [key, ...rest] = keys
  const own = context(into)
  const name = text(key)
  const inner = rest.length === 0 ? value : put(own.get(name), rest, value)
  return new Map([...own, [name, inner]])
}
define('context put', 'context, key, value | context, keys, value', ([into, key, value = null]) => {
  if (key !== undefined && isList(key)) return key.length === 0 ? null : put(into, key, value)
  return put(into, [key ?? null], value)
})
define('context merge', 'contexts', ([contexts]) => new Map(list(contexts).flatMap((one) => [...context(one)])))

// Calendar
const dateIn = (value: FeelValue | undefined): FeelDate =>
  isKind(value, 'dateTime') ? value.date : temporal('date', value)
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const MONTHS = 'January February March April May June July August September October November December'.split(' ')
define('day of year', 'date', ([value]) => {
  const date = dateIn(value)
  return epochDays(date) - epochDays({ ...date, month: 1, day: 1 }) + 1
})
define('day of week', 'date', ([value]) => DAYS[weekday(dateIn(value)) - 1] ?? null)
define('month of year', 'date', ([value]) => MONTHS[dateIn(value).month - 1] ?? null)
define('week of year', 'date', ([value]) => {
  const date = dateIn(value)
  // The ISO week of the Thursday of the same week.
  const thursday = epochDays(date) - weekday(date) + 4
  const ofYear = (year: number) => epochDays({ kind: 'date', year, month: 1, day: 1 })
  const year = [date.year + 1, date.year, date.year - 1].find((one) => ofYear(one) <= thursday) ?? date.year
  return Math.floor((thursday - ofYear(year)) / 7) + 1
})
define('last day of month', 'date', ([value]) => {
  const { year, month } = dateIn(value)
  return daysInMonth(year, month)
})

// Ranges
define('range', 'from', ([from], evaluator) => {
  const given = text(from)
  // The parser treats `[` after a value as a filter.
  if (given.trimEnd().endsWith('[')) throw new NotConstant('a range that ends with `[`')
  if (!/^[[(\]].*\.\..*[\])]$/s.test(given.trim())) return null
  let parsed
  try {
    parsed = parseConstant(given, new KnownNames(builtinNames()))
  } catch {
    return null
  }
  if (parsed.kind !== 'range') return null
  const [low, high] = [parsed.low, parsed.high].map((one) => {
    const isLiteral =
      ['number', 'string', 'at', 'null'].includes(one.kind) ||
      (one.kind === 'negation' && one.operand.kind === 'number')
    const isCall =
      one.kind === 'call' &&
      one.target.kind === 'name' &&
      ['date', 'time', 'date and time', 'duration'].includes(one.target.name)
    if (!isLiteral && !isCall) return mistyped()
    return evaluator.evaluate(one, () => undefined)
  })
  if (low === undefined || high === undefined || (low === null && high === null)) return null
  if (low !== null && high !== null && (compareValues(low, high) ?? 1) > 0) return null
  if ((low === null && parsed.isLowIncluded) || (high === null && parsed.isHighIncluded)) return null
  return rangeOf(low, high, parsed)
})
type Interval = FeelRange
const isRange = (value: FeelValue | undefined): value is Interval => isKind(value, 'range')
const isTrue = (value: FeelValue): boolean => (typeof value === 'boolean' ? value : mistyped())
const less = (one: FeelValue, other: FeelValue) => isTrue(compared('<', one, other))
const same = (one: FeelValue, other: FeelValue) => isTrue(compared('=', one, other))

/** A relation of points and ranges; only the given combinations exist. */
function relation(
  name: string,
  forms: string,
  cases: {
    readonly points?: (one: FeelValue, other: FeelValue) => boolean
    readonly pointRange?: (point: FeelValue, range: Interval) => boolean
    readonly rangePoint?: (range: Interval, point: FeelValue) => boolean
    readonly ranges?: (one: Interval, other: Interval) => boolean
  },
): void {
  define(name, forms, ([one = null, other = null]) => {
    if (one === null || other === null) return null
    for (const value of [one, other])
      if (isRange(value) && (value.low === null || value.high === null))
        throw new NotConstant('a relation of such a range')
    if (isRange(one) && isRange(other)) return cases.ranges?.(one, other) ?? null
    if (isRange(one)) return cases.rangePoint?.(one, other) ?? null
    if (isRange(other)) return cases.pointRange?.(one, other) ?? null
    return cases.points?.(one, other) ?? null
  })
}
const BOTH = 'point1, point2 | point, range | range, point | range1, range2'
const isBefore = (one: Interval, other: Interval) =>
  less(one.high, other.low) || (same(one.high, other.low) && !(one.isHighIncluded && other.isLowIncluded))
relation('before', BOTH, {
  points: less,
  pointRange: (point, range) => less(point, range.low) || (same(point, range.low) && !range.isLowIncluded),
  rangePoint: (range, point) => less(range.high, point) || (same(range.high, point) && !range.isHighIncluded),
  ranges: isBefore,
})
relation('after', BOTH, {
  points: (one, other) => less(other, one),
  pointRange: (point, range) => less(range.high, point) || (same(range.high, point) && !range.isHighIncluded),
  rangePoint: (range, point) => less(point, range.low) || (same(point, range.low) && !range.isLowIncluded),
  ranges: (one, other) => isBefore(other, one),
})
const meets = (one: Interval, other: Interval) => one.isHighIncluded && other.isLowIncluded && same(one.high, other.low)
relation('meets', 'range1, range2', { ranges: meets })
relation('met by', 'range1, range2', { ranges: (one, other) => meets(other, one) })
relation('overlaps', 'range1, range2', { ranges: (one, other) => !isBefore(one, other) && !isBefore(other, one) })
/** Whether the lower bound of a range is before that of another. */
const startsFirst = (one: Interval, other: Interval) =>
  less(one.low, other.low) || (same(one.low, other.low) && one.isLowIncluded && !other.isLowIncluded)
const endsFirst = (one: Interval, other: Interval) =>
  less(one.high, other.high) || (same(one.high, other.high) && !one.isHighIncluded && other.isHighIncluded)
const overlapsBefore = (one: Interval, other: Interval) =>
  startsFirst(one, other) &&
  (less(one.high, other.high) || (same(one.high, other.high) && (!one.isHighIncluded || other.isHighIncluded))) &&
  !isBefore(one, other)
relation('overlaps before', 'range1, range2', { ranges: overlapsBefore })
relation('overlaps after', 'range1, range2', { ranges: (one, other) => overlapsBefore(other, one) })
const isInside = (point: FeelValue, range: Interval) => isTrue(inRange(point, range))
const finishes = (one: Interval, other: Interval) =>
  one.isHighIncluded === other.isHighIncluded && same(one.high, other.high) && !startsFirst(one, other)
relation('finishes', 'point, range | range1, range2', {
  pointRange: (point, range) => range.isHighIncluded && same(point, range.high),
  ranges: finishes,
})
relation('finished by', 'range, point | range1, range2', {
  rangePoint: (range, point) => range.isHighIncluded && same(range.high, point),
  ranges: (one, other) => finishes(other, one),
})
const starts = (one: Interval, other: Interval) =>
  one.isLowIncluded === other.isLowIncluded && same(one.low, other.low) && !endsFirst(other, one)
relation('starts', 'point, range | range1, range2', {
  pointRange: (point, range) => range.isLowIncluded && same(point, range.low),
  ranges: starts,
})
relation('started by', 'range, point | range1, range2', {
  rangePoint: (range, point) => range.isLowIncluded && same(range.low, point),
  ranges: (one, other) => starts(other, one),
})
const includes = (one: Interval, other: Interval) => !startsFirst(other, one) && !endsFirst(one, other)
relation('includes', 'range, point | range1, range2', {
  rangePoint: (range, point) => isInside(point, range),
  ranges: includes,
})
relation('during', 'point, range | range1, range2', {
  pointRange: isInside,
  ranges: (one, other) => includes(other, one),
})
relation('coincides', 'point1, point2 | range1, range2', {
  points: same,
  ranges: (one, other) => equalValues(one, other) === true,
})

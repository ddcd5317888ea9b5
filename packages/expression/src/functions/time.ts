import { quote } from '../quote.ts'
import type { Call } from '../ast.ts'
import { createText } from '../creation.ts'
import { TYPE } from '../types.ts'
import { nearest } from '../suggest/nearest.ts'
import { optional, parameter, text, whole } from './arguments.ts'
import type { Argument, FunctionDefinition, Parameter } from '../function-definition.ts'
import { failures } from './failures.ts'
import { temporalFault } from './platform.ts'
import { type Moment, parseMoment, printMoment, zoned } from './moment.ts'

const { number, string } = TYPE

const UNITS = ['years', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds', 'milliseconds'] as const
type Unit = (typeof UNITS)[number]

/** Milliseconds of the units that have a fixed length. */
const LENGTHS: Partial<Readonly<Record<Unit, number>>> = {
  hours: 3_600_000,
  minutes: 60_000,
  seconds: 1000,
  milliseconds: 1,
}

function unitOf(subject: string): Unit | undefined {
  return UNITS.find((known) => known === subject || known.slice(0, -1) === subject)
}

function unitFault(subject: string): string | undefined {
  if (unitOf(subject) !== undefined) return undefined
  const guess = nearest(subject, UNITS)
  return `${quote(subject)} is not a unit: use ${guess === undefined ? UNITS.join(', ') : quote(guess)}`
}

function unit(node: Call, index: number, argument: Argument): Unit {
  const subject = text(node, index, argument)
  const found = unitOf(subject)
  if (found === undefined) throw failures.badArgument(node, index, unitFault(subject) ?? '')
  return found
}

function dateFault(subject: string): string | undefined {
  const missing = temporalFault()
  if (missing !== undefined) return missing
  return parseMoment(subject) === undefined
    ? `${quote(subject)} is not a date or time such as \`2026-11-20\` or \`2026-11-20T10:00:00Z\``
    : undefined
}

/** ISO 8601 text, or epoch milliseconds. */
function moment(node: Call, index: number, argument: Argument): Moment {
  const missing = temporalFault()
  if (missing !== undefined) throw failures.badArgument(node, index, missing)
  const isEpoch = typeof argument === 'number'
  const found = parseMoment(isEpoch ? argument : text(node, index, argument))
  if (found !== undefined) return found
  throw failures.badArgument(
    node,
    index,
    dateFault(isEpoch ? '' : text(node, index, argument)) ?? 'the date is out of range',
  )
}

/** Characters of a time zone's name. Longer texts are never valid and would only be copied into the error. */
const MAX_ZONE = 100

function zone(node: Call, index: number, argument: Argument): string {
  if (argument === undefined) return 'UTC'
  const subject = text(node, index, argument)
  const fault = zoneFault(subject)
  if (fault !== undefined) throw failures.badArgument(node, index, fault)
  return subject
}

function zoneFault(subject: string): string | undefined {
  const missing = temporalFault()
  if (missing !== undefined) return missing
  try {
    if (subject.length > MAX_ZONE) throw new RangeError('no time zone has such a name')
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(subject)
    return undefined
  } catch {
    return `${quote(subject)} is not a time zone such as \`Europe/Berlin\``
  }
}

const DATE = (name = 'date'): Parameter => ({ name, type: string | number, refuses: dateFault })
const UNIT: Parameter = { name: 'unit', type: string, refuses: unitFault }
const ZONE: Parameter = { ...optional('zone', string), refuses: zoneFault }

function part(name: string, read: (date: Temporal.ZonedDateTime) => number): FunctionDefinition {
  return {
    name,
    parameters: [DATE(), ZONE],
    returns: number,
    cost: 200,
    implementation: (_runtime, node, date, place) => read(zoned(moment(node, 0, date), zone(node, 1, place))),
  }
}

/** Run a calculation that `Temporal` may reject. */
function calculated<T>(node: Call, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof RangeError) throw failures.badArgument(node, 0, 'the result is out of range')
    throw error
  }
}

function difference(left: Moment, right: Moment, by: Unit, place: string): number {
  const length = LENGTHS[by]
  const [a, b] = [zoned(left, place), zoned(right, place)]
  const result =
    length === undefined ? a.since(b, { largestUnit: by })[by] : (a.epochMilliseconds - b.epochMilliseconds) / length
  // `-0` prints and compares as 0, so return 0.
  return Math.trunc(result) || 0
}

/** Two digits, or as many as the pattern has letters. */
const pad = (value: number, width: number) => String(value).padStart(width, '0')

const TOKENS: Readonly<Record<string, (date: Temporal.ZonedDateTime) => string>> = {
  YYYY: ({ year }) => (year < 0 ? `-${pad(-year, 4)}` : pad(year, 4)),
  MM: ({ month }) => pad(month, 2),
  DD: ({ day }) => pad(day, 2),
  HH: ({ hour }) => pad(hour, 2),
  mm: ({ minute }) => pad(minute, 2),
  ss: ({ second }) => pad(second, 2),
  SSS: ({ millisecond }) => pad(millisecond, 3),
}

/** Longest word examined: words mistaken for part of a pattern are short. */
const MAX_PATTERN_WORD = 32
/**
 * Words that other libraries treat as parts of a pattern: `MMMM`, `dd`, `YYMMDD`, `D`. A single `h`, `m` or `s` is
 * literal text.
 */
const FOREIGN_WORDS = [/^([A-Za-z])\1+$/, /^(?=.*[A-Z])[YMDHmsS]{2,}$/, /^[YyMDdH]$/]

/** Why a pattern probably does not mean what its author intended; undefined when it is fine. */
function patternFault(pattern: string): string | undefined {
  for (const [word] of pattern.matchAll(/[A-Za-z]+/g)) {
    if (word.length > MAX_PATTERN_WORD || !FOREIGN_WORDS.some((words) => words.test(word))) continue
    const runs = word.match(/([A-Za-z])\1*/g) ?? []
    if (runs.every((run) => Object.hasOwn(TOKENS, run))) continue
    const known = Object.keys(TOKENS).map((token) => quote(token))
    return `${quote(word)} is no part of a pattern: the parts are ${known.join(', ')}`
  }
  return undefined
}

const PATTERN: Parameter = {
  ...parameter('pattern', string),
  refuses: patternFault,
  // Earlier versions accepted every text, and wrote unknown words unchanged.
  refusedBefore: () => undefined,
}

/** Dates and times: ISO 8601 text as input and output, UTC unless a zone is given. Numbers are epoch milliseconds. */
export const TIME: readonly FunctionDefinition[] = [
  {
    name: 'now',
    aliases: ['current_timestamp', 'get_date'],
    parameters: [],
    returns: string,
    volatile: true,
    cost: 200,
    implementation: (runtime) => new Date(runtime.now).toISOString(),
  },
  {
    name: 'now_millis',
    parameters: [],
    returns: number,
    volatile: true,
    cost: 200,
    implementation: (runtime) => runtime.now,
  },
  {
    name: 'date',
    aliases: ['parse_date', 'to_date'],
    parameters: [DATE('value')],
    returns: string,
    cost: 200,
    implementation: (_runtime, node, value) => printMoment(moment(node, 0, value)),
  },
  {
    name: 'date_add',
    aliases: ['dateadd'],
    parameters: [DATE(), parameter('n', number), UNIT, ZONE],
    returns: string,
    cost: 200,
    implementation: (_runtime, node, date, n, by, place) => {
      const start = moment(node, 0, date)
      const amount = whole(node, 1, n)
      const name = unit(node, 2, by)
      const where = zone(node, 3, place)
      return calculated(node, () => {
        if (start.kind === 'date' && LENGTHS[name] === undefined)
          return printMoment({ kind: 'date', date: start.date.add({ [name]: amount }) })
        const instant = zoned(start, where)
          .add({ [name]: amount })
          .toInstant()
        return printMoment({ kind: 'instant', instant })
      })
    },
  },
  {
    name: 'date_diff',
    aliases: ['datediff'],
    parameters: [DATE('a'), DATE('b'), UNIT, ZONE],
    returns: number,
    cost: 200,
    implementation: (_runtime, node, a, b, by, place) => {
      const [left, right, name, where] = [
        moment(node, 0, a),
        moment(node, 1, b),
        unit(node, 2, by),
        zone(node, 3, place),
      ]
      return calculated(node, () => difference(left, right, name, where))
    },
  },
  part('year', ({ year }) => year),
  part('month', ({ month }) => month),
  part('day', ({ day }) => day),
  part('hour', ({ hour }) => hour),
  {
    ...part('day_of_week', ({ dayOfWeek }) => dayOfWeek),
    aliases: ['weekday'],
  },
  {
    name: 'format_date',
    parameters: [DATE(), PATTERN, ZONE],
    returns: string,
    cost: 200,
    implementation: (runtime, node, date, pattern, place) => {
      const when = zoned(moment(node, 0, date), zone(node, 2, place))
      const layout = text(node, 1, pattern)
      // A year may have more digits than its letters, but never twice as many.
      createText(runtime, node, layout.length)
      runtime.budget.create(2 * layout.length)
      runtime.budget.spend(4 * layout.length)
      const fault = node.isTolerated === true ? undefined : patternFault(layout)
      if (fault !== undefined) throw failures.badArgument(node, 1, fault)
      return layout.replaceAll(/YYYY|MM|DD|HH|mm|SSS|ss/g, (token) => TOKENS[token]?.(when) ?? token)
    },
  },
]

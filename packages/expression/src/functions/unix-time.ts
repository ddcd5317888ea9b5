import type { Call } from '../ast.ts'
import { createText } from '../creation.ts'
import { quote } from '../quote.ts'
import { TYPE } from '../types.ts'
import { parameter, text } from './arguments.ts'
import type { Argument, FunctionDefinition, Parameter } from '../function-definition.ts'
import { failures } from './failures.ts'
import { parseMoment, zoned } from './moment.ts'
import { printTime, readFormat, readTime } from './strftime.ts'

const { number, string } = TYPE

/** Seconds of a unit, by every name it has. */
const UNITS: ReadonlyMap<string, number> = new Map(
  (
    [
      ['second', 1],
      ['minute', 60],
      ['hour', 3600],
      ['day', 86_400],
    ] as const
  ).flatMap(([name, length]) => [name, `${name}s`, name.charAt(0)].map((form) => [form, length] as const)),
)

function unitFault(subject: string): string | undefined {
  return UNITS.has(subject)
    ? undefined
    : `${quote(subject)} is not a unit: use seconds, minutes, hours, days, s, m, h, d`
}

function unit(node: Call, index: number, argument: Argument): number {
  const subject = text(node, index, argument)
  const found = UNITS.get(subject)
  if (found === undefined) throw failures.badArgument(node, index, unitFault(subject) ?? '')
  return found
}

function formatFault(subject: string): string | undefined {
  const found = readFormat(subject)
  return 'fault' in found ? found.fault : undefined
}

function format(node: Call, index: number, argument: Argument) {
  const found = readFormat(text(node, index, argument))
  if ('fault' in found) throw failures.badArgument(node, index, found.fault)
  return found.parts
}

/** The largest number of seconds that a calendar date represents. */
const MAX_SECONDS = 8.64e12

/** Whole Unix seconds, from a number or from ISO 8601 text; fractions are truncated. */
function seconds(node: Call, index: number, argument: Argument): number {
  if (typeof argument === 'number' || typeof argument === 'bigint') {
    const given = Math.trunc(Number(argument))
    if (Math.abs(given) > MAX_SECONDS) throw failures.badArgument(node, index, 'the date is out of range')
    return given
  }
  const subject = text(node, index, argument)
  const moment = parseMoment(subject)
  if (moment === undefined) throw failures.badArgument(node, index, dateFault(subject) ?? '')
  return Math.floor(zoned(moment, 'UTC').epochMilliseconds / 1000)
}

function dateFault(subject: string): string | undefined {
  return parseMoment(subject) === undefined
    ? `${quote(subject)} is not a date or time such as \`2026-11-20\` or \`2026-11-20T10:00:00Z\``
    : undefined
}

const TIME = (name: string): Parameter => ({ name, type: string | number, refuses: dateFault })
const FORMAT: Parameter = { name: 'format', type: string, refuses: formatFault }

/** The longest text that two characters of a format become: the date `%F` of a year with six digits and a sign. */
const GROWTH = 7

/** Times as whole seconds since 1970 UTC, and `strftime` formats; ISO 8601 text is accepted wherever a time is. */
export const UNIX_TIME: readonly FunctionDefinition[] = [
  {
    name: 'parse_time',
    aliases: ['strptime', 'str_to_time'],
    parameters: [parameter('text', string), FORMAT],
    returns: number,
    cost: 400,
    implementation: ({ budget }, node, value, layout) => {
      const subject = text(node, 0, value)
      const parts = format(node, 1, layout)
      budget.spend(subject.length)
      const found = readTime(parts, subject)
      if (found !== undefined) return found
      throw failures.badArgument(
        node,
        0,
        `${quote(subject)} is not a date and time in the format ${quote(text(node, 1, layout))}`,
      )
    },
  },
  {
    name: 'format_time',
    aliases: ['strftime'],
    parameters: [TIME('time'), FORMAT],
    returns: string,
    cost: 400,
    implementation: (runtime, node, time, layout) => {
      const when = seconds(node, 0, time)
      const parts = format(node, 1, layout)
      createText(runtime, node, text(node, 1, layout).length * GROWTH)
      return printTime(parts, when * 1000)
    },
  },
  {
    name: 'time_diff',
    parameters: [TIME('a'), TIME('b'), { name: 'unit', type: string, refuses: unitFault }],
    returns: number,
    cost: 200,
    // `-0` prints and compares as 0, so return 0.
    implementation: (_runtime, node, a, b, by) =>
      Math.trunc((seconds(node, 0, a) - seconds(node, 1, b)) / unit(node, 2, by)) || 0,
  },
  {
    name: 'time_of_day',
    parameters: [TIME('time')],
    returns: string,
    cost: 200,
    implementation: (_runtime, node, time) => new Date(seconds(node, 0, time) * 1000).toISOString().slice(-13, -5),
  },
]

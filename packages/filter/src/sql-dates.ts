import { type Call, constantOf, type Expression, print, printPath, quote } from '@engine/expression'
import type { DateForms } from './function-forms.ts'
import { inexpressible, type SqlContext } from './sql-context.ts'
import type { SqlNumbers } from './sql-numbers.ts'
import type { SqlValue } from './sql-truth.ts'

/** A date as SQL text. */
interface Day {
  readonly sql: string
  /** True for a constant with a time of day after midnight: its date is `sql`. */
  readonly isLater: boolean
}

const DAY = /^\d{4}-\d{2}-\d{2}$/
const INSTANT = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2}\.\d{3})Z$/
/** Dates that exist in no month. */
const NO_DAYS = ['02-30', '02-31', '04-31', '06-31', '09-31', '11-31'].map((day) => `'${day}'`).join(', ')
/** Databases have no year 0: all dates are shifted by the period after which the calendar repeats, in years. */
const SHIFTED_YEARS = 400

/** Months, and multiples of a day, in one unit. */
const UNITS: ReadonlyMap<string, { readonly months?: number; readonly days?: number; readonly perDay?: number }> =
  new Map([
    ['years', { months: 12 }],
    ['months', { months: 1 }],
    ['weeks', { days: 7 }],
    ['days', { days: 1 }],
    ['hours', { perDay: 24 }],
    ['minutes', { perDay: 1440 }],
    ['seconds', { perDay: 86_400 }],
    ['milliseconds', { perDay: 86_400_000 }],
  ])

const PARTS: ReadonlyMap<string, (forms: DateForms) => string> = new Map([
  ['year', (forms) => partOf(forms, 'x', 1, 4)],
  ['month', (forms) => partOf(forms, 'x', 6, 2)],
  ['day', (forms) => partOf(forms, 'x', 9, 2)],
  ['day_of_week', (forms) => forms.dayOfWeek(dateOf(forms, 'x'))],
])

/**
 * Date functions as SQL, for columns with a date type or with texts such as `2026-11-20`. Other texts fail, which is an
 * assumption if the rules accept times.
 */
export class SqlDates {
  readonly #context: SqlContext
  readonly #numbers: SqlNumbers

  constructor(context: SqlContext, numbers: SqlNumbers) {
    this.#context = context
    this.#numbers = numbers
  }

  static has(name: string): boolean {
    return name === 'date_diff' || PARTS.has(name)
  }

  called(node: Call): SqlValue {
    const forms = this.#context.form.dates
    if (forms === undefined) throw inexpressible(node)
    return node.name === 'date_diff' ? this.#difference(node, forms) : this.#part(node, forms)
  }

  #part(node: Call, forms: DateForms): SqlValue {
    const [date, zone] = node.args
    const read = PARTS.get(node.name)
    if (date === undefined || zone !== undefined || read === undefined) throw inexpressible(node)
    return this.#number(`CASE WHEN ${isDay(forms, 'x')} THEN ${read(forms)} END`, [['x', this.#day(node, date, forms)]])
  }

  #difference(node: Call, forms: DateForms): SqlValue {
    const [left, right, word, zone] = node.args
    const text = word === undefined ? undefined : constantOf(word)
    const unit = typeof text === 'string' ? (UNITS.get(text) ?? UNITS.get(`${text}s`)) : undefined
    if (left === undefined || right === undefined || unit === undefined || zone !== undefined) throw inexpressible(node)
    const [x, y] = [this.#day(node, left, forms), this.#day(node, right, forms)]
    // Month lengths differ: whether a month is complete depends on the time of day.
    const isPrecise = (unit.perDay !== undefined && x.isLater) || (unit.days === undefined && y.isLater)
    if (isPrecise) throw inexpressible(node)
    const ordered = (operator: string) => `x ${operator} ${this.#context.form.ordered('y')}`
    const isAfter = ordered(y.isLater ? '>' : '>=')
    const sql = unit.months === undefined ? days(forms, isAfter, x, y) : months(forms, isAfter, x)
    const length = unit.months ?? unit.days ?? 1
    const whole = length === 1 ? sql : `CAST(trunc(${sql} / ${length}.0) AS integer)`
    const value = unit.perDay === undefined ? whole : `(CAST(${sql} AS bigint) * ${unit.perDay})`
    return this.#number(`CASE WHEN ${isDay(forms, 'x')} AND ${isDay(forms, 'y')} THEN ${value} END`, [
      ['x', x],
      ['y', y],
    ])
  }

  #number(value: string, dates: readonly (readonly [name: string, day: Day])[]): SqlValue {
    const named = dates.map(([name, { sql }]) => `${sql} AS ${name}`).join(', ')
    const sql = `(SELECT ${value} FROM (SELECT ${named}${this.#context.form.fence}) AS days)`
    return this.#numbers.ofInteger(sql)
  }

  #day(node: Call, argument: Expression, forms: DateForms): Day {
    const constant = constantOf(argument)
    if (constant !== undefined) {
      if (typeof constant !== 'string') throw inexpressible(node)
      const [, day, time] = INSTANT.exec(constant) ?? []
      if (day === undefined && !DAY.test(constant)) throw inexpressible(node)
      const isLater = time !== undefined && /[1-9]/.test(time)
      return { sql: forms.text(this.#context.form.text(day ?? constant)), isLater }
    }
    const value = this.#context.value(argument)
    if (value.type !== 'text' && value.type !== 'unknown') throw inexpressible(node)
    const named = argument.kind === 'field' ? quote(printPath(argument)) : print(argument)
    this.#context.assumptions.add(
      `${named} is read as days such as 2026-11-20 or a column of dates: the query fails where it has a time of day`,
    )
    return { sql: forms.text(value.sql), isLater: false }
  }
}

function partOf(forms: DateForms, name: string, start: number, length: number): string {
  return forms.integer(`substr(${name}, ${start}, ${length})`)
}

function dateOf(forms: DateForms, name: string): string {
  const [year, month, day] = [partOf(forms, name, 1, 4), partOf(forms, name, 6, 2), partOf(forms, name, 9, 2)]
  return `make_date(${year} + ${SHIFTED_YEARS}, ${month}, ${day})`
}

/** Whether a text is a valid calendar date. */
function isDay(forms: DateForms, name: string): string {
  const isForm = forms.matches(name, "'^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$'")
  return (
    `CASE WHEN ${isForm} THEN substr(${name}, 6) NOT IN (${NO_DAYS}) AND ` +
    `CASE WHEN substr(${name}, 6) = '02-29' THEN ${isLeap(forms, name)} ELSE TRUE END ELSE FALSE END`
  )
}

function isLeap(forms: DateForms, name: string): string {
  const year = partOf(forms, name, 1, 4)
  return `${year} % 4 = 0 AND (${year} % 100 <> 0 OR ${year} % 400 = 0)`
}

function months(forms: DateForms, isAfter: string, x: Day): string {
  const [first, second] = ['x', 'y'].map((name) => `(${partOf(forms, name, 1, 4)} * 12 + ${partOf(forms, name, 6, 2)})`)
  const [dayOfX, dayOfY] = [partOf(forms, 'x', 9, 2), partOf(forms, 'y', 9, 2)] as const
  const missing = `CASE WHEN ${dayOfX} < ${dayOfY} THEN 1 ELSE 0 END`
  const beyond = x.isLater ? beyondEve(forms, dayOfX, dayOfY) : `CASE WHEN ${dayOfX} > ${dayOfY} THEN 1 ELSE 0 END`
  return `(${first} - ${second} + CASE WHEN ${isAfter} THEN 0 - ${missing} ELSE ${beyond} END)`
}

/** With a time of day, only whole days before `y` count: the months end on the day before. */
function beyondEve(forms: DateForms, dayOfX: string, dayOfY: string): string {
  const month = partOf(forms, 'y', 6, 2)
  const lastDay =
    `CASE WHEN ${month} = 3 THEN CASE WHEN ${isLeap(forms, 'y')} THEN 29 ELSE 28 END ` +
    `WHEN ${month} IN (5, 7, 10, 12) THEN 30 ELSE 31 END`
  return (
    `CASE WHEN ${dayOfY} > 1 THEN CASE WHEN ${dayOfX} >= ${dayOfY} THEN 1 ELSE 0 END ` +
    `WHEN ${dayOfX} > ${lastDay} THEN 2 ELSE 1 END`
  )
}

function days(forms: DateForms, isAfter: string, x: Day, y: Day): string {
  const difference = forms.between(dateOf(forms, 'y'), dateOf(forms, 'x'))
  if (!x.isLater && !y.isLater) return difference
  return `(${difference} + CASE WHEN ${isAfter} THEN ${y.isLater ? -1 : 0} ELSE ${x.isLater ? 1 : 0} END)`
}

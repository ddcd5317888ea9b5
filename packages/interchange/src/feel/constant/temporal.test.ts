import { expect, test } from 'vitest'
import { atLiteral } from './at-literal.ts'
import {
  addMonths,
  dateOf,
  dateOfDays,
  daysInMonth,
  epochDays,
  floorDivide,
  monthsBetween,
  parseDate,
  parseDateTime,
  parseTime,
  temporalText,
  weekday,
} from './temporal.ts'
import { type FeelValue, taggedOf } from './value.ts'

const shown = (value: FeelValue) => {
  const tagged = taggedOf(value)
  return tagged === undefined || tagged.kind === 'range' || tagged.kind === 'function' ? null : temporalText(tagged)
}

test.each([
  // Days
  ['2024-02-29', '2024-02-29'],
  ['2023-02-29', null],
  ['1900-02-29', null],
  ['2000-02-29', '2000-02-29'],
  ['2024-00-01', null],
  ['2024-13-01', null],
  ['2024-12-31', '2024-12-31'],
  ['2024-01-00', null],
  ['2024-04-31', null],
  ['-0044-03-15', '-0044-03-15'],
  ['0000-01-01', '0000-01-01'],
  ['12345-01-01', '12345-01-01'],
  ['01234-01-01', null],
  ['999999999-12-31', '999999999-12-31'],
  ['2024-1-1', null],
  // Times
  ['23:59:59', '23:59:59'],
  ['23:60:00', null],
  ['23:59:60', null],
  ['00:00:00', '00:00:00'],
  ['10:00:00.5', '10:00:00.5'],
  ['10:00:00.1234567891', '10:00:00.123456789'],
  ['10:00:00Z', '10:00:00Z'],
  ['10:00:00z', '10:00:00Z'],
  ['10:00:00+00:00', '10:00:00Z'],
  ['10:00:00+05:30', '10:00:00+05:30'],
  ['10:00:00-05:30', '10:00:00-05:30'],
  ['10:00:00+01:02:03', '10:00:00+01:02:03'],
  ['10:00:00+18:00', '10:00:00+18:00'],
  ['10:00:00+18:01', null],
  ['10:00:00+01:60', null],
  ['10:00:00+01:00:60', null],
  ['10:00:00+01:59:59', '10:00:00+01:59:59'],
  ['10:00:00@Europe/Berlin', '10:00:00@Europe/Berlin'],
  ['10:00:00@Europe/Nowhere', null],
  ['10:00:00@+01:00', null],
  ['10:00', null],
  // Days with times
  ['2024-02-29T10:00:00', '2024-02-29T10:00:00'],
  ['2024-02-30T10:00:00', null],
  ['2024-02-29T25:00:00', null],
  ['-2024-02-29T10:00:00Z', '-2024-02-29T10:00:00Z'],
  // Durations
  ['P1Y', 'P1Y'],
  ['P14M', 'P1Y2M'],
  ['P1Y12M', 'P2Y'],
  ['-P1M', '-P1M'],
  ['P0M', 'P0M'],
  ['-P0Y', 'P0M'],
  ['P', null],
  ['-P', null],
  ['P1D', 'P1D'],
  ['PT24H', 'P1D'],
  ['PT90M', 'PT1H30M'],
  ['PT3661S', 'PT1H1M1S'],
  ['-PT0.5S', '-PT0.5S'],
  ['PT0S', 'PT0S'],
  ['-PT0S', 'PT0S'],
  ['P1DT2H3M4.5S', 'P1DT2H3M4.5S'],
  ['PT1.0000000019S', 'PT1.000000001S'],
  ['P1DT', null],
  ['PT', null],
  ['P1Y1D', null],
  ['P9999999999999999Y', null],
  ['x', null],
])('`@"%s"` is %s', (text, expected) => {
  expect(shown(atLiteral(text))).toBe(expected)
})

test.each(['24:00:00', '2024-01-01T24:00:00'])('%s is refused', (text) => {
  expect(() => atLiteral(text)).toThrow('the hour 24')
})

test.each([
  ['2024-02-29', '2024-02-29T00:00:00'],
  ['2024-02-29T10:00:00', '2024-02-29T10:00:00'],
  ['2024-02-30', undefined],
  ['2024-02-29T', undefined],
  ['T10:00:00', undefined],
])('the day with a time of `%s` is %s', (text, expected) => {
  const found = parseDateTime(text)
  expect(found && temporalText(found)).toBe(expected)
})

test('days are counted from 1 January 1970, and found by their count', () => {
  for (const [text, days] of [
    ['1970-01-01', 0],
    ['1969-12-31', -1],
    ['2000-02-29', 11_016],
    ['2000-03-01', 11_017],
    ['1600-02-29', -135_081],
    ['0000-01-01', -719_528],
    ['-0001-12-31', -719_529],
  ] as const) {
    const date = parseDate(text)
    expect(date && epochDays(date), text).toBe(days)
    const found = dateOfDays(days)
    expect(found && temporalText(found)).toBe(text)
  }
  // Each day of 801 years, which have each form of a leap year and of a century.
  for (let days = -135_140, previous = dateOfDays(-135_141); days < 157_000; days++) {
    const date = dateOfDays(days)
    if (date === undefined || previous === undefined) throw new Error(`no day ${days}`)
    const isNext =
      date.day === 1
        ? previous.day === daysInMonth(previous.year, previous.month)
        : date.day === previous.day + 1 && date.month === previous.month
    if (!isNext || epochDays(date) !== days) throw new Error(`${days} is ${temporalText(date)}`)
    previous = date
  }
})

test('years have at most nine digits', () => {
  expect([dateOf(999_999_999, 1, 1)?.year, dateOf(1_000_000_000, 1, 1), dateOf(-1_000_000_000, 1, 1)]).toEqual([
    999_999_999,
    undefined,
    undefined,
  ])
  expect([dateOf(2024.5, 1, 1), dateOf(2024, 1.5, 1), dateOf(2024, 1, 1.5)]).toEqual(Array(3).fill(undefined))
})

test.each([
  ['2024-01-31', 1, '2024-02-29'],
  ['2024-01-31', -1, '2023-12-31'],
  ['2024-01-15', -12, '2023-01-15'],
  ['2024-12-31', 1, '2025-01-31'],
  ['2024-02-29', 12, '2025-02-28'],
  ['0000-01-01', -1, '-0001-12-01'],
  ['999999999-12-01', 1, undefined],
])('%s plus %i months is %s', (text, months, expected) => {
  const date = parseDate(text)
  const found = date && addMonths(date, months)
  expect(found && temporalText(found)).toBe(expected)
})

test.each([
  ['2024-01-31', '2024-02-29', 0],
  ['2024-01-31', '2024-03-31', 2],
  ['2024-01-15', '2024-02-14', 0],
  ['2024-01-15', '2024-02-15', 1],
  ['2024-02-14', '2024-01-15', 0],
  ['2024-02-15', '2024-01-15', -1],
  ['2024-02-16', '2024-01-15', -1],
  ['2024-02-15', '2024-01-16', 0],
  ['2024-02-15', '2024-02-01', 0],
  ['2024-02-01', '2024-02-15', 0],
  ['2023-12-15', '2025-01-15', 13],
])('from %s to %s there are %i months', (from, to, expected) => {
  const [one, other] = [parseDate(from), parseDate(to)]
  expect(one && other && monthsBetween(one, other)).toBe(expected)
})

test('weeks begin on Monday, also before 1970', () => {
  const days = ['2024-02-26', '2024-03-03', '1970-01-01', '1969-12-28', '1969-12-29', '0001-01-01']
  expect(days.map((text) => parseDate(text)).map((date) => date && weekday(date))).toEqual([1, 7, 4, 7, 1, 1])
})

test('a quotient is rounded down', () => {
  expect([floorDivide(7n, 2n), floorDivide(-7n, 2n), floorDivide(-8n, 2n), floorDivide(0n, 2n)]).toEqual([
    3n,
    -4n,
    -4n,
    0n,
  ])
})

test('a time has all its parts', () => {
  expect(parseTime('10:20:30.5+01:02:03')).toEqual({
    kind: 'time',
    hour: 10,
    minute: 20,
    second: 30,
    nanos: 500_000_000,
    offset: 3723,
  })
})

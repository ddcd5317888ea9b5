import { CountedBudget, interpret, LENIENT, parse, type Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { FeelFault } from './ast.ts'
import { parseFeel } from './parser.ts'
import { type FeelName, FeelScope } from './scope.ts'
import { baseShape, type FeelShape, typeOfShape } from './shape.ts'
import { writeValue } from './write.ts'

const named = (name: string, shape?: FeelShape): FeelName => ({
  name,
  target: { kind: 'input', field: name },
  shapeOf: () => shape,
  typeOf: () => typeOfShape(shape),
  items: undefined,
})
const SCOPE = new FeelScope([
  named('x'),
  named('text', baseShape('string')),
  named('day', baseShape('date')),
  named('at', baseShape('dateTime')),
  named('clock', baseShape('time')),
  named('wait', baseShape('dayTimeDuration')),
])

function valueOf(feel: string, input: Value): Value {
  const { text } = writeValue(parseFeel(feel, SCOPE), SCOPE)
  const parsed = parse(text)
  if (parsed.kind === 'failed') throw new Error(`no expression: ${text}`)
  const runtime = { now: 0, budget: new CountedBudget(1e6) }
  return interpret(parsed.expression, { input, variables: new Map(), policy: LENIENT, runtime })
}

describe('functions of several steps', () => {
  test.each<[feel: string, x: Value, value: Value]>([
    ['string length(x)', 'abc', 3],
    ['substring(x, 2)', 'abcd', 'bcd'],
    ['substring(x, 2, 2)', 'abcd', 'bc'],
    ['substring(x, -2)', 'abcd', 'cd'],
    ['substring(x, -3, 2)', 'abcd', 'bc'],
    ['substring(x, -1, 5)', 'abcd', 'd'],
    ['substring before(x, "b")', 'abc', 'a'],
    ['substring before(x, "z")', 'abc', ''],
    ['substring after(x, "b")', 'abc', 'c'],
    ['substring after(x, "z")', 'abc', ''],
    ['matches(x, "^a+b")', 'aab', true],
    ['matches(x, "a.b")', 'a\rb', false],
    ['matches(x, "a.b")', 'acb', true],
    ['matches(x, "a[.]b")', 'acb', false],
    ['replace(x, "[^0-9]", "")', '030-12', '03012'],
    ['replace(x, "(a)(b)", "$1")', 'xaby', 'refused'],
    ['split(x, ";")', 'a;b', ['a', 'b']],
    ['string join(x, "-")', ['a', null, 'b'], 'a-b'],
    ['string join(x)', ['a', 'b'], 'ab'],
    ['string join(x)', ['a', 1], null],
    ['modulo(x, 5)', -12, 3],
    ['modulo(x, 0)', -12, null],
    ['even(x)', -2, true],
    ['odd(x)', -3, true],
    ['odd(x)', 2, false],
    ['round up(x, 1)', -1.21, -1.3],
    ['round down(x, 1)', -1.29, -1.2],
    ['round half up(x, 0)', -2.5, -3],
    ['round half down(x, 0)', 2.5, 2],
    ['median(x)', [3, 1, 2, 4], 2.5],
    ['median(x)', [3, 1, 2], 2],
    ['median(x)', [], null],
    ['median(x)', [1, 'a'], null],
    ['list contains(x, 2)', [1, 2], true],
    ['list contains(x, 2)', [1], false],
    ['index of(x, 2)', [2, 1, 2], [1, 3]],
    ['all(x)', [true, true], true],
    ['all(x)', [true, null], null],
    ['all(x)', [null, false], false],
    ['any(x)', [false, true], true],
    ['any(x)', [false, null], null],
    ['any(x)', [false], false],
    ['distinct values(x)', [1, 2, 1], [1, 2]],
    ['reverse(x)', [1, 2], [2, 1]],
    ['append(x, 3, 4)', [1], [1, 3, 4]],
    ['concatenate(x, [2], x)', [1], [1, 2, 1]],
    ['union(x, [2, 1])', [1], [1, 2]],
    ['sublist(x, 2)', [1, 2, 3], [2, 3]],
    ['sublist(x, 1, 2)', [1, 2, 3], [1, 2]],
    ['sublist(x, 3, 2)', [1, 2, 3], null],
    ['insert before(x, 2, 9)', [1, 2], [1, 9, 2]],
    ['insert before(x, 3, 9)', [1], null],
    ['remove(x, 1)', [1, 2], [2]],
    ['remove(x, 3)', [1, 2], null],
  ])('%s of %j', (feel, x, value) => {
    if (value === 'refused') expect(() => valueOf(feel, { x })).toThrow(FeelFault)
    else expect(valueOf(feel, { x })).toEqual(value)
  })

  test.each([
    ['string length(x)', 5],
    ['substring(x, 1)', [1]],
    ['substring before(x, "a")', 1],
    ['matches(x, "a")', true],
    ['modulo(x, 5)', 'a'],
    ['even(x)', 'a'],
    ['round up(x, 1)', '1'],
    ['median(x)', 1],
    ['list contains(x, 2)', 2],
    ['append(x, 1)', 'a'],
    ['sublist(x, 1)', 'a'],
    ['all(x)', true],
  ])('%s of a value of another type is null, as of null', (feel, x) => {
    expect(valueOf(feel, { x })).toBeNull()
    expect(valueOf(feel, { x: null })).toBeNull()
  })
})

describe('dates and durations', () => {
  const INPUT = { day: '2026-11-28', at: '2026-11-28T23:30:15.5+02:00', clock: '08:05:00', text: '12.5' }
  test.each<[feel: string, value: Value]>([
    ['day.year', 2026],
    ['day.month', 11],
    ['day.day', 28],
    ['day.weekday', 6],
    ['at.day', 28],
    ['at.hour', 23],
    ['at.minute', 30],
    ['clock.hour', 8],
    ['clock.minute', 5],
    ['date(at)', '2026-11-28'],
    ['date(at).year', 2026],
    ['day of week(day)', 'Saturday'],
    ['day of week(at)', 'Saturday'],
    ['month of year(day)', 'November'],
    ['day of year(day)', 332],
    ['day + duration("P3D")', '2026-12-01'],
    ['duration("P1M") + day', '2026-12-28'],
    ['day - duration("P1Y")', '2025-11-28'],
    ['day - @"P28D"', '2026-10-31'],
    ['at + duration("PT45M")', '2026-11-29T00:15:15.5+02:00'],
    ['at - duration("P1D")', '2026-11-27T23:30:15.5+02:00'],
    ['(day - date("2026-11-01")).days', 27],
    ['(at - at).hours', 0],
    ['day - date("2026-11-01") > duration("P20D")', true],
    ['day - date("2026-11-01") = duration("P27D")', true],
    ['duration("PT1H") < duration("P1D")', true],
    ['years and months duration(date("2008-11-29"), day).years', 17],
    ['years and months duration(date("2008-11-28"), day).years', 18],
    ['years and months duration(date("2026-01-30"), day).months', 9],
    ['years and months duration(date("2008-11-28"), day) >= duration("P18Y")', true],
    ['number(text)', 12.5],
  ])('%s', (feel, value) => expect(valueOf(feel, INPUT)).toEqual(value))

  test.each(['day.year', 'day + duration("P1D")', '(day - date("2026-01-01")).days', 'date(at)', 'day of week(day)'])(
    '%s of null is null',
    (feel) => expect(valueOf(feel, { day: null, at: null })).toBeNull(),
  )
})

test.each([
  ['substring(x, 0)', 'is not supported'],
  ['substring(x, x)', 'is not supported'],
  ['matches(x, x)', 'is not supported'],
  ['matches(x, "\\\\d")', 'is not supported'],
  ['replace(x, "a*", "b")', 'is not supported'],
  ['split(x, "a?")', 'is not supported'],
  ['string join(x, x)', 'is not supported'],
  ['round up(x)', 'is not supported'],
  ['round up(x, 16)', 'is not supported'],
  ['flatten(x)', 'is not supported'],
  ['sublist(x, -1)', 'is not supported'],
  ['day of week(x)', 'is not supported'],
  ['number(x)', 'is not supported'],
  ['even(x, 1)', 'is not supported'],
  ['date(x)', 'is not supported'],
  ['day - day', 'a duration has no value of its own here'],
  ['duration("P1D")', 'a duration has no value of its own here'],
  ['[duration("P1D")]', 'a duration has no value of its own here'],
  ['day - day > duration("P1M")', 'a duration has no value of its own here'],
  ['day - day > 5', 'a duration has no value of its own here'],
  ['day + duration("PT1H")', 'arithmetic with dates'],
  ['day + wait', 'arithmetic with dates'],
  ['wait > duration("P1D")', 'durations are texts here'],
  ['day.hour', 'the member `hour`'],
  ['at.second', 'the member `second`'],
  ['day.length', 'the member `length`'],
  ['x in (> duration("P1D"))', 'a duration has no value of its own here'],
  ['x between duration("P1D") and duration("P2D")', 'a duration has no value of its own here'],
  ['day - day in [duration("P1D")..duration("P2D")]', 'a duration has no value of its own here'],
  ['if true then duration("P1D") else 1', 'a duration has no value of its own here'],
  ['(day - day).years', 'the member `years`'],
])('%s is refused', (feel, reason) => expect(() => valueOf(feel, {})).toThrow(reason))

test('functions within functions, whose arguments are written several times, end before they grow', () => {
  const nested = Array.from({ length: 60 }).reduce((inner: string) => `substring before(${inner}, "b")`, 'x')
  expect(() => valueOf(nested, { x: 'a' })).toThrow('such a long argument of a function')
})

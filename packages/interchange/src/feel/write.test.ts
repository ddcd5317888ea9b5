import { CountedBudget, interpret, isTrue, LENIENT, parse, type Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { parseFeel } from './parser.ts'
import { type FeelName, FeelScope } from './scope.ts'
import { baseShape } from './shape.ts'
import { writeValue } from './write.ts'

const declared = (name: string, type?: string): FeelName => ({
  name,
  target: { kind: 'input', field: name },
  shapeOf: () => (type === undefined ? undefined : baseShape(type)),
  typeOf: () => type,
  items: undefined,
})
const SCOPE = new FeelScope([
  declared('x'),
  declared('a'),
  declared('b'),
  declared('day', 'date'),
  declared('wait', 'dayTimeDuration'),
])

const written = (feel: string) => writeValue(parseFeel(feel, SCOPE), SCOPE)
function holds(text: string, input: Value): boolean {
  const parsed = parse(text)
  if (parsed.kind === 'failed') throw new Error(`no expression: ${text}`)
  const runtime = { now: 0, budget: new CountedBudget(1e6) }
  return isTrue(interpret(parsed.expression, { input, variables: new Map(), policy: LENIENT, runtime }))
}

describe('the negation of a condition is true exactly where the condition is false', () => {
  test.each<[feel: string, text: string]>([
    ['not(x = 5)', 'x != 5'],
    ['not(x != 5)', 'x == 5'],
    ['not(x < 5)', 'x >= 5'],
    ['not(x <= 5)', 'x > 5'],
    ['not(x > 5)', 'x <= 5'],
    ['not(x >= 5)', 'x < 5'],
    ['not(not(x < 5))', 'x < 5'],
    ['not(a and b)', '(a == false) || (b == false)'],
    ['not(a or b)', '(a == false) && (b == false)'],
    ['not(x < 1 and x > 0)', '(x >= 1) || (x <= 0)'],
    ['not(x < 1 or not(a))', '(x >= 1) && (a == true)'],
    ['not(x in [1..5])', 'x < 1 || x > 5'],
    ['not(x in (1..5))', 'x <= 1 || x >= 5'],
    ['not(x in (1, 2))', '(x != 1) && (x != 2)'],
    ['not(a)', 'a == false'],
  ])('%s is %s', (feel, text) =>
    expect(written(feel).text.startsWith(`if ${text} then true else if `), written(feel).text).toBe(true),
  )

  const NUMBERS = [-1, 0, 0.5, 1, 2, 3, 5, 6]
  const FLAGS = [true, false]
  test.each<[feel: string, meaning: (x: number, a: boolean, b: boolean) => boolean]>([
    ['not(x < 5)', (x) => !(x < 5)],
    ['not(x <= 5)', (x) => !(x <= 5)],
    ['not(x > 1)', (x) => !(x > 1)],
    ['not(x >= 1)', (x) => !(x >= 1)],
    ['not(x = 2)', (x) => x !== 2],
    ['not(a and b)', (_, a, b) => !(a && b)],
    ['not(a or b)', (_, a, b) => !(a || b)],
    ['not(a and x > 2 or b)', (x, a, b) => !((a && x > 2) || b)],
    ['not(a and (x > 2 or b))', (x, a, b) => !(a && (x > 2 || b))],
    ['not(not(a) or not(x < 1 and b))', (x, a, b) => !(!a || !(x < 1 && b))],
    ['not(x in [1..3))', (x) => !(x >= 1 && x < 3)],
    ['not(x in (> 2, 0))', (x) => !(x > 2 || x === 0)],
    ['not(x between 1 and 3)', (x) => !(x >= 1 && x <= 3)],
  ])('%s', (feel, meaning) => {
    const { text } = written(feel)
    for (const x of NUMBERS)
      for (const a of FLAGS)
        for (const b of FLAGS)
          expect(holds(text, { x, a, b }), `${text} of ${JSON.stringify({ x, a, b })}`).toBe(meaning(x, a, b))
  })
})

describe('arithmetic with days and times has no form, on either side', () => {
  test.each([
    'day + x',
    'x + day',
    'day * day',
    'x - wait',
    'wait * x',
    'x * wait',
    'date("2026-01-01") - x',
    '1 + (x - day)',
  ])('%s', (feel) => expect(() => written(feel)).toThrow('arithmetic with dates and times is not supported'))

  test('and durations are not compared, on either side', () => {
    for (const feel of ['wait > x', 'x > wait', 'not(x = wait)'])
      expect(() => written(feel)).toThrow('durations are texts here')
  })
})

test('where the language differs for some inputs is noted', () => {
  const deviations = (feel: string) => [...written(feel).deviations].sort()
  expect(deviations('x')).toEqual([])
  expect(deviations('x + 1')).toEqual(['arithmetic'])
  expect(deviations('-x')).toEqual(['arithmetic'])
  expect(deviations('x > 1')).toEqual(['comparison'])
  expect(deviations('sum([x, 1])')).toEqual(['arithmetic', 'sum'])
  expect(deviations('if x > 1 then 1 else 2')).toEqual([])
  // Texts and names alone: null, as in FEEL, where a name has no text.
  expect(deviations('"no. " + x + "/" + a')).toEqual([])
  expect(deviations('"no. " + x + 1')).toEqual(['arithmetic'])
  expect(deviations('"no. " + x * a')).toEqual(['arithmetic'])
})

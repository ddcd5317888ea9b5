import { LENIENT, parse, print } from '@engine/expression'
import { expect, test } from 'vitest'
import { answerMember, fieldOfAnswer } from '../formula/answers.ts'
import { freeValue, held, substitute, textOf, variablesOf } from './substitution.ts'

function parsed(text: string) {
  const found = parse(text)
  if (found.kind !== 'parsed') throw new Error(text)
  return found.expression
}

const VARIABLES = new Map(
  Object.entries({ v: 'a + 1', f: 'b.c', n: 'null', o: '{"k": a}', w: '$other', y: '$other.k' }).map(([name, text]) => [
    name,
    parsed(text),
  ]),
)
const DEFAULT = { ...LENIENT, mode: 'default', defaultValue: 5 } as never

test.each([
  ['$v > 1', LENIENT, '((a + 1) > 1)'],
  ['$f > 1', LENIENT, '(b.c > 1)'],
  ['$f.d > 1', LENIENT, '(b.c.d > 1)'],
  ['$x > 1', LENIENT, '($x > 1)'],
  ['a > 1', LENIENT, '(a > 1)'],
  ['exists($v)', LENIENT, 'true'],
  ['exists($n)', LENIENT, 'true'],
  ['exists($x)', LENIENT, 'exists($x)'],
  ['exists($f.d)', LENIENT, 'exists(b.c.d)'],
  ['is_null($n)', LENIENT, 'true'],
  ['$w.d', LENIENT, '$other.d'],
  ['$f.d > 1', DEFAULT, undefined],
  ['$w.d', DEFAULT, '$other.d'],
  ['$y.d', DEFAULT, '$other.k.d'],
  ['$f > 1', DEFAULT, '(b.c > 1)'],
] as const)('%s is %#: %s', (text, policy, expected) => {
  const found = print(substitute(parsed(text), VARIABLES, policy))
  expect(found.includes('?') ? undefined : found).toBe(expected)
})

test('an expression without variables is the same object', () => {
  const expression = parsed('a > 1')
  expect(substitute(expression, VARIABLES, LENIENT)).toBe(expression)
})

test.each([
  ['lenient', LENIENT],
  ['default', DEFAULT],
])('a part of an answer of a service is a path into it in %s mode', (_mode, policy) => {
  const member = answerMember({ service: 'score', method: 'get' }, '1')
  const variables = new Map([['r', fieldOfAnswer(member, 'payload')]])
  const found = substitute(parsed('$r.d.e'), variables, policy)
  const names = found.kind === 'field' ? found.path.map((segment) => segment.kind === 'name' && segment.name) : []
  expect(names).toEqual([member, 'payload', 'd', 'e'])
})

test('an unknown value stays unknown', () => {
  const unknown = freeValue('#1')
  expect(substitute(unknown, new Map([['?#1', parsed('5')]]), LENIENT)).toEqual(unknown)
})

test.each([
  [500, false],
  [502, true],
])('a value of some %d parts is held by a short name: %s', (parts, isShort) => {
  const value = parsed(`[${Array.from({ length: parts - 1 }, (_, index) => `a${index}`).join()}]`)
  const found = held(value, (text) => `#${text.length}`)
  expect(found === value).toBe(!isShort)
  if (isShort) expect(found).toEqual(freeValue(`#${print(value).length}`))
})

test('the same variables have one text in any order', () => {
  const [a, b] = [parsed('a'), parsed('b')]
  const text = textOf(new Map([['v', a]]))
  expect(text).toBe('v=a')
  expect(
    textOf(
      new Map([
        ['w', b],
        ['v', a],
      ]),
    ),
  ).toBe(`v=a\nw=b`)
  expect(textOf(new Map())).toBe('')
})

test.each([
  ['$a + $b.c > d', ['a', 'b']],
  ['a > 1', []],
])('%s reads the variables %j', (text, expected) => {
  expect([...variablesOf(parsed(text))]).toEqual(expected)
})

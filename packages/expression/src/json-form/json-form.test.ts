import { describe, expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../../tests/cases.testing.ts'
import { randomExpression } from '../expression.testing.ts'
import { fromJsonForm, toJsonForm } from './json-form.ts'
import { parseJson, stringifyJson } from '../json/json.ts'
import { parse } from '../parser.ts'
import { print } from '../printer.ts'
import { seeded } from '../random.testing.ts'
import type { Value } from '../value.ts'

function printed(form: Value): string {
  const read = fromJsonForm(form)
  return read.kind === 'parsed'
    ? print(read.expression)
    : read.problems.map(({ path, message }) => `${path}: ${message}`).join('; ')
}

describe('a JSON form reads as the expression that it stands for', () => {
  test.each<[form: Value, text: string]>([
    [{ Field: 'customer.age' }, 'customer.age'],
    [{ Field: '$score.value' }, '$score.value'],
    [{ Variable: 'score' }, '$score'],
    [{ Literal: 'text' }, '"text"'],
    [{ Literal: [1, { a: null }] }, '[1, {"a": null}]'],
    [{ Array: ['a + 1', { Literal: 2 }] }, '[(a + 1), 2]'],
    [
      {
        Object: [
          ['k', 'a'],
          ['__proto__', { Literal: 1 }],
        ],
      },
      '{"k": a, "__proto__": 1}',
    ],
    [{ Unary: { op: 'Not', operand: 'a' } }, '(!a)'],
    [{ Unary: { op: 'Neg', operand: { Field: 'a' } } }, '(-a)'],
    [{ Unary: { op: 'Neg', operand: { Literal: 5 } } }, '-5'],
    [{ Unary: { op: 'Neg', operand: '-5' } }, '5'],
    [{ Binary: { op: 'NotIn', left: 'a', right: { Literal: [1, 2] } } }, '(a not in [1, 2])'],
    [{ Conditional: { condition: 'a', then_branch: '1', else_branch: '2' } }, '(if a then 1 else 2)'],
    [{ Call: { name: 'len', args: ['s'] } }, 'len(s)'],
    [{ Call: { name: 'now' } }, 'now()'],
    [{ Exists: 'a.b' }, 'exists(a.b)'],
    [{ Coalesce: ['a', { Literal: 0 }] }, 'coalesce(a, 0)'],
    [
      { Call: { name: 'any', args: ['items', { Lambda: { params: ['x'], body: 'x.n > $.x' } }] } },
      'any(items, x => (x.n > $.x))',
    ],
    [
      { Member: { object: { Call: { name: 'first', args: ['a'] } }, path: ['b', 0, { wildcard: true }] } },
      'first(a).b[0].*',
    ],
    ['a > 1', '(a > 1)'],
  ])('%j', (form, text) => expect(printed(form)).toBe(text))
})

describe('a form that is wrong', () => {
  test.each<[form: Value, message: string]>([
    [5, ': expected an expression, found number'],
    [{}, ': expected one form, such as {"Field": "a.b"}, found 0'],
    [
      { Feild: 'a' },
      ': there is no form `Feild`; forms are Literal, Field, Variable, Array, Object, Unary, Binary, Conditional, Call, Exists, Coalesce, Lambda, Member',
    ],
    [{ Field: 'a', Literal: 1 }, ': expected one form, such as {"Field": "a.b"}, found 2'],
    [{ Field: 'a + 1' }, '/Field: `a + 1` is not a path: expected `.`, `[` or the end of the path, found `+`'],
    [
      { Binary: { op: 'Plus', left: 'a', right: 'b' } },
      '/Binary/op: expected one of Add, Sub, Mul, Div, Mod, Eq, Ne, Lt, Le, Gt, Ge, And, Or, In, NotIn, Contains, found `Plus`',
    ],
    [
      { Binary: { op: 'Add', left: 'a +', right: {} } },
      '/Binary/left: expected an operand, found the end of the expression (line 1, column 4 of the expression); /Binary/right: expected one form, such as {"Field": "a.b"}, found 0',
    ],
    [
      {
        Object: [
          ['a', 'b'],
          ['a', 'c'],
        ],
      },
      '/Object/1/0: the key `a` occurs twice',
    ],
    [{ Object: [['a']] }, '/Object/0: expected a pair of a key and an expression, found array'],
    [{ Call: { name: 'a b', args: [] } }, '/Call/name: `a b` is not the name of a function'],
    [
      { Call: { name: 'exists', args: ['1'] } },
      '/Call/args/0: `exists` takes a path such as {"Field": "customer.name"}',
    ],
    [{ Lambda: { params: [], body: 'a' } }, '/Lambda/params: expected one or two different plain names'],
    [{ Lambda: { params: ['x'], body: 'x' } }, ': a `Lambda` can only be an argument of a `Call`'],
    [
      { Unary: { op: 'Not', operand: { Lambda: { params: ['x'], body: 'x' } } } },
      '/Unary/operand: a `Lambda` can only be an argument of a `Call`',
    ],
    [
      { Coalesce: [{ Lambda: { params: ['x'], body: 'x' } }] },
      '/Coalesce/0: a `Lambda` can only be an argument of a `Call`',
    ],
    [{ Unary: { op: 'Not', operant: 'a' } }, '/Unary: there is no `operant` here, only `op`, `operand`'],
  ])('%j', (form, message) => expect(printed(form)).toBe(message))

  test('nesting has a limit', () => {
    let form: Value = 'a'
    for (let depth = 0; depth < 300; depth++) form = { Unary: { op: 'Not', operand: form } }
    expect(printed(form)).toContain('nested more than 200 levels deep')
  })
})

test('the keys of a large object are checked quickly', () => {
  const entries = Array.from({ length: 40_000 }, (_, index): Value => [`k${index}`, 'a'])
  expect(fromJsonForm({ Object: entries }).kind).toBe('parsed')
  expect(printed({ Object: [...entries, ['k0', 'a']] })).toBe('/Object/40000/0: the key `k0` occurs twice')
})

test('a form is never nested deeper than a document may be', () => {
  for (const length of [1, 30, 40, 150, 5000]) {
    const parsed = parse(`a${' + a'.repeat(length)}`)
    const form = parsed.kind === 'parsed' ? toJsonForm(parsed.expression) : undefined
    expect(typeof form).toBe(length < 33 ? 'object' : 'string')
    expect(parseJson(stringifyJson(form ?? null), { duplicateKeys: 'refuse' }).kind).toBe('parsed')
    if (length <= 150) expect(printed(form ?? null)).toBe(parsed.kind === 'parsed' && print(parsed.expression))
  }
})

test('every expression has a form that reads as itself', () => {
  const cases = casesOf(20_000)
  printSeed(cases)
  const random = seeded(SEED)
  for (let count = 0; count < cases; count++) {
    const text = print(randomExpression(random))
    const parsed = parse(text)
    expect(parsed.kind).toBe('parsed')
    if (parsed.kind === 'parsed') expect(printed(toJsonForm(parsed.expression))).toBe(text)
  }
})

test.each<[string, Value]>([
  ['many items', { Literal: Array.from({ length: 150_001 }, () => []) }],
  ['many items that are wrong', { Array: Array.from({ length: 150_001 }, () => []) }],
  ['many texts', { Array: Array.from({ length: 10 }, () => `a${' '.repeat(60_000)}`) }],
])('a form that is too large is refused once: %s', (_name, form) => {
  const result = fromJsonForm(form)
  expect(result.kind === 'failed' && result.problems.map(({ code }) => code)).toEqual(['form-too-large'])
})

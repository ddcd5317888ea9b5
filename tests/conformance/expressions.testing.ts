import fc from 'fast-check'
import type { Value } from '@engine/expression'
import { evaluate } from '../../conformance/reference/evaluate.ts'
import type { Scope } from '../../conformance/reference/path.ts'
import { parse as parseByReference } from '../../conformance/reference/syntax.ts'
import { NOW, type Outcome, type Setting, zeroless } from './product.testing.ts'
import { Failure, json, Unsupported, type Value as ReferenceValue } from '../../conformance/reference/value.ts'

/** The outcome of an expression by the second implementation. */
export function byReference(text: string, { input, variables, missing, defaults }: Setting): Outcome {
  try {
    const variable = (name: string) =>
      Object.hasOwn(variables, name) ? (variables[name] as unknown as ReferenceValue) : undefined
    const given = { input, defaults } as unknown as Pick<Scope, 'input' | 'defaults'>
    const scope: Scope = { ...given, variable, missing, now: NOW, locals: new Map() }
    return zeroless(json(evaluate(parseByReference(text), scope)))
  } catch (error) {
    if (error instanceof Failure) return `error ${error.code}`
    if (error instanceof Unsupported) return undefined
    throw error
  }
}

/** Whole numbers around every power of two up to 2^70, and others. */
const powers = fc
  .tuple(fc.integer({ min: 0, max: 70 }), fc.integer({ min: -2, max: 2 }), fc.boolean())
  .map(([power, beside, isNegative]) => (isNegative ? -1n : 1n) * (2n ** BigInt(power) + BigInt(beside)))
const numberText = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 12 }).map(String) },
  { weight: 2, arbitrary: powers.map((one) => (one < 0n ? `(${one})` : `${one}`)) },
  fc.constantFrom('0.5', '0.1', '2.25', '1e16', '1e20', '9.5', '1e308', '0.0000001'),
)
const textText = fc.constantFrom(
  '""',
  '"a"',
  '"abc"',
  '"Ada Lovelace"',
  '"10"',
  '" x "',
  '"a,b"',
  '"ünï"',
  '"\\u0041\\n"',
  "'it'",
)
const pathText = fc.constantFrom(
  'a',
  'b',
  'c',
  'a.b',
  'o.n',
  'o.list',
  'list[0]',
  'list[-1]',
  'list',
  'items',
  'items[0].price',
  'items.*.price',
  'o.*',
  'list.0',
  '$.a',
  '$.o.n',
  '$v',
  '$w.k',
  '$unset',
  'absent',
  'o.absent.deeper',
  '$',
  '$["odd key"]',
  't',
  'nothing',
  'big',
)

/** Texts of expressions of every kind: operators without brackets as often as with them. */
export const expressionText: fc.Arbitrary<string> = fc.letrec<{
  any: string
  num: string
  bool: string
  str: string
  list: string
}>((tie) => {
  const bracketed = (text: fc.Arbitrary<string>) =>
    fc.oneof(
      text,
      text.map((one) => `(${one})`),
    )
  const binary = (left: fc.Arbitrary<string>, operators: readonly string[], right: fc.Arbitrary<string>) =>
    fc.tuple(left, fc.constantFrom(...operators), right).map(([one, operator, other]) => `${one} ${operator} ${other}`)
  const call = (name: string, ...args: fc.Arbitrary<string>[]) =>
    fc.tuple(...args).map((texts) => `${name}(${texts.join(', ')})`)
  const lambda = (body: fc.Arbitrary<string>) =>
    fc.oneof(
      body.map((text) => `x => ${text.replaceAll('absent', 'x')}`),
      body.map((text) => `(x, i) => ${text.replaceAll('absent', 'i')}`),
    )
  const { any, num, bool, str, list } = {
    any: tie('any'),
    num: tie('num'),
    bool: tie('bool'),
    str: tie('str'),
    list: tie('list'),
  }
  return {
    any: fc.oneof({ depthSize: 'small', withCrossShrink: true }, pathText, numberText, num, bool, str, list, pathText),
    num: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      numberText,
      pathText,
      bracketed(binary(num, ['+', '-', '*', '/', '%'], num)),
      num.map((text) => `-(${text})`),
      fc.tuple(bool, num, num).map(([test, one, other]) => `(if ${test} then ${one} else ${other})`),
      call('sum', list),
      call('avg', list),
      call('len', any),
      call('abs', num),
      call('floor', num),
      call('ceil', num),
      call(
        'round',
        num,
        fc.constantFrom('0', '1', '2', '-1'),
        fc.constantFrom('"half_up"', '"half_even"', '"down"', '"up"', '"floor"', '"ceiling"', '"half_down"'),
      ),
      call('min', num, num),
      call('max', list),
      call('count', list, lambda(bool)),
      call('coalesce', any, num),
      call('to_int', num),
      call('index_of', list, any),
      call('sum', list, lambda(num)),
      call('pow', fc.constantFrom('2', '-3', '10'), fc.constantFrom('0', '1', '53', '64')),
    ),
    bool: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom('true', 'false', 'null', 't', 'nothing'),
      bracketed(binary(any, ['==', '!=', '<', '<=', '>', '>='], any)).map((text) => `(${text})`),
      binary(bool, ['&&', '||', 'and', 'or'], bool),
      binary(any, ['in', 'not in', 'contains'], any).map((text) => `(${text})`),
      any.map((text) => `!(${text})`),
      call('any', list, lambda(bool)),
      call('all', list, lambda(bool)),
      call('none', list, lambda(bool)),
      call('starts_with', str, str),
      call('is_null', pathText),
      call('exists', pathText),
      call('contains', any, any),
      call('has_key', any, str),
      fc.tuple(bool, bool, bool).map(([test, one, other]) => `(${test} ? ${one} : ${other})`),
    ),
    str: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      textText,
      pathText,
      binary(str, ['+'], str),
      call('upper', str),
      call('trim', str),
      call('to_string', any),
      call('type', any),
      call('substring', str, fc.constantFrom('0', '1', '-2')),
      call('join', call('split', str, textText), textText),
      call('pad_left', str, fc.constantFrom('0', '3', '6')),
      call('sha256', str),
    ),
    list: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom(
        'list',
        'items',
        'o.list',
        '[]',
        '[null, 1]',
        '$.list',
        'items.*.price',
        '[1, 2.5, 9007199254740993]',
      ),
      fc.array(any, { maxLength: 4 }).map((texts) => `[${texts.join(', ')}]`),
      call('map', list, lambda(any)),
      call('filter', list, lambda(bool)),
      call('sort', list),
      call('distinct', list),
      call('flatten', list),
      call('array_concat', list, list),
      call('slice', list, fc.constantFrom('0', '1', '-1')),
      call('reverse', list),
      call('keys', any),
      any.map((text) => `[{"price": ${text}}]`),
    ),
  }
}).any

/** The same inside of 1 to 90 levels, or at the end of a chain of operators. */
export const deepText: fc.Arbitrary<string> = fc
  .tuple(
    expressionText,
    fc.integer({ min: 1, max: 90 }),
    fc.constantFrom('coalesce', 'if', 'list', 'chain', 'brackets', 'map'),
  )
  .map(([text, levels, kind]) => {
    switch (kind) {
      case 'coalesce':
        return `${'coalesce(null, '.repeat(levels)}${text}${')'.repeat(levels)}`
      case 'if':
        return `${'(if true then '.repeat(levels)}${text}${' else 1)'.repeat(levels)}`
      case 'list':
        return `${'['.repeat(levels)}${text}${']'.repeat(levels)}`
      case 'chain':
        return `${'1 + '.repeat(levels)}(${text})`
      case 'map':
        return `${'first(map([1], y => '.repeat(Math.ceil(levels / 4))}${text}${'))'.repeat(Math.ceil(levels / 4))}`
      default:
        return `${'('.repeat(levels)}${text}${')'.repeat(levels)}`
    }
  })

const scalar: fc.Arbitrary<Value> = fc.oneof(
  fc.integer({ min: -3, max: 12 }),
  powers.map((one) => (one >= -(2n ** 53n) + 1n && one <= 2n ** 53n - 1n ? Number(one) : one)),
  fc.constantFrom<Value>(0.5, -2.25, 1e16, 1e20, true, false, null, '', 'a', 'abc', '10'),
)
const listValue = fc.array(scalar, { maxLength: 4 })

export const setting: fc.Arbitrary<Setting> = fc.record({
  input: fc.record(
    {
      a: scalar,
      b: scalar,
      c: fc.oneof(scalar, listValue),
      t: fc.boolean(),
      nothing: fc.constant(null),
      big: powers.filter((one) => one > 2n ** 53n),
      list: listValue,
      'odd key': scalar,
      o: fc.record({ n: scalar, list: listValue }, { requiredKeys: [] }),
      items: fc.array(fc.record({ price: scalar, k: scalar }, { requiredKeys: [] }), { maxLength: 3 }),
    },
    { requiredKeys: [] },
  ),
  variables: fc.record({ v: scalar, w: fc.record({ k: scalar }) }, { requiredKeys: [] }),
  missing: fc.constantFrom('lenient', 'strict', 'default'),
  defaults: fc.constant({ absent: 7, 'o.absent.deeper': 'text', a: 1 }),
})

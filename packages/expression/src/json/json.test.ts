import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { casesOfProperty } from '../../../../tests/cases.testing.ts'
import { parseJson, stringifyJson } from './json.ts'
import type { Value } from '../value.ts'

const parsed = (text: string, duplicateKeys: 'refuse' | 'last' = 'last') => {
  const result = parseJson(text, { duplicateKeys })
  return result.kind === 'parsed' ? result.value : result.problem
}

describe('a text that is not JSON', () => {
  test.each([
    ['', 1, 1, 'the text is empty (line 1, column 1)'],
    ['{"a": 1,}', 1, 8, 'a comma before `}` is not allowed (line 1, column 8)'],
    ['[1,\n 2,\n]', 2, 3, 'a comma before `]` is not allowed (line 2, column 3)'],
    ["{'a': 1}", 1, 2, "expected a key in double quotes, found `'` (line 1, column 2)"],
    ['{"a": \'x\'}', 1, 7, "expected a value, found `'`: texts need double quotes (line 1, column 7)"],
    ['{a: 1}', 1, 2, 'expected a key in double quotes, found `a` (line 1, column 2)'],
    ['{"a" 1}', 1, 6, 'expected `:` after the key `a`, found `1` (line 1, column 6)'],
    ['{"a": 1 "b": 2}', 1, 9, 'expected `,` or `}`, found `"` (line 1, column 9)'],
    ['{"a": 1', 1, 8, 'expected `,` or `}`, found the end of the text (line 1, column 8)'],
    ['["abc', 1, 2, 'this text has no closing double quote (line 1, column 2)'],
    ['["a\nb"]', 1, 4, 'the character `U+000A` must be escaped inside a text, such as \\n (line 1, column 4)'],
    ['["\\x41"]', 1, 3, '`\\x` is not an escape of JSON (line 1, column 3)'],
    ['[NaN]', 1, 2, 'expected a value, found `NaN`: texts need double quotes (line 1, column 2)'],
    ['[True]', 1, 2, 'expected a value, found `True`: it is written `true` (line 1, column 2)'],
    ['[01]', 1, 2, '`01` is not a number of JSON (line 1, column 2)'],
    ['[.5]', 1, 2, 'expected a value, found `.` (line 1, column 2)'],
    ['[1.]', 1, 2, '`1.` is not a number of JSON (line 1, column 2)'],
    ['[+1]', 1, 2, 'expected a value, found `+` (line 1, column 2)'],
    ['{"a": 1} // x', 1, 10, 'unexpected `/` after the end of the document (line 1, column 10)'],
    ['// x', 1, 1, 'expected a value, found `/`: JSON has no comments (line 1, column 1)'],
    ['{} {}', 1, 4, 'unexpected `{` after the end of the document (line 1, column 4)'],
    ['\ufeff{}', 1, 1, 'expected a value, found `U+FEFF` (line 1, column 1)'],
  ])('%j', (text, line, column, message) => {
    expect(parsed(text)).toMatchObject({ code: 'malformed-json', line, column, message })
  })

  test.each([
    ['[1e999]', 'number-out-of-range'],
    ['[-1e9999]', 'number-out-of-range'],
    [`[${'9'.repeat(400)}]`, 'number-out-of-range'],
    [`[${'9'.repeat(400)}.5]`, 'number-out-of-range'],
    [`[${'9'.repeat(250)}e99]`, 'number-out-of-range'],
    ['[1e0000309]', 'number-out-of-range'],
    [`${'['.repeat(129)}${']'.repeat(129)}`, 'nested-too-deeply'],
    [`${'['.repeat(10_000)}${']'.repeat(10_000)}`, 'nested-too-deeply'],
    ['{"a":'.repeat(10_000), 'nested-too-deeply'],
  ])('beyond a limit %#', (text, code) => expect(parsed(text)).toMatchObject({ code }))
})

describe('keys that occur twice', () => {
  test.each([
    ['{"a": 1, "b": 2, "a": 3}', 18],
    ['{"a": {"b": 1, "\\u0062": 2}}', 16],
  ])('%s are refused on request', (text, column) => {
    expect(parsed(text, 'refuse')).toMatchObject({ code: 'duplicate-key', line: 1, column })
  })
  test('elsewhere the last one counts', () => expect(parsed('{"a": 1, "a": 2}')).toEqual({ a: 2 }))
  test('in different objects they are fine', () =>
    expect(parsed('[{"a": 1}, {"a": {"a": 1}}]', 'refuse')).toEqual([{ a: 1 }, { a: { a: 1 } }]))
})

describe('numbers', () => {
  test.each<[string, Value]>([
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', 9007199254740993n],
    ['-9007199254740993', -9007199254740993n],
    ['123456789012345678901234567890', 123456789012345678901234567890n],
    ['1e20', 1e20],
    ['0.1234567890123456789', Number('0.1234567890123456789')],
    ['1.7976931348623157e308', Number.MAX_VALUE],
    ['0000000000000000000'.slice(1, 2), 0],
  ])('%s is exact', (text, value) => {
    expect(parsed(`[${text}, "1234567890123456789"]`)).toEqual([value, '1234567890123456789'])
  })
  test('large integers are written unchanged', () => {
    const text = '{"a":[9007199254740993,{"b":-123456789012345678901234567890}],"c":"9007199254740993"}'
    expect(stringifyJson(parsed(text) as Value)).toBe(text)
  })
})

test('an integer is exact wherever in the text it stands', () => {
  for (let before = 0; before < 40; before++) {
    expect(parsed(`[${' '.repeat(before)}9007199254740993]`)).toEqual([9007199254740993n])
    expect(parsed(`[${' '.repeat(before)}-9007199254740993${' '.repeat(before)}]`)).toEqual([-9007199254740993n])
  }
})

test.each([1, 63, 64, 65, 128, 300])('a number of %i digits in a row is read to its last one', (count) => {
  const digits = '1'.repeat(count)
  const [integer, fraction] = [BigInt(digits), Number(`0.${digits}`)]
  const texts = [digits, `0.${digits}`, `1e-${'0'.repeat(count)}1`]
  expect(parsed(`[${texts.join(',')},true]`)).toEqual([count < 16 ? Number(integer) : integer, fraction, 0.1, true])
  expect(parsed(`[0.${digits}x]`)).toMatchObject({ code: 'malformed-json' })
})

describe('the text of a number', () => {
  test.each<[Value, string]>([
    [-0, '0'],
    [0.1, '0.1'],
    [1e21, '1e+21'],
    [-9007199254740993n, '-9007199254740993'],
    [[9007199254740993n, -0, null, true, 'a"b\u2028'], '[9007199254740993,0,null,true,"a\\"b\u2028"]'],
    [{ a: 1, b: 9007199254740993n, c: {} }, '{"a":1,"b":9007199254740993,"c":{}}'],
  ])('%o', (value, text) => expect(stringifyJson(value)).toBe(text))
})

test('a key `__proto__` is a key like any other', () => {
  const value = parsed('{"__proto__": {"admin": true}, "big": 9007199254740993}') as object
  expect(Object.keys(value)).toEqual(['__proto__', 'big'])
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
})

test('a key `toJSON` or `__proto__` is written like any other', () => {
  const text = '{"__proto__":{"toJSON":1},"toJSON":9007199254740993}'
  expect(stringifyJson(parsed(text) as Value)).toBe(text)
})

test('nesting up to the limit is fine, brackets in texts do not count', () => {
  expect(parsed(`${'['.repeat(128)}${']'.repeat(128)}`)).toBeInstanceOf(Array)
  expect(parsed(`["${'['.repeat(500)}\\\\", "\\"${'{'.repeat(500)}"]`)).toBeInstanceOf(Array)
})

test('many short lists side by side are not deep', () => {
  expect(parsed(`[${'[{"a": []}],'.repeat(500)}1]`)).toHaveLength(501)
  expect(parsed(`[${'[{"a": []}],'.repeat(500)}${'['.repeat(128)}${']'.repeat(128)}]`)).toMatchObject({
    code: 'nested-too-deeply',
  })
})

test('agrees with JSON.parse and JSON.stringify on every document', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), fc.nat(), fc.string({ maxLength: 2 }), (text, place, noise) => {
      const at = place % (text.length + 1)
      for (const candidate of [text, text.slice(0, at) + noise + text.slice(at + 1)]) {
        const expected = safely(() => JSON.parse(candidate, requireFinite) as unknown)
        const result = parseJson(candidate, { duplicateKeys: 'last' })
        expect(result.kind).toBe(expected === FAILED ? 'failed' : 'parsed')
        // Parse it back: from 2^53 on the two print a number differently, with the same meaning.
        if (result.kind === 'parsed')
          expect(JSON.stringify(JSON.parse(stringifyJson(result.value)))).toBe(JSON.stringify(expected))
      }
    }),
    casesOfProperty(10_000),
  )
})

function requireFinite(_key: string, value: unknown): unknown {
  if (value === Infinity || value === -Infinity) throw new RangeError('not finite')
  return value
}

const FAILED = Symbol('failed')

function safely(run: () => unknown): unknown {
  try {
    return run()
  } catch {
    return FAILED
  }
}

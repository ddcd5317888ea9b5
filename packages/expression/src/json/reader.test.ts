import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { casesOfProperty } from '../../../../tests/cases.testing.ts'
import { type ParsedJson, parseJson, readJson, stringifyJson, writeJson } from './json.ts'
import { ValueAllowance } from './limits.ts'
import type { Value } from '../value.ts'

/** Read in pieces of the given number of characters. */
function inPieces(text: string, characters: number, duplicateKeys: 'last' | 'refuse' = 'last'): ParsedJson {
  const reading = readJson(text, { duplicateKeys })
  for (;;) {
    const parsed = reading.advance(characters)
    if (parsed !== undefined) return parsed
  }
}

function valueOf(text: string): Value {
  const parsed = parseJson(text, { duplicateKeys: 'last' })
  if (parsed.kind === 'failed') throw new Error(`${parsed.problem.message}: ${text.slice(0, 200)}`)
  return parsed.value
}

/** Every pair of keys that V8 confuses looks like one of these: the second starts with the unescaped first. */
const CONFUSED: readonly (readonly [first: string, second: string])[] = [
  ['\\\\', '\\"'],
  ['a\\\\/', 'a\\/b'],
  ['\\\\n', '\\n\\n'],
  ['\\\\u', '\\u0061b'],
  ['x\\\\t', 'x\\ty'],
]

describe('a key with an escape is read as itself', () => {
  test.each(CONFUSED)('%j and then %j', (first, second) => {
    valueOf(`{"h":1,"${first}":2}`)
    // V8 reads the text of a single key correctly.
    const key = JSON.parse(`"${second}"`) as string
    expect(Object.keys(valueOf(`{"h":1,"${second}":2}`) as object)).toEqual(['h', key])
    expect(valueOf(`[{"h":1,"${first}":2},{"h":1,"${second}":2}]`)).toMatchObject([{}, { h: 1, [key]: 2 }])
  })

  test('whatever was read before, whole or in pieces', () => {
    const parts = ['a', 'b', '/', '\\/', '\\\\', '\\"', '\\n', 'n', '\\u0061', '\\u00e9', 'é', '__proto__', '1']
    const key = fc.array(fc.constantFrom(...parts), { maxLength: 4 }).map((all) => all.join(''))
    const object = fc
      .array(key, { minLength: 1, maxLength: 4 })
      .map((keys) => ({ keys, text: `{${keys.map((one, index) => `"${one}" : ${index}`).join(', ')}}` }))
    fc.assert(
      fc.property(object, fc.nat(40), ({ keys, text }, padding) => {
        const wanted = new Map(keys.map((one, index) => [JSON.parse(`"${one}"`) as string, index]))
        const padded = `[${'0,'.repeat(padding)}${text},${text}]`
        for (const read of [valueOf(text), last(valueOf(padded)), last(parsedValue(inPieces(padded, 1)))]) {
          expect(new Map(Object.entries(read as object))).toEqual(wanted)
        }
      }),
      casesOfProperty(10_000),
    )
  })

  /** When this fails, V8 is fixed: docs/decisions/0008 describes what can be removed then. */
  test('JSON.parse of this V8 confuses them', () => {
    JSON.parse('{"h":1,"\\\\":2}')
    expect(Object.keys(JSON.parse('{"h":1,"\\"":2}') as object)).toEqual(['h', '\\'])
  })
})

const last = (list: Value): Value => (list as readonly Value[]).at(-1) as Value

function parsedValue(parsed: ParsedJson): Value {
  if (parsed.kind === 'failed') throw new Error(parsed.problem.message)
  return parsed.value
}

/** JSON as people and programs write it, without escaped keys, which JSON.parse confuses. */
const text = fc
  .tuple(
    fc.jsonValue({ maxDepth: 5, noUnicodeString: false }),
    fc.constantFrom(undefined, 1, '\t', ' \r\n'),
    fc.array(fc.tuple(fc.nat(), fc.constantFrom('', '"', '\\', '}', ']', ',', '1', '-', '.', 'e9', 'x', ' ', '{"a":'))),
    fc.boolean(),
  )
  .map(([value, indent, changes, isSound]) => {
    let written = JSON.stringify(value, undefined, indent)
    if (isSound) return written
    for (const [place, noise] of changes.slice(0, 2)) {
      const at = place % (written.length + 1)
      written = written.slice(0, at) + noise + written.slice(at + 1)
    }
    return written
  })
  .filter((written) => !/\\[^"]*"\s*:/.test(written))

test('reads what JSON.parse reads, and refuses what it refuses, in pieces of any size', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 60 }), (written, piece) => {
      const outcomes = [parseJson(written, { duplicateKeys: 'last' }), inPieces(written, piece)]
      let expected: unknown
      try {
        expected = JSON.parse(written)
      } catch {
        expect(outcomes.map(({ kind }) => kind)).toEqual(['failed', 'failed'])
        return
      }
      for (const outcome of outcomes) {
        if (outcome.kind === 'failed') expect(outcome.problem.code).toBe('number-out-of-range')
        else if (!/\d{16}/.test(written)) expect(outcome.value).toStrictEqual(expected)
      }
      const refusing = inPieces(written, piece, 'refuse')
      if (refusing.kind === 'failed') expect(refusing.problem.code).toMatch(/duplicate-key|number-out-of-range/)
      else if (!/\d{16}/.test(written)) expect(refusing.value).toStrictEqual(expected)
    }),
    casesOfProperty(10_000),
  )
})

describe('a text that is longer than one piece', () => {
  const member = '{"name":"Anna Smith","age":34,"list":[1,2.5,null,true,"x\\ny"],"o":{}}'
  const items = Array.from({ length: 8000 }, () => member).join(',')

  test.each([
    ['a list', `[${items}]`],
    ['a list deep inside', `{"a":{"b":[[${items}]]}}`],
    ['with an odd item in the middle', `[${items},{"\\u0061":9007199254740993},${items}]`],
  ])('%s', (_name, long) => {
    const value = parsedValue(inPieces(long, 1000))
    expect(stringifyJson(value)).toBe(long.replaceAll('\\u0061', 'a'))
  })

  test('a large object: the last of a key counts, at its first place', () => {
    const keys = Array.from({ length: 30_000 }, (_, index) => `k${index}`)
    const long = `{"__proto__":1,${keys.map((key) => `"${key}":[]`).join()},"k7":"again","__proto__":2}`
    const value = parsedValue(inPieces(long, 10)) as Record<string, Value>
    expect(Object.keys(value)).toEqual(['__proto__', ...keys])
    expect([value['k7'], Object.getPrototypeOf(value)]).toEqual(['again', Object.prototype])
    expect(Object.getOwnPropertyDescriptor(value, '__proto__')?.value).toBe(2)
  })

  test.each([
    [`[${items},]`, 'a comma before `]` is not allowed'],
    [`[${items}}`, 'expected `,` or `]`, found `}`'],
    [`[${items},,${items}]`, 'expected a value, found `,`'],
    [`[,${items}]`, 'expected a value, found `,`'],
    [`[${items},{"a":1 2}]`, 'expected `,` or `}`, found `2`'],
    [`[${items},1e999]`, '`1e999` is beyond the largest number'],
    [`[${items},${'['.repeat(128)}`, 'nested more than 128 levels deep'],
    [`[${items}] x`, 'unexpected `x` after the end of the document'],
  ])('an error is found %#', (long, message) => {
    for (const outcome of [parseJson(long, { duplicateKeys: 'last' }), inPieces(long, 5000)])
      expect(outcome).toMatchObject({ kind: 'failed', problem: { message: expect.stringContaining(message) } })
  })
})

describe('a long text', () => {
  /** Escapes of every length cross every piece boundary, whatever the piece size. */
  const parts = ['a'.repeat(997), '\\n', '\\"', '\\u00e9', 'ü', '\\ud83d\\ude00', '😀', '\\\\', '/']
  const long = Array.from({ length: 300 }, (_, at) =>
    parts.map((part) => part.slice(at % 2 === 0 ? 0 : part.length - 7)).join(''),
  ).join('')

  test.each([
    ['a value', `{"a":"${long}","b":1}`],
    ['a key', `{"${long}":"${long}","b":["${long}"]}`],
    ['all there is', `"${long}"`],
  ])('that is %s is read in pieces', (_what, written) => {
    const reading = readJson(written, { duplicateKeys: 'last' })
    let pieces = 0
    let parsed: ParsedJson | undefined
    while (parsed === undefined) {
      parsed = reading.advance(1)
      pieces++
    }
    expect(pieces).toBeGreaterThan(written.length / 70_000)
    expect(parsed).toEqual({ kind: 'parsed', value: JSON.parse(written) })
    expect(inPieces(written, 1000, 'refuse')).toEqual(parsed)
  })

  test.each([
    ['is a key that comes twice', `{"${long}":1,"${long}":2}`, 'occurs twice in one object'],
    ['breaks off', `["${long}`, 'this text has no closing double quote'],
    ['holds a line feed', `["${long}\n"]`, 'must be escaped inside a text'],
    ['holds what is not an escape', `["${long}\\x"]`, '`\\x` is not an escape of JSON'],
    ['is a key without a value', `{"${long}"}`, 'expected `:` after the key'],
  ])('that %s is refused, at its place', (_what, written, message) => {
    for (const characters of [1, 100_000, Infinity]) {
      const outcome = inPieces(written, characters, 'refuse')
      expect(outcome).toMatchObject({
        kind: 'failed',
        problem: { message: expect.stringContaining(message) as string },
      })
      expect(outcome).toEqual(parseJson(written, { duplicateKeys: 'refuse' }))
    }
  })
})

test('an object of too many members is refused', () => {
  const long = `{${Array.from({ length: 100_001 }, (_, index) => `"${index}k":0`).join()}}`
  for (const duplicateKeys of ['last', 'refuse'] as const)
    expect(parseJson(long, { duplicateKeys })).toMatchObject({ problem: { code: 'too-many-members', line: 1 } })
})

/** Each took minutes or more when a run of digits was scanned more than once. */
test.each([
  ['digits behind a point', `{"a":0.${'1'.repeat(10_000_000)}}`, 'parsed'],
  ['digits in a text', `{"a":"0.${'1'.repeat(10_000_000)}"}`, 'parsed'],
  ['digits of an integer', `[${'1'.repeat(10_000_000)}]`, 'failed'],
  ['an exponent', `[1e${'0'.repeat(10_000_000)}1]`, 'parsed'],
  ['escapes', `["${'\\n'.repeat(5_000_000)}"]`, 'parsed'],
  ['backslashes of nothing', '\\'.repeat(10_000_000), 'failed'],
  ['letters', 'x'.repeat(10_000_000), 'failed'],
  ['deep lists', '['.repeat(10_000_000), 'failed'],
  ['deep lists, often', `[${`${'['.repeat(120)}${']'.repeat(120)},`.repeat(40_000)}1]`, 'parsed'],
  ['keys with escapes, deep inside', `[${`${'['.repeat(120)}{"\\n":1}${']'.repeat(120)},`.repeat(20_000)}1]`, 'parsed'],
  ['spaces', `{"\\n"${' '.repeat(10_000_000)}:1}`, 'parsed'],
])('linear in its length: %s', (_name, hostile, kind) => {
  for (const duplicateKeys of ['last', 'refuse'] as const) expect(parseJson(hostile, { duplicateKeys }).kind).toBe(kind)
})

describe('a written value is read back unchanged', () => {
  test.each<[Value, string]>([
    [1e20, '1e+20'],
    [-9007199254740992, '-9.007199254740992e+15'],
    [590295810358705651712, '5.902958103587057e+20'],
    [[1e16, 10000000000000001n], '[1e+16,10000000000000001]'],
    [
      { a: 9007199254740991, b: 1e300, c: 0.30000000000000004 },
      '{"a":9007199254740991,"b":1e+300,"c":0.30000000000000004}',
    ],
  ])('%o', (value, written) => {
    expect(stringifyJson(value)).toBe(written)
    expect(valueOf(written)).toStrictEqual(value)
  })

  test('every value, whole or in pieces', () => {
    const number = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.maxSafeInteger(),
      fc.double({ min: -1e22, max: 1e22, noNaN: true }),
    )
    const integer = fc.bigInt({ min: 2n ** 53n, max: 10n ** 30n })
    const { value: values } = fc.letrec<{ value: Value; list: Value; object: Value }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, true, false),
        fc.string(),
        number.map((one) => one + 0),
        integer,
        tie('list'),
        tie('object'),
      ),
      list: fc.array(tie('value'), { maxLength: 4 }),
      object: fc.dictionary(fc.string({ unit: fc.constantFrom('a', '\\', '"', '\n', '/', 'é') }), tie('value'), {
        maxKeys: 4,
        noNullPrototype: true,
      }),
    }))
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 30 }), (value, piece) => {
        const written = stringifyJson(value)
        expect(valueOf(written)).toStrictEqual(withoutSignedZeros(value))
        const writing = writeJson(value)
        let pieces: string | undefined
        while (pieces === undefined) pieces = writing.advance(piece)
        expect(pieces).toBe(written)
      }),
      casesOfProperty(10_000),
    )
  })
})

/** JSON text has a negative zero, which `JSON.stringify` does not write. */
function withoutSignedZeros(value: Value): Value {
  if (typeof value === 'number') return value + 0
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withoutSignedZeros)
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutSignedZeros(member)]))
}

test('a record is written as JSON.stringify does: undefined members are omitted', () => {
  const record = { a: undefined, b: [undefined, 1], c: Number.NaN, d: { e: undefined } }
  const pieces = writeJson(record as unknown as Value).advance(Infinity)
  expect(pieces).toBe(JSON.stringify(record))
})

describe('the number of values', () => {
  const counted = (json: string, max: number, duplicateKeys: 'last' | 'refuse') => {
    const values = new ValueAllowance(max)
    return { parsed: parseJson(json, { duplicateKeys, values }), values }
  }

  test.each<[string, number]>([
    ['1', 1],
    ['[]', 1],
    ['[{},{},[],"a",null]', 6],
    ['{"a":{"b":[1,2]},"c":"d"}', 6],
    [`[${'{},'.repeat(50_000)}{}]`, 50_002],
    [`{"a":[${'[1,{"b":2}],'.repeat(20_000)}0]}`, 80_003],
  ])('%# %s', (json, count) => {
    for (const duplicateKeys of ['last', 'refuse'] as const) {
      expect(counted(json, count, duplicateKeys)).toMatchObject({ parsed: { kind: 'parsed' }, values: { left: 0 } })
      expect(counted(json, count - 1, duplicateKeys).parsed).toMatchObject({
        kind: 'failed',
        problem: { code: 'too-many-values', message: expect.stringContaining(`more than ${count - 1} values`) },
      })
    }
  })

  test('is that of all documents that share an allowance', () => {
    const values = new ValueAllowance(5)
    expect(parseJson('[1,2]', { duplicateKeys: 'refuse', values }).kind).toBe('parsed')
    expect(parseJson('[1,2]', { duplicateKeys: 'refuse', values }).kind).toBe('failed')
  })

  test('ends the reading where it is exceeded', () => {
    const reading = readJson(`[${'{},'.repeat(1_000_000)}`, { duplicateKeys: 'refuse', values: new ValueAllowance(10) })
    expect(reading.advance(100)).toMatchObject({ kind: 'failed', problem: { line: 1, column: 29 } })
  })
})

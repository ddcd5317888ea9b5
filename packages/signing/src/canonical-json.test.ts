import { parseJson } from '@engine/expression'
import type { RulesetDocument } from '@engine/ruleset'
import canonicalize from 'canonicalize'
import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { systemProgram } from '../../../tests/programs.testing.ts'
import { canonicalJson, canonicalWriting, UnsignableRuleset } from './canonical-json.ts'

const documentOf = (json: string): RulesetDocument => {
  const parsed = parseJson(json, { duplicateKeys: 'refuse' })
  if (parsed.kind === 'failed') throw new Error(parsed.problem.message)
  return parsed.value as RulesetDocument
}

describe('canonical JSON (RFC 8785)', () => {
  test.each([
    ['keys are sorted', '{"b":1,"a":{"d":2,"c":3}}', '{"a":{"c":3,"d":2},"b":1}'],
    ['keys that look like numbers are sorted as texts', '{"10":1,"9":2,"1":3}', '{"1":3,"10":1,"9":2}'],
    ['keys are sorted by UTF-16 code unit', '{"\u{1F600}":1,"\uFB33":2}', '{"\u{1F600}":1,"\uFB33":2}'],
    ['lists keep their order', '{"a":[3,1,2]}', '{"a":[3,1,2]}'],
    [
      'numbers are written as ECMAScript does',
      '{"a":[1.0,1e21,0.000001,1e-7,-0,4.50]}',
      '{"a":[1,1e+21,0.000001,1e-7,0,4.5]}',
    ],
    ['escapes are minimal', String.raw`{"a":"\u0041\/\u001f\u20ac\""}`, String.raw`{"a":"A/\u001f€\""}`],
    [
      'the section 3.2.3 sample',
      String.raw`{"\u20ac":"Euro Sign","\r":"Carriage Return","1":"One","\u0080":"Control"}`,
      '{"\\r":"Carriage Return","1":"One","\u0080":"Control","€":"Euro Sign"}',
    ],
    ['the signature is left out', '{"b":1,"_signature":{"x":1}}', '{"b":1}'],
    ['only the outermost one', '{"b":{"_signature":1}}', '{"b":{"_signature":1}}'],
    ['`__proto__` is a key like any other', '{"b":1,"__proto__":{"a":1}}', '{"__proto__":{"a":1},"b":1}'],
  ])('%s', (_, json, canonical) => {
    expect(canonicalJson(documentOf(json))).toBe(canonical)
  })

  test.each([
    [String.raw`{"a":{"b/c~d":["\ud800"]}}`, '/a/b~1c~0d/0', /half a surrogate pair/],
    [String.raw`{"a":{"\udc00":1}}`, '/a', /half a surrogate pair/],
  ])('%s is refused at %s', (json, path, message) => {
    const refusal = fc.sample(fc.constant(json), 1).map((text) => {
      try {
        return canonicalJson(documentOf(text))
      } catch (error) {
        return error
      }
    })[0]
    expect(refusal).toBeInstanceOf(UnsignableRuleset)
    expect(refusal).toMatchObject({ path, message: expect.stringMatching(message) })
  })

  test.each([
    ['9007199254740991', '9007199254740991'],
    ['9007199254740992', '9007199254740992'],
    ['9007199254740993', '9007199254740993'],
    ['-9007199254740993', '-9007199254740993'],
    ['100000000000000000000', '100000000000000000000'],
    ['123456789'.repeat(30), '123456789'.repeat(30)],
    ['1e20', '1e+20'],
    ['-1e20', '-1e+20'],
    ['9007199254740992.0', '9.007199254740992e+15'],
    ['1.2345678901234568e20', '1.2345678901234568e+20'],
    ['1e15', '1000000000000000'],
    ['1e21', '1e+21'],
  ])('beyond 2^53 an integer keeps its digits and a floating-point number has an exponent: %s', (json, canonical) => {
    expect(canonicalJson(documentOf(`{"a":[${json}]}`))).toBe(`{"a":[${canonical}]}`)
  })

  const json = fc.jsonValue({ maxDepth: 3, stringUnit: 'grapheme' })
  const documents = fc.dictionary(fc.string({ unit: 'grapheme' }), json)
  const bigger = fc.oneof(
    fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }).map(String),
    fc.double({ min: -1e25, max: 1e25, noNaN: true }).map((number) => number.toExponential()),
  )

  test('a well-known library agrees on everything that RFC 8785 represents exactly', () => {
    const isExact = (value: unknown): boolean => {
      if (typeof value === 'number')
        return !Number.isInteger(value) || Number.isSafeInteger(value) || Math.abs(value) >= 1e21
      return typeof value !== 'object' || value === null || Object.values(value).every(isExact)
    }
    fc.assert(
      fc.property(documents.filter(isExact), (document) => {
        const { _signature: _, ...signed } = documentOf(JSON.stringify(document))
        expect(canonicalJson(signed)).toBe(canonicalize(signed))
      }),
    )
  })

  test('neither the order of keys nor white space changes it', () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed)
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, member]) => [key, reversed(member)]),
      )
    }
    fc.assert(
      fc.property(documents, (document) => {
        const plain = documentOf(JSON.stringify(document))
        const other = documentOf(JSON.stringify(reversed(document), null, 3))
        expect(canonicalJson(other)).toBe(canonicalJson(plain))
      }),
    )
  })

  test('in pieces it gives the same', () => {
    fc.assert(
      fc.property(documents, fc.integer({ min: 1, max: 40 }), (document, characters) => {
        const plain = documentOf(JSON.stringify(document))
        const writing = canonicalWriting(plain)
        let text: string | undefined
        while (text === undefined) text = writing.advance(characters)
        expect(text).toBe(canonicalJson(plain))
      }),
    )
  })

  test('a second implementation, in another language, agrees', () => {
    const samples = fc.sample(documents, 2000).map((document) => JSON.stringify(document))
    samples.push(...fc.sample(fc.array(bigger), 500).map((numbers) => `{"n":[${numbers.join(',')}]}`))
    samples.push('{"n":[1e21,1e-7,0.1,5e-324,1.7976931348623157e308,-1.5e-10,1e300,100,1e22]}')
    const theirs = execFileSync(systemProgram('python3'), ['-c', PYTHON], {
      input: samples.join('\n'),
      maxBuffer: 1 << 28,
    })
    const ours = samples.map((sample) => canonicalJson(documentOf(sample)))
    expect(theirs.toString('utf8').trimEnd().split('\n')).toEqual(ours)
  })
})

/**
 * As specified in docs/signing.md: RFC 8785, but beyond 2^53 integers with all digits and other numbers with an
 * exponent.
 */
const PYTHON = String.raw`
import json, sys
def number(x):
    if isinstance(x, int): return str(x)
    if x == 0: return '0'
    most = 21 if abs(x) < 2**53 or x != int(x) else 0
    sign, x = ('-', -x) if x < 0 else ('', x)
    mantissa, _, exponent = ('%r' % x).partition('e')
    whole, _, fraction = mantissa.partition('.')
    digits = (whole + ('' if fraction == '0' else fraction))
    point = len(whole) + int(exponent or 0)
    point -= len(digits) - len(digits.lstrip('0'))
    digits = digits.lstrip('0'); digits = digits.rstrip('0') or '0'
    k = len(digits)
    if k <= point <= most: return sign + digits + '0' * (point - k)
    if 0 < point <= most: return sign + digits[:point] + '.' + digits[point:]
    if -6 < point <= 0: return sign + '0.' + '0' * -point + digits
    e = point - 1
    return sign + digits[0] + ('.' + digits[1:] if k > 1 else '') + 'e' + ('+' if e > 0 else '-') + str(abs(e))
def text(s): return json.dumps(s, ensure_ascii=False)
def canon(v):
    if v is None: return 'null'
    if v is True: return 'true'
    if v is False: return 'false'
    if isinstance(v, (int, float)): return number(v)
    if isinstance(v, str): return text(v)
    if isinstance(v, list): return '[' + ','.join(map(canon, v)) + ']'
    keys = sorted(v, key=lambda k: k.encode('utf-16-be'))
    return '{' + ','.join(text(k) + ':' + canon(v[k]) for k in keys) + '}'
for line in sys.stdin.buffer.read().decode('utf-8').split('\n'):
    sys.stdout.buffer.write((canon(json.loads(line)) + '\n').encode('utf-8'))
`

describe('numbers of a document that computes with decimals', () => {
  const canonical = (number: string) => {
    const text = `{"a":${number},"config":{"numbers":"decimal"}}`
    const parsed = parseJson(text, { duplicateKeys: 'refuse', numbers: 'document' })
    if (parsed.kind === 'failed') throw new Error(parsed.problem.message)
    return canonicalJson(parsed.value as RulesetDocument).slice(5, -32)
  }

  test.each([
    [['0.1', '0.10', '1e-1'], '0.1'],
    [['0.1000000000000000055', '1000000000000000055e-19'], '0.1000000000000000055'],
    [['100000000000000000000', '1e20', '100000000000000000000.0'], '100000000000000000000'],
    [['1000000000000000000000', '1e21', '1.0e21'], '1e+21'],
    [['9007199254740993', '9007199254740993.0'], '9007199254740993'],
    [['123456789012345678901234', '1.23456789012345678901234e23'], '123456789012345678901234'],
  ])('%j is signed as one number', (texts, expected) => {
    for (const text of texts) expect(canonical(text)).toBe(expected)
  })
})

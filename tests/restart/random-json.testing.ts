import { between, pick, type Random } from '../../apps/engine-server/src/sync/random.testing.ts'
import { canonical } from './exact-json.testing.ts'

/** Numbers at every border: of 2^53, of a double's text, of an integer's length. */
const NUMBERS = [
  '0',
  '-0',
  '1',
  '-1',
  '1.0',
  '0.1',
  '1e3',
  '1E+2',
  '100e-2',
  '0.1e1',
  '3.0e0',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '-9007199254740993',
  '9007199254740992.0',
  '1e16',
  '1e20',
  '1E20',
  '5.90295810358705651712e20',
  '999999999999999900000.0',
  '1e21',
  '1.5e300',
  '1e308',
  '5e-324',
  '2.2250738585072014e-308',
  '0.30000000000000004',
  '-1.7976931348623157e308',
  '123456789012345678901234567890',
  '1'.repeat(400),
] as const

/** Contents of JSON strings between the quotes: escapes in every form, including those that only some writers use. */
const STRINGS = [
  '',
  'a',
  'é',
  '\\u00e9',
  '\\/',
  '/',
  '\\\\',
  '\\"',
  '\\b\\f\\n\\r\\t',
  '\\u0000',
  '\\u001f',
  '\u007f',
  '\u2028',
  '\\u2029',
  '\\ud800',
  '\\udc00x',
  '\\ud83d\\ude00',
  '😀',
  '\uFEFF',
  '\\ufeff',
  'e\u0301',
  '\\u0061',
  '\\u0041',
  "'",
  '`',
  '${x}',
  '<!--',
  '__proto__',
  'constructor',
  'toString',
  '1',
  '01',
  '-1',
  'a\\/b',
  'a/b',
  'a\\\\/',
  'a\\\\b',
  '\\\\\\"',
  '\\"\\"',
] as const

/** Keys that a reader which remembers the keys of an object before may take for each other. */
const ALIKE = [
  ['\\\\', '\\"'],
  ['a\\\\/', 'a\\/b'],
  ['a\\/b', 'a/bc'],
  ['\\u0041', 'A\\u0041'],
] as const

/** The text of a JSON value. No object has a key twice. */
export function randomJson(random: Random, depth = 0): string {
  const kind = depth > 4 ? random() * 0.5 : random()
  if (kind < 0.2) return pick(random, NUMBERS)
  if (kind < 0.45) return `"${pick(random, STRINGS)}"`
  if (kind < 0.5) return pick(random, ['true', 'false', 'null', '{}', '[]', '""'])
  if (kind < 0.6) return deep(random)
  const count = Math.floor(between(random, 0, 5))
  if (kind < 0.75) return `[${Array.from({ length: count }, () => randomJson(random, depth + 1)).join(', ')}]`
  return randomObject(random, depth, count)
}

function randomObject(random: Random, depth: number, count: number): string {
  const alike = random() < 0.3 ? [pick(random, pick(random, ALIKE))] : []
  const keys = new Map(
    [...alike, ...Array.from({ length: count }, () => pick(random, STRINGS))].map((key) => [
      canonical(`"${key}"`),
      key,
    ]),
  )
  // The same first key gives objects the same shape, which is where keys are taken for each other.
  const members = Array.from(keys.values(), (key) => `"${key}" : ${randomJson(random, depth + 1)}`)
  return `{${['"h":1', ...members.filter((one) => !one.startsWith('"h"'))].join(',')}}`
}

function deep(random: Random): string {
  const levels = Math.floor(between(random, 1, 60))
  return random() < 0.5
    ? `${'['.repeat(levels)}1${']'.repeat(levels)}`
    : `${'{"k":'.repeat(levels)}[]${'}'.repeat(levels)}`
}

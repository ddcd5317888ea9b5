import { crc32, zstdCompressSync } from 'node:zlib'
import { evaluate, fill, MAX_BODY, post, repeat, type Row } from './row.ts'

const SIZE = MAX_BODY - 200
const MILLIONS = 1_000_000

/** JSON texts just below the limit of a body, as the value that an evaluation reads. */
const TEXTS: readonly (readonly [name: string, value: () => string])[] = [
  ['digits behind a point', () => `0.${'1'.repeat(SIZE)}`],
  ['digits in a text', () => `"${'1'.repeat(SIZE)}"`],
  ['one integer', () => '9'.repeat(SIZE)],
  ['large integers', () => `[${fill(SIZE, '9007199254740993')}1]`],
  ['empty lists', () => `[${fill(SIZE, '[]')}1]`],
  ['empty objects', () => `[${fill(SIZE, '{}')}1]`],
  ['numbers', () => `[${fill(SIZE, '1')}1]`],
  ['exponents', () => `[${fill(SIZE, '1e300')}1]`],
  ['keys, all different', () => `{${repeat(850_000, (index) => `"k${index}":1,`).slice(0, SIZE)}"z":1}`],
  ['keys with an escape', () => `{${repeat(650_000, (index) => `"\\"${index}":1,`)}"z":1}`],
  [
    'numbers as keys',
    () =>
      `{${repeat(780_000, (index) => `"${index * 4099}":1,`)
        .slice(0, SIZE)
        .replace(/,"[^,]*$/, ',')}"z":1}`,
  ],
  ['backslashes', () => `"${'\\\\'.repeat(SIZE / 2)}"`],
  ['brackets', () => '['.repeat(SIZE)],
  ['lists 100 deep', () => `[${fill(SIZE, `${'['.repeat(100)}${']'.repeat(100)}`)}1]`],
  ['blanks', () => `${' '.repeat(SIZE)}1`],
]

/** A compiled ruleset of a few bytes whose payload unfolds to a long text. */
function binaryOf(text: string): Uint8Array {
  const payload = zstdCompressSync(text)
  const head = Buffer.alloc(14)
  head.write('ENGR', 0, 'latin1')
  head[4] = 1
  head.writeUInt32LE(crc32(payload), 6)
  head.writeUInt32LE(payload.length, 10)
  return Buffer.concat([head, payload])
}

export const BODIES: readonly Row[] = [
  ...TEXTS.map(([name, value]): Row => ({
    name: `body of 10 MB: ${name}`,
    request: () => post('/eval', `{"expression":"1","context":{"a":${value()}}}`),
  })),
  { name: 'body of 10 MB: not UTF-8', request: () => post('/eval', Buffer.alloc(SIZE, 0xff)) },
  {
    name: 'body of 10 MB: an expression of unknown names',
    request: () => evaluate(fill(SIZE, 'zzz')),
  },
  {
    name: 'a compiled ruleset that unfolds to digits',
    request: () => post('/rulesets', binaryOf(`{"a":0.${'1'.repeat(MILLIONS)}}`), 'application/octet-stream'),
  },
  {
    name: 'a compiled ruleset that unfolds to 64 MB',
    request: () => post('/rulesets', binaryOf(`{"a":"${'1'.repeat(64 * MILLIONS)}"}`), 'application/octet-stream'),
  },
  {
    name: 'a compiled ruleset that unfolds to lists',
    request: () => post('/rulesets', binaryOf(`{"a":[${'[],'.repeat(15 * MILLIONS)}1]}`), 'application/octet-stream'),
  },
  {
    name: '150 bodies of 9 MB that do not end',
    times: 150,
    request: () => ({ ...post('/eval', Buffer.alloc(9_000_000, 0x20)), unfinished: true }),
  },
  {
    name: 'gRPC Eval: digits',
    request: () => ({
      kind: 'grpc',
      method: 'Eval',
      message: { expression: '1', context_json: `{"a":0.${'1'.repeat(9 * MILLIONS)}}` },
    }),
  },
  {
    name: 'gRPC Eval: empty lists',
    request: () => ({
      kind: 'grpc',
      method: 'Eval',
      message: { expression: '1', context_json: `{"a":[${fill(9 * MILLIONS, '[]')}1]}` },
    }),
  },
]

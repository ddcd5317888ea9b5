import { gzipSync, zstdCompressSync } from 'node:zlib'
import { decision, type HttpRequest, MAX_BODY, post, type Row, rulesetOf } from './row.ts'

const FOLD = { gzip: gzipSync, zstd: zstdCompressSync } as const
const CODINGS = ['gzip', 'zstd'] as const
type Coding = (typeof CODINGS)[number]

const MILLION = 1_000_000
const NAME = 'adult'

/** As many copies of a frame as a body may have. */
const frames = (frame: Buffer) =>
  Buffer.concat(Array.from({ length: Math.floor(MAX_BODY / frame.length) }, () => frame))

const encoded = (path: string, body: Uint8Array, coding: Coding, type?: string): HttpRequest => ({
  ...post(path, body, type),
  coding,
})

function rowsOf(coding: Coding): readonly Row[] {
  const fold = (text: string): Buffer => FOLD[coding](Buffer.from(text))
  const bodies: readonly (readonly [name: string, body: () => Buffer])[] = [
    ['a bomb of 400 MB', () => fold(' '.repeat(400 * MILLION))],
    ['frames that hold nothing', () => frames(fold(''))],
    ['frames of one character', () => frames(fold(' '))],
    ['frames of 60 KB', () => frames(fold(' '.repeat(60_000)))],
  ]
  const streams: readonly (readonly [name: string, body: () => Buffer])[] = [
    ...bodies,
    ['empty lines without end', () => fold('\n'.repeat(400 * MILLION))],
    ['inputs without end', () => fold('{"age":1}\n'.repeat(20 * MILLION))],
  ]
  return [
    ...bodies.map(([name, body]): Row => ({
      name: `${coding}: ${name}`,
      request: () => encoded('/eval', body(), coding),
    })),
    ...streams.map(([name, body]): Row => ({
      name: `${coding}, a stream of lines: ${name}`,
      rulesets: [rulesetOf(NAME, [decision('a', ['age >= 18'])])],
      request: () => encoded(`/execute/${NAME}/batch`, body(), coding, 'application/x-ndjson'),
    })),
  ]
}

/** Bodies that unfold to far more than was sent, or in far more pieces. */
export const ENCODED: readonly Row[] = CODINGS.flatMap(rowsOf)

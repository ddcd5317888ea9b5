import { defined } from '@engine/expression'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../cases.testing.ts'
import { expectAlike } from './exchange.testing.ts'
import { type Pair, type PairKind, startPair } from './servers.testing.ts'
import { randomOf, streamOf } from './streams.testing.ts'

const STREAMS = casesOf(20_000)
/** Streams at the same time. */
const CONNECTIONS = 32

const KINDS: readonly PairKind[] = ['open', 'guarded', 'socket']
let pairs: readonly Pair[] = []

beforeAll(async () => {
  pairs = await Promise.all(KINDS.map(startPair))
})
afterAll(async () => void (await Promise.all(pairs.map((pair) => pair.stop()))))

const pairAt = (random: number): Pair => defined(pairs[Math.floor(random * pairs.length)])

test('the fast lane answers like node:http', { timeout: 1_800_000 }, async () => {
  printSeed(STREAMS)
  let next = 0
  let answers = 0
  const client = async () => {
    for (let index = next++; index < STREAMS; index = next++) {
      const random = randomOf(SEED + index)
      const text = await expectAlike(pairAt(random()), streamOf(random))
      answers += text.split('HTTP/1.1 ').length - 1
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, client))
  expect(answers).toBeGreaterThan(STREAMS)
  const unexpected = pairs.flatMap(({ fast }) => fast.logged.filter((line) => /^(?:error|fatal)/.test(line)))
  expect(unexpected).toEqual([])
})

const EXECUTE = 'POST /api/v1/execute/adult-check HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n'
const BODY = '{"input":{"age":20}}'
const SIZED = `content-length: ${BODY.length}\r\n`
const SECOND = 'GET /smuggled HTTP/1.1\r\nhost: a\r\n\r\n'

describe('a message that a proxy may frame otherwise is read like by node:http', () => {
  test.each<[what: string, bytes: string]>([
    ['length and chunks', `${EXECUTE}${SIZED}transfer-encoding: chunked\r\n\r\n0\r\n\r\n${SECOND}`],
    ['chunks and length', `${EXECUTE}transfer-encoding: chunked\r\n${SIZED}\r\n0\r\n\r\n${SECOND}`],
    ['a blank before the colon', `${EXECUTE}${SIZED}transfer-encoding : chunked\r\n\r\n${BODY}${SECOND}`],
    ['a tab after the coding', `${EXECUTE}${SIZED}transfer-encoding: chunked\t\r\n\r\n0\r\n\r\n${SECOND}`],
    ['another coding', `${EXECUTE}${SIZED}transfer-encoding: xchunked\r\n\r\n${BODY}${SECOND}`],
    ['two codings', `${EXECUTE}transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n\r\n0\r\n\r\n${SECOND}`],
    ['a folded coding', `${EXECUTE}${SIZED}transfer-encoding:\r\n chunked\r\n\r\n0\r\n\r\n${SECOND}`],
    [
      'a coding behind a bare line feed',
      `${EXECUTE}${SIZED}x: y\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${SECOND}`,
    ],
    ['two lengths', `${EXECUTE}${SIZED}content-length: 0\r\n\r\n${BODY}${SECOND}`],
    ['the same length twice', `${EXECUTE}${SIZED}${SIZED}\r\n${BODY}${SECOND}`],
    ['a list of lengths', `${EXECUTE}content-length: 20, 20\r\n\r\n${BODY}${SECOND}`],
    ['a signed length', `${EXECUTE}content-length: +20\r\n\r\n${BODY}${SECOND}`],
    ['a negative length', `${EXECUTE}content-length: -1\r\n\r\n${BODY}${SECOND}`],
    ['a hexadecimal length', `${EXECUTE}content-length: 0x14\r\n\r\n${BODY}${SECOND}`],
    ['a length with a fraction', `${EXECUTE}content-length: 20.0\r\n\r\n${BODY}${SECOND}`],
    ['a length beyond 64 bits', `${EXECUTE}content-length: 18446744073709551636\r\n\r\n${BODY}${SECOND}`],
    ['a length behind a null', `${EXECUTE}x: \0\r\n${SIZED}\r\n${BODY}${SECOND}`],
    ['no length', `${EXECUTE}\r\n${SECOND}`],
    ['a length that is too short', `${EXECUTE}content-length: 19\r\n\r\n${BODY}${SECOND}`],
    ['a second request in the body', `${EXECUTE}content-length: ${SECOND.length}\r\n\r\n${SECOND}${SECOND}`],
    ['the header of another line', `${EXECUTE}x: y\r${SIZED}\r\n${BODY}${SECOND}`],
    ['two hosts', `${EXECUTE}${SIZED}Host: b\r\n\r\n${BODY}${SECOND}`],
    ['two types', `${EXECUTE}${SIZED}Content-Type: text/plain\r\n\r\n${BODY}${SECOND}`],
    ['two keys', `${EXECUTE}${SIZED}x-api-key: a\r\nX-API-KEY: b\r\n\r\n${BODY}${SECOND}`],
    ['two tenants', `${EXECUTE}${SIZED}x-tenant-id: a\r\nx-tenant-id: b\r\n\r\n${BODY}${SECOND}`],
    ['HTTP/0.9', `POST /api/v1/execute/adult-check\r\n\r\n${BODY}${SECOND}`],
    ['an upgrade to HTTP/2', `${EXECUTE}${SIZED}connection: upgrade\r\nupgrade: h2c\r\n\r\n${BODY}${SECOND}`],
    ['a chunk extension', `${EXECUTE}transfer-encoding: chunked\r\n\r\n14;x=y\r\n${BODY}\r\n0\r\n\r\n${SECOND}`],
    ['a trailer', `${EXECUTE}transfer-encoding: chunked\r\n\r\n14\r\n${BODY}\r\n0\r\nx: y\r\n\r\n${SECOND}`],
    ['an empty line before the second', `${EXECUTE}${SIZED}\r\n${BODY}\r\n${SECOND}`],
    ['a name in bytes beyond ASCII', `${EXECUTE}${SIZED}content-lengt\xe8: 1\r\n\r\n${BODY}${SECOND}`],
  ])('%s', async (_what, text) => {
    const bytes = Buffer.from(text, 'latin1')
    const singly = Array.from(bytes, (_byte, index) => bytes.subarray(index, index + 1))
    for (const pieces of [[bytes], singly]) await expectAlike(pairAt(0), { pieces, end: 'half-close' })
  })
})

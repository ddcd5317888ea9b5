import { PassThrough } from 'node:stream'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { constants, gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { createUnreadBodies } from './arriving-bytes.ts'
import { codingOf, encodeAnswer, unfold, unfoldedStream } from './content-coding.ts'
import { HttpError } from './http-error.ts'
import type { Answer } from './response.ts'

describe('the coding of a request body', () => {
  test.each([
    [undefined, undefined],
    ['identity', undefined],
    [' Identity ', undefined],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['zstd', 'zstd'],
    ['x-zstd', 'zstd'],
  ])('%s is %s', (encoding, coding) => {
    expect(codingOf(encoding === undefined ? {} : { 'content-encoding': encoding })).toBe(coding)
  })

  test.each(['br', 'deflate', 'gzip, gzip', '', 'gzip2'])('`%s` is refused with the supported ones', (encoding) => {
    expect(codingOf({ 'content-encoding': encoding })).toMatchObject({
      code: 'unsupported-media-type',
      message: expect.stringContaining('gzip or zstd'),
      headers: { 'accept-encoding': 'gzip, zstd, identity' },
    })
  })
})

const TEXT = 'a text of a request, '.repeat(500)
const limits = (maxBytes = 1_000_000, memory = 10_000_000) => ({ maxBytes, unread: createUnreadBodies(memory) })
const unfolded = (body: Buffer, coding: 'gzip' | 'zstd', within = limits()) =>
  new Promise<Buffer | HttpError>((resolve) => unfold(body, coding, within, resolve))

describe('a compressed body', () => {
  test.each([
    ['gzip', gzipSync(TEXT)],
    ['zstd', zstdCompressSync(TEXT)],
  ] as const)('in %s is read', async (coding, body) => {
    expect(String(await unfolded(body, coding))).toBe(TEXT)
  })

  test.each([
    ['gzip', Buffer.from('no gzip')],
    ['gzip', gzipSync(TEXT).subarray(0, 30)],
    ['zstd', Buffer.from('no zstd')],
  ] as const)('that is no complete %s is refused', async (coding, body) => {
    expect(await unfolded(body, coding)).toMatchObject({
      code: 'invalid-request',
      message: expect.stringContaining(`cannot be read as ${coding}`),
    })
  })

  test('may expand to the limit of a body, and no byte further', async () => {
    const body = gzipSync(TEXT)
    expect(String(await unfolded(body, 'gzip', limits(TEXT.length)))).toBe(TEXT)
    expect(await unfolded(body, 'gzip', limits(TEXT.length - 1))).toMatchObject({ code: 'payload-too-large' })
  })

  test('is charged while it is expanded, and given back afterwards', async () => {
    const full = limits(1_000_000, 1000)
    expect(await unfolded(gzipSync(TEXT), 'gzip', full)).toMatchObject({ code: 'overloaded', retryAfterSeconds: 1 })
    expect(full.unread.take(1000)).toBe(true)
  })

  test('of zstd may have a window of 8 MiB, and no larger one', async () => {
    const large = Buffer.alloc(9 * 1024 * 1024, 'x')
    const withWindow = (log: number) => {
      const params = { [constants.ZSTD_c_windowLog]: log, [constants.ZSTD_c_contentSizeFlag]: 0 }
      return zstdCompressSync(large, { params })
    }
    const enough = limits(20_000_000, 100_000_000)
    expect(await unfolded(withWindow(23), 'zstd', enough)).toHaveLength(large.length)
    expect(await unfolded(withWindow(24), 'zstd', enough)).toMatchObject({ code: 'invalid-request' })
  })
})

describe('a compressed stream', () => {
  const streaming = (body: Buffer, encoding: string | undefined): IncomingMessage => {
    const headers = encoding === undefined ? {} : { 'content-encoding': encoding }
    const stream = Object.assign(new PassThrough(), { headers })
    stream.end(body)
    return stream as unknown as IncomingMessage
  }
  const read = async (request: IncomingMessage, maxBytes = 1_000_000) => {
    const pieces: Buffer[] = []
    for await (const piece of unfoldedStream(request, limits(maxBytes))) pieces.push(piece)
    return String(Buffer.concat(pieces))
  }

  test.each([
    ['gzip', gzipSync(TEXT)],
    ['zstd', zstdCompressSync(TEXT)],
    [undefined, Buffer.from(TEXT)],
  ])('in %s is read as it arrives', async (encoding, body) => {
    expect(await read(streaming(body, encoding))).toBe(TEXT)
  })

  test('that expands a hundredfold and beyond the limit of a body ends', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000))
    await expect(read(streaming(bomb, 'gzip'), 1000)).rejects.toMatchObject({
      code: 'payload-too-large',
      message: expect.stringContaining('100 times'),
    })
    // Below the limit of a body the expansion does not count.
    expect(await read(streaming(bomb, 'gzip'), 10_000_000)).toHaveLength(10_000_000)
  })

  test('that is broken is refused; an unknown coding before it is read', async () => {
    await expect(read(streaming(Buffer.from('no gzip'), 'gzip'))).rejects.toMatchObject({ code: 'invalid-request' })
    expect(() => unfoldedStream(streaming(Buffer.alloc(0), 'br'), limits())).toThrow('the content encoding')
  })

  test('whose connection breaks rejects with the error of the connection', async () => {
    const stream = Object.assign(new PassThrough(), { headers: { 'content-encoding': 'gzip' } })
    const outcome = read(stream as unknown as IncomingMessage).then(
      () => 'read',
      (error: Error) => error.message,
    )
    stream.write(gzipSync(TEXT).subarray(0, 20))
    await Promise.resolve()
    stream.destroy(new Error('reset'))
    expect(await outcome).toBe('reset')
  })
})

describe('an answer', () => {
  const encoded = (answer: Answer, headers: IncomingHttpHeaders) =>
    new Promise<Answer>((resolve) => encodeAnswer(answer, headers, resolve))
  const LARGE = { status: 200, body: 'x'.repeat(1024), headers: { etag: '"a"' } }

  test.each<[accepted: string | undefined, coding: string | undefined]>([
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['br', undefined],
    ['gzip', 'gzip'],
    ['zstd', 'zstd'],
    ['gzip, zstd', 'zstd'],
    ['gzip, zstd;q=0.5', 'gzip'],
    ['GZIP ; Q=0.8 , zstd ; q=0.1', 'gzip'],
    ['*', 'zstd'],
    ['*;q=0', undefined],
    ['zstd;q=0, *', 'gzip'],
    ['gzip;q=0', undefined],
    ['gzip;q=0.000, zstd;q=0.001', 'zstd'],
  ])('to `accept-encoding: %s` is in %s', async (accepted, coding) => {
    const headers = accepted === undefined ? {} : { 'accept-encoding': accepted }
    const { body, headers: sent = {} } = await encoded(LARGE, headers)
    expect([sent['content-encoding'], sent['vary']]).toEqual([coding, 'accept-encoding'])
    expect(sent['etag']).toBe(coding === undefined ? '"a"' : `"a-${coding}"`)
    const bytes = Buffer.from(body ?? '')
    const plain = coding === 'gzip' ? gunzipSync(bytes) : coding === 'zstd' ? zstdDecompressSync(bytes) : bytes
    expect(String(plain)).toBe(LARGE.body)
  })

  test.each<[title: string, answer: Answer]>([
    ['a short one', { status: 200, body: 'x'.repeat(1023) }],
    ['an error', { ...LARGE, status: 404 }],
    ['one without a body', { status: 200 }],
  ])('that is %s stays as it is', async (_title, answer) => {
    expect(await encoded(answer, { 'accept-encoding': 'gzip' })).toBe(answer)
  })

  test('to a page of another origin depends on it as well', async () => {
    const { headers } = await encoded({ status: 200, body: Buffer.alloc(2000) }, { origin: 'https://a.example' })
    expect(headers).toEqual({ vary: 'accept-encoding, origin' })
  })
})

import { BASE } from './loaded-client.testing.ts'
import { afterEach, expect, test, vi } from 'vitest'
import { ApiError } from './errors.ts'
import { readLines } from './read-lines.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

/** The values of a stream that arrives in pieces. */
function read(pieces: readonly string[], most = 10, respond?: () => Promise<Response>) {
  const asked = vi.fn<(address: string, options: { readonly signal: AbortSignal }) => Promise<Response>>(
    respond ??
      (() =>
        Promise.resolve(new Response(ReadableStream.from(pieces.map((piece) => new TextEncoder().encode(piece)))))),
  )
  vi.stubGlobal('fetch', asked)
  return { found: readLines('/lines', { a: '1 2' }, most, new AbortController().signal), asked }
}

test.each<[pieces: readonly string[], most: number, values: readonly unknown[], isWhole: boolean]>([
  [['{"a":1}\n{"a":2}\n'], 10, [{ a: 1 }, { a: 2 }], true],
  [['{"a"', ':1}\n{"a":2}'], 10, [{ a: 1 }, { a: 2 }], true],
  [['1\n\n2\n'], 10, [1, 2], true],
  [['1\nnone\n2\n'], 10, [1, 2], true],
  [['1\n2\n3\n'], 2, [1, 2], false],
  [['1\n2\n'], 3, [1, 2], true],
  [['9007199254740993\n'], 10, [9007199254740993n], true],
  [[], 10, [], true],
])('the pieces %j with at most %i values', async (pieces, most, values, isWhole) => {
  expect(await read(pieces, most).found).toEqual({ values, isWhole })
})

test('a stream that is too long is ended', async () => {
  const { found, asked } = read(['1\n', '2\n', '3\n'], 1)
  await found
  expect(asked.mock.calls[0]?.[0]).toBe(`${BASE}/lines?a=1+2`)
  expect(asked.mock.calls[0]?.[1].signal.aborted).toBe(true)
})

test('a refused stream has the status and the body of its answer', async () => {
  const refused = () => Promise.resolve(new Response('{"error":"no"}', { status: 403 }))
  await expect(read([], 1, refused).found).rejects.toMatchObject({ status: 403, message: 'no' })
  await expect(read([], 1, () => Promise.reject(new Error('off'))).found).rejects.toBeInstanceOf(ApiError)
})

test.each([200, 500])('a stream with the status %i that is cut off did not reach the page', async (status) => {
  const cut = () => {
    const body = new ReadableStream({ start: (controller) => controller.error(new TypeError('network error')) })
    return Promise.resolve(new Response(body, { status }))
  }
  await expect(read([], 1, cut).found).rejects.toMatchObject({ constructor: ApiError, status: 0 })
})

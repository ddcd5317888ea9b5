import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { acceptsNdjson, writeNdjson } from './ndjson.ts'

test.each<[string | undefined, boolean]>([
  ['application/x-ndjson', true],
  ['Application/X-NDJSON; q=0.5', true],
  ['application/json, application/x-ndjson', true],
  ['application/json', false],
  ['application/x-ndjson-seq', false],
  ['*/*', false],
  ['', false],
  [undefined, false],
])('accept %s: one item per line %s', (accept, expected) => {
  expect(acceptsNdjson(accept === undefined ? {} : { accept })).toBe(expected)
})

/** A response, and the texts that were written to it. */
function taking() {
  const taken: string[] = []
  const response = {
    destroyed: false,
    writeHead: (status: number, headers: Readonly<Record<string, string>>) =>
      taken.push(`${status} ${headers['content-type']}`),
    write: (text: string) => taken.push(text) > 0,
    end: () => taken.push('end'),
    destroy: () => taken.push('destroyed'),
  }
  return { response: response as unknown as ServerResponse, taken }
}

async function* pieces(...all: readonly (readonly object[] | Error)[]) {
  for (const one of all) {
    if (one instanceof Error) throw one
    yield one
  }
}

test('items are written line by line, long ones in pieces, each with its progress', async () => {
  const { response, taken } = taking()
  let progress = 0
  const long = { a: 'x'.repeat(64 * 1024) }
  await writeNdjson(response, pieces([{ a: 1 }, { a: 2 }], [], [long, { a: 3 }]), () => void progress++)
  expect(taken).toEqual([
    '200 application/x-ndjson; charset=utf-8',
    '{"a":1}\n{"a":2}\n',
    `${JSON.stringify(long)}\n`,
    '{"a":3}\n',
    'end',
  ])
  expect(progress).toBe(3)
})

test('a failure before the first piece has no answer, a later one breaks it off', async () => {
  const first = taking()
  await expect(writeNdjson(first.response, pieces(new Error('gone')), () => {})).rejects.toThrow('gone')
  expect(first.taken).toEqual([])
  const later = taking()
  await expect(writeNdjson(later.response, pieces([{ a: 1 }], new Error('gone')), () => {})).rejects.toThrow('gone')
  expect(later.taken.slice(1)).toEqual(['{"a":1}\n', 'destroyed'])
})

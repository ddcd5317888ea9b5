import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { killAll } from './engine-server.testing.ts'
import { alike, folder, put, started, useNats } from './sync/fleet-over-nats.testing.ts'
import { marked, type Member, member } from './sync/fleet.testing.ts'

const nats = useNats()
afterEach(killAll)
afterAll(killAll)

/** Pairs of a look and a decision that each caller makes. */
const PAIRS = 200
const CALLERS = 4

const LOOKS = [
  ['/api/v1/rulesets/a', (body: unknown) => (body as Shown).steps.end.result.mark],
  ['/api/v1/rulesets', (body: unknown) => markOf((body as { version: string }[])[0]?.version)],
  ['/api/v1/rulesets/a/versions', (body: unknown) => markOf((body as { current_version: string }).current_version)],
] as const

interface Shown {
  readonly steps: { readonly end: { readonly result: { readonly mark: number } } }
}

interface Decided {
  readonly output: { readonly mark: number }
}

const markOf = (version = '0.0.0') => Number(version.split('.')[1])

/** A separate connection, without a client's delays: between two requests lies as little as can be. */
async function connectionTo(url: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  await once(socket, 'connect')
  let received = ''
  let arrived = () => {}
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk
    arrived()
  })
  /** The next body; undefined: there is no such ruleset. */
  const answer = async (): Promise<unknown> => {
    for (;;) {
      const [head = '', length] = /^[^]*?content-length: (\d+)\r\n[^]*?\r\n\r\n/i.exec(received) ?? []
      const end = head.length + Number(length)
      if (head !== '' && received.length >= end) {
        const body = received.slice(head.length, end)
        received = received.slice(end)
        // A worker that has not applied the first change yet.
        if (head.startsWith('HTTP/1.1 404 ')) return undefined
        if (!head.startsWith('HTTP/1.1 200 ')) throw new Error(`${head.slice(0, 12)}: ${body}`)
        return JSON.parse(body)
      }
      await new Promise<void>((resolve) => (arrived = resolve))
    }
  }
  return {
    send: (...requests: readonly string[]) => void socket.write(requests.join('')),
    answer,
    close: () => socket.destroy(),
  }
}

const GET = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`
const EXECUTE =
  'POST /api/v1/execute/a HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 12\r\n\r\n{"input":{}}'

/** The shown document and the decision: one after the other on two connections, or both together on one. */
async function pairs(url: string, count: number, connections: 1 | 2): Promise<(readonly [number, number])[]> {
  const [one, other] = await Promise.all([connectionTo(url), connectionTo(url)])
  const found: (readonly [number, number])[] = []
  const markIn = (body: unknown, read: (body: unknown) => number) => (body === undefined ? 0 : read(body))
  for (let pair = 0; pair < count; pair++) {
    const [path, shownIn] = LOOKS[pair % LOOKS.length] ?? LOOKS[0]
    let shown: number
    if (connections === 1) {
      one.send(GET(path), EXECUTE)
      shown = markIn(await one.answer(), shownIn)
    } else {
      one.send(GET(path))
      shown = markIn(await one.answer(), shownIn)
      other.send(EXECUTE)
    }
    const decided = await (connections === 1 ? one : other).answer()
    found.push([shown, markIn(decided, (body) => (body as Decided).output.mark)])
  }
  one.close()
  other.close()
  return found
}

/** The writer changes the ruleset while callers read one member and execute it: the shown content decides. */
async function neverAhead(writer: Member, one: Member, connections: 1 | 2): Promise<void> {
  let version = 1
  const change = () => put(writer, marked('a', `1.${++version}.0`, version))
  await change()
  await alike(writer, one)
  const calls = { areOver: false }
  const callers = Promise.all(Array.from({ length: CALLERS }, () => pairs(one.url, PAIRS, connections))).finally(
    () => (calls.areOver = true),
  )
  while (!calls.areOver) await change()
  expect((await callers).flat().filter(([shown, decides]) => !(decides >= shown))).toEqual([])
  for (let round = 0; round < 30; round++) {
    await change()
    // The acknowledged content is shown, and decides.
    if (one === writer) expect(await pairs(one.url, 3, connections)).toEqual([1, 2, 3].map(() => [version, version]))
  }
  await alike(writer, one)
}

describe('the shown content is the one that decides', () => {
  test.each<[what: string, connections: 1 | 2, args: () => string[]]>([
    ['one process', 1, () => ['--role', 'writer', '--broker-url', nats().url, '--rules-dir', folder()]],
    ['one process without files', 1, () => []],
    ['workers', 2, () => ['--rules-dir', folder(), '--workers', '3']],
  ])(
    '%s',
    async (_what, connections, args) => {
      const one = await member('one', args())
      await one.start()
      await neverAhead(one, one, connections)
    },
    120_000,
  )

  test.each<[what: string, connections: 1 | 2, args: () => string[]]>([
    ['a reader', 1, () => ['--rules-dir', folder()]],
    ['a reader with workers', 2, () => ['--workers', '2']],
  ])(
    '%s',
    async (_what, connections, args) => {
      const writer = await started('writer', 'w', ['--rules-dir', folder()])
      await neverAhead(writer, await started('reader', 'r', args()), connections)
    },
    120_000,
  )
})

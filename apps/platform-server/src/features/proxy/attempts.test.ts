import { Readable } from 'node:stream'
import { errors } from 'undici'
import { describe, expect, test } from 'vitest'
import type { OrgId } from '../../database/org-id.ts'
import { createCircuit } from '@engine/process'
import { type AttemptParts, decided, NoAnswer, type Sending } from './attempts.ts'
import type { Destination } from './destinations.ts'
import type { EngineAnswer } from './engine-answer.ts'
import { Unreached } from './forwarder.ts'
import type { Side } from './canary-side.ts'
import { UPSTREAM_ROUTES } from './upstream-routes.ts'

const engine = (id: string): Destination => ({
  id,
  name: id,
  claimant: {
    id,
    name: id,
    org: 'o' as OrgId,
    generation: 1,
    origin: `http://${id}`,
    peer: null,
    registeredAt: new Date(0),
  },
  tenants: true,
  token: '',
  isHealthy: () => true,
  holds: () => true,
})
const [live, backup, apart] = [engine('live'), engine('backup'), engine('apart')]

type Behavior = 'decides' | 'hangs' | 'breaks off' | 'refuses connections' | 'is shutting down'

function act(behavior: Behavior): EngineAnswer {
  if (behavior === 'hangs') throw new Unreached(new errors.HeadersTimeoutError(), false)
  if (behavior === 'breaks off') throw new Unreached(new Error('reset'), false)
  if (behavior === 'refuses connections') throw new Unreached(new Error('refused'), true)
  const bytes = Buffer.from(behavior === 'decides' ? '{}' : '{"code":"UNAVAILABLE"}')
  const headers = { 'content-type': 'application/json', 'content-length': String(bytes.length) }
  const statusCode = behavior === 'decides' ? 200 : 503
  return { statusCode, headers, body: bytes }
}

/** A decision about `fee` by a side, at engines that behave so. */
async function decision(
  behaviors: Readonly<Record<string, Behavior>>,
  side: { readonly kind: Side['kind']; readonly engines: readonly Destination[]; readonly isApart: boolean },
  engines: readonly Destination[],
  repeatable: readonly string[] = ['fee', 'fee.r7'],
  more: Partial<AttemptParts> = {},
  sent: Partial<Sending> = {},
) {
  const asked: string[] = []
  const counted: string[] = []
  const parts: AttemptParts = {
    forwarder: {
      async send({ engine: { id }, path }) {
        asked.push(`${id} ${path.split('/').at(-1)}`)
        return act(behaviors[id] ?? 'decides')
      },
    },
    circuit: createCircuit(() => 0),
    liveness: { isOut: () => false, suspect: () => {} },
    tally: { count: ({ side: of, isError }) => void counted.push(`${of} ${isError ? 'error' : 'answer'}`) },
    engineAnswerMs: 50,
    ...more,
  }
  const route = UPSTREAM_ROUTES.find(({ isDecision }) => isDecision) as (typeof UPSTREAM_ROUTES)[number]
  const sending: Sending = {
    upstream: { route, ruleset: 'fee', seq: undefined, receipt: undefined, query: '', list: undefined, headers: {} },
    requestId: 'r',
    environment: 'e',
    org: 'o' as OrgId,
    body: { refusal: undefined, isReplayable: true, bytes: () => Buffer.from('{}') },
    side: {
      ...side,
      split: {} as Side['split'],
      key: undefined,
      names: { known: 'fee', asked: side.kind === 'canary' ? 'fee.r7' : 'fee' },
    },
    isRepeatable: (ruleset) => repeatable.includes(ruleset),
    signal: new AbortController().signal,
    begun: 0,
    ...sent,
  }
  const end = await decided(parts, sending, { engines }).catch((error: unknown) => error as NoAnswer)
  const by = end instanceof Error ? end.shown('prod').code : end.engine.id
  const message = end instanceof Error ? end.shown('prod').message : undefined
  const retried = end instanceof Error ? undefined : end.retried
  return { by, asked, counted, retried, message }
}

const canary = { kind: 'canary', engines: [apart], isApart: true } as const
const shared = { kind: 'canary', engines: [live], isApart: false } as const
const stable = { kind: 'stable', engines: [live, backup], isApart: false } as const

test.each([
  ['hangs', 'canary error'],
  ['breaks off', 'canary error'],
] as const)(
  'where the engine of a candidate %s, the live version decides, and one error is counted',
  async (how, count) => {
    const expected = { by: 'live', asked: ['apart fee.r7', 'live fee'], counted: [count], retried: 'apart' }
    expect(await decision({ apart: how }, canary, [live])).toMatchObject(expected)
    const own = { by: 'backup', asked: ['live fee.r7', 'backup fee'], counted: [count], retried: 'live' }
    expect(await decision({ live: how }, shared, [live, backup])).toMatchObject(own)
  },
)

test('where a second engine has the candidate, it decides, and the error of the first one is all that is counted', async () => {
  const two = { ...canary, engines: [apart, engine('other')] }
  const expected = { by: 'other', asked: ['apart fee.r7', 'other fee.r7'], counted: ['canary error'], retried: 'apart' }
  expect(await decision({ apart: 'hangs' }, two, [live])).toMatchObject(expected)
})

test('a side that is not the canary is counted by the same rule', async () => {
  const expected = { by: 'backup', asked: ['live fee', 'backup fee'], counted: ['stable error'], retried: 'live' }
  expect(await decision({ live: 'hangs' }, stable, [live, backup])).toMatchObject(expected)
})

test.each([
  ['refuses connections', 'live fee'],
  ['is shutting down', 'live fee'],
] as const)('an engine that %s has done nothing: the answer of the next is counted', async (how, first) => {
  const expected = { by: 'backup', asked: [first, 'backup fee'], counted: ['stable answer'], retried: 'live' }
  expect(await decision({ live: how }, stable, [live, backup], [])).toMatchObject(expected)
})

test('a candidate that makes external calls is tried once, and its error is counted', async () => {
  const expected = { by: 'bad-gateway', asked: ['apart fee.r7'], counted: ['canary error'], retried: undefined }
  expect(await decision({ apart: 'breaks off' }, canary, [live], ['fee'])).toMatchObject(expected)
})

test('a candidate whose engine cannot be reached is not counted', async () => {
  const expected = { by: 'live', asked: ['apart fee.r7', 'live fee'], counted: [], retried: 'apart' }
  expect(await decision({ apart: 'refuses connections' }, canary, [live], [])).toMatchObject(expected)
})

describe('the circuit of an engine', () => {
  test('opens after five refused connections: the engine is tried last', async () => {
    const circuit = createCircuit(() => 0)
    const asked = []
    for (let attempt = 0; attempt < 6; attempt++)
      asked.push((await decision({ live: 'refuses connections' }, stable, [live, backup], [], { circuit })).asked[0])
    expect(asked).toEqual(['live fee', 'live fee', 'live fee', 'live fee', 'live fee', 'backup fee'])
  })

  test('closes with its first answer', async () => {
    const circuit = createCircuit(() => 0)
    for (let attempt = 0; attempt < 4; attempt++) circuit.failed('live')
    await decision({}, stable, [live, backup], [], { circuit })
    circuit.failed('live')
    expect(circuit.isResting('live')).toBe(false)
  })

  test.each(['hangs', 'breaks off'] as const)('stays closed where it %s: a probe decides', async (how) => {
    const circuit = createCircuit(() => 0)
    const suspected: string[] = []
    const liveness = { isOut: () => false, suspect: ({ id }: { readonly id: string }) => void suspected.push(id) }
    for (let attempt = 0; attempt < 6; attempt++)
      await decision({ live: how }, stable, [live, backup], ['fee'], { circuit, liveness })
    expect([circuit.isResting('live'), suspected]).toEqual([false, Array.from({ length: 6 }, () => 'live')])
  })
})

test('a candidate whose engines are all that there are is not decided again', async () => {
  const expected = { by: 'bad-gateway', asked: ['live fee.r7'], counted: ['canary error'], retried: undefined }
  expect(await decision({ live: 'breaks off' }, shared, [live])).toMatchObject(expected)
})

test('two engines are tried at most', async () => {
  const three = { ...stable, engines: [live, backup, apart] }
  const { asked } = await decision({ live: 'hangs', backup: 'hangs' }, three, three.engines)
  expect(asked).toEqual(['live fee', 'backup fee'])
})

describe('a request that an engine may have worked on is not sent twice', () => {
  const body = { refusal: undefined, isReplayable: false, bytes: () => Buffer.from('{}') }
  const batch = UPSTREAM_ROUTES.find(({ isDecision, upstreamPath }) => !isDecision && upstreamPath.endsWith(':name'))
  const upstream = { ruleset: 'fee', seq: undefined, receipt: undefined, query: '', list: undefined, headers: {} }
  test.each<[title: string, repeatable: readonly string[], sent: Partial<Sending>]>([
    ['whose ruleset makes external calls', [], {}],
    ['whose body is gone', ['fee'], { body }],
    ['that is no decision', ['fee'], { upstream: { ...upstream, route: batch as Sending['upstream']['route'] } }],
  ])('%s', async (_title, repeatable, sent) => {
    const found = await decision({ live: 'breaks off' }, stable, [live, backup], repeatable, {}, sent)
    expect([found.by, found.asked]).toEqual(['bad-gateway', ['live fee']])
  })

  test.each(['refuses connections', 'is shutting down'] as const)('but where it %s, it has not', async (how) => {
    expect((await decision({ live: how }, stable, [live, backup], [])).by).toBe('backup')
  })

  test('and what is gone of its body cannot be, whatever the engine answers', async () => {
    const found = await decision({ live: 'is shutting down' }, stable, [live, backup], ['fee'], {}, { body })
    expect([found.by, found.asked]).toEqual(['live', ['live fee']])
  })
})

test('a request whose caller has left is neither sent again nor counted', async () => {
  const signal = AbortSignal.abort()
  for (const side of [canary, stable]) {
    const found = await decision(
      { live: 'breaks off', apart: 'breaks off' },
      side,
      [live, backup],
      ['fee', 'fee.r7'],
      {},
      { signal },
    )
    expect([found.asked.length, found.counted]).toEqual([1, []])
  }
})

describe('engines are tried', () => {
  const at = (id: string, more: Partial<Destination>): Destination => ({ ...engine(id), ...more })
  const ill = at('ill', { isHealthy: () => false })
  const unknown = at('unknown', { claimant: undefined })
  const liveness = { isOut: ({ id }: { readonly id: string }) => id === 'live', suspect: () => {} }
  test.each<[title: string, engines: readonly Destination[], more: Partial<AttemptParts>, asked: readonly string[]]>([
    ['in their order', [live, backup], {}, ['live fee']],
    ['the healthy first', [ill, live], {}, ['live fee']],
    ['those that hang last', [live, ill], { liveness }, ['ill fee']],
    ['without those that have no address', [unknown, live], {}, ['live fee']],
    ['not at all where none has an address', [unknown], {}, []],
  ])('%s', async (_title, engines, more, asked) => {
    const found = await decision({}, { ...stable, engines }, engines, ['fee'], more)
    expect(found.asked).toEqual(asked)
    expect(found.by).toBe(asked[0]?.split(' ')[0] ?? 'bad-gateway')
  })

  test('the one after those without an address counts as the first', async () => {
    const found = await decision(
      { live: 'breaks off' },
      { ...stable, engines: [unknown, live] },
      [unknown, live],
      ['fee'],
    )
    expect([found.by, found.asked]).toEqual(['bad-gateway', ['live fee']])
  })
})

describe('an answer that the engine is not available', () => {
  const UNAVAILABLE = '{"code":"UNAVAILABLE"}'
  const answer = (body: string | Readable, more: Partial<EngineAnswer> = {}): EngineAnswer => ({
    statusCode: 503,
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? Buffer.from(body) : body,
    ...more,
  })
  test.each<[title: string, answer: EngineAnswer, by: string]>([
    ['is followed by another engine', answer(UNAVAILABLE), 'backup'],
    ['is passed on with another status', answer(UNAVAILABLE, { statusCode: 500 }), 'live'],
    ['is passed on with another code', answer('{"code":"OVERLOADED"}'), 'live'],
    ['is passed on without a code', answer('{}'), 'live'],
    ['is passed on where it is no object', answer('null'), 'live'],
    ['is passed on where it is no JSON', answer('busy'), 'live'],
    [
      'is passed on where it is compressed',
      answer(UNAVAILABLE, { headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } }),
      'live',
    ],
    ['is passed on where it is long', answer(Readable.from([UNAVAILABLE])), 'live'],
  ])('%s', async (_title, first, by) => {
    const forwarder = {
      send: async ({ engine: { id } }: { engine: { id: string } }) => (id === 'live' ? first : act('decides')),
    }
    expect((await decision({}, stable, [live, backup], [], { forwarder })).by).toBe(by)
  })
})

describe('a request to an engine', () => {
  const headersAt = async (destination: Destination, kind: Side['kind']) => {
    let found: Readonly<Record<string, unknown>> = {}
    const forwarder: AttemptParts['forwarder'] = {
      send: async ({ headers }) => {
        found = headers
        return act('decides')
      },
    }
    await decision({}, { kind, engines: [destination], isApart: false }, [destination], [], { forwarder })
    return found
  }
  test('has its token, the report, the id of the request, and the environment as its tenant', async () => {
    expect(await headersAt({ ...live, token: 't' }, 'stable')).toEqual({
      authorization: 'Bearer t',
      'x-engine-report': '1',
      'x-request-id': 'r',
      'x-tenant-id': 'e',
    })
  })

  test('names no tenant where it has none, and accepts plain answers of candidates alone', async () => {
    expect(await headersAt({ ...live, tenants: false }, 'canary')).toEqual({
      authorization: 'Bearer ',
      'x-engine-report': '1',
      'x-request-id': 'r',
      'accept-encoding': 'identity',
    })
  })
})

describe('an engine has a limited time', () => {
  const limits = async (
    behaviors: Readonly<Record<string, Behavior>>,
    side: Parameters<typeof decision>[1],
    engines: readonly Destination[],
    repeatable?: readonly string[],
  ) => {
    const found: (number | undefined)[] = []
    const forwarder: AttemptParts['forwarder'] = {
      send: async ({ engine: { id }, limitMs }) => {
        found.push(limitMs)
        return act(behaviors[id] ?? 'decides')
      },
    }
    await decision({}, side, engines, repeatable, { forwarder })
    return found
  }

  test('where another one can decide after it, and the last one has none', async () => {
    expect(await limits({ live: 'hangs' }, stable, [live, backup])).toEqual([50, undefined])
  })

  test('for a candidate, whose live version can decide after it', async () => {
    expect(await limits({ apart: 'hangs' }, canary, [live])).toEqual([50, undefined])
    expect(await limits({}, shared, [live])).toEqual([undefined])
  })

  test('not where its work may not be repeated', async () => {
    expect(await limits({}, stable, [live, backup], [])).toEqual([undefined])
    expect(await limits({}, canary, [live], [])).toEqual([undefined])
  })
})

test.each<
  [
    title: string,
    behaviors: Readonly<Record<string, Behavior>>,
    engines: readonly Destination[],
    repeatable: readonly string[],
    message: string,
  ]
>([
  [
    'the only engine',
    { live: 'breaks off' },
    [live],
    [],
    'the engine `live` closed the connection before it answered, and no other engine serves the environment',
  ],
  [
    'one engine of two',
    { live: 'breaks off' },
    [live, backup],
    [],
    'the engine `live` closed the connection before it answered, and a request to `fee` is not sent twice: only short single decisions without external calls are',
  ],
  [
    'both engines',
    { live: 'breaks off', backup: 'hangs' },
    [live, backup],
    ['fee'],
    'the engine `live` closed the connection before it answered, and the engine `backup` did not answer within 30 s',
  ],
  [
    'a late engine',
    { live: 'hangs', backup: 'breaks off' },
    [live, backup],
    ['fee'],
    'the engine `live` did not answer within 50 ms, and the engine `backup` closed the connection before it answered',
  ],
  [
    'no engine with an address',
    {},
    [{ ...live, claimant: undefined }],
    ['fee'],
    'no engine of the environment `prod` can be reached; behind NAT engines are asked directly (--platform-server-url)',
  ],
])('the error of %s says why there is no answer', async (_title, behaviors, engines, repeatable, message) => {
  expect((await decision(behaviors, { ...stable, engines }, engines, repeatable)).message).toBe(message)
})

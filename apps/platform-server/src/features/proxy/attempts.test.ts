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
  }
  const end = await decided(parts, sending, { engines }).catch((error: unknown) => error as NoAnswer)
  const by = end instanceof Error ? end.shown('prod').code : end.engine.id
  return { by, asked, counted, retried: end instanceof Error ? undefined : end.retried }
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
    expect(await decision({ apart: how }, canary, [live])).toEqual(expected)
    const own = { by: 'backup', asked: ['live fee.r7', 'backup fee'], counted: [count], retried: 'live' }
    expect(await decision({ live: how }, shared, [live, backup])).toEqual(own)
  },
)

test('where a second engine has the candidate, it decides, and the error of the first one is all that is counted', async () => {
  const two = { ...canary, engines: [apart, engine('other')] }
  const expected = { by: 'other', asked: ['apart fee.r7', 'other fee.r7'], counted: ['canary error'], retried: 'apart' }
  expect(await decision({ apart: 'hangs' }, two, [live])).toEqual(expected)
})

test('a side that is not the canary is counted by the same rule', async () => {
  const expected = { by: 'backup', asked: ['live fee', 'backup fee'], counted: ['stable error'], retried: 'live' }
  expect(await decision({ live: 'hangs' }, stable, [live, backup])).toEqual(expected)
})

test.each([
  ['refuses connections', 'live fee'],
  ['is shutting down', 'live fee'],
] as const)('an engine that %s has done nothing: the answer of the next is counted', async (how, first) => {
  const expected = { by: 'backup', asked: [first, 'backup fee'], counted: ['stable answer'], retried: 'live' }
  expect(await decision({ live: how }, stable, [live, backup], [])).toEqual(expected)
})

test('a candidate that makes external calls is tried once, and its error is counted', async () => {
  const expected = { by: 'bad-gateway', asked: ['apart fee.r7'], counted: ['canary error'], retried: undefined }
  expect(await decision({ apart: 'breaks off' }, canary, [live], ['fee'])).toEqual(expected)
})

test('a candidate whose engine cannot be reached is not counted', async () => {
  const expected = { by: 'live', asked: ['apart fee.r7', 'live fee'], counted: [], retried: 'apart' }
  expect(await decision({ apart: 'refuses connections' }, canary, [live], [])).toEqual(expected)
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

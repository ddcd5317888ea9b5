import { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { createCircuit } from '@engine/process'
import { expect, test } from 'vitest'
import type { Caller } from '../../apps/platform-server/src/access/caller.ts'
import type { OrgId } from '../../apps/platform-server/src/database/org-id.ts'
import type { Destination, Destinations } from '../../apps/platform-server/src/features/proxy/destinations.ts'
import { type Forwarded, Unreached } from '../../apps/platform-server/src/features/proxy/forwarder.ts'
import type { ProxyPlace } from '../../apps/platform-server/src/features/proxy/proxied-project.ts'
import { routesOf } from '../../apps/platform-server/src/features/proxy/routes.ts'
import { NO_CANARY } from '../../apps/platform-server/src/features/projects/model.ts'
import { PlainRequest } from '../../packages/http-server/src/fast-lane/plain-request.ts'

/* A decision in the fast lane is counted for canaries and shadows, like any other. */

const ORG = 'o' as OrgId
const CALLER: Caller = { kind: 'user', id: 'u', email: '', displayName: '', sessionId: '' }
const BODY = '{"input":{}}'
const DECIDED = Buffer.from('{"code":"DONE"}')

const ENGINE: Destination = {
  id: 'e',
  name: 'e',
  claimant: {
    id: 'e',
    name: 'e',
    org: ORG,
    generation: 1,
    origin: 'http://e',
    peer: null,
    registeredAt: new Date(0),
  },
  tenants: false,
  token: '',
  isHealthy: () => true,
  holds: () => true,
}
const DESTINATIONS: Destinations = {
  id: 'env',
  name: 'prod',
  canary: NO_CANARY,
  split: undefined,
  shadows: new Map(),
  engines: [ENGINE],
  canaries: [],
  live: new Set(['fee']),
  owned: undefined,
  releases: new Map(),
  isRepeatable: () => false,
}
const SPLIT: Destinations['split'] = {
  executionId: 'x',
  environmentId: 'env',
  releaseId: 'r',
  stage: 0,
  percent: 100,
  slowMs: undefined,
  groups: new Map(),
  candidates: new Map([['fee', 'fee.r7']]),
}
const SHADOW = {
  org: ORG,
  id: 's',
  environment: 'env',
  ruleset: 'fee',
  digest: 'd',
  percent: 100,
  endsAt: Infinity,
  mask: [],
}

/** Sends one decision; its answer, and the calls that it caused. */
async function decided(
  destinations: Partial<Destinations>,
  send: (forwarded: Forwarded, request: PlainRequest) => Buffer | Readable = () => DECIDED,
) {
  const [counted, offered, ended, asked]: [object[], object[], string[], string[]] = [[], [], [], []]
  const headers = { 'content-type': 'application/json', 'content-length': '12', 'x-canary-key': 'k' }
  const request = new PlainRequest(
    { bytes: Buffer.alloc(0), operation: undefined, url: '/', headers, size: 0, length: 12 },
    new Socket(),
    Buffer.from(BODY),
  )
  const routes = routesOf({
    within: () => {
      const member = { org: ORG, permissions: new Set(['decision.execute']), withheld: new Map() }
      const project = { id: 'p', current_environment: 'prod' }
      const environments = [{ ...DESTINATIONS, ...destinations }]
      return Promise.resolve({ member, project, environments } as unknown as ProxyPlace)
    },
    streams: { opened: () => {} },
    chain: () => Promise.resolve('s'),
    refusals: { record: () => Promise.resolve() },
    proxy: {
      forwarder: {
        async send(forwarded) {
          asked.push(forwarded.path)
          const body = send(forwarded, request)
          const length = body instanceof Readable ? {} : { 'content-length': String(body.length) }
          const answered = { 'content-type': 'application/json', ...length }
          return { statusCode: 200, headers: { ...answered, 'x-result-code': 'DONE' }, body }
        },
      },
      circuit: createCircuit(() => 0),
      liveness: { isOut: () => false, suspect: () => {} },
      engineAnswerMs: 1000,
      metrics: { ended: (result) => void ended.push(result) },
      tally: { count: ({ side, key, code }) => void counted.push({ side, key, code }) },
      comparison: {
        offer: (_shadow, bodies) => void offered.push(bodies),
        dropped: () => {},
        stop: () => Promise.resolve(),
      },
    },
  })
  const route = routes.find(({ runPlain }) => runPlain !== undefined)
  const params = { pid: 'p', name: 'fee' }
  const answer = await route?.runPlain?.({ request, params, requestId: 'r', caller: () => Promise.resolve(CALLER) })
  return { answer, counted, offered, ended, asked }
}

test('a candidate decides, and is counted with the key of the request', async () => {
  const { answer, counted, ended, asked } = await decided({ split: SPLIT })
  expect(asked).toEqual(['/api/v1/execute/fee.r7'])
  expect(counted).toEqual([{ side: 'canary', key: 'k', code: 'DONE' }])
  expect(answer).toMatchObject({ status: 200, content: DECIDED })
  expect(ended).toEqual(['answered'])
})

test('a shadow gets the bytes of the request and of the answer', async () => {
  const { offered } = await decided({ shadows: new Map([['fee', SHADOW]]) })
  expect(offered).toEqual([
    {
      request: { bytes: Buffer.from(BODY), coding: undefined },
      answer: { bytes: DECIDED, coding: undefined, status: 200 },
    },
  ])
})

test('a long answer is whole for the caller and the shadow, also when it is read later', async () => {
  const whole = Buffer.concat([Buffer.alloc(70_000, 'a'), Buffer.alloc(70_000, 'b')])
  const long = () => Readable.from([whole.subarray(0, 70_000), whole.subarray(70_000)])
  const { answer, offered } = await decided({ shadows: new Map([['fee', SHADOW]]) }, long)
  await setImmediate()
  expect((await buffer(answer?.content as Readable)).equals(whole)).toBe(true)
  await expect.poll(() => offered).toHaveLength(1)
  expect(offered).toMatchObject([{ answer: { bytes: whole } }])
})

test('a caller who leaves gets no answer, and is not counted against the candidate', async () => {
  const { answer, counted, ended } = await decided({ split: SPLIT }, ({ signal }, request) => {
    request.abort()
    expect(signal.aborted).toBe(true)
    throw new Unreached(new Error('aborted'), false)
  })
  expect([answer, counted, ended]).toEqual([undefined, [], ['gone']])
})

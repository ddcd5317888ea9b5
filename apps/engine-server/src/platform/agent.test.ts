import { ADDRESS_REFUSED, type EngineHeartbeat, type HeartbeatAnswer } from '@engine/api'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { memoryLog } from '../../../../packages/process/src/log.testing.ts'
import { type AgentParts, createPlatformAgent, type PlatformAgent } from './agent.ts'
import { createBackoff } from './backoff.ts'
import { PlatformFailure } from './client.ts'
import { createFirstAnswer } from './first-answer.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** The record and the database that a registration names. */
type Registered = readonly [serverId: string, databaseId: string]

interface Linked {
  readonly steps: string[]
  readonly status: () => ReturnType<ReturnType<typeof createPlatformAgent>['status']>
  readonly failures: () => number
  /** Milliseconds from each heartbeat to the next. */
  readonly pauses: readonly number[]
  /** How many heartbeats the report takes as heard. */
  readonly heard: () => number
  /** The times of the heartbeats. */
  readonly times: readonly number[]
}

/**
 * An agent of the record `s1` in the database `d1`, whose platform is played: it closes after the last answer.
 *
 * @param registrations one for each registration
 * @param answers one for each heartbeat; a number is the status of a failure
 */
async function linked(
  registrations: readonly Registered[],
  answers: readonly (Partial<HeartbeatAnswer> | number)[],
  isBehind = false,
  {
    refuses,
    ...more
  }: Partial<Record<keyof AgentParts, unknown>> & { readonly refuses?: (url: string | undefined) => void } = {},
  then: (agent: PlatformAgent) => void = () => {},
): Promise<Linked> {
  const steps: string[] = []
  const times: number[] = []
  let heard = 0
  let [registered, beats, failures, revision] = [0, 0, 0, 5]
  const parts: Partial<Record<keyof AgentParts, unknown>> = {
    client: {
      async register({ url }: { readonly url?: string }) {
        refuses?.(url)
        const [server_id, database_id] = registrations[registered++] ?? ['', '']
        steps.push(`register ${server_id}`)
        const tokens = { server_token: `token ${registered}`, proxy_token: `proxy ${registered}` }
        return { server_id, database_id, heartbeat_interval_secs: 10, ...tokens }
      },
      heartbeat(token: string, { wait_ms }: EngineHeartbeat, signal: AbortSignal) {
        const answer = answers[beats++]
        times.push(Date.now())
        steps.push(`beat ${token} ${wait_ms}`)
        if (answer === undefined)
          return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('closed'))))
        if (typeof answer === 'number') throw new PlatformFailure(answer, 'refused')
        return { revision: ++revision, changes: [], ...answer }
      },
      close: async () => void steps.push('close'),
    },
    registration: { url: 'http://engine' },
    isAddressAssumed: false,
    credential: async () => ({}),
    report: {
      next: async (wait_ms: number) => ({ wait_ms }),
      heard: () => void heard++,
      follow: async () => {},
      forget: () => void steps.push('forget report'),
    },
    delivery: {
      get revision() {
        return revision
      },
      isBehind,
      forget: () => void steps.push('forget delivery'),
      verify: async () => void steps.push('verify'),
      apply: async (source: { readonly serverId: string }) => void steps.push(`apply to ${source.serverId}`),
    },
    firstAnswer: createFirstAnswer(0, () => 0),
    source: { serverId: 's1', databaseId: 'd1' },
    identity: { follow: () => {} },
    proxyToken: async (token: string) => void steps.push(token),
    failed: () => void failures++,
    backoff: createBackoff(() => 0),
    log: memoryLog().log,
    ...more,
  }
  const agent = createPlatformAgent(parts as unknown as AgentParts)
  agent.begin()
  await vi.waitFor(async () => {
    await vi.advanceTimersByTimeAsync(1000)
    expect(beats).toBeGreaterThan(answers.length)
  })
  const status = agent.status()
  then(agent)
  await vi.advanceTimersByTimeAsync(0)
  const closed = agent.close(1000)
  await vi.advanceTimersByTimeAsync(3000)
  await closed
  const pauses = times.slice(1, answers.length + 1).map((time, index) => time - (times[index] ?? 0))
  return { steps, status: () => status, failures: () => failures, pauses, heard: () => heard, times }
}

const START = ['verify', 'register s1', 'forget report', 'proxy 1']

test('an engine registers once, applies each answer, and closes with a last heartbeat', async () => {
  const { steps, status, failures } = await linked([['s1', 'd1']], [{}, {}])
  expect(steps).toEqual([
    ...START,
    'beat token 1 0',
    'apply to s1',
    // The first answer is applied: the next ones may be held.
    'beat token 1 10000',
    'apply to s1',
    'beat token 1 10000',
    'beat token 1 0',
    'close',
  ])
  expect([status().registered, status().server_id, failures()]).toEqual([true, 's1', 0])
})

test.each<[title: string, again: Registered, forgets: boolean]>([
  ['its own record keeps its revision', ['s1', 'd1'], false],
  ['another record has revisions of its own', ['s2', 'd1'], true],
  ['another database has revisions of its own', ['s1', 'd2'], true],
])('after a refused token: %s', async (_title, again, forgets) => {
  const { steps, failures, status } = await linked([['s1', 'd1'], again], [{}, 401, {}])
  const later = steps.slice(steps.lastIndexOf(`register ${again[0]}`))
  expect(later.slice(0, forgets ? 4 : 3)).toEqual([
    `register ${again[0]}`,
    'forget report',
    ...(forgets ? ['forget delivery'] : []),
    'proxy 2',
  ])
  expect(later).toContain(`apply to ${again[0]}`)
  expect(later.some((step) => step.startsWith('beat token 1'))).toBe(false)
  expect([failures(), status().server_id]).toEqual([1, again[0]])
})

test('any other failure is tried again with the same token', async () => {
  const { steps, failures } = await linked([['s1', 'd1']], [{}, 503, {}])
  expect(steps.filter((step) => step.startsWith('register'))).toEqual(['register s1'])
  expect(steps.filter((step) => step === 'apply to s1')).toHaveLength(2)
  expect(failures()).toBe(1)
})

test('an answer of a restored database is not applied: the complete state is requested', async () => {
  const { steps } = await linked([['s1', 'd1']], [{ database_id: 'd2' }, { database_id: 'd2' }])
  expect(steps.slice(START.length)).toEqual([
    'beat token 1 0',
    'forget delivery',
    'forget report',
    'beat token 1 0',
    'apply to s1',
    'beat token 1 10000',
    'beat token 1 0',
    'close',
  ])
})

test('the platform asks for all rulesets of an engine that it has lost', async () => {
  const { steps } = await linked([['s1', 'd1']], [{ report_rulesets: true }])
  expect(steps.filter((step) => step === 'forget report')).toHaveLength(2)
  expect(steps).toContain('apply to s1')
})

test('an engine that is behind asks for answers that are not held', async () => {
  const { steps } = await linked([['s1', 'd1']], [{}, {}], true)
  expect(steps.filter((step) => step.startsWith('beat'))).not.toContain('beat token 1 10000')
})

test('an engine that is behind tries again after longer and longer pauses', async () => {
  const next = vi.fn<() => number>(() => 3000)
  const { pauses } = await linked([['s1', 'd1']], [{}, {}], true, { backoff: { next, reset: () => {} } })
  // The second between two heartbeats, and the pause.
  expect(pauses.map((pause) => Math.round(pause / 100) / 10)).toEqual([4, 4])
})

test('heartbeats are a second apart at least, unless the platform has changes', async () => {
  const changes = [{ tenant: null, name: 'a', digest: 'd' }]
  const { pauses, heard } = await linked([['s1', 'd1']], [{}, { changes }, {}, { changes }])
  // Timers are of whole milliseconds, the monotonic clock is not.
  expect(pauses.map((pause) => Math.round(pause / 100) / 10)).toEqual([1, 0, 1, 0])
  expect(heard()).toBe(4)
})

test('a heartbeat that failed is not heard', async () => {
  const { heard, failures } = await linked([['s1', 'd1']], [{}, 503, 503, {}])
  expect([heard(), failures()]).toEqual([2, 2])
})

test('failures are logged less and less often, with the status and the number of times', async () => {
  const { log, lines } = memoryLog()
  await linked([['s1', 'd1']], [503, 503, 503, 503, 503, {}, 502], false, { log })
  const warned = lines
    .filter(([level]) => level === 'warn')
    .map(([, fields]) => fields as { status: number; times: number })
  expect(warned[0]).toMatchObject({ status: 503, times: 1 })
  expect(warned.length).toBeLessThan(6)
  // The contact between has ended the quiet time.
  expect(warned.at(-1)).toMatchObject({ status: 502, times: 1 })
})

test('the engine proves the registration with the token of the proxy, at the address that was registered', async () => {
  const followed: unknown[] = []
  const identity = { follow: (registration: unknown) => void followed.push(registration) }
  await linked([['s1', 'd1']], [{}], false, { identity })
  const refuses = (url: string | undefined) => {
    if (url !== undefined) throw new PlatformFailure(400, 'refused', { detail: ADDRESS_REFUSED })
  }
  await linked([['s1', 'd1']], [{}], false, { identity, refuses, isAddressAssumed: true })
  expect(followed).toEqual([
    { serverId: 's1', origin: 'http://engine', proxyToken: 'proxy 1' },
    { serverId: 's1', origin: undefined, proxyToken: 'proxy 1' },
  ])
})

test('the last contact is the last answer, not a heartbeat that failed', async () => {
  const { status, times } = await linked([['s1', 'd1']], [{}, {}, 503, 503])
  expect(status().last_contact).toBe(new Date(times[1] ?? 0).toISOString())
})

test('a deviation ends the heartbeat that is held, and the complete state is requested', async () => {
  const { steps } = await linked([['s1', 'd1']], [{}], false, {}, (agent) => agent.drifted())
  expect(steps.slice(steps.indexOf('forget delivery'))).toEqual([
    'forget delivery',
    'beat token 1 10000',
    'beat token 1 0',
    'close',
  ])
})

describe('an address that the platform refuses', () => {
  /** The addresses of all registrations; the first two with an address are refused. */
  async function introduced(isAddressAssumed: boolean, detail: string) {
    const urls: (string | undefined)[] = []
    const { log, lines } = memoryLog()
    const refuses = (url: string | undefined) => {
      urls.push(url)
      if (url !== undefined && urls.length < 3) throw new PlatformFailure(400, 'refused', { detail })
    }
    await linked([['s1', 'd1']], [{}], false, { refuses, log, isAddressAssumed })
    return { urls, lines }
  }

  test('is left out where it was assumed', async () => {
    const { urls, lines } = await introduced(true, ADDRESS_REFUSED)
    expect(urls).toEqual(['http://engine', undefined])
    expect(lines.find(([level]) => level === 'warn')?.[1]).toMatchObject({ url: 'http://engine', reason: 'refused' })
  })

  test.each<[title: string, isAssumed: boolean, detail: string]>([
    ['was given', false, ADDRESS_REFUSED],
    ['is refused for another reason', true, 'other'],
  ])('is sent again where it %s', async (_title, isAssumed, detail) => {
    expect((await introduced(isAssumed, detail)).urls).toEqual(['http://engine', 'http://engine', 'http://engine'])
  })
})

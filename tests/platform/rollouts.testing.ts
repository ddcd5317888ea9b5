import { expect, onTestFinished } from 'vitest'
import type { Database } from '../../apps/platform-server/src/database/database.ts'
import type { TestServer } from '../http/server.testing.ts'
import { decidingProgram, startLinked, startTeam, type Team } from './engines.testing.ts'
import { type Answered, type Client, startPlatform, type TestPlatform } from './platform.testing.ts'

const A = '/api/v1'

/** Grants a fee by a factor; a factor of `1 / 0` fails. */
export const charging = (name: string, factor: string, version = '1.0.0') => ({
  config: { name, version },
  startStepId: 'set',
  steps: [
    { id: 'set', type: 'action', assignments: [{ name: 'fee', value: `amount * ${factor}` }], nextStepId: 'end' },
    { id: 'end', type: 'terminal', code: 'DONE', output: [{ name: 'fee', value: '$fee' }] },
  ],
})

/** Denies amounts above a limit. */
export const granting = (name: string, limit: number) => ({
  config: { name, version: '1.0.0' },
  startStepId: 'check',
  steps: [
    {
      id: 'check',
      type: 'decision',
      branches: [{ id: 'much', condition: `amount > ${limit}`, nextStepId: 'denied' }],
      defaultNextStepId: 'granted',
    },
    { id: 'denied', type: 'terminal', code: 'DENIED' },
    { id: 'granted', type: 'terminal', code: 'GRANTED' },
  ],
})

/** Fails at every execution: the divisor is only known then. */
export const FAILING = '(1 / (amount - amount))'

/** A team with a platform, for releases through HTTP. */
export interface Releasing {
  readonly platform: TestPlatform
  readonly team: Team
  /** A program that may execute. */
  readonly caller: Client
  /** A real engine that serves an environment. */
  serving(
    environment: string,
    ...options: readonly string[]
  ): Promise<{ readonly id: string; readonly engine: TestServer }>
  /** A new save of a ruleset: its number. */
  save(name: string, ruleset: object): Promise<number>
  /** A release that is approved, of the last saves of rulesets; its path. */
  release(rulesets: readonly object[], ...environments: readonly string[]): Promise<string>
  /** A release of one ruleset that is executed; its path. */
  deploy(name: string, factor: string, environment: string): Promise<string>
  /** The platform's answer to an operation on a release. */
  post(path: string, body?: object): Promise<Answered>
  /** The present body of a path. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a body is looked at member by member
  get(path: string): Promise<any>
  /** Resolves when a release has a status. Its engines drop their candidates without the delay for other replicas. */
  reaches(release: string, status: string): Promise<void>
  /** The types of the events of the last execution of a release. */
  events(release: string): Promise<readonly { readonly type: string; readonly data: Record<string, unknown> }[]>
  /** A decision through the proxy. */
  decide(environment: string, name: string, key?: string, input?: object): Promise<Answered>
  stop(): Promise<void>
}

export async function startReleasing(database: Database, ...options: readonly string[]): Promise<Releasing> {
  const platform = await startPlatform(database, ['--heartbeat-interval-secs', '1', '--rate-limit', '0', ...options])
  const team = await startTeam(platform)
  const connect = await team.connectToken()
  const caller = await decidingProgram(platform, team)
  const get = async (path: string) => (await team.owner.request('GET', path)).body
  const post = (path: string, body: object = {}) => team.owner.request('POST', path, body)
  const releasing: Releasing = {
    platform,
    team,
    caller,
    get,
    post,
    async serving(environment, ...more) {
      const { id, engine } = await startLinked(platform, connect, '--multi-tenancy-enabled', ...more)
      onTestFinished(() => engine.stop())
      const { server_ids: bound } = await get(`${team.P}/server?environment=${environment}`)
      const ids = [...bound, id]
      await team.owner.request('PUT', `${team.P}/server`, { environment, server_ids: ids })
      onTestFinished(async () => {
        await team.owner.request('PUT', `${team.P}/server`, { environment, server_ids: [] })
      })
      return { id, engine }
    },
    async save(name, ruleset) {
      const path = `${team.P}/rulesets/${name}`
      const before = await team.owner.request('GET', path)
      const expected_seq = before.status === 200 ? before.body.seq : 0
      const { status, text, body } = await post(path, { ruleset, expected_seq })
      expect(status, text).toBe(expected_seq === 0 ? 201 : 200)
      return body.seq
    },
    async release(rulesets, ...environments) {
      const body = { title: 'a change', rulesets, environments }
      const { status, text, body: release } = await post(`${team.P}/releases`, body)
      expect(status, text).toBe(201)
      const path = `${team.P}/releases/${release.id}`
      if (release.status === 'pending_approval') {
        const approved = await post(`${path}/approve`)
        expect(approved.status, approved.text).toBe(200)
      }
      return path
    },
    async deploy(name, factor, environment) {
      const from_seq = await releasing.save(name, charging(name, factor))
      const release = await releasing.release([{ name, from_seq }], environment)
      const { status, text } = await post(`${release}/execute`)
      expect(status, text).toBe(202)
      return release
    },
    async reaches(release, status) {
      await expect
        .poll(async () => {
          await skipRetirement(database, release)
          return (await get(release)).status
        })
        .toBe(status)
    },
    async events(release) {
      const { id } = await get(`${release}/execution`)
      const path = `${release}/executions/${id}/events?limit=200`
      return (await team.owner.request('GET', path, undefined, { accept: 'application/json' })).body.items
    },
    decide: (environment, name, canaryKey, input = { amount: 10 }) =>
      caller.request(
        'POST',
        `${A}/engine/${team.project}/execute/${name}`,
        { input },
        { 'x-environment': environment, ...(canaryKey === undefined ? {} : { 'x-canary-key': canaryKey }) },
      ),
    stop: () => platform.stop(),
  }
  return releasing
}

/** Retire the candidates of a release in the next step: no other replica of the test has their split. */
async function skipRetirement({ unscoped: { tables } }: Database, release: string): Promise<void> {
  await tables
    .updateTable('release_executions')
    .set({ next_run_at: new Date(0) })
    .where('release_id', '=', release.split('/').at(-1) ?? '')
    .where('next_run_at', 'is not', null)
    .where((eb) => eb.or([eb('step', '=', 'done'), eb('ended_at', 'is not', null)]))
    .execute()
}

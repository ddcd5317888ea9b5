import { expect } from 'vitest'
import type { TestPlatform } from '../platform/platform.testing.ts'
import { made } from '../platform/team.testing.ts'
import { newProject, type StudioProject } from './browser.testing.ts'
import { startEngine } from './engine.testing.ts'

/** A ruleset that denies amounts above a limit. */
const deciding = (version: string, limit: number) => ({
  config: { name: 'credit', version, contract: 'credit' },
  startStepId: 'check',
  steps: [
    {
      id: 'check',
      name: 'Is it too much?',
      type: 'decision',
      branches: [{ id: 'much', condition: `amount > ${limit}`, nextStepId: 'denied' }],
      defaultNextStepId: 'granted',
    },
    { id: 'denied', name: 'Denied', type: 'terminal', code: 'DENIED' },
    { id: 'granted', name: 'Granted', type: 'terminal', code: 'GRANTED' },
  ],
})

const CONTRACT = {
  name: 'credit',
  version: '1.0.0',
  input: { fields: [{ name: 'amount', type: 'number', required: true, minimum: 0 }] },
  outputs: [
    { code: 'GRANTED', fields: [] },
    { code: 'DENIED', fields: [] },
  ],
}

/** A project with a canary at 25 %, whose candidate denies a little more, as its recorded decisions predict. */
export interface CanaryProject {
  readonly project: StudioProject
  /** The release in the canary. */
  readonly release: string
  readonly stop: () => Promise<unknown>
}

export async function newCanaryProject(platform: TestPlatform): Promise<CanaryProject> {
  const project = await newProject(platform)
  const { team, path } = project
  const { engine } = await startEngine(platform, project, 'prod', '--sample-decisions', '100')
  const send = async (method: 'PUT' | 'POST', at: string, body: object) => {
    const { status, text } = await team.owner.request(method, `${path}/${at}`, body)
    expect(status, text).toBeLessThan(300)
  }
  await made(team.owner.request('POST', `${path}/contracts`, CONTRACT))
  await send('PUT', 'environments/prod/recording', { rate: 100, retention_days: 30, mask: [] })
  const release = async (title: string, version: string, limit: number, seq: number) => {
    await send('POST', 'rulesets/credit', { ruleset: deciding(version, limit), expected_seq: seq })
    const rulesets = [{ name: 'credit', from_seq: seq + 1 }]
    const body = { title, rulesets, environments: ['prod'] }
    const { id } = await made(team.owner.request('POST', `${path}/releases`, body))
    for (const act of ['approve', 'execute']) await send('POST', `releases/${id}/${act}`, {})
    return id as string
  }
  const statusOf = async (id: string) => (await team.owner.request('GET', `${path}/releases/${id}`)).body.status
  const first = await release('Credit', '2.1.0', 60, 0)
  await expect.poll(() => statusOf(first), { timeout: 60_000 }).toBe('completed')

  const { token } = await made(
    team.owner.request('POST', `${team.path}/api-keys`, { name: 'shop', scopes: ['decision.execute'] }),
  )
  const client = platform.program(token)
  let sent = 0
  const decide = async (count: number) => {
    for (let index = 0; index < count; index++) {
      const headers = { 'x-environment': 'prod', 'x-canary-key': `customer-${sent}` }
      const input = { amount: (sent++ * 37) % 100 }
      const { status, text } = await client.request(
        'POST',
        `/api/v1/engine/${project.id}/execute/credit`,
        { input },
        headers,
      )
      expect(status, text).toBe(200)
    }
  }
  const recorded = async () => {
    const { body } = await team.owner.request('GET', `${path}/rulesets/credit/decisions?limit=200`)
    return body.items.length as number
  }
  // An engine takes up the rate of recordings with a heartbeat.
  await expect.poll(async () => (await decide(1), recorded()), { timeout: 60_000, interval: 500 }).toBeGreaterThan(0)
  await decide(150)
  await expect.poll(recorded, { timeout: 60_000 }).toBeGreaterThan(140)

  const stages = [
    { percent: 25, duration_s: 3600, min_requests: 500 },
    { percent: 50, duration_s: 3600 },
  ]
  await send('PUT', 'environments/prod/canary', { stages, alpha: 0.01, on_failure: 'rollback' })
  const candidate = await release('Stricter coupon limit', '2.2.0', 58, 1)
  const stageOf = async () => (await team.owner.request('GET', `${path}/releases/${candidate}/execution`)).body.stage
  await expect.poll(stageOf, { timeout: 60_000 }).not.toBeNull()
  for (let round = 0; round < 8; round++) await decide(100)
  return { project, release: candidate, stop: () => engine.stop() }
}

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OrgId } from '../../apps/platform-server/src/database/org-id.ts'
import { ALLOWED, type Allowed } from '../../apps/platform-server/src/features/releases/model.ts'
import { endAll, place, type Standing, STANDINGS } from './allowed.testing.ts'
import { useDatabase } from './databases.testing.ts'
import { newName } from './drafts.testing.ts'
import { type Answered, type Client, startPlatform, type TestPlatform } from './platform.testing.ts'
import { newScene, type Scene } from './releases.testing.ts'
import { made, type TestPerson } from './team.testing.ts'

const database = useDatabase('postgres')
let platform: TestPlatform
let scene: Scene
let seq: number
let editor: TestPerson
let reviewer: TestPerson
let callers: Readonly<Record<string, Client>>
const name = newName()
beforeAll(async () => {
  platform = await startPlatform(database(), ['--rate-limit', '0'])
  scene = await newScene(platform)
  editor = await scene.team.join(['editor'])
  reviewer = await scene.team.join(['admin'])
  const scopes = ['project.read', 'release.approve', 'release.execute', 'release.rollback']
  const { token } = await made(scene.owner.request('POST', `${scene.team.path}/api-keys`, { name: 'ci', scopes }))
  callers = {
    'an admin who has approved': reviewer,
    'an admin': await scene.team.join(['admin']),
    'the editor who asked for it': editor,
    'a viewer': await scene.team.join(['viewer']),
    'a key': platform.program(token),
  }
  seq = await scene.save(editor, name)
})
afterAll(() => platform.stop())

const org = () => scene.team.id as OrgId
const pathOf = (id: string) => `${scene.P}/releases/${id}`
const bodyOf = (operation: Allowed) => (operation === 'reject' ? { reason: 'no' } : {})
const callerOf = (who: string) => callers[who] as Client

/** A release in the described state. */
interface Arranged {
  readonly id: string
  /** Have it stand so again, after something was done to it. */
  again(): Promise<void>
}

async function arranged(standing: Standing): Promise<Arranged> {
  const release = await scene.release(editor, name, seq)
  const { status, text } = await operate('an admin who has approved', release.id, 'approve')
  expect(status, text).toBe(200)
  const beside = standing.isOvertaken || standing.isBusy ? await scene.release(editor, name, seq) : undefined
  const again = async () => {
    await endAll(database(), org())
    await place(database(), org(), release, standing, reviewer.userId)
    if (beside === undefined) return
    const other = standing.isBusy ? ON_ITS_WAY : THERE
    await place(database(), org(), beside, other, reviewer.userId)
  }
  await again()
  return { id: release.id, again }
}

const ON_ITS_WAY: Standing = { title: 'another one', status: 'executing', step: 'preflight' }
const THERE: Standing = { title: 'a later one', status: 'completed', step: 'done', isLive: true }

const operate = (who: string, id: string, operation: Allowed) =>
  callerOf(who).request('POST', `${pathOf(id)}/${operation}`, bodyOf(operation))

/** Reasons for which an offered operation is refused all the same: conditions that change without the release. */
const PASSING = new Set(['approvals_missing', 'frozen', 'busy', 'stale'])

async function allowedOf(who: string, id: string): Promise<readonly Allowed[]> {
  const { body } = await callerOf(who).request('GET', pathOf(id))
  return body.allowed
}

/** Each operation that is not offered is refused, and the release stays unchanged. */
async function refusals(who: string, id: string, offered: readonly Allowed[]) {
  const found: [Allowed, Answered][] = []
  for (const operation of ALLOWED)
    if (!offered.includes(operation)) found.push([operation, await operate(who, id, operation)])
  return found
}

const taken = new Map<Allowed, number>()

describe.each(STANDINGS.map((standing) => [standing.title, standing] as const))('a release: %s', (_, standing) => {
  test('offers each caller exactly the operations that it accepts from that caller', async () => {
    const { id, again } = await arranged(standing)
    for (const who of Object.keys(callers)) {
      const offered = await allowedOf(who, id)
      for (const [operation, { status, body, text }] of await refusals(who, id, offered)) {
        expect([403, 409], `${who}, ${operation}: ${text}`).toContain(status)
        expect(PASSING, `${who}, ${operation}: ${text}`).not.toContain(body.details?.[0]?.code)
        if (body.current !== undefined) expect(body.current).toEqual({ status: standing.status, allowed: offered })
      }
      for (const operation of offered) {
        const { status, body, text } = await operate(who, id, operation)
        await again()
        if (status < 300) taken.set(operation, (taken.get(operation) ?? 0) + 1)
        else expect([409, PASSING.has(body.details[0].code)], `${who}, ${operation}: ${text}`).toEqual([409, true])
      }
    }
  })
})

async function rollbackOf(id: string) {
  const { body } = await scene.owner.request('GET', `${scene.P}/releases?limit=200`)
  return body.items.find((one: { readonly rollback_of: string | null }) => one.rollback_of === id)
}

test.each([
  ['aborted', 'abort'],
  ['rolled back itself', 'rollback'],
] as const)('a rollback that is %s ends the rollback of its original release', async (_, operation) => {
  const { id: before } = await arranged({
    title: '',
    status: 'rolling_back',
    step: 'full',
    isLive: true,
    hasBaseline: true,
  })
  const rollback = { title: '', kind: 'rollback', status: 'executing', step: 'preflight', hasBaseline: true } as const
  const { id } = await arranged({ ...rollback, rollsBack: before })
  const { status, text } = await operate('an admin', id, operation)
  expect(status, text).toBeLessThan(300)
  // Its presence does not change the release either.
  if (operation === 'rollback') await expect.poll(() => rollbackOf(id)).toMatchObject({ status: 'completed' })
  const { body } = await scene.owner.request('GET', pathOf(before))
  expect(body.status).toBe('rollback_failed')
  // A refused rollback leaves the release unchanged, so it is tried again.
  expect(body.allowed).toContain('rollback')
})

test('a rollback that has failed is executed again in a freeze window', async () => {
  const always = { freeze_window: { cron: '* * * * *', duration: '1d' } }
  const policy = await scene.policy(always)
  const failed = { title: '', status: 'failed', step: 'preflight', hasBaseline: true } as const
  const release = await arranged(failed)
  const refused = await operate('an admin', release.id, 'execute')
  expect([refused.status, refused.body.details[0].code]).toEqual([409, 'frozen'])
  const rollback = await arranged({ ...failed, kind: 'rollback' })
  const { status, text } = await operate('an admin', rollback.id, 'execute')
  expect(status, text).toBe(202)
  await scene.owner.request('DELETE', `${scene.P}/release-policies/${policy.id}`)
})

test('each operation was accepted from a caller', () => {
  for (const operation of ALLOWED) expect(taken.get(operation) ?? 0, operation).toBeGreaterThanOrEqual(1)
})

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rightsTopic } from '../../apps/platform-server/src/access/rights-topic.ts'
import { newOrgId } from '../../apps/platform-server/src/database/org-id.ts'
import { projectTopic } from '../../apps/platform-server/src/features/projects/service.ts'
import { useDatabase } from './databases.testing.ts'
import { grading, newName } from './drafts.testing.ts'
import { addEngine, engineNamed } from './engines.testing.ts'
import { type Answered, startPlatform, type TestPlatform } from './platform.testing.ts'
import { newScene, type Scene } from './releases.testing.ts'
import { made } from './team.testing.ts'

// The proxy and the cache of API keys reload when they are notified, and otherwise after an interval: a change without a
// notification takes effect late.
const database = useDatabase('postgres')
let platform: TestPlatform
let scene: Scene
beforeAll(async () => {
  platform = await startPlatform(database(), ['--rate-limit', '0'])
  scene = await newScene(platform)
})
afterAll(() => platform.stop())

/** A project with a saved ruleset, and an engine that serves `dev`. */
interface Subject {
  readonly P: string
  readonly project: string
  readonly name: string
  readonly engine: string
  readonly register: () => Promise<unknown>
}

async function newSubject(): Promise<Subject> {
  const { owner, team } = scene
  const { id: project } = await made(owner.request('POST', `${team.path}/projects`, { name: newName() }))
  const P = `${team.path}/projects/${project}`
  const name = newName()
  await made(owner.request('POST', `${P}/rulesets/${name}`, { ruleset: grading(name), expected_seq: 0 }))
  const { token } = (await owner.request('POST', `${team.path}/connect-tokens`, { label: randomUUID() })).body
  const body = engineNamed(randomUUID())
  const register = () => addEngine(platform, token, body)
  const { id: engine } = await register()
  const bound = await owner.request('PUT', `${P}/server`, { environment: 'dev', server_ids: [engine] })
  expect(bound.status, bound.text).toBe(200)
  return { P, project, name, engine, register }
}

/** Makes a change, and expects its notification before that of a later change. */
async function isWoken(topic: string, work: () => Promise<unknown>): Promise<void> {
  const { wakes } = database()
  const later = randomUUID()
  const woken: string[] = []
  const ended = Promise.withResolvers<void>()
  const stops = [wakes.on(topic, () => woken.push(topic)), wakes.on(later, () => ended.resolve())]
  const answer = (await work()) as Partial<Answered> | undefined
  if (answer?.status !== undefined) expect(answer.status, answer.text).toBeLessThan(300)
  await database().note(newOrgId(), ({ wake }) => wake(later))
  await ended.promise
  for (const stop of stops) stop()
  expect(woken).toContain(topic)
}

describe('the proxy is woken when', () => {
  const stage = { percent: 10, duration_s: 60, min_requests: 0 }
  test.each<[title: string, change: (subject: Subject) => Promise<unknown>]>([
    [
      'a ruleset is published',
      ({ P, name }) => scene.owner.request('POST', `${P}/rulesets/${name}/publish`, { environment: 'dev' }),
    ],
    ['an environment is renamed', ({ P }) => scene.owner.request('PUT', `${P}/environments/dev`, { name: 'test' })],
    ['a canary changes', ({ P }) => scene.owner.request('PUT', `${P}/environments/dev/canary`, { stages: [stage] })],
    ['an environment is deleted', ({ P }) => scene.owner.request('DELETE', `${P}/environments/staging`)],
    [
      'an engine is unbound',
      ({ P }) => scene.owner.request('PUT', `${P}/server`, { environment: 'dev', server_ids: [] }),
    ],
    ['an engine is deleted', ({ engine }) => scene.owner.request('DELETE', `/api/v1/servers/${engine}?force=true`)],
    ['an engine registers again, with a new token', ({ register }) => register()],
    ['the current environment changes', ({ P }) => scene.owner.request('PUT', P, { current_environment: 'staging' })],
    [
      'a shadow begins',
      ({ P, name }) => {
        const ends_at = new Date(Date.now() + 3_600_000).toISOString()
        return scene.owner.request('POST', `${P}/shadows`, {
          environment: 'dev',
          ruleset: name,
          from_seq: 1,
          percent: 10,
          ends_at,
        })
      },
    ],
  ])('%s', async (_title, change) => {
    const subject = await newSubject()
    await isWoken(projectTopic(subject.project), () => change(subject))
  })

  test('a project is deleted', async () => {
    const { P, project } = await newSubject()
    await scene.owner.request('PUT', `${P}/server`, { environment: 'dev', server_ids: [] })
    await isWoken(projectTopic(project), () => scene.owner.request('DELETE', P))
  })
})

describe('keys are read again when', () => {
  test('one of them is revoked', async () => {
    const { owner, team } = scene
    const { id } = await made(
      owner.request('POST', `${team.path}/api-keys`, { name: randomUUID(), scopes: ['project.read'] }),
    )
    await isWoken(rightsTopic(team.id), () => owner.request('DELETE', `${team.path}/api-keys/${id}`))
  })

  test.each<[title: string, change: (member: string) => Promise<unknown>]>([
    [
      'the roles of a member change',
      (member) => scene.owner.request('PUT', `${scene.team.path}/members/${member}/roles`, { roles: ['viewer'] }),
    ],
    ['a member is removed', (member) => scene.owner.request('DELETE', `${scene.team.path}/members/${member}`)],
  ])('%s', async (_title, change) => {
    const { memberId } = await scene.team.join(['editor'])
    await isWoken(rightsTopic(scene.team.id), () => change(memberId))
  })
})

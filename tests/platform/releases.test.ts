import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useDatabase } from './databases.testing.ts'
import { grading, newName } from './drafts.testing.ts'
import { startPlatform, type TestPlatform } from './platform.testing.ts'
import { newScene, type Scene } from './releases.testing.ts'
import { refusal, type TestPerson } from './team.testing.ts'

const database = useDatabase('embedded')
let platform: TestPlatform
let scene: Scene
let editor: TestPerson
let admin: TestPerson
beforeAll(async () => {
  platform = await startPlatform(database(), ['--rate-limit', '0'])
  scene = await newScene(platform)
  editor = await scene.team.join(['editor'])
  admin = await scene.team.join(['admin'])
})
afterAll(() => platform.stop())

const L = (id: string) => `${scene.P}/releases/${id}`

test('a release of an editor waits for one approval, is approved by an admin, and says so in its history', async () => {
  const name = newName()
  const seq = await scene.save(editor, name)
  const release = await scene.release(editor, name, seq)
  expect(release).toMatchObject({
    number: 1,
    kind: 'release',
    status: 'pending_approval',
    environments: ['prod'],
    rulesets: [{ name, from_seq: seq, version: '1.0.0' }],
    authors: [editor.userId],
    reviews: [],
    requirements: [{ environment: 'prod', policy_id: null, min_count: 1, approved_by: [], satisfied: false }],
    tests: { total: 0 },
    execution_id: null,
    allowed: ['cancel'],
  })
  const seen = await admin.request('GET', L(release.id))
  expect(seen.body.allowed).toEqual(['approve', 'reject', 'cancel'])
  const pending = await admin.request('GET', `${scene.team.path}/releases/pending-for-me`)
  expect(pending.body.items.map(({ id }: { id: string }) => id)).toContain(release.id)
  const notices = await admin.request('GET', `${scene.team.path}/notifications`)
  expect(notices.body.items[0]).toMatchObject({ kind: 'release_approval_pending', ref_id: release.id })
  const approved = await admin.request('POST', `${L(release.id)}/approve`, {
    comment: 'fine',
    content_digest: release.content_digest,
  })
  expect(approved.body).toMatchObject({
    status: 'approved',
    rev: 2,
    requirements: [{ approved_by: [admin.userId], satisfied: true }],
    reviews: [{ user: admin.userId, decision: 'approved', comment: 'fine' }],
    allowed: ['cancel', 'execute'],
  })
  const { body: history } = await editor.request('GET', `${L(release.id)}/history`)
  expect(history.items).toMatchObject([
    { id: 1, type: 'release_created', status: 'pending_approval', actor: { id: editor.userId }, execution_id: null },
    { id: 2, type: 'release_reviewed', status: 'approved', actor: { id: admin.userId }, data: { comment: 'fine' } },
  ])
  const { body: audit } = await admin.request('GET', `${scene.team.path}/audit?object_type=release`)
  expect(audit.items.map(({ action }: { action: string }) => action)).toEqual(['release.approved', 'release.created'])
})

describe('creation', () => {
  test('a preview says the same and makes nothing', async () => {
    const name = newName()
    const seq = await scene.save(editor, name)
    const body = { title: 'x', rulesets: [{ name, from_seq: seq }], environments: ['dev', 'prod'] }
    const preview = await editor.request('POST', `${scene.P}/releases/preview`, body)
    expect(preview.status, preview.text).toBe(200)
    expect(preview.body).toMatchObject({
      would_create: true,
      blocked: [],
      diffs: [
        { environment: 'dev', ruleset: name, base: null, steps_added: ['start', 'yes', 'no'], contract: null },
        { environment: 'prod', ruleset: name, base: null },
      ],
      requirements: [{ environment: 'prod', min_count: 1 }],
    })
    const { body: list } = await editor.request('GET', `${scene.P}/releases?q=${name}`)
    expect(list.items).toEqual([])
    const release = await scene.release(editor, name, seq, ['prod', 'dev'])
    expect(release.content_digest).toBe(preview.body.content_digest)
    expect(release.environments).toEqual(['dev', 'prod'])
    const { body: diff } = await editor.request('GET', `${L(release.id)}/diff`)
    expect(diff.diffs).toEqual(expect.arrayContaining(preview.body.diffs))
  })

  test('a failing case blocks it unless no policy runs tests', async () => {
    const name = newName()
    const seq = await scene.save(editor, name)
    await editor.request('POST', `${scene.P}/rulesets/${name}/tests`, {
      name: 'wrong',
      input: { points: 1 },
      expect: { code: 'GRANTED' },
    })
    expect(await refusal(scene.ask(editor, name, seq))).toEqual([409, 'tests_failed'])
    const policy = await scene.policy({ auto_run_tests: false })
    const release = await scene.release(editor, name, seq)
    expect(release.tests).toBe(null)
    await scene.owner.request('DELETE', `${scene.P}/release-policies/${policy.id}`)
  })

  test('errors, unknown names, saves and environments are refused with their places', async () => {
    const name = newName()
    const seq = await scene.save(editor, name)
    const broken = { ...grading(name), startStepId: 'nowhere' }
    const saved = await editor.request('POST', `${scene.P}/rulesets/${name}`, { ruleset: broken, expected_seq: seq })
    const places = async (body: object) => {
      const answer = await editor.request('POST', `${scene.P}/releases`, { title: 'x', environments: ['dev'], ...body })
      return [answer.status, answer.body.details?.[0]?.path]
    }
    expect(await places({ rulesets: [{ name, from_seq: saved.body.seq }] })).toEqual([400, '/rulesets/0/startStepId'])
    expect(await places({ rulesets: [{ name, from_seq: 99 }] })).toEqual([400, '/rulesets/0/from_seq'])
    expect(await places({ rulesets: [{ name: 'none', from_seq: 1 }] })).toEqual([400, '/rulesets/0/name'])
    expect(await places({ rulesets: [{ name, remove: true }] })).toEqual([400, '/rulesets/0/remove'])
    const environments = ['dev', 'none']
    expect(await places({ rulesets: [{ name, from_seq: seq }], environments })).toEqual([400, '/environments/1'])
  })
})

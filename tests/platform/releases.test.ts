import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SYSTEM } from '../../apps/platform-server/src/database/audit.ts'
import type { OrgId } from '../../apps/platform-server/src/database/org-id.ts'
import { TRANSITIONS } from '../../apps/platform-server/src/features/releases/states.ts'
import { blockOf, codeRowsOf } from '../docs/page.testing.ts'
import { useDatabase } from './databases.testing.ts'
import { grading, newName } from './drafts.testing.ts'
import { startPlatform, type TestPlatform } from './platform.testing.ts'
import { addEngine, engineNamed } from './engines.testing.ts'
import { makeLive, newScene, type Scene } from './releases.testing.ts'
import { made, refusal, type TestPerson } from './team.testing.ts'

const database = useDatabase('postgres')
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

test("an editor's release waits for one approval, an admin approves it, and its history records both", async () => {
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

describe('the address of a release', () => {
  let own: Scene
  let release: { readonly id: string; readonly number: number }
  beforeAll(async () => {
    own = await newScene(platform)
    const name = newName()
    release = await own.release(own.owner, name, await own.save(own.owner, name))
  })
  const get = (address: string, part = '') => own.owner.request('GET', `${own.P}/releases/${address}${part}`)

  test.each([
    ['its id', () => release.id],
    ['its id in capitals', () => release.id.toUpperCase()],
    ['its number', () => String(release.number)],
  ])('is %s', async (_, address) => {
    expect((await get(address())).body).toMatchObject({ id: release.id, number: release.number })
    const text = `by ${address()}`
    expect((await own.owner.request('POST', `${own.P}/releases/${address()}/comments`, { text })).status).toBe(201)
    const { items } = (await get(release.id, '/comments')).body
    expect(items.map((one: { readonly text: string }) => one.text)).toContain(text)
  })

  test.each([
    ['zero', () => '0'],
    ['a number that no release has', () => '999999999'],
    ['a number beyond all', () => '99999999999'],
    ['a number in another form', () => `0${release.number}`],
    ['an exponent', () => '1e0'],
    ['a text', () => 'latest'],
  ])('is not %s', async (_, address) => {
    expect((await get(address())).status).toBe(404)
  })

  test('counts in its project only', async () => {
    const other = await newScene(platform)
    expect((await other.owner.request('GET', `${other.P}/releases/${release.number}`)).status).toBe(404)
    expect((await other.owner.request('GET', `${other.P}/releases/${release.id}`)).status).toBe(404)
  })
})

describe('creation', () => {
  test('a preview reports the same and creates nothing', async () => {
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

/** A release that has become live. */
async function live(name: string, points = 10, environments = ['prod'], more: object = {}) {
  const seq = await scene.save(editor, name, points, more)
  const release = await scene.release(editor, name, seq, environments)
  await makeLive(database(), scene.team.id, release.id)
  return release
}

test('a release of more than 32 MiB is refused before it is read', async () => {
  const name = newName()
  const seq = await scene.save(editor, name)
  const ruleset = (bytes: number) => JSON.stringify({ text: 'x'.repeat(bytes) })
  const { tables } = database().unscoped
  const grow = { ruleset: ruleset(32 * 1024 * 1024) }
  await tables.updateTable('draft_saves').set(grow).where('name', '=', name).where('seq', '=', seq).execute()
  const { status, body } = await scene.ask(editor, name, seq)
  expect([status, body.details[0].path, body.error]).toEqual([400, '/rulesets/0', expect.stringContaining('32 MiB')])
})

describe('against what is live', () => {
  test('the diff names steps and branches, and only the editors since then are authors', async () => {
    const name = newName()
    const first = await live(name)
    const other = await scene.team.join(['editor'])
    const seq = await scene.save(other, name, 25)
    const second = await scene.release(editor, name, seq)
    expect(second.authors).toEqual([other.userId])
    const { body } = await admin.request('GET', `${L(second.id)}/diff`)
    expect(body.diffs).toMatchObject([
      {
        environment: 'prod',
        ruleset: name,
        base: { version: '1.0.0', digest: first.rulesets[0].digest, release_id: first.id },
        removed: false,
        steps_added: [],
        steps_removed: [],
        steps_changed: [{ id: 'yes', path: '/output' }],
        branches_changed: [{ step: 'start', kind: 'branch', id: 'b1', change: 'changed' }],
      },
    ])
    const { body: list } = await admin.request('GET', `${scene.P}/rulesets?q=${name}`)
    expect(list.items[0].live).toEqual([
      {
        environment: 'prod',
        version: '1.0.0',
        digest: first.rulesets[0].digest,
        release_id: first.id,
        release_number: first.number,
        seq: null,
        since: expect.stringMatching(/Z$/),
      },
    ])
  })

  test('a person who releases an earlier save, or removes a ruleset, is the author', async () => {
    const name = newName()
    const earlier = await scene.save(editor, name)
    await live(name, 30)
    const back = await scene.release(admin, name, earlier)
    expect(back.authors).toEqual([admin.userId])
    const body = { title: 'out', rulesets: [{ name, remove: true }], environments: ['dev', 'prod'] }
    const out = await made(admin.request('POST', `${scene.P}/releases`, body))
    expect(out).toMatchObject({
      authors: [admin.userId],
      rulesets: [{ name, from_seq: null, version: null, digest: null }],
    })
    const { body: diff } = await admin.request('GET', `${L(out.id)}/diff`)
    expect(diff.diffs).toMatchObject([{ environment: 'prod', removed: true, steps_removed: ['start', 'yes', 'no'] }])
  })

  test('a ruleset is removed only by `remove: true`, and not together with a save', async () => {
    const name = newName()
    await live(name)
    const seq = await scene.save(editor, name, 40)
    const ask = (one: object) =>
      editor.request('POST', `${scene.P}/releases/preview`, {
        title: 'x',
        rulesets: [{ name, ...one }],
        environments: ['prod'],
      })
    const { body: kept } = await ask({ from_seq: seq, remove: false })
    expect(kept.diffs).toMatchObject([{ ruleset: name, removed: false }])
    const { body: out } = await ask({ remove: true })
    expect(out.diffs).toMatchObject([{ ruleset: name, removed: true }])
    const places = []
    for (const one of [{ from_seq: seq, remove: true }, { remove: false }, {}]) {
      const { status, body } = await ask(one)
      places.push([status, body.details?.map(({ path }: { readonly path: string }) => path)])
    }
    expect(places).toEqual([
      [400, ['/rulesets/0']],
      [400, ['/rulesets/0/from_seq']],
      [400, ['/rulesets/0/from_seq']],
    ])
  })

  test('a breaking contract needs an acknowledgement and the approval of an owner', async () => {
    const name = newName()
    const contract = (type: string, version: string) => ({
      name,
      version,
      input: { fields: [{ name: 'points', type }] },
      outputs: [
        { code: 'GRANTED', fields: [{ name: 'limit', type: 'number' }] },
        { code: 'REFUSED', fields: [] },
      ],
    })
    await made(editor.request('POST', `${scene.P}/contracts`, contract('number', '1.0.0')))
    await live(name)
    await editor.request('PUT', `${scene.P}/contracts/${name}`, contract('integer', '2.0.0'))
    const seq = await scene.save(editor, name, 20)
    const refused = await scene.ask(editor, name, seq)
    expect([refused.status, refused.body.details[0].code]).toEqual([409, 'breaking_change'])
    expect(refused.body.current.breaks).toMatchObject([{ environment: 'prod', contract: { breaking: true } }])
    const preview = await editor.request('POST', `${scene.P}/releases/preview`, {
      title: 'x',
      rulesets: [{ name, from_seq: seq }],
      environments: ['prod'],
    })
    expect(preview.body).toMatchObject({ would_create: false, blocked: [{ code: 'breaking_change' }] })
    const release = await made(scene.ask(editor, name, seq, ['prod'], { acknowledge_breaking: true }))
    expect(release.requirements).toMatchObject([
      { environment: 'prod', roles: [] },
      { environment: null, policy_id: null, min_count: 1, roles: ['owner'], exclude_authors: false },
    ])
    const once = await admin.request('POST', `${L(release.id)}/approve`)
    expect(once.body).toMatchObject({ status: 'pending_approval', allowed: ['cancel'] })
    const twice = await scene.owner.request('POST', `${L(release.id)}/approve`)
    expect(twice.body.status).toBe('approved')
  })

  test('a preview warns where the members cannot give the approvals', async () => {
    const own = await newScene(platform)
    const warned = async (by: TestPerson) => {
      const name = newName()
      const seq = await own.save(by, name)
      const request = { title: 'x', rulesets: [{ name, from_seq: seq }], environments: ['prod'] }
      const { body } = await by.request('POST', `${own.P}/releases/preview`, request)
      expect(body.would_create).toBe(true)
      return body.blocked
        .filter(({ code }: { readonly code: string }) => code === 'approvals_impossible')
        .map(({ message, path, severity }: Record<string, string>) => [path, severity, message])
    }
    expect(await warned(own.owner)).toEqual([])
    const policy = await own.policy({ approvers: { min_count: 1, roles: [], exclude_authors: true } })
    const change = (approvers: object) =>
      own.owner.request('PUT', `${own.P}/release-policies/${policy.id}`, { approvers })
    const alone = '`prod` needs 1 approval, not by authors of the release, but nobody in this organization can give one'
    expect(await warned(own.owner)).toEqual([['/environments', 'warning', alone]])
    const second = await own.team.join(['admin'])
    expect(await warned(own.owner)).toEqual([])
    await change({ min_count: 3, roles: ['admin', 'release.approve'], exclude_authors: false })
    const few = '`prod` needs 3 approvals by `admin` or `release.approve`, but only 2 members can give one'
    expect(await warned(second)).toEqual([['/environments', 'warning', few]])
    await change({ min_count: 1, roles: ['viewer'], exclude_authors: false })
    const nobody = '`prod` needs 1 approval by `viewer`, but nobody in this organization can give one'
    expect(await warned(second)).toEqual([['/environments', 'warning', nobody]])
  })

  test('an engine without tenants takes a name from one environment alone', async () => {
    const taken = await newScene(platform)
    const name = newName()
    const token = await made(taken.owner.request('POST', `${taken.team.path}/connect-tokens`, { label: 'x' }))
    const engine = await addEngine(platform, token.token, engineNamed(newName()))
    for (const environment of ['staging', 'prod'])
      await taken.owner.request('PUT', `${taken.P}/server`, { environment, server_ids: [engine.id] })
    const seq = await taken.save(taken.owner, name)
    expect(await refusal(taken.ask(taken.owner, name, seq, ['staging', 'prod']))).toEqual([409, 'name_taken'])
    const release = await taken.release(taken.owner, name, seq, ['staging'])
    await makeLive(database(), taken.team.id, release.id)
    expect(await refusal(taken.ask(taken.owner, name, seq, ['prod']))).toEqual([409, 'name_taken'])
  })

  test('the history of a ruleset has an entry a release, with the copy', async () => {
    const name = newName()
    const first = await live(name, 10, ['dev', 'prod'])
    const second = await live(name, 20)
    const { body } = await editor.request('GET', `${scene.P}/rulesets/${name}/history`)
    expect(body.items.map(({ number, environment }: Entry) => [number, environment])).toEqual(
      expect.arrayContaining([
        [first.number, 'dev'],
        [first.number, 'prod'],
        [second.number, 'prod'],
      ]),
    )
    expect(body.items[0]).toMatchObject({
      release_id: second.id,
      version: '1.0.0',
      digest: second.rulesets[0].digest,
      snapshot: { from_seq: 2, ruleset: grading(name, 20), contract: null },
    })
    const { body: page } = await editor.request('GET', `${scene.P}/rulesets/${name}/history?limit=2`)
    const next = await editor.request('GET', `${scene.P}/rulesets/${name}/history?limit=2&cursor=${page.next_cursor}`)
    expect([page.items.length, next.body.items.length, next.body.next_cursor]).toEqual([2, 1, null])
  })
})

interface Entry {
  readonly number: number
  readonly environment: string
}

test('nothing is published into an environment in which a release is in progress', async () => {
  const name = newName()
  const release = await scene.release(editor, name, await scene.save(editor, name), ['dev'])
  const execution = { id: randomUUIDv7(), release_id: release.id, status: 'paused' as const, step: 'full' as const }
  const rest = { environment_id: null, stage: null, emergency_reason: null, error: null, started_by: 'system' }
  await database().change(scene.team.id as OrgId, SYSTEM, async ({ scope, audit }) => {
    const times = { ended_at: null, lease_until: null, next_run_at: null }
    await scope.insert('release_executions', { ...execution, ...rest, ...times }).execute()
    await audit({ action: 'release.executed', object: { id: release.id, name } })
  })
  const publish = () => admin.request('POST', `${scene.P}/rulesets/${name}/publish`, { environment: 'dev' })
  expect(await refusal(publish())).toEqual([409, 'busy'])
  await database().change(scene.team.id as OrgId, SYSTEM, async ({ scope, audit }) => {
    await scope.update('release_executions').set({ status: 'failed' }).where('id', '=', execution.id).execute()
    await audit({ action: 'release.updated', object: { id: release.id, name } })
  })
  expect((await publish()).status).toBe(202)
})

describe('policies', () => {
  test('are created, listed, changed and deleted, with their audit', async () => {
    const window = { cron: '0 22 * * 5', duration: '2h', time_zone: 'Europe/Berlin' }
    const policy = await scene.policy({
      priority: 5,
      approvers: { min_count: 2, roles: ['admin', 'release.approve'] },
      freeze_window: window,
    })
    expect(policy).toMatchObject({
      rev: 1,
      priority: 5,
      enabled: true,
      match: { environments: ['prod'] },
      approvers: { min_count: 2, roles: ['admin', 'release.approve'], exclude_authors: false },
      auto_run_tests: true,
      freeze_window: window,
    })
    const at = `${scene.P}/release-policies/${policy.id}`
    const changed = await scene.owner.request('PUT', at, { freeze_window: null, approvers: { exclude_authors: true } })
    const { min_count, roles } = policy.approvers
    expect(changed.body).toMatchObject({
      rev: 2,
      freeze_window: null,
      approvers: { min_count, roles, exclude_authors: true },
    })
    const { body } = await editor.request('GET', `${scene.P}/release-policies?q=${policy.name}`)
    expect(body.items).toEqual([changed.body])
    expect((await scene.owner.request('DELETE', at)).status).toBe(204)
    const { body: audit } = await scene.owner.request('GET', `${scene.team.path}/audit?object_id=${policy.id}`)
    const actions = audit.items.map(({ action }: { action: string }) => action)
    expect(actions).toEqual(['policy.deleted', 'policy.updated', 'policy.created'])
  })

  test('keep members that a change omits', async () => {
    const settings = {
      priority: 5,
      enabled: true,
      match: { environments: ['prod'] },
      approvers: { min_count: 2, roles: ['admin'], exclude_authors: true },
      auto_run_tests: false,
      require_contract_mode: 'enforce',
      forbid: ['DENY->ALLOW'],
      max_changed: 2.5,
      require_coverage: { branches: 90 },
      freeze_window: { cron: '0 22 * * 5', duration: '2h', time_zone: 'Europe/Berlin' },
    }
    const { id } = await scene.policy(settings)
    const at = `${scene.P}/release-policies/${id}`
    const changes = [
      { priority: 1 },
      { enabled: false },
      { match: { environments: ['dev'] } },
      { approvers: { min_count: 3 } },
      { approvers: { roles: [] } },
      { approvers: { exclude_authors: false } },
      { auto_run_tests: true },
      { require_contract_mode: 'warn' },
      { require_contract_mode: null },
      { forbid: ['*->ERROR', 'A->B'] },
      { forbid: [] },
      { max_changed: 0 },
      { max_changed: null },
      { require_coverage: { mutants: 50, conditions: 1 } },
      { require_coverage: null },
      { freeze_window: null },
    ]
    let expected: object = settings
    for (const change of changes) {
      const { approvers } = expected as typeof settings
      expected = { ...expected, ...change, approvers: { ...approvers, ...('approvers' in change && change.approvers) } }
      expect((await scene.owner.request('PUT', at, change)).body).toMatchObject(expected)
    }
    await scene.owner.request('DELETE', at)
  })

  test('an environment cannot be deleted while a policy names it or a release targets it', async () => {
    const name = newName()
    const path = `${scene.P}/environments`
    await made(scene.owner.request('POST', path, { name: 'extra' }))
    const policy = await scene.policy({ match: { environments: ['extra'] } })
    const gone = () => scene.owner.request('DELETE', `${path}/extra`)
    expect(await refusal(gone())).toEqual([409, 'in_use'])
    await scene.owner.request('PUT', `${path}/extra`, { name: 'renamed' })
    const { body } = await scene.owner.request('GET', `${scene.P}/release-policies/${policy.id}`)
    expect(body.match.environments).toEqual(['renamed'])
    await scene.owner.request('DELETE', `${scene.P}/release-policies/${policy.id}`)
    const release = await scene.release(editor, name, await scene.save(editor, name), ['renamed'])
    expect(await refusal(scene.owner.request('DELETE', `${path}/renamed`))).toEqual([409, 'in_use'])
    await editor.request('POST', `${L(release.id)}/cancel`)
    expect((await scene.owner.request('DELETE', `${path}/renamed`)).status).toBe(204)
  })

  test('the highest priority decides, of equal ones the oldest, and none that is disabled', async () => {
    const name = newName()
    const seq = await scene.save(editor, name)
    const policies = [
      await scene.policy({ priority: 1, approvers: { min_count: 3 } }),
      await scene.policy({ priority: 1, approvers: { min_count: 4 } }),
      await scene.policy({ priority: 0, approvers: { min_count: 5 } }),
      await scene.policy({ priority: 9, enabled: false, approvers: { min_count: 6 } }),
    ]
    const release = await scene.release(editor, name, seq)
    expect(release.requirements).toMatchObject([{ policy_id: policies[0].id, min_count: 3 }])
    for (const { id } of policies) await scene.owner.request('DELETE', `${scene.P}/release-policies/${id}`)
  })
})

describe('lists', () => {
  test('are filtered by status and environment, and by the reach of a key', async () => {
    const other = await newScene(platform)
    const name = newName()
    const seq = await other.save(other.owner, name)
    const [dev, prod] = [
      await other.release(other.owner, name, seq, ['dev']),
      await other.release(other.owner, name, seq, ['dev', 'prod']),
    ]
    const numbers = async (path: string, by: Pick<TestPerson, 'request'> = other.owner) =>
      (await by.request('GET', path)).body.items.map(({ number }: Entry) => number)
    expect(dev.status).toBe('approved')
    expect(await numbers(`${other.P}/releases`)).toEqual([prod.number, dev.number])
    expect(await numbers(`${other.P}/releases?status=approved`)).toEqual([dev.number])
    expect(await numbers(`${other.P}/releases?environment=prod`)).toEqual([prod.number])
    // A receipt names its rules by their digest.
    expect(await numbers(`${other.P}/releases?digest=${prod.rulesets[0].digest}`)).toEqual([prod.number, dev.number])
    expect(await numbers(`${other.P}/releases?digest=${'0'.repeat(64)}`)).toEqual([])
    expect(await numbers(`${other.team.path}/releases?limit=1`)).toEqual([prod.number])
    expect(await numbers(`${other.team.path}/releases/pending-for-me`)).toEqual([prod.number])
    const key = { name: 'dev only', scopes: ['project.read'], environments: ['dev'] }
    const { token } = await made(other.owner.request('POST', `${other.team.path}/api-keys`, key))
    const program = platform.program(token)
    const { id: project } = await made(other.owner.request('POST', `${other.team.path}/projects`, { name: 'Other' }))
    for (const [project_ids, seen] of [
      [[project], []],
      [[prod.project_id], [prod.number, dev.number]],
    ] as const) {
      const limited = { name: newName(), scopes: ['project.read'], project_ids }
      const ofProject = await made(other.owner.request('POST', `${other.team.path}/api-keys`, limited))
      expect(await numbers(`${other.team.path}/releases`, platform.program(ofProject.token))).toEqual(seen)
    }
    expect(await numbers(`${other.P}/releases`, program)).toEqual([dev.number])
    expect(await numbers(`${other.team.path}/releases`, program)).toEqual([dev.number])
    expect(await numbers(`${other.team.path}/releases/pending-for-me`, program)).toEqual([])
    expect((await program.request('GET', `${other.P}/releases/${prod.id}`)).status).toBe(404)
    expect((await program.request('GET', `${other.P}/releases/${dev.id}`)).status).toBe(200)
  })

  test('a release that is requested twice with one key is created once', async () => {
    const name = newName()
    const body = {
      title: 'once',
      rulesets: [{ name, from_seq: await scene.save(editor, name) }],
      environments: ['dev'],
    }
    const headers = { 'idempotency-key': name }
    const answers = [
      await editor.request('POST', `${scene.P}/releases`, body, headers),
      await editor.request('POST', `${scene.P}/releases`, body, headers),
    ]
    expect(answers.map(({ status }) => status)).toEqual([201, 201])
    expect(answers[1]?.body.id).toBe(answers[0]?.body.id)
  })
})

test('a rejection ends a release, and subscribed webhooks get it', async () => {
  const name = newName()
  const { id } = await made(
    scene.owner.request('POST', `${scene.P}/webhooks`, {
      url: 'https://hooks.example/x',
      events: ['release_reviewed'],
      format: 'slack',
    }),
  )
  const release = await scene.release(editor, name, await scene.save(editor, name))
  const rejected = await admin.request('POST', `${L(release.id)}/reject`, { reason: 'too generous' })
  expect(rejected.body).toMatchObject({
    status: 'rejected',
    reviews: [{ user: admin.userId, decision: 'rejected', comment: 'too generous' }],
    allowed: [],
  })
  const { body } = await scene.owner.request('GET', `${scene.P}/webhooks/${id}/deliveries`)
  expect(body.items.map(({ event }: { event: string }) => event)).toEqual(['release_reviewed'])
  const again = await admin.request('POST', `${L(release.id)}/approve`)
  expect(again.body).toMatchObject({
    code: 'CONFLICT',
    details: [{ code: 'wrong_state' }],
    current: { status: 'rejected', allowed: [] },
  })
})

test('the calendar lists the freeze windows of the policy that applies to each environment', async () => {
  const window = { cron: '0 18 * * 5', duration: '60h', time_zone: 'Europe/Berlin' }
  const strict = await scene.policy({ priority: 90, match: { environments: ['prod'] }, freeze_window: window })
  const off = await scene.policy({ priority: 95, match: { environments: ['prod'] }, enabled: false })
  const list = async (query: string) => {
    const { status, text, body } = await editor.request('GET', `${scene.P}/freeze-windows?${query}`)
    expect(status, text).toBe(200)
    return body.items.filter((one: { readonly policy_id: string }) => one.policy_id === strict.id)
  }
  const rest = { environment: 'prod', policy_id: strict.id, policy: strict.name }
  // The clocks of Berlin are put back on 25 October.
  expect(await list('from=2026-10-24T12:00:00Z&to=2026-11-06')).toEqual([
    { ...rest, from: '2026-10-23T16:00:00.000Z', to: '2026-10-26T05:00:00.000Z' },
    { ...rest, from: '2026-10-30T17:00:00.000Z', to: '2026-11-02T05:00:00.000Z' },
  ])
  expect((await list('')).length).toBeGreaterThanOrEqual(12)
  for (const { id } of [strict, off]) await scene.owner.request('DELETE', `${scene.P}/release-policies/${id}`)
  expect(await list('')).toEqual([])
})

describe('comments', () => {
  test('are written by members in any state, listed, announced, audited, and deleted by their author or a manager', async () => {
    const viewer = await scene.team.join(['viewer'])
    const name = newName()
    const release = await scene.release(editor, name, await scene.save(editor, name))
    const at = `${L(release.id)}/comments`
    const first = await viewer.request('POST', at, { text: 'why now?' })
    expect(first.body).toMatchObject({ text: 'why now?', created_by: viewer.userId })
    expect(first.headers.get('location')).toBe(`${at}/${first.body.id}`)
    const second = await made(editor.request('POST', at, { text: 'because' }))
    expect((await admin.request('GET', at)).body.items).toEqual([second, first.body])
    expect((await admin.request('GET', `${at}/${second.id}`)).body).toEqual(second)
    expect((await admin.request('GET', L(release.id))).body).toMatchObject({ status: 'pending_approval', rev: 1 })
    const events = (await admin.request('GET', `${L(release.id)}/history`)).body.items.slice(-2)
    expect(events).toMatchObject([
      { type: 'comment_added', status: 'pending_approval', data: { comment_id: first.body.id, text: 'why now?' } },
      { type: 'comment_added', actor: { id: editor.userId }, data: { comment_id: second.id } },
    ])
    const told = async (person: TestPerson) => {
      const { items } = (await person.request('GET', `${scene.team.path}/notifications`)).body
      return items.filter((one: { readonly ref_id: string }) => one.ref_id === release.id)
    }
    expect(await told(editor)).toMatchObject([{ kind: 'release_commented', payload: { number: release.number } }])
    expect(await told(viewer)).toMatchObject([{ kind: 'release_commented' }])
    await admin.request('POST', `${L(release.id)}/cancel`)
    await made(viewer.request('POST', at, { text: 'too late' }))
    expect((await viewer.request('DELETE', `${at}/${second.id}`)).status).toBe(403)
    expect((await viewer.request('DELETE', `${at}/${first.body.id}`)).status).toBe(204)
    expect((await admin.request('DELETE', `${at}/${second.id}`)).status).toBe(204)
    expect((await admin.request('GET', at)).body.items).toMatchObject([{ text: 'too late' }])
    const { items } = (await scene.owner.request('GET', `${scene.team.path}/audit?object_type=comment`)).body
    expect(items.map(({ action }: { readonly action: string }) => action)).toEqual([
      'comment.deleted',
      'comment.deleted',
      'comment.created',
      'comment.created',
      'comment.created',
    ])
  })

  test('belong to a place of a released ruleset, and are settled and opened again by members', async () => {
    const viewer = await scene.team.join(['viewer'])
    const name = newName()
    const release = await scene.release(editor, name, await scene.save(editor, name))
    const at = `${L(release.id)}/comments`
    const place = '/steps/start/branches/b1'
    const placed = await made(admin.request('POST', at, { ruleset: name, place, text: 'why 40?' }))
    expect(placed).toMatchObject({ ruleset: name, place, settled: false, updated_by: admin.userId })
    const whole = await made(admin.request('POST', at, { text: 'a good change' }))
    expect(whole).toMatchObject({ ruleset: null, place: '' })
    const { items: events } = (await admin.request('GET', `${L(release.id)}/history`)).body
    expect(events.at(-2)).toMatchObject({ data: { comment_id: placed.id, ruleset: name, place } })
    const settled = await viewer.request('PUT', `${at}/${placed.id}`, { settled: true })
    expect(settled.body).toEqual({
      ...placed,
      settled: true,
      updated_at: settled.body.updated_at,
      updated_by: viewer.userId,
    })
    const listed = async (query: string) => (await editor.request('GET', `${at}?${query}`)).body.items
    expect(await listed('settled=true')).toEqual([settled.body])
    expect(await listed('settled=false')).toEqual([whole])
    expect(await listed(`ruleset=${name}`)).toEqual([settled.body])
    expect((await editor.request('PUT', `${at}/${placed.id}`, { settled: false })).body).toMatchObject({
      text: 'why 40?',
      settled: false,
      updated_by: editor.userId,
    })
  })

  test('of a release are a thousand at most', async () => {
    const name = newName()
    const release = await scene.release(editor, name, await scene.save(editor, name))
    // Deleted ones count, since their events stay.
    const event = { release_id: release.id as string, type: 'comment_added', status: 'pending_approval' } as const
    const rest = { execution_id: null, environment: null, server_id: null, actor: '{}', data: '{}' }
    const rows = Array.from({ length: 999 }, (_one, index) => ({ ...event, ...rest, seq: 10_000 + index }))
    await database().change(scene.team.id as OrgId, SYSTEM, async ({ scope, audit }) => {
      await scope.insert('release_events', rows).execute()
      await audit({ action: 'comment.created', object: { id: release.id, name: 'made by a test' } })
    })
    const last = await made(editor.request('POST', `${L(release.id)}/comments`, { text: 'the last one' }))
    await editor.request('DELETE', `${L(release.id)}/comments/${last.id}`)
    const refused = await editor.request('POST', `${L(release.id)}/comments`, { text: 'one more' })
    expect([refused.status, refused.body.details[0].code]).toEqual([400, 'too-many'])
  })
})

describe('docs/platform/releases.md', () => {
  const PAGE = 'docs/platform/releases.md'

  test('has the table of states', () => {
    const cells = codeRowsOf(PAGE, 'States').map((row) => row.map((cell) => cell.replaceAll('`', '')))
    const rows = cells.map(([from = '', operation, when = '', to, event]) => ({
      from: from.split(', '),
      operation,
      when: Object.fromEntries(
        when === '' ? [] : when.split(', ').map((one) => [one.replace('not ', ''), !one.startsWith('not ')]),
      ),
      to,
      event,
    }))
    expect(rows).toEqual(TRANSITIONS)
  })

  test('has bodies that are accepted', async () => {
    const policy = JSON.parse(blockOf(PAGE, 'Policies', 'json'))
    const refusing = await made(scene.owner.request('POST', `${scene.P}/release-policies`, policy))
    await scene.owner.request('DELETE', `${scene.P}/release-policies/${refusing.id}`)
    // The ruleset of this test has no cases.
    const { require_coverage: _coverage, ...rest } = policy
    const { id } = await made(scene.owner.request('POST', `${scene.P}/release-policies`, rest))
    const request = JSON.parse(blockOf(PAGE, 'From a draft to engines', 'json'))
    const [{ name }] = request.rulesets
    await scene.save(editor, name)
    const release = await made(editor.request('POST', `${scene.P}/releases`, request))
    expect(release.requirements).toMatchObject([{ policy_id: id, roles: ['admin'], exclude_authors: true }])
    await scene.owner.request('DELETE', `${scene.P}/release-policies/${id}`)
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OrgId } from '../../apps/platform-server/src/database/org-id.ts'
import { allDrafts } from '../../apps/platform-server/src/features/drafts/repository.ts'
import { useDatabase } from './databases.testing.ts'
import { grading, newName } from './drafts.testing.ts'
import { addEngine, engineNamed, startTeam, type Team } from './engines.testing.ts'
import { type Client, startPlatform, type TestPlatform } from './platform.testing.ts'
import { made, refusal, teamOf } from './team.testing.ts'

const database = useDatabase('postgres')
let platform: TestPlatform
let team: Team
let owner: Client
beforeAll(async () => {
  platform = await startPlatform(database())
  team = await startTeam(platform)
  ;({ owner } = team)
})
afterAll(() => platform.stop())

const at = (name: string) => `${team.P}/rulesets/${encodeURIComponent(name)}`
const save = (name: string, ruleset: object, expected_seq: number, headers = {}) =>
  owner.request('POST', at(name), { ruleset, expected_seq }, headers)

async function saved(...points: readonly number[]): Promise<string> {
  const name = newName()
  for (const [index, one] of points.entries()) await save(name, grading(name, one), index)
  return name
}

const audited = async () => {
  const { body } = await owner.request('GET', `${team.O}/audit?object_type=draft&limit=1`)
  const { action, before, after } = body.items[0]
  return { action, before, after }
}

describe('saving', () => {
  test('a new draft is created, and then changed by its number', async () => {
    const name = newName()
    const first = await save(name, grading(name), 0)
    expect([first.status, first.body]).toEqual([201, { seq: 1, updated_at: expect.any(String), problems: [] }])
    expect(first.headers.get('location')).toBe(at(name))
    const second = await save(name, grading(name, 20), 1)
    expect([second.status, second.body.seq]).toEqual([200, 2])
    const summary = (seq: number) => ({ name, seq, version: '1.0.0' })
    expect(await audited()).toEqual({ action: 'draft.updated', before: summary(1), after: summary(2) })
    const { body } = await owner.request('GET', at(name))
    expect(body).toMatchObject({ name, seq: 2, ruleset: grading(name, 20), problems: [] })
    const { body: person } = await owner.request('GET', '/api/v1/me')
    expect(body.updated_by).toBe(person.user.id)
  })

  test('a stale number is refused with the current draft', async () => {
    const name = await saved(10, 20)
    for (const expected of [0, 1, 3]) {
      const { status, body } = await save(name, grading(name, 30), expected)
      expect([status, body.details[0].code]).toEqual([409, 'stale'])
      expect(body.current).toMatchObject({ name, seq: 2, ruleset: grading(name, 20), problems: [] })
    }
    const unknown = await save(newName(), grading('x'), 1)
    expect(unknown.status).toBe(400)
    const missing = newName()
    expect((await save(missing, grading(missing), 1)).status).toBe(404)
  })

  test('an unfinished draft is saved with its problems, to the character', async () => {
    const name = newName()
    const ruleset = {
      ...grading(name),
      steps: [
        {
          id: 'start',
          type: 'decision',
          branches: [{ id: 'b', condition: 'points > > 3', nextStepId: 'no' }],
        },
      ],
    }
    const { status, body } = await save(name, ruleset, 0)
    expect(status).toBe(201)
    expect(body.problems).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          path: '/steps/0/branches/0/condition',
          severity: 'error',
          step_id: 'start',
          line: 1,
          column: 10,
        }),
        expect.objectContaining({ path: '/steps/0/branches/0/nextStepId', code: 'unknown-step' }),
      ]),
    )
    expect((await owner.request('GET', at(name))).body.problems).toEqual(body.problems)
  })

  test('members without a meaning are kept, objects of the editor become text, integers stay exact', async () => {
    const name = newName()
    const text = JSON.stringify({
      ...grading(name),
      steps: [
        {
          id: 'start',
          type: 'terminal',
          code: 'A',
          position: { x: 1, y: 2 },
          output: [{ name: 'big', value: { type: 'literal', value: 'BIG' } }],
        },
      ],
      canvas: { zoom: 'BIG' },
    }).replaceAll('"BIG"', '12345678901234567890')
    const { status } = await owner.request('POST', at(name), `{"expected_seq":0,"ruleset":${text}}`)
    expect(status).toBe(201)
    const answer = await owner.request('GET', at(name))
    expect(answer.text).toContain('"canvas":{"zoom":12345678901234567890}')
    expect(answer.body.ruleset.steps[0]).toMatchObject({
      position: { x: 1, y: 2 },
      output: [{ name: 'big', value: '12345678901234567890' }],
    })
  })

  test('a request sent twice with an idempotency key makes one save', async () => {
    const name = newName()
    const headers = { 'idempotency-key': name }
    const first = await save(name, grading(name), 0, headers)
    const again = await save(name, grading(name), 0, headers)
    expect([again.status, again.body, again.headers.get('idempotency-replayed')]).toEqual([201, first.body, 'true'])
  })
})

describe('history', () => {
  test('saves are listed from the last one on, read, compared and restored', async () => {
    const name = await saved(10, 20, 30)
    const first = (await owner.request('GET', `${at(name)}/saves?limit=2`)).body
    expect(first.items.map(({ seq }: { seq: number }) => seq)).toEqual([3, 2])
    const rest = (await owner.request('GET', `${at(name)}/saves?limit=2&cursor=${first.next_cursor}`)).body
    expect([rest.items.map(({ seq }: { seq: number }) => seq), rest.next_cursor]).toEqual([[1], null])
    expect((await owner.request('GET', `${at(name)}/saves/1`)).body).toMatchObject({ seq: 1, ruleset: grading(name) })
    expect((await owner.request('GET', `${at(name)}/saves/4`)).status).toBe(404)
    const { body: diff } = await owner.request('GET', `${at(name)}/diff?from=1&to=2`)
    expect(diff).toEqual({
      config: [],
      steps_added: [],
      steps_removed: [],
      steps_changed: [
        { id: 'start', path: '/branches/b1/condition', before: 'points >= 10', after: 'points >= 20' },
        { id: 'yes', path: '/output', before: expect.any(Array), after: expect.any(Array) },
      ],
    })
    const { body: latest } = await owner.request('GET', `${at(name)}/diff`)
    expect(latest.steps_changed[0].after).toBe('points >= 30')
    expect((await owner.request('GET', `${at(name)}/diff?from=9`)).status).toBe(404)
    const stale = await owner.request('POST', `${at(name)}/saves/1/restore`, { expected_seq: 2 })
    expect([stale.status, stale.body.current.seq]).toEqual([409, 3])
    const restored = await owner.request('POST', `${at(name)}/saves/1/restore`, { expected_seq: 3 })
    expect([restored.status, restored.body]).toMatchObject([200, { seq: 4, ruleset: grading(name) }])
  })

  test('a deleted draft is kept and restored, and its name never uses a number twice', async () => {
    const name = await saved(10, 20)
    expect(await refusal(owner.request('DELETE', `${at(name)}?expected_seq=1`))).toEqual([409, 'stale'])
    expect((await owner.request('DELETE', at(name))).status).toBe(400)
    expect((await owner.request('DELETE', `${at(name)}?expected_seq=2`)).status).toBe(204)
    for (const path of ['', '/saves', '/saves/1', '/diff', '/deployments'])
      expect((await owner.request('GET', at(name) + path)).status, path).toBe(404)
    const { body: deleted } = await owner.request('GET', `${team.P}/rulesets?deleted=true&q=${name}`)
    expect(deleted.items).toMatchObject([{ name, seq: 2 }])
    expect((await owner.request('GET', `${team.P}/rulesets?q=${name}`)).body.items).toEqual([])
    const listed = await allDrafts(database().scope(team.org as OrgId), team.project)
    expect(listed.map((row) => row.name)).not.toContain(name)
    // A page that still shows the deleted draft does not overwrite the new one.
    expect((await save(name, grading(name, 30), 0)).body.seq).toBe(3)
    expect(await refusal(save(name, grading(name, 40), 2))).toEqual([409, 'stale'])
    expect(await refusal(owner.request('POST', `${at(name)}/restore`))).toEqual([409, 'duplicate'])
    await owner.request('DELETE', `${at(name)}?expected_seq=3`)
    const restored = await owner.request('POST', `${at(name)}/restore`)
    expect([restored.status, restored.body]).toMatchObject([200, { seq: 3, ruleset: grading(name, 30) }])
  })
})

describe('names', () => {
  test('a duplicate is a draft of its own', async () => {
    const [name, copy] = [await saved(10), newName()]
    const answer = await owner.request('POST', `${at(name)}/duplicate`, { name: copy })
    expect([answer.status, answer.headers.get('location')]).toEqual([201, at(copy)])
    expect(answer.body).toMatchObject({ name: copy, seq: 1, ruleset: grading(copy) })
    expect(await refusal(owner.request('POST', `${at(name)}/duplicate`, { name: copy }))).toEqual([409, 'duplicate'])
  })

  test('a new name goes into the ruleset, and the history stays', async () => {
    const [name, next] = [await saved(10, 20), newName()]
    const stale = await owner.request('POST', `${at(name)}/rename`, { name: next, expected_seq: 1 })
    expect([stale.status, stale.body.current.seq]).toEqual([409, 2])
    const { status, body } = await owner.request('POST', `${at(name)}/rename`, { name: next, expected_seq: 2 })
    expect([status, body]).toMatchObject([200, { name: next, seq: 3, ruleset: grading(next, 20) }])
    expect((await audited()).action).toBe('draft.renamed')
    expect((await owner.request('GET', at(name))).status).toBe(404)
    const saves = (await owner.request('GET', `${at(next)}/saves`)).body.items
    expect(saves.map(({ seq }: { seq: number }) => seq)).toEqual([3, 2, 1])
    // A save of the time before has the content of then and the name of now.
    const restored = await owner.request('POST', `${at(next)}/saves/1/restore`, { expected_seq: 3 })
    expect([restored.status, restored.body]).toMatchObject([200, { name: next, seq: 4, ruleset: grading(next) }])
    expect((await owner.request('GET', at(name))).status).toBe(404)
    const other = await saved(10)
    expect(await refusal(owner.request('POST', `${at(other)}/rename`, { name: next }))).toEqual([409, 'duplicate'])
  })

  test('the list is by name, with the environments of each', async () => {
    const project = (await made(owner.request('POST', `${team.O}/projects`, { name: newName() }))).id
    const P = `${team.O}/projects/${project}`
    for (const name of ['b', 'a', 'C'])
      await owner.request('POST', `${P}/rulesets/${name}`, {
        ruleset: grading(name, 10, { description: `of ${name}` }),
        expected_seq: 0,
      })
    const { body: deployment } = await owner.request('POST', `${P}/rulesets/a/publish`, { environment: 'dev' })
    const { items } = (await owner.request('GET', `${P}/rulesets`)).body
    expect(items).toMatchObject([
      { name: 'C', live: [] },
      {
        name: 'a',
        version: '1.0.0',
        description: 'of a',
        seq: 1,
        updated_by: expect.any(String),
        live: [
          {
            environment: 'dev',
            version: '1.0.0',
            digest: deployment.digest,
            release_id: null,
            release_number: null,
            seq: 1,
            since: expect.stringMatching(/^\d{4}-/),
          },
        ],
      },
      { name: 'b', live: [] },
    ])
    const key = await made(
      owner.request('POST', `${team.O}/api-keys`, {
        name: newName(),
        scopes: ['project.read'],
        environments: ['prod'],
      }),
    )
    const seen = await platform.program(key.token).request('GET', `${P}/rulesets?q=of a`)
    expect(seen.body.items).toMatchObject([{ name: 'a', live: [] }])
  })
})

describe('documents', () => {
  test('a ruleset is validated and converted in both directions, saved or not', async () => {
    const name = newName()
    const ruleset = grading(name)
    expect((await owner.request('POST', `${at(name)}/validate`, { ruleset })).body).toEqual({ problems: [] })
    const { body } = await owner.request('POST', `${at(name)}/convert`, { ruleset })
    expect(body.ruleset).toMatchObject({
      config: { name, entry_step: 'start' },
      steps: { yes: { result: { code: 'GRANTED' } } },
    })
    const back = await owner.request('POST', `${at(name)}/convert?to=editor`, { ruleset: body.ruleset })
    expect(back.body.ruleset).toMatchObject({ config: { name }, startStepId: 'start' })
    const broken = { ...ruleset, startStepId: 'none' }
    const refused = await owner.request('POST', `${at(name)}/convert`, { ruleset: broken })
    expect([refused.status, refused.body.details[0]]).toMatchObject([400, { path: '/ruleset/startStepId' }])
  })
})

describe('publishing', () => {
  test('a draft with errors, or to an environment of releases, is refused', async () => {
    const name = newName()
    await save(name, { ...grading(name), startStepId: 'none' }, 0)
    const publish = (body: object) => owner.request('POST', `${at(name)}/publish`, body)
    const broken = await publish({ environment: 'dev' })
    expect([broken.status, broken.body.details[0]]).toMatchObject([400, { path: '/startStepId', code: 'unknown-step' }])
    await save(name, grading(name), 1)
    expect(await refusal(publish({ environment: 'prod' }))).toEqual([409, 'release_required'])
    expect((await publish({ environment: 'dev', seq: 1 })).status).toBe(400)
    expect((await publish({ environment: 'dev', seq: 2 })).status).toBe(202)
  })

  test('a deployment succeeds when each engine has it, and fails when one refuses it or another replaces it', async () => {
    const name = await saved(10, 20, 30)
    const token = await team.connectToken()
    const engines = [
      await addEngine(platform, token, engineNamed(`${name}-1`, { tenants: true })),
      await addEngine(platform, token, engineNamed(`${name}-2`, { tenants: true })),
    ]
    const bound = { environment: 'dev', server_ids: engines.map(({ id }) => id) }
    expect((await owner.request('PUT', `${team.P}/server`, bound)).status).toBe(200)
    const { id: tenant } = (await owner.request('GET', `${team.P}/environments/dev`)).body
    const publish = async (seq: number) =>
      (await owner.request('POST', `${at(name)}/publish`, { environment_id: tenant, seq, release_note: `of ${seq}` }))
        .body
    const states = async () => {
      const { items } = (await owner.request('GET', `${at(name)}/deployments`)).body
      return items.map(({ seq, status }: { seq: number; status: string }) => `${seq} ${status}`)
    }
    const first = await publish(1)
    expect(first).toMatchObject({ ruleset_name: name, environment: 'dev', version: '1.0.0', seq: 1, status: 'queued' })
    const second = await publish(2)
    expect(await states()).toEqual(['2 queued', '1 failed'])
    const [one, two] = engines
    const held = [{ tenant, name, version: '1.0.0', digest: second.digest }]
    await one?.beat({ rulesets: held })
    expect(await states()).toEqual(['2 queued', '1 failed'])
    await two?.beat({ rulesets: held })
    expect(await states()).toEqual(['2 success', '1 failed'])
    const third = await publish(3)
    const problem = { tenant, name, digest: third.digest, message: 'not signed', retried: true }
    await one?.beat({ rulesets: held, problems: [problem] })
    expect(await states()).toEqual(['3 queued', '2 success', '1 failed'])
    await one?.beat({ problems: [{ ...problem, retried: false }] })
    expect(await states()).toEqual(['3 failed', '2 success', '1 failed'])
    // Content that the engine holds already counts as delivered on publication.
    expect((await publish(2)).status).toBe('success')
  })
})

describe('comments', () => {
  test('belong to a place, are resolved by members, edited by their author, and deleted by author or manager', async () => {
    const name = await saved(10)
    const viewer = await teamOf(platform, owner, { id: team.org }).join(['viewer'])
    const list = `${at(name)}/comments`
    const place = '/steps/start/branches/high/condition'
    const first = await viewer.request('POST', list, { place, text: 'why 10?' })
    expect(first.body).toMatchObject({ place, text: 'why 10?', settled: false, created_by: viewer.userId })
    expect(first.headers.get('location')).toBe(`${list}/${first.body.id}`)
    const second = await made(owner.request('POST', list, { place: '', text: 'nearly done' }))
    expect((await viewer.request('GET', list)).body.items).toEqual([second, first.body])
    const one = `${list}/${first.body.id}`
    const settled = await owner.request('PUT', one, { settled: true })
    expect(settled.body).toMatchObject({ text: 'why 10?', settled: true, created_by: viewer.userId })
    expect((await owner.request('GET', one)).body).toEqual(settled.body)
    expect((await owner.request('GET', `${list}?settled=false`)).body.items).toEqual([second])
    expect((await owner.request('GET', `${list}?settled=true`)).body.items).toEqual([settled.body])
    expect((await owner.request('PUT', one, { text: 'mine' })).status).toBe(403)
    expect((await viewer.request('PUT', one, { text: 'why ten?' })).body).toMatchObject({
      text: 'why ten?',
      settled: true,
    })
    expect((await viewer.request('DELETE', `${list}/${second.id}`)).status).toBe(403)
    expect((await viewer.request('DELETE', one)).status).toBe(204)
    expect((await owner.request('DELETE', `${list}/${second.id}`)).status).toBe(204)
    const { items } = (await owner.request('GET', `${team.O}/audit?object_type=comment`)).body
    expect(items.slice(0, 6).map(({ action }: { readonly action: string }) => action)).toEqual([
      'comment.deleted',
      'comment.deleted',
      'comment.updated',
      'comment.updated',
      'comment.created',
      'comment.created',
    ])
    expect(items[2]).toMatchObject({ before: { text: 'why 10?' }, after: { text: 'why ten?' } })
  })

  test('stay when the ruleset is renamed, and are a thousand at most', async () => {
    const name = await saved(10)
    const { id: draft_id } = await database()
      .unscoped.tables.selectFrom('drafts')
      .select('id')
      .where('name', '=', name)
      .executeTakeFirstOrThrow()
    const row = { draft_id, place: '', text: 'x', created_by: 'system', updated_by: 'system' }
    const rows = Array.from({ length: 1000 }, () => ({ ...row, id: crypto.randomUUID() }))
    const org_id = team.org as OrgId
    await database()
      .unscoped.tables.insertInto('draft_comments')
      .values(rows.map((one) => ({ ...one, org_id })))
      .execute()
    const renamed = newName()
    await owner.request('POST', `${at(name)}/rename`, { name: renamed })
    const refused = await owner.request('POST', `${at(renamed)}/comments`, { place: '', text: 'one more' })
    expect([refused.status, refused.body.details[0].code]).toEqual([400, 'too-many'])
    const [{ id: oldest }] = (await owner.request('GET', `${at(renamed)}/comments`)).body.items
    await owner.request('DELETE', `${at(renamed)}/comments/${oldest}`)
    await made(owner.request('POST', `${at(renamed)}/comments`, { place: '', text: 'one more' }))
  })
})

describe('findings that are intended', () => {
  const GAP = { finding: 'gap', place: '/steps/start', reason: 'carts have a level' }
  const OTHER = { finding: 'overlap', place: '/steps/start', reason: 'the first counts' }
  const intending = (name: string, intended: readonly object[], more: object = {}) => {
    const draft = grading(name)
    return { ...draft, config: { ...draft.config, intended }, ...more }
  }
  const stored = async (name: string) => (await owner.request('GET', at(name))).body.ruleset.config.intended
  const person = async (by: Client) => (await by.request('GET', '/api/v1/me')).body.user.id

  test('are stored, and are not delivered to engines', async () => {
    const name = newName()
    await save(name, intending(name, [GAP]), 0)
    expect(await stored(name)).toMatchObject([GAP])
    const { body } = await owner.request('POST', `${at(name)}/convert`, { ruleset: intending(name, [GAP]) })
    expect(body.ruleset.config).not.toHaveProperty('intended')
    expect((await owner.request('POST', `${at(name)}/convert`, { ruleset: grading(name) })).body).toEqual(body)
  })

  test.each([
    ['a draft', {}],
    ['a draft that is too large for the event loop', { ballast: 'x'.repeat(200_000) }],
  ])('of %s keep the author and the time of the save that acknowledged them', async (_title, more) => {
    const name = newName()
    const other = await teamOf(platform, owner, { id: team.org }).join(['editor'])
    const forged = { ...GAP, author: 'someone', at: '2000-01-01T00:00:00Z' }
    const { body: first } = await save(name, intending(name, [forged], more), 0)
    const signed = { ...GAP, author: await person(owner), at: first.updated_at }
    expect(first.intended).toEqual([signed])
    expect(await stored(name)).toEqual([signed])
    const body = { ruleset: intending(name, [OTHER, GAP], more), expected_seq: 1 }
    const { updated_at, intended } = (await other.request('POST', at(name), body)).body
    expect(intended).toEqual([{ ...OTHER, author: await person(other), at: updated_at }, signed])
    expect((await owner.request('GET', at(name))).body.ruleset).toEqual(intending(name, intended, more))
  })

  test('keep both in copies, after a renaming and when a save is restored', async () => {
    const name = newName()
    const { body: first } = await save(name, intending(name, [GAP]), 0)
    await save(name, grading(name), 1)
    const other = await teamOf(platform, owner, { id: team.org }).join(['editor'])
    const { body: restored } = await other.request('POST', `${at(name)}/saves/1/restore`, { expected_seq: 2 })
    expect(restored.ruleset.config.intended).toEqual(first.intended)
    const copy = newName()
    const copied = await made(other.request('POST', `${at(name)}/duplicate`, { name: copy }))
    expect([copied.ruleset.config.intended, await stored(copy)]).toEqual([first.intended, first.intended])
    const { body: renamed } = await other.request('POST', `${at(copy)}/rename`, { name: newName(), expected_seq: 1 })
    expect(renamed.ruleset.config.intended).toEqual(first.intended)
  })
})

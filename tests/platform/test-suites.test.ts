import { randomUUIDv7 } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Scope } from '../../apps/platform-server/src/database/scope.ts'
import { draftNamed } from '../../apps/platform-server/src/features/drafts/repository.ts'
import { tellOfFailures } from '../../apps/platform-server/src/features/test-suites/failed-runs.ts'
import { MAX_CASES } from '../../apps/platform-server/src/features/test-suites/model.ts'
import {
  addCase,
  changeCase,
  changeSuite,
  createSuite,
  deleteCase,
  deleteSuite,
  putSuite,
  replaceSuites,
  suiteBy,
  type SuiteChanges,
  suiteOf,
  suitesOf,
  suiteTexts,
} from '../../apps/platform-server/src/features/test-suites/suites.ts'
import { useDatabase } from './databases.testing.ts'
import { actingIn } from './rows.testing.ts'
import { addCast, addWorld, type Cast, type World } from './world.testing.ts'

/** Suites as the database has them. */

const database = useDatabase('postgres')
let cast: Cast
let world: World
let scope: Scope
/** Changes of the ruleset `rule`, which has one suite, and of `kept`, which has none. */
let rule: SuiteChanges
let kept: SuiteChanges
beforeAll(async () => {
  cast = await addCast(database())
})
beforeEach(async () => {
  world = await addWorld(database(), cast, 'test.run', { hasProject: true, hasDrafts: true })
  scope = database().scope(world.org)
  const acting = await actingIn(database(), world)
  const of = async (name: string) => ({ acting, draftId: (await draftNamed(scope, world.project, name))?.id ?? '' })
  rule = await of('rule')
  kept = await of('kept')
})

const expecting = (name: string, code = 'A', more: object = {}) => ({ name, input: {}, expect: { code }, ...more })
const named = (cases: readonly { readonly name: string }[]) => cases.map(({ name }) => name)
/** The suites of a ruleset, each with the names of its cases. */
const all = async ({ draftId }: SuiteChanges) =>
  (await suitesOf(scope, [draftId])).map((row) => [row.name, named(suiteOf(row).cases)])
const audited = async (id: string) => {
  const rows = await scope
    .read('audit_entries')
    .selectFrom('audit_entries')
    .selectAll()
    .where('object_id', '=', id)
    .orderBy('id')
    .execute()
  return rows.map(({ action, project_id, before, after }) => ({ action, project_id, before, after }))
}
const refused = (path: string, message: string | RegExp) =>
  expect.objectContaining({
    details: [
      expect.objectContaining({
        path,
        message: typeof message === 'string' ? message : expect.stringMatching(message),
      }),
    ],
  })

describe('a suite', () => {
  test('is created, replaced and deleted, with its number of cases in the audit', async () => {
    const made = await createSuite(kept, { name: 'main', cases: [expecting('a'), expecting('b')] })
    expect(made).toMatchObject({ name: 'main', rev: 1, created_by: cast.owner.id })
    const changed = await changeSuite(kept, made.id, { name: 'other', cases: [expecting('c')] }, 1)
    expect(changed).toMatchObject({ id: made.id, name: 'other', rev: 2, created_at: made.created_at })
    expect(Date.parse(changed.updated_at)).toBeGreaterThan(Date.parse(made.updated_at))
    await deleteSuite(kept, made.id, 2)
    expect(await all(kept)).toEqual([])
    expect(await audited(made.id)).toMatchObject([
      { action: 'suite.created', project_id: world.project, before: null, after: { name: 'main', cases: 2 } },
      {
        action: 'suite.updated',
        before: { name: 'main', cases: 2, rev: 1 },
        after: { name: 'other', cases: 1, rev: 2 },
      },
      { action: 'suite.deleted', before: { name: 'other', cases: 1, rev: 2 }, after: null },
    ])
  })

  test.each([1, 3])('at another revision than %i is neither replaced nor deleted', async (rev) => {
    const { id } = await createSuite(kept, { name: 'main', cases: [] })
    await changeSuite(kept, id, { name: 'main', cases: [] }, undefined)
    const stale = expect.objectContaining({ code: 'conflict', details: [expect.objectContaining({ code: 'stale' })] })
    await expect(changeSuite(kept, id, { name: 'main', cases: [expecting('a')] }, rev)).rejects.toEqual(stale)
    await expect(deleteSuite(kept, id, rev)).rejects.toEqual(stale)
    expect(await all(kept)).toEqual([['main', []]])
  })

  test('belongs to one ruleset: another may have its name, and reaches neither it nor its cases', async () => {
    const own = await createSuite(kept, { name: 'rule', cases: [expecting('mine')] })
    expect(await all(rule)).toEqual([['rule', ['first']]])
    await expect(suiteBy(scope, kept.draftId, world.suite)).rejects.toThrow('test suite')
    await expect(changeSuite(kept, world.suite, { name: 'x', cases: [] }, undefined)).rejects.toThrow('test suite')
    await expect(deleteSuite(kept, world.suite, undefined)).rejects.toThrow('test suite')
    await expect(addCase(kept, world.suite, expecting('b'))).rejects.toThrow('test suite')
    await expect(changeCase(kept, world.suite, world.testCase, expecting('b'))).rejects.toThrow('test suite')
    await expect(deleteCase(kept, world.suite, world.testCase)).rejects.toThrow('test suite')
    await changeSuite(kept, own.id, { name: 'rule', cases: [] }, undefined)
    await putSuite(kept, 'rule', [expecting('put')])
    await replaceSuites(kept, [expecting('replaced', 'A', { suite: 'rule' })])
    await deleteSuite(kept, own.id, undefined)
    expect([await all(rule), await all(kept)]).toEqual([[['rule', ['first']]], []])
    expect((await suitesOf(scope, [])).length + (await suiteTexts(scope, [])).length).toBe(0)
  })

  test('has a name of its own in the ruleset', async () => {
    const taken = expect.objectContaining({ details: [expect.objectContaining({ code: 'duplicate' })] })
    await expect(createSuite(rule, { name: 'rule', cases: [] })).rejects.toEqual(taken)
    const { id } = await createSuite(rule, { name: 'other', cases: [] })
    await expect(changeSuite(rule, id, { name: 'rule', cases: [] }, undefined)).rejects.toEqual(taken)
  })

  test('lists are by name', async () => {
    for (const name of ['b', 'c', 'a']) await createSuite(kept, { name, cases: [] })
    expect((await all(kept)).map(([name]) => name)).toEqual(['a', 'b', 'c'])
    expect((await suiteTexts(scope, [kept.draftId])).map(({ name }) => name)).toEqual(['a', 'b', 'c'])
    expect((await suiteTexts(scope, [kept.draftId, rule.draftId])).map(({ name }) => name)).toContain('rule')
  })

  test(`has at most ${MAX_CASES} cases`, async () => {
    const cases = Array.from({ length: MAX_CASES }, (_, index) => expecting(`${index}`))
    const { id } = await createSuite(kept, { name: 'full', cases })
    const limit = `must have at most ${MAX_CASES} items`
    await expect(addCase(kept, id, expecting('one more'))).rejects.toEqual(refused('/cases', limit))
    await expect(putSuite(kept, 'put', [...cases, expecting('one more')])).rejects.toEqual(refused('/cases', limit))
  })

  test('has at most ten million characters', async () => {
    const long = (length: number) => ({
      name: 'long',
      cases: [expecting('a', 'A', { input: { text: 'é'.repeat(length) } })],
    })
    await createSuite(kept, long(10 * 1024 * 1024 - 200))
    await expect(createSuite(rule, long(10 * 1024 * 1024))).rejects.toEqual(
      refused('/cases', /must have at most 10485760 characters/),
    )
  })
})

describe('the cases of a suite', () => {
  test('keep their ids where they are sent with them, and no two have the same', async () => {
    const { id, cases } = await createSuite(kept, { name: 'main', cases: ['a', 'b'].map((name) => expecting(name)) })
    const [a = '', b = ''] = cases.map((one) => one.id)
    const foreign = randomUUIDv7()
    const sent = [
      { ...expecting('b2'), id: b },
      { ...expecting('twice'), id: b },
      { ...expecting('foreign'), id: foreign },
      expecting('new'),
      { ...expecting('a2'), id: a },
    ]
    const changed = await changeSuite(kept, id, { name: 'main', cases: sent }, undefined)
    expect(named(changed.cases)).toEqual(['b2', 'twice', 'foreign', 'new', 'a2'])
    const ids = changed.cases.map((one) => one.id)
    expect([ids[0], ids[4], new Set(ids).size, ids.includes(foreign)]).toEqual([b, a, 5, false])
    const { made } = await addCase(kept, id, expecting('added'))
    const after = suiteOf(await suiteBy(scope, kept.draftId, id))
    expect(after.cases.map((one) => one.id)).toEqual([...ids, made.id])
  })

  test('are replaced as a whole and deleted one by one', async () => {
    const { id, cases } = await createSuite(kept, {
      name: 'main',
      cases: [expecting('a'), expecting('b', 'B', { now: '2026-01-01T00:00:00Z', input: { x: 1 } }), expecting('c')],
    })
    const [a, b, c] = cases
    const changed = await changeCase(kept, id, b?.id ?? '', { name: 'b2', expect: { code: 'C' } })
    expect(changed).toEqual({ id: b?.id, input: {}, name: 'b2', expect: { code: 'C' } })
    await deleteCase(kept, id, a?.id ?? '')
    expect(suiteOf(await suiteBy(scope, kept.draftId, id))).toMatchObject({ rev: 3, cases: [changed, c] })
    for (const unknown of [a?.id ?? '', 'x']) {
      await expect(deleteCase(kept, id, unknown)).rejects.toThrow('case')
      await expect(changeCase(kept, id, unknown, expecting('d'))).rejects.toThrow('case')
    }
  })

  test('are added to the suite `default`, which is made for the first of them', async () => {
    const first = await addCase(kept, undefined, expecting('a'))
    const second = await addCase(kept, undefined, expecting('b'))
    expect([second.suite, await all(kept)]).toEqual([first.suite, [['default', ['a', 'b']]]])
    expect(second.made).toMatchObject({ name: 'b' })
  })

  test('with a mistake are refused with its place: in the suite, or in the case that is sent alone', async () => {
    const { id, cases } = await createSuite(kept, { name: 'main', cases: [expecting('a'), expecting('b')] })
    const wrong = { name: 'wrong', expect: {} }
    const suite = { name: 'x', cases: [expecting('a'), wrong] }
    await expect(async () => createSuite(kept, suite)).rejects.toEqual(refused('/cases/1/expect', /./))
    await expect(changeSuite(kept, id, suite, undefined)).rejects.toEqual(refused('/cases/1/expect', /./))
    await expect(addCase(kept, id, wrong)).rejects.toEqual(refused('/expect', /./))
    await expect(changeCase(kept, id, cases[1]?.id ?? '', wrong)).rejects.toEqual(refused('/expect', /./))
    await expect(addCase(kept, id, expecting('b'))).rejects.toEqual(refused('/name', 'is a duplicate: b'))
  })
})

describe('suites of a file', () => {
  test('replace those that they name, and no others; a case keeps its id by its name', async () => {
    const main = await createSuite(kept, { name: 'main', cases: [expecting('a'), expecting('b')] })
    await createSuite(kept, { name: 'other', cases: [expecting('o')] })
    const suites = await replaceSuites(kept, [
      { ...expecting('b', 'B'), suite: 'main' },
      expecting('d'),
      { ...expecting('c'), suite: 'main' },
      { ...expecting('n'), suite: 'new' },
    ])
    expect(suites.map(({ name, cases }) => [name, named(cases)])).toEqual([
      ['main', ['b', 'c']],
      ['default', ['d']],
      ['new', ['n']],
    ])
    const [b] = suites[0]?.cases ?? []
    expect([suites[0]?.id, suites[0]?.rev, b]).toEqual([main.id, 2, { ...expecting('b', 'B'), id: main.cases[1]?.id }])
    expect(await all(kept)).toEqual([
      ['default', ['d']],
      ['main', ['b', 'c']],
      ['new', ['n']],
      ['other', ['o']],
    ])
  })

  test('that are put one by one are made or replaced', async () => {
    const first = await putSuite(kept, 'main', [expecting('a'), expecting('b')])
    const second = await putSuite(kept, 'main', [expecting('b')])
    expect([second.id, second.rev, second.cases]).toEqual([first.id, 2, [first.cases[1]]])
    await putSuite(kept, 'other', [expecting('a')])
    expect(await all(kept)).toEqual([
      ['main', ['b']],
      ['other', ['a']],
    ])
  })
})

describe('a notification of failed cases', () => {
  const tell = (id: string, failed: number, caller: object = { kind: 'user', id: cast.owner.id }) => {
    const place = { member: { org: world.org, scope }, project: { id: world.project } }
    const ref = { type: 'suite' as const, id }
    return tellOfFailures(database(), { caller, place, ref, name: 'rule' } as never, { total: 5, failed })
  }
  const notified = async () =>
    scope
      .read('notifications')
      .selectFrom('notifications')
      .select(['user_id', 'kind', 'ref_type', 'ref_id', 'payload', 'read_at'])
      .orderBy('created_at')
      .execute()

  test('is for the person who ran them, none for a key or for a run without failures', async () => {
    await tell('a', 0)
    await tell('a', 2, { kind: 'key', id: cast.owner.id })
    expect(await notified()).toEqual([])
    await tell('a', 2)
    const payload = { project_id: world.project, name: 'rule', total: 5, failed: 2 }
    const common = { user_id: cast.owner.id, kind: 'tests_failed', ref_type: 'suite', read_at: null }
    expect(await notified()).toEqual([{ ...common, ref_id: 'a', payload }])
  })

  test('replaces only the unread one of the same person about the same tests', async () => {
    const kinds = ['tests_failed', 'release_failed'] as const
    const others = [
      { user_id: cast.admin.id, kind: kinds[0], ref_id: 'a', read_at: null },
      { user_id: cast.owner.id, kind: kinds[1], ref_id: 'a', read_at: null },
      { user_id: cast.owner.id, kind: kinds[0], ref_id: 'b', read_at: null },
      { user_id: cast.owner.id, kind: kinds[0], ref_id: 'a', read_at: new Date(0) },
    ]
    const rows = others.map((one) => ({ id: randomUUIDv7(), ref_type: 'suite', payload: '{}', ...one }))
    await database().note(world.org, ({ scope: own }) => own.insert('notifications', rows as never).execute())
    await tell('a', 1)
    await tell('a', 3)
    const found = await notified()
    expect(found).toHaveLength(others.length + 1)
    expect(found.filter(({ payload }) => (payload as { failed?: number }).failed === 3)).toHaveLength(1)
  })
})

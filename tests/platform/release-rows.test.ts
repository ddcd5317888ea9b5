import { randomUUIDv7 } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Action } from '../../apps/platform-server/src/access/actions.ts'
import type { Caller, Person } from '../../apps/platform-server/src/access/caller.ts'
import type { ReleaseStatus } from '../../apps/platform-server/src/database/tables.ts'
import type { InProject } from '../../apps/platform-server/src/features/projects/project-scope.ts'
import { frozenTimes } from '../../apps/platform-server/src/features/release-policies/freeze-calendar.ts'
import {
  DEFAULTS,
  type PolicySettings,
} from '../../apps/platform-server/src/features/release-policies/policy-settings.ts'
import { enabledPolicies } from '../../apps/platform-server/src/features/release-policies/repository.ts'
import { approvalStatusOf } from '../../apps/platform-server/src/features/releases/approval-status.ts'
import { addComment, commentsOn, settleComment } from '../../apps/platform-server/src/features/releases/comments.ts'
import { durableGuardsOf } from '../../apps/platform-server/src/features/releases/durable-guards.ts'
import { eventsOf, historyEntry, historyOn } from '../../apps/platform-server/src/features/releases/history.ts'
import { liveDraft, liveIn, refuseTaken } from '../../apps/platform-server/src/features/releases/live.ts'
import { notifyOfComment, notifyOfFailure } from '../../apps/platform-server/src/features/releases/notices.ts'
import {
  analysisOf,
  nextNumber,
  reachedEnvironments,
  releaseBy,
  type ReleaseFilter,
  releasesOn,
  wholeRelease,
} from '../../apps/platform-server/src/features/releases/repository.ts'
import { pendingFor } from '../../apps/platform-server/src/features/releases/pending-releases.ts'
import { review, type Verdict } from '../../apps/platform-server/src/features/releases/review.ts'
import { changeState } from '../../apps/platform-server/src/features/releases/state-change.ts'
import { shownRelease } from '../../apps/platform-server/src/features/releases/view.ts'
import { executionBy } from '../../apps/platform-server/src/features/rollouts/locked-rows.ts'
import { rollback } from '../../apps/platform-server/src/features/rollouts/operations.ts'
import { Acting } from '../../apps/platform-server/src/resources/acting.ts'
import { useDatabase } from './databases.testing.ts'
import { newRolloutSteps, releaseOf, type RolloutSteps } from './rollout-steps.testing.ts'

// The tests store releases as rows; no server runs.
const database = useDatabase('postgres')
let its: RolloutSteps
beforeEach(async () => {
  its = await newRolloutSteps(database())
})

const scope = () => database().scope(its.org)
const PAGE = { limit: 50, sort: 'created_at', descending: false, after: undefined, contains: undefined } as const
const acting = () => its.operating().acting as Acting<InProject, Person>
const me = () => acting().caller.id
const set = (release: string, columns: { status?: ReleaseStatus; authors?: string[]; kind?: 'rollback' }) =>
  its.change((change) => change.scope.update('releases').set(columns).where('id', '=', release).execute())
const rename = (environment: string, name: string) =>
  its.change((change) =>
    change.scope.update('environments').set({ name }).where('id', '=', its.environment(environment)).execute(),
  )

/** Another project of the organization, with its first release. */
async function otherProject(): Promise<{ readonly id: string; readonly release: string }> {
  const [id, release] = [randomUUIDv7(), randomUUIDv7()]
  const { org_id: _org, ...row } = await its.change(({ scope: all }) =>
    all.read('releases').selectFrom('releases').selectAll().limit(1).executeTakeFirstOrThrow(),
  )
  await its.change(async ({ scope: all }) => {
    const named = { id, name: id, current_environment: 'dev', created_by: 'system' }
    await all.insert('projects', named).execute()
    await all.insert('releases', { ...row, id: release, project_id: id, number: 1, tests: null }).execute()
  })
  return { id, release }
}

/** Members with roles: their ids, by name. */
async function members(roles: Readonly<Record<string, readonly string[]>>): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>()
  for (const [name, permissions] of Object.entries(roles)) {
    const [user, member, role] = [randomUUIDv7(), randomUUIDv7(), randomUUIDv7()]
    const email = `${user}@example.com`
    await database()
      .unscoped.tables.insertInto('users')
      .values({ id: user, email, display_name: name, password_hash: null, last_login: null })
      .execute()
    await its.change(async ({ scope: all }) => {
      const is_system = permissions[0] === name
      const made = { id: role, name, permissions: is_system ? [] : [...permissions], is_system, created_by: 'system' }
      await all.insert('roles', made).execute()
      await all
        .insert('members', { id: member, user_id: user, email, status: 'active', created_by: 'system' })
        .execute()
      await all.insert('member_roles', { member_id: member, role_id: role }).execute()
    })
    ids.set(name, user)
  }
  return ids
}

const ids = (those: ReadonlyMap<string, string>, ...names: readonly string[]) =>
  names.map((name) => those.get(name) ?? '').toSorted()

/** The members whom notifications of a kind have reached. */
async function notified(kind: 'release_commented' | 'release_failed'): Promise<readonly string[]> {
  const rows = await scope()
    .read('notifications')
    .selectFrom('notifications')
    .select('user_id')
    .where('kind', '=', kind)
    .execute()
  return rows.map(({ user_id }) => user_id).toSorted()
}

async function policy(name: string, settings: Partial<PolicySettings>, created_at = new Date()): Promise<string> {
  const id = randomUUIDv7()
  const row = { ...DEFAULTS, ...settings, id, project_id: its.project, name, created_by: 'system' }
  await its.change((change) => change.scope.insert('release_policies', { ...row, created_at }).execute())
  return id
}

describe('a release is found by its id or number', () => {
  test.each<[string, (one: { id: string; other: string }) => string, boolean]>([
    ['its id', ({ id }) => id, true],
    ['its number', () => '2', true],
    ['the id of a release of another project', ({ other }) => other, false],
    ['the number of no release', () => '3', false],
    ['zero', () => '0', false],
    ['a leading zero', () => '02', false],
    ['ten digits', () => '2000000000', false],
  ])('%s', async (_title, key, isFound) => {
    await its.release([{ base: null, content: 1 }], 'dev')
    const id = await its.release([{ base: null, content: 2 }], 'dev')
    const other = await otherProject()
    const found = releaseBy(scope(), its.project, key({ id, other: other.release }))
    if (isFound) await expect(found).resolves.toMatchObject({ id })
    else await expect(found).rejects.toMatchObject({ code: 'not-found' })
  })

  test('numbers count in each project', async () => {
    await its.release([{ base: null, content: 1 }], 'dev')
    await its.release([{ base: null, content: 2 }], 'dev')
    const { id } = await otherProject()
    const numbers = [its.project, id, randomUUIDv7()].map((project) => nextNumber(scope(), project))
    expect(await Promise.all(numbers)).toEqual([3, 2, 1])
  })
})

describe('a list of releases', () => {
  type Asked = (other: string, digest: string) => ReleaseFilter
  test.each<[string, Asked, readonly string[]]>([
    ['of all projects', () => ({}), ['dev', 'prod', 'both', 'done', 'other']],
    ['of one project', () => ({ project: its.project }), ['dev', 'prod', 'both', 'done']],
    ['within the projects of a key', (other) => ({ projects: [other] }), ['other']],
    ['within no project', () => ({ projects: [] }), []],
    ['by status', () => ({ status: 'completed' }), ['done']],
    ['to an environment by name', () => ({ environment: 'dev' }), ['dev', 'both']],
    ['to an environment by id', () => ({ environment: its.environment('prod') }), ['prod', 'both', 'done']],
    ['of a content', (_other, digest) => ({ digest }), ['prod']],
    ['within the environments of a key', () => ({ project: its.project, environments: ['dev'] }), ['dev']],
    [
      'within both environments',
      () => ({ project: its.project, environments: ['dev', 'prod'] }),
      ['dev', 'prod', 'both', 'done'],
    ],
    ['within no environment', () => ({ project: its.project, environments: [] }), []],
  ])('%s', async (_title, asked, expected) => {
    const dev = await its.release([{ base: null, content: 1 }], 'dev')
    const prod = await its.release([{ base: null, content: 2 }], 'prod')
    const both = await its.release([{ base: null, content: 1 }], 'dev', 'prod')
    const done = await its.makeLive('prod', 3)
    const other = await otherProject()
    const { digest } = (await wholeRelease(scope(), await releaseOf(its, prod))).contents[0] ?? {}
    const names = new Map(
      Object.entries({ dev, prod, both, done, other: other.release }).map(([name, id]) => [id, name]),
    )
    const rows = await releasesOn(scope(), PAGE, asked(other.id, digest ?? ''))
    expect(rows.map(({ id }) => names.get(id) ?? '').toSorted()).toEqual(expected.toSorted())
  })

  test('knows environments by their present names, and deleted ones by their last', async () => {
    const release = await its.release([{ base: null, content: 1 }], 'dev')
    await rename('dev', 'test')
    expect(await reachedEnvironments(scope(), release)).toEqual(['test'])
    const within = async (name: string) => (await releasesOn(scope(), PAGE, { environments: [name] })).length
    expect([await within('test'), await within('dev')]).toEqual([1, 0])
  })
})

const [EARLY, LATE] = [randomUUIDv7(), randomUUIDv7()]

test('a release has its own rows, in their order', async () => {
  const first = await its.release([{ name: 'b', base: null, content: 1 }], 'prod', 'dev')
  const second = await its.release(
    [
      { name: 'z', base: null, content: 1 },
      { name: 'a', base: null, content: 2 },
    ],
    'dev',
  )
  const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds))
  await its.change(async ({ scope: all }) => {
    for (const [release_id, user_id, seconds] of [
      [first, LATE, 2],
      [first, EARLY, 1],
      [second, LATE, 3],
    ] as const)
      await all
        .insert('release_reviews', { release_id, user_id, decision: 'approved', comment: '', at: at(seconds) })
        .execute()
  })
  const whole = async (id: string) => {
    const { environments, contents, reviews } = await wholeRelease(scope(), await releaseOf(its, id))
    return [environments, contents, reviews].map((rows) =>
      rows.map((row) => ('user_id' in row ? row.user_id : row.name)),
    )
  }
  expect(await whole(first)).toEqual([['prod', 'dev'], ['b'], [EARLY, LATE]])
  expect(await whole(second)).toEqual([['dev'], ['z', 'a'], [LATE]])
})

test('analyses are listed by environment and ruleset; replays of earlier versions have no codes', async () => {
  const release = await its.release(
    [
      { name: 'b', base: 1, content: 2 },
      { name: 'a', base: 1, content: 2 },
    ],
    'prod',
    'dev',
  )
  expect(await analysisOf(scope(), release)).toEqual({ analyses: [], impacts: [] })
  await its.change(async ({ scope: all }) => {
    for (const [environment, name, records] of [
      ['prod', 'a', { replayed: 1 }],
      ['prod', 'b', { replayed: 2, codes: ['OK'] }],
      ['dev', 'b', null],
    ] as const)
      await all
        .update('release_targets')
        .set({ impact: JSON.stringify({ environment, name, records }) })
        .where('release_id', '=', release)
        .where('environment_id', '=', its.environment(environment))
        .where('name', '=', name)
        .execute()
    await all.update('release_contents').set({ analysis: '{}' }).where('name', '=', 'a').execute()
  })
  expect(await analysisOf(scope(), release)).toEqual({
    analyses: [{}],
    impacts: [
      { environment: 'prod', name: 'a', records: { replayed: 1, codes: [] } },
      { environment: 'prod', name: 'b', records: { replayed: 2, codes: ['OK'] } },
      { environment: 'dev', name: 'b', records: null },
    ],
  })
})

describe('the conditions of a release that last', () => {
  const guards = async (id: string) => durableGuardsOf(scope(), await releaseOf(its, id))

  /** A content, then a release of another one that all engines take. */
  async function delivered(...environments: readonly string[]): Promise<string> {
    for (const environment of environments) {
      await its.serve(environment)
      await its.makeLive(environment, 1)
    }
    const [release, execution] = await its.start([{ base: 1, content: 2 }], ...environments)
    await its.run(execution)
    return release
  }

  const newest = { in_canary: false, only_canary: false, newest: true, has_baseline: true }
  const none = { in_canary: false, only_canary: false, newest: false, has_baseline: false }

  test.each<[string, (release: string) => Promise<unknown>, object]>([
    ['it is live', async () => {}, newest],
    ['another ruleset changes later', () => its.makeLive('prod', 3, 'tax'), newest],
    ['another environment changes later', () => its.makeLive('dev', 3), newest],
    ['a later release changes it', () => its.makeLive('prod', 3), { ...newest, newest: false }],
    [
      'a later release restores its content',
      async () => {
        await its.makeLive('prod', 3)
        await its.makeLive('prod', 2)
      },
      { ...newest, newest: false },
    ],
    ['it is cancelled, where nothing counts', (release) => set(release, { status: 'cancelled' }), none],
    ['its rollback is on its way', (release) => rollback(its.operating(), release, undefined), none],
  ])('%s', async (_title, after, expected) => {
    const release = await delivered('prod')
    await after(release)
    expect(await guards(release)).toEqual(expected)
  })

  test('a stage of a canary is one while it runs, and a new ruleset has nothing before it', async () => {
    await its.serve('prod')
    await its.set('prod', { canary: { stages: [{ percent: 10, duration_s: 60, min_requests: 0 }] } })
    await its.makeLive('prod', 1)
    const [release, execution] = await its.start([{ base: 1, content: 2 }], 'prod')
    expect(await guards(release)).toMatchObject({ in_canary: false, only_canary: true })
    await its.run(execution)
    expect(await guards(release)).toMatchObject({ in_canary: true, only_canary: true, has_baseline: true })
    await its.change((change) =>
      change.scope.update('release_executions').set({ ended_at: new Date() }).where('id', '=', execution).execute(),
    )
    expect(await guards(release)).toMatchObject({ in_canary: false })
    const [fresh] = await its.start([{ name: 'tax', base: null, content: 2 }], 'dev')
    expect(await guards(fresh)).toMatchObject({ has_baseline: false })
  })

  test('a change of an environment that it has not reached leaves it the newest', async () => {
    const engine = await its.serve('dev')
    await its.serve('prod')
    for (const environment of ['dev', 'prod']) await its.makeLive(environment, 1)
    const [release, execution] = await its.start([{ base: 1, content: 2 }], 'dev', 'prod')
    engine.fallSilent()
    await its.run(execution)
    await set(release, { status: 'failed' })
    const reached = (await executionBy({ scope: scope() }, execution)).environment_id
    expect(reached).toBe(its.environment('dev'))
    await its.makeLive('prod', 3)
    expect(await guards(release)).toMatchObject({ newest: true })
  })

  test('a rollback and its own rollback leave the release the newest', async () => {
    const release = await delivered('prod')
    const undo = async (id: string) => {
      const { release: made, execution } = await rollback(its.operating(), id, undefined)
      await its.run(execution.id)
      return made.id
    }
    const back = await undo(release)
    await undo(back)
    await set(release, { status: 'completed' })
    expect(await guards(release)).toMatchObject({ newest: true })
    expect(await guards(back)).toMatchObject({ newest: false })
  })
})

describe('what is live', () => {
  const environments = async (...names: readonly string[]) => {
    const rows = await scope().read('environments').selectFrom('environments').selectAll().execute()
    return rows.filter(({ id }) => names.some((name) => its.environment(name) === id))
  }

  test('has the copies of its release, or none for a published content', async () => {
    const release = await its.makeLive('prod', 1)
    await its.makeLive('prod', 1, 'tax')
    await its.makeLive('dev', 2)
    const contract = JSON.stringify({
      name: 'c',
      version: '1.0.0',
      input: { fields: [] },
      outputs: [],
      concepts: {},
      facts: {},
    })
    await its.change(async ({ scope: all }) => {
      const copied = { ruleset: '{"config":{"name":"fee"}}', sub_rules: '[{"id":"s","seq":3}]' }
      await all.update('release_contents').set(copied).where('release_id', '=', release).execute()
      await all.update('release_targets').set({ contract }).where('release_id', '=', release).execute()
    })
    const { created_at, number } = await releaseOf(its, release)
    const [live, ...others] = await liveIn(scope(), await environments('prod'), ['fee'])
    expect(others).toEqual([])
    expect(live).toMatchObject({
      environmentId: its.environment('prod'),
      name: 'fee',
      version: '1.0.0',
      releaseId: release,
      contract: { name: 'c' },
      isDraft: true,
      fromSeq: number,
      subRules: [{ id: 's', seq: 3 }],
      releasedAt: created_at,
    })
    if (live === undefined) throw new Error('nothing is live')
    expect(await liveDraft(scope(), live)).toMatchObject({ config: { name: 'fee' } })
    await expect(liveDraft(scope(), { ...live, digest: '0'.repeat(64) })).rejects.toThrow('no result')
    await its.change((change) => change.scope.update('desired_rulesets').set({ release_id: null }).execute())
    expect(await liveIn(scope(), await environments('prod'), ['fee'])).toMatchObject([
      { releaseId: null, isDraft: false, contract: undefined, fromSeq: undefined, subRules: [], releasedAt: undefined },
    ])
  })

  interface Engine {
    readonly tenants?: boolean
    readonly canaryOf?: string
  }
  test.each<[string, Engine, live: readonly string[], to: readonly string[], isTaken: boolean]>([
    ['an engine of both, where the other has the ruleset', {}, ['dev'], ['prod'], true],
    ['an engine of both, where the other has another one', {}, [], ['prod'], false],
    ['an engine of both that the release reaches by both', {}, [], ['dev', 'prod'], true],
    ['an engine with tenants', { tenants: true }, ['dev'], ['prod'], false],
    ['an engine for candidates of the other alone', { canaryOf: 'dev' }, ['dev'], ['prod'], false],
    ['an engine for candidates of this one alone', { canaryOf: 'prod' }, ['dev'], ['prod'], false],
    ['an environment without the ruleset that is live in its own', {}, ['prod'], ['prod'], false],
  ])('a name: %s', async (_title, { tenants = false, canaryOf }, live, to, isTaken) => {
    const { id } = await its.serve('dev', { tenants, canaryOnly: canaryOf === 'dev' })
    await its.change((change) =>
      change.scope
        .insert('environment_servers', {
          environment_id: its.environment('prod'),
          server_id: id,
          position: 0,
          canary_only: canaryOf === 'prod',
        })
        .execute(),
    )
    await its.makeLive('dev', 1, 'tax')
    for (const environment of live) await its.makeLive(environment, 1)
    const refused = refuseTaken(scope(), await environments(...to), ['fee'])
    if (isTaken) await expect(refused).rejects.toThrow('another environment that it serves has a ruleset `fee`')
    else await expect(refused).resolves.toBeUndefined()
  })
})

describe('the history of a ruleset', () => {
  const key = (environments: readonly string[]) =>
    ({
      kind: 'key',
      id: 'k',
      name: 'k',
      orgId: its.org,
      userId: null,
      scopes: [],
      projectIds: null,
      environments,
    }) as const

  test('has the entries of its project, in the environments of a key', async () => {
    await its.makeLive('dev', 1)
    await its.makeLive('prod', 2)
    await its.makeLive('prod', 3, 'tax')
    const shown = async (only: readonly string[] | null, project = its.project) =>
      (await historyOn(scope(), project, 'fee', PAGE, only)).rows.map(({ environment, from_seq }) => [
        environment,
        from_seq,
      ])
    expect(await shown(null)).toEqual([
      ['dev', 1],
      ['prod', 2],
    ])
    expect(await shown(['prod'])).toEqual([['prod', 2]])
    expect(await shown([])).toEqual([])
    expect(await shown(null, (await otherProject()).id)).toEqual([])
  })

  test('an entry is found by the name of its ruleset, within reach', async () => {
    await its.makeLive('dev', 1)
    const [entry] = (await historyOn(scope(), its.project, 'fee', PAGE, null)).rows
    const found = (environments: readonly string[], name = 'fee', id = entry?.id ?? '') =>
      historyEntry(scope(), its.project, name, id, key(environments))
    await expect(found(['dev'])).resolves.toMatchObject({ environment: 'dev' })
    for (const [environment, name, id] of [['prod'], ['dev', 'tax'], ['dev', 'fee', '1']] as const)
      await expect(found([environment], name, id)).rejects.toMatchObject({ code: 'not-found' })
  })

  test('events come in their order, after a number', async () => {
    const release = await its.release([{ base: null, content: 1 }], 'dev')
    await its.change(async ({ scope: all }) => {
      for (const seq of [3, 1, 2]) {
        const event = {
          release_id: release,
          seq,
          execution_id: null,
          type: 'release_created',
          status: 'approved',
        } as const
        const rest = { environment: null, server_id: null, actor: '{"type":"system","id":"s","name":"s"}', data: '{}' }
        await all.insert('release_events', { ...event, ...rest }).execute()
      }
    })
    const seqs = async (limit: number, after: number) =>
      (await eventsOf(scope(), release, limit, after)).map(({ seq }) => seq)
    expect([await seqs(9, 0), await seqs(9, 1), await seqs(1, 1)]).toEqual([[1, 2, 3], [2, 3], [2]])
  })
})

describe('comments', () => {
  const add = (release: string, request: object = {}) => addComment(acting(), release, { text: 'why?', ...request })

  test('are listed by ruleset and by whether they are settled; who settles one is its last editor', async () => {
    const release = await its.release(
      [
        { name: 'a', base: null, content: 1 },
        { name: 'b', base: null, content: 1 },
      ],
      'dev',
    )
    const [a, b] = [await add(release, { ruleset: 'a', place: '/start' }), await add(release, { ruleset: 'b' })]
    await its.change((change) => change.scope.update('release_comments').set({ updated_by: 'someone' }).execute())
    const settled = await settleComment(acting(), await releaseOf(its, release), a.id, true)
    expect(settled).toMatchObject({ settled: true, updated_by: me(), created_by: me() })
    const listed = async (filter: { ruleset?: string; settled?: boolean }) =>
      (await commentsOn(scope(), release, PAGE, { ruleset: undefined, settled: undefined, ...filter })).map(
        ({ id }) => id,
      )
    expect(await listed({})).toEqual([a.id, b.id])
    expect(await listed({ ruleset: 'b' })).toEqual([b.id])
    expect(await listed({ settled: true })).toEqual([a.id])
    expect(await listed({ settled: false })).toEqual([b.id])
    expect(await listed({ ruleset: 'b', settled: true })).toEqual([])
  })

  test.each<[string, object, string]>([
    ['a ruleset that the release lacks', { ruleset: 'b' }, 'must be a ruleset of the release (`a`), found `b`'],
    ['a place without its ruleset', { place: '/start' }, 'is missing: name the ruleset of the place'],
  ])('%s is refused', async (_title, request, message) => {
    const release = await its.release([{ name: 'a', base: null, content: 1 }], 'dev')
    await expect(add(release, request)).rejects.toThrow(message)
  })

  test('the thousandth is the last, deleted ones included; other events do not count', async () => {
    const release = await its.release([{ base: null, content: 1 }], 'dev')
    await its.change(async ({ scope: all }) => {
      const rows = Array.from({ length: 1009 }, (_, seq) => ({
        release_id: release,
        seq: seq + 1,
        execution_id: null,
        type: seq < 10 ? 'release_reviewed' : 'comment_added',
        status: 'approved' as const,
        environment: null,
        server_id: null,
        actor: '{"type":"system","id":"s","name":"s"}',
        data: '{}',
      }))
      await all.insert('release_events', rows).execute()
      await all.update('releases').set({ event_seq: rows.length }).where('id', '=', release).execute()
    })
    await add(release)
    await expect(add(release)).rejects.toThrow('1000 comments were given')
  })

  test('reach the creator, reviewers and earlier commenters who are still members, but not their author', async () => {
    const team = await members({ creator: [], reviewer: [], commenter: [], author: [], other: [] })
    const id = await its.release([{ base: null, content: 1 }], 'dev')
    await its.change((change) =>
      change.scope
        .insert('release_reviews', {
          release_id: id,
          user_id: team.get('reviewer') ?? '',
          decision: 'approved',
          comment: '',
        })
        .execute(),
    )
    const release = { ...(await releaseOf(its, id)), created_by: team.get('creator') ?? '' }
    const author = { id: team.get('author') ?? '', name: 'Ann' }
    const before = [...ids(team, 'commenter', 'author'), randomUUIDv7()]
    await its.change((change) => notifyOfComment(change.scope, release, author, before))
    expect(await notified('release_commented')).toEqual(ids(team, 'creator', 'reviewer', 'commenter'))
  })
})

test('a failure reaches the creator, admins and owners', async () => {
  const team = await members({ owner: ['owner'], admin: ['admin'], editor: ['editor'], creator: [] })
  const id = await its.release([{ base: null, content: 1 }], 'dev')
  const release = { ...(await releaseOf(its, id)), created_by: team.get('creator') ?? '' }
  await its.change((change) => notifyOfFailure(change.scope, release, null))
  expect(await notified('release_failed')).toEqual(ids(team, 'owner', 'admin', 'creator'))
})

describe('the approvals of a release', () => {
  interface Given {
    readonly status?: ReleaseStatus
    readonly kind?: 'rollback'
    /** Approvals at its creation; there is one of Ann. */
    readonly stored?: number
    /** Approvals that a policy requires now. */
    readonly now?: number
    readonly decision?: 'approved' | 'rejected'
    /** Ann edited the content; authors are excluded. */
    readonly isAuthor?: boolean
    readonly mayNot?: boolean
  }
  test.each<[string, Given, boolean]>([
    ['meet what was required', { stored: 1 }, true],
    ['fall short of what was required', { stored: 2 }, false],
    ['fall short of a policy that came later', { stored: 1, now: 2 }, false],
    ['fall short of it when it is executed again', { stored: 1, now: 2, status: 'failed' }, false],
    ['are not asked again once it is executed', { stored: 1, now: 2, status: 'executing' }, true],
    ['of a rollback meet no later policy', { stored: 1, now: 2, kind: 'rollback' }, true],
    ['are none by a rejection', { stored: 1, decision: 'rejected' }, false],
    ['of an author do not count', { stored: 1, isAuthor: true }, false],
    ['of an author do not count afterwards', { stored: 1, isAuthor: true, status: 'completed' }, false],
    ['do not count when the right is gone', { stored: 1, mayNot: true }, false],
    ['count as given once it is executed', { stored: 1, mayNot: true, status: 'completed' }, true],
    ['lack one of two', { stored: 1, now: 1, decision: 'rejected' }, false],
  ])('%s', async (_title, { status, kind, stored = 0, now, decision = 'approved', isAuthor = false, mayNot }, met) => {
    const team = await members({ ann: mayNot === true ? [] : ['release.approve'] })
    const ann = team.get('ann') ?? ''
    const id = await its.release([{ base: null, content: 1 }], 'prod')
    await set(id, { authors: isAuthor ? [ann] : [], ...(status && { status }), ...(kind && { kind }) })
    await its.change(async ({ scope: all }) => {
      await all.insert('release_reviews', { release_id: id, user_id: ann, decision, comment: '' }).execute()
      const asked = { environment_id: its.environment('prod'), policy_id: null, roles: [], exclude_authors: isAuthor }
      await all.insert('release_requirements', { release_id: id, position: 0, min_count: stored, ...asked }).execute()
    })
    if (now !== undefined) await policy('now', { min_count: now })
    expect((await approvalStatusOf(scope(), await releaseOf(its, id))).isApproved).toBe(met)
  })

  test('of a breaking contract are also that of an owner', async () => {
    const team = await members({ ann: ['release.approve'] })
    const id = await its.release([{ base: null, content: 1 }], 'prod')
    const breaking = { environment_id: null, policy_id: null, min_count: 1, roles: ['owner'], exclude_authors: false }
    await its.change(async ({ scope: all }) => {
      await all.insert('release_requirements', { release_id: id, position: 0, ...breaking }).execute()
      await all
        .insert('release_reviews', {
          release_id: id,
          user_id: team.get('ann') ?? '',
          decision: 'approved',
          comment: '',
        })
        .execute()
    })
    const { requirements, isApproved } = await approvalStatusOf(scope(), await releaseOf(its, id))
    expect(requirements).toMatchObject([{ roles: ['owner'], satisfied: false }])
    expect(isApproved).toBe(false)
  })
})

/** The acts of a member of the project. */
function by(user: string, permissions: readonly Action[] = ['release.approve'], withheld: readonly Action[] = []) {
  const { caller, place, author } = acting()
  const member = {
    ...place.member,
    permissions: new Set(permissions),
    withheld: new Map(withheld.map((one) => [one, 'no'])),
  }
  return new Acting<InProject, Person>({
    database: database(),
    place: { ...place, member },
    caller: { ...caller, id: user },
    author: { ...author, actor: { ...author.actor, id: user } },
  })
}

/** A release that waits for two approvals. */
async function waiting(authors: string[] = []): Promise<string> {
  const id = await its.release([{ base: null, content: 1 }], 'prod')
  await set(id, { status: 'pending_approval', authors })
  const asked = { environment_id: its.environment('prod'), policy_id: null, roles: [], exclude_authors: true }
  await its.change((change) =>
    change.scope.insert('release_requirements', { release_id: id, position: 0, min_count: 2, ...asked }).execute(),
  )
  return id
}

describe('a review', () => {
  const APPROVED: Verdict = { decision: 'approved', comment: '' }
  const give = async (name: string, team: ReadonlyMap<string, string>, id: string, verdict: Verdict = APPROVED) =>
    review(by(team.get(name) ?? ''), id, verdict)

  test('of each person counts once, and the last one that is required approves the release', async () => {
    const team = await members({ ann: ['release.approve'], bob: ['release.approve'] })
    const id = await waiting()
    expect(await give('ann', team, id)).toMatchObject({ status: 'pending_approval' })
    await expect(give('ann', team, id)).rejects.toMatchObject({ details: [{ code: 'reviewed' }] })
    expect(await give('bob', team, id)).toMatchObject({ status: 'approved' })
  })

  test.each<[string, string, string | undefined]>([
    ['the content of the release', '0'.repeat(64), undefined],
    ['another content', '1'.repeat(64), 'stale'],
  ])('may name what was read: %s', async (_title, contentDigest, code) => {
    const team = await members({ ann: ['release.approve'] })
    const given = give('ann', team, await waiting(), { ...APPROVED, contentDigest })
    if (code === undefined) await expect(given).resolves.toMatchObject({ status: 'pending_approval' })
    else await expect(given).rejects.toMatchObject({ details: [{ code }] })
  })

  test('of an author is refused where authors are excluded', async () => {
    const team = await members({ ann: ['release.approve'] })
    const id = await waiting([...team.values()])
    await expect(give('ann', team, id)).rejects.toThrow('excludes the authors of the released changes')
  })

  test('that rejects ends the release with its reason', async () => {
    const team = await members({ ann: ['release.approve'] })
    const id = await waiting()
    expect(await give('ann', team, id, { decision: 'rejected', comment: 'too early' })).toMatchObject({
      status: 'rejected',
    })
    const [event] = await eventsOf(scope(), id, 9, 0)
    expect(event?.data).toMatchObject({ decision: 'rejected', reason: 'too early' })
  })
})

describe('operations that are offered', () => {
  const RIGHTS = ['release.approve', 'release.execute', 'release.rollback'] as const
  const allowed = async (id: string, { caller, place: { member } }: { caller: Caller; place: InProject }) =>
    (await shownRelease(scope(), await releaseOf(its, id), { caller, member })).allowed

  test.each<[string, readonly Action[], readonly Action[], string, readonly string[]]>([
    ['all to whom has all rights', RIGHTS, [], 'other', ['approve', 'reject', 'cancel']],
    ['those of the right alone', ['release.approve'], [], 'other', ['approve', 'reject']],
    ['the cancellation to whom created it', [], [], 'ann', ['cancel']],
    ['none without a right', [], [], 'other', []],
    ['none with a right that is withheld', RIGHTS, ['release.execute'], 'other', ['approve', 'reject']],
  ])('before its approval: %s', async (_title, rights, withheld, creator, expected) => {
    const team = await members({ ann: ['release.approve'] })
    const id = await waiting()
    const created_by = team.get(creator) ?? 'system'
    await its.change((change) => change.scope.update('releases').set({ created_by }).where('id', '=', id).execute())
    expect(await allowed(id, by(team.get('ann') ?? '', rights, withheld))).toEqual(expected)
  })

  test('no key and no person reviews a second time', async () => {
    const team = await members({ ann: ['release.approve'] })
    const [id, ann] = [await waiting(), by(team.get('ann') ?? '', RIGHTS)]
    const key = { ...ann.caller, kind: 'key' } as unknown as Caller
    expect(await allowed(id, { caller: key, place: ann.place })).toEqual(['cancel'])
    await review(ann, id, { decision: 'approved', comment: '' })
    expect(await allowed(id, ann)).toEqual(['cancel'])
  })

  test('who may review rejects a release that needs no approval', async () => {
    const team = await members({ ann: ['release.approve'] })
    const id = await its.release([{ base: null, content: 1 }], 'prod')
    expect(await allowed(id, by(team.get('ann') ?? '', ['release.approve']))).toEqual(['reject'])
  })

  test.each<[readonly Action[], readonly string[]]>([
    [['release.rollback'], ['rollback']],
    [['release.execute'], []],
  ])('a live release is rolled back with %j: %j', async (rights, expected) => {
    await its.serve('prod')
    await its.makeLive('prod', 1)
    const [id, execution] = await its.start([{ base: 1, content: 2 }], 'prod')
    await its.run(execution)
    expect(await allowed(id, by(me(), rights))).toEqual(expected)
  })

  test('the releases that await a review are those alone', async () => {
    const team = await members({ ann: ['release.approve'] })
    const those = [await waiting(), await waiting(), await its.release([{ base: null, content: 1 }], 'prod')]
    const { caller, place } = by(team.get('ann') ?? '')
    const found = async (limit: number) =>
      (await pendingFor(scope(), { ...PAGE, limit }, { caller, member: place.member })).map(({ id }) => id)
    expect([await found(9), await found(1)]).toEqual([those.slice(0, 2), those.slice(0, 2)])
    await review(by(team.get('ann') ?? ''), those[0] ?? '', { decision: 'approved', comment: '' })
    expect(await found(9)).toEqual([those[1]])
  })
})

test('a change of state counts the revision and the events, and a failed stage is reported', async () => {
  const team = await members({ admin: ['admin'] })
  const id = await its.release([{ base: null, content: 1 }], 'prod')
  const { actor } = acting().author
  await its.change((change) =>
    change.scope
      .update('releases')
      .set({ status: 'executing', updated_at: new Date(0) })
      .where('id', '=', id)
      .execute(),
  )
  const before = await releaseOf(its, id)
  const { release, event } = await its.change((change) =>
    changeState(change, before, 'fail_stage', { actor, conditions: { rolls_back: false }, data: { reason: 'slow' } }),
  )
  expect(release).toMatchObject({ status: 'paused', rev: before.rev + 1, event_seq: event.seq })
  expect(await releaseOf(its, id)).toMatchObject({ rev: before.rev + 1, event_seq: 1, status: 'paused' })
  expect(release.updated_at.getTime()).toBeGreaterThan(0)
  expect(await notified('release_failed')).toEqual(ids(team, 'admin'))
  const { payload } = await scope()
    .read('notifications')
    .selectFrom('notifications')
    .select('payload')
    .executeTakeFirstOrThrow()
  expect(payload).toMatchObject({ error: 'slow' })
  await expect(its.change((change) => changeState(change, release, 'complete', { actor }))).rejects.toMatchObject({
    details: [{ code: 'wrong_state' }],
  })
})

describe('policies', () => {
  const day = (date: number) => new Date(Date.UTC(2026, 0, date))

  test('the enabled ones come by priority, of equal ones the oldest first', async () => {
    await policy('young', { priority: 1 }, day(3))
    await policy('old', { priority: 1 }, day(2))
    await policy('high', { priority: 2 }, day(4))
    await policy('off', { priority: 3, enabled: false }, day(1))
    const names = (await enabledPolicies(scope(), its.project)).map(({ name }) => name)
    expect(names).toEqual(['high', 'old', 'young'])
  })

  test('the calendar has the windows of the policy of each environment, a hundred at most, by time and name', async () => {
    const window = (cron: string) => JSON.stringify({ cron, duration: '1h' })
    await policy('prod alone', {
      priority: 1,
      environments: [its.environment('prod')],
      freeze_window: window('0 0 1 1 *'),
    })
    await policy('all', { freeze_window: window('0 0 2 1 *') })
    const shown = async (to: number) =>
      (await frozenTimes(scope(), its.project, { from: day(1), to: day(to) })).map(
        ({ environment, policy: named, from }) => [environment, named, from],
      )
    expect(await shown(3)).toEqual([
      ['prod', 'prod alone', '2026-01-01T00:00:00.000Z'],
      ['dev', 'all', '2026-01-02T00:00:00.000Z'],
    ])
    await its.change((change) =>
      change.scope
        .update('release_policies')
        .set({ environments: [], freeze_window: window('0 */2 * * *') })
        .execute(),
    )
    const often = await shown(30)
    expect(often).toHaveLength(200)
    expect(often.slice(0, 3)).toEqual([
      ['dev', 'prod alone', '2026-01-01T00:00:00.000Z'],
      ['prod', 'prod alone', '2026-01-01T00:00:00.000Z'],
      ['dev', 'prod alone', '2026-01-01T02:00:00.000Z'],
    ])
    await its.change((change) => change.scope.update('release_policies').set({ freeze_window: null }).execute())
    expect(await shown(30)).toEqual([])
  })
})

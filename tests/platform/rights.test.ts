import { randomUUIDv7 } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { isAction } from '../../apps/platform-server/src/access/actions.ts'
import { IS_FULL_RUN } from '../cases.testing.ts'
import { type DatabaseKind, DATABASES_OF_API, useDatabase } from './databases.testing.ts'
import { type Answered, startPlatform, type TestPlatform } from './platform.testing.ts'
import {
  actionOf,
  sampledCallers,
  type CallerName,
  CALLERS,
  type MatrixRow,
  PERSON_OF,
  partsOf,
  pathOf,
  type RequestPlace,
  ROWS,
  worldPartsOf,
} from './rights.testing.ts'
import { addCast, addWorld, type Cast, sharedWorlds, signIn, type World } from './world.testing.ts'

const SECRET = join(tmpdir(), `client-secret-${process.pid}`)
/** Single sign-on at an unavailable server: its routes exist, and nothing listens at port 1. */
const SSO = ['--oidc-issuer', 'http://127.0.0.1:1', '--oidc-client-id', 'x', '--oidc-client-secret-file', SECRET]

const SAMPLED = sampledCallers(ROWS)

/** The platform refuses, not its database: on the second database each route is called by the owner alone. */
function callersOn(kind: DatabaseKind, row: MatrixRow): readonly CallerName[] {
  if (kind !== 'postgres') return ['owner']
  return IS_FULL_RUN ? CALLERS : (SAMPLED.get(row) ?? CALLERS)
}

describe.each(DATABASES_OF_API)('on %s', (kind) => {
  const database = useDatabase(kind)
  let platform: TestPlatform
  let cast: Cast
  let others: Cast
  beforeAll(async () => {
    writeFileSync(SECRET, 'of the client')
    platform = await startPlatform(database(), ['--allow-registration', '--rate-limit', '0', ...SSO])
    cast = await addCast(database())
    others = await addCast(database())
  })
  afterAll(() => platform.stop())

  test('the matrix has every route of the description with its right, and no other', async () => {
    const { body } = await platform.browser().request('GET', '/api/v1/openapi.json')
    const described = Object.entries<Record<string, { description: string }>>(body.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { description }]) => [`${method.toUpperCase()} ${path}`, description]),
    )
    const words = new Map<string, string>()
    for (const [route = '', description = ''] of described) {
      const [, who = '', alias] = /^(.*?\.)(?: Alias: `(.*)`\.)?$/.exec(description) ?? []
      words.set(route, who)
      if (alias !== undefined) words.set(`${route.slice(0, route.indexOf(' '))} ${alias}`, who)
    }
    // Routes that always refuse are not described.
    const rows = ROWS.filter(({ right }) => right !== 'never')
    expect(rows.map(({ route }) => route).toSorted()).toEqual([...words.keys()].toSorted())
    for (const { route, right } of rows.filter((row) => isAction(row.right)))
      expect(words.get(route), route).toBe(`Needs the right \`${right}\`.`)
  })

  test.each(ROWS.map((row) => [row.route, row] as const))('%s', async (_route, row) => {
    const answers: Partial<Record<CallerName, number>> = {}
    const unchanged = await unchangedWorldOf(row)
    let refused: Refusals | undefined
    let changed: World | undefined
    const callers = callersOn(kind, row)
    for (const name of callers) {
      // Those who are refused leave a world as it is: only a change that is allowed gets one of its own.
      const isChange = row.method !== 'GET' && row.expected[name] < 400
      // A change of an account is in the audit of all organizations of its person.
      if (isChange) refused = await expectNoEntryOf(refused, unchanged)
      else refused ??= { entries: await auditLength(unchanged), names: [] }
      let answer = await ask(row, name, isChange ? (changed ?? (changed = await worldOf(row))) : unchanged)
      // What one caller has changed, such as deleted, may not be there for the next.
      if (isChange && answer.status !== row.expected[name]) {
        changed = await worldOf(row)
        answer = await ask(row, name, changed)
      }
      const { status, body } = answer
      answers[name] = status
      if (status < 400 || status === 503) continue
      expect(body, name).toMatchObject({ code: CODES[status], error: expect.any(String) })
      refused?.names.push(name)
      if (status === 403 && name !== 'cross' && name !== 'bare') {
        const codes = MISSING[row.right] ?? [row.right]
        expect(codes, name).toContain(body.details[0].code)
      }
      if (status === 403 && (name === 'cross' || name === 'bare')) expect(body.details[0].code).toBe('origin')
    }
    await expectNoEntryOf(refused, unchanged)
    expect(answers).toEqual(Object.fromEntries(callers.map((name) => [name, row.expected[name]])))
  })

  describe.runIf(kind === 'postgres')(
    'ids that are unknown, foreign, or of another kind are alike in status, body and queries',
    () => {
      // Templates belong to the program, and to no organization.
      const isOwned = (path: string) => path.includes('{') && !path.startsWith('/api/v1/templates/')
      const withIds = ROWS.filter(({ path, right }) => isOwned(path) && right !== 'server')
      test.each(withIds.map((row) => [row.route, row] as const))('%s', async (_route, row) => {
        const [own, other] = [await unchangedWorldOf(row), await unchangedWorldOf(row, others)]
        const session = await signIn(database(), cast.stranger)
        const stranger = platform.browser()
        stranger.cookies.set('session', session.token)
        const place: RequestPlace = { ...placeOf(other), sessionId: (await signIn(database(), others.owner)).id }
        const { params, body } = await partsOf(row, place)
        const send = (over: Readonly<Record<string, string>>) =>
          counted(() => stranger.request(row.method, pathOf(row, { ...params, ...over }), body))
        const foreign = await send({})
        const unknown = await send(Object.fromEntries(idsIn(params).map((name) => [name, randomUUIDv7()])))
        expect(foreign.answer.status).toBe(404)
        expect(shapeOf(unknown.answer)).toEqual(shapeOf(foreign.answer))
        expect(unknown.queries).toEqual(foreign.queries)
        if (row.right !== 'never') await ofAnotherOrganization(row, own, other)
      })
    },
  )

  /** One id of another organization behind those of one's own. */
  async function ofAnotherOrganization(row: MatrixRow, own: World, other: World): Promise<void> {
    const owner = platform.browser()
    owner.cookies.set('session', (await signIn(database(), cast.owner)).token)
    const mine = await partsOf(row, { ...placeOf(own), userId: cast.owner.id })
    const theirs = await partsOf(row, { ...placeOf(other), userId: others.owner.id })
    for (const inside of idsIn(mine.params).filter((name) => !['oid', 'parent_id'].includes(name))) {
      const send = (id: string) =>
        counted(() => owner.request(row.method, pathOf(row, { ...mine.params, [inside]: id }), mine.body))
      const foreign = await send(theirs.params[inside] ?? '')
      const unknown = await send(randomUUIDv7())
      expect(foreign.answer.status, inside).toBe(404)
      expect(shapeOf(unknown.answer)).toEqual(shapeOf(foreign.answer))
      expect(unknown.queries).toEqual(foreign.queries)
      expect((await send('nonsense')).answer.status).toBe(404)
    }
  }

  const worldOf = (row: MatrixRow) => addWorld(database(), cast, actionOf(row), worldPartsOf(row))
  const shared = sharedWorlds(database)
  /** For requests that are refused or only read. */
  const unchangedWorldOf = (row: MatrixRow, people = cast) => shared(people, actionOf(row), worldPartsOf(row))
  const placeOf = (world: World): RequestPlace => ({
    database: database(),
    world,
    userId: undefined,
    sessionId: undefined,
  })

  const sessions = new Map<string, ReturnType<typeof signIn>>()
  /**
   * A session of a person: requests about sessions and accounts get a separate one, which they may end. Requests whose
   * queries are compared have a new one: the first request of each minute records the use of its session.
   */
  function sessionFor({ path }: MatrixRow, person: Cast['owner']): ReturnType<typeof signIn> {
    if (!/^\/api\/v1\/(?:orgs|projects)\//.test(path)) return signIn(database(), person)
    return sessions.getOrInsertComputed(person.id, () => signIn(database(), person))
  }

  /** Send the request of a row as one of its callers. */
  async function ask(row: MatrixRow, name: CallerName, world: World): Promise<Answered> {
    const person = PERSON_OF[name]
    const session = person === undefined ? undefined : await sessionFor(row, cast[person])
    const userId = person === undefined ? undefined : cast[person].id
    const { params, body } = await partsOf(row, { database: database(), world, userId, sessionId: session?.id })
    const path = pathOf(row, params)
    if (session !== undefined) {
      const cookie = `session=${session.token}`
      if (name === 'bare') return platform.program(undefined, { cookie }).request(row.method, path, body)
      const origin = name === 'cross' ? { origin: 'https://elsewhere.example' } : {}
      return platform.browser({ cookie, ...origin }).request(row.method, path, body)
    }
    const key = name === 'none' ? undefined : world.keys[name as keyof World['keys']].token
    return platform.program(key).request(row.method, path, body)
  }

  /** Refused requests have changed nothing, except for the audit of writes that engines never receive. */
  async function expectNoEntryOf(refused: Refusals | undefined, world: World): Promise<undefined> {
    if (refused === undefined || refused.names.length === 0) return
    expect(await auditLength(world), refused.names.join()).toBe(refused.entries)
  }

  /** Entries of both organizations. */
  async function auditLength({ org, foreignOrg }: World): Promise<number> {
    const { entries } = await database()
      .unscoped.tables.selectFrom('audit_entries')
      .select((eb) => eb.fn.countAll<number>().as('entries'))
      .where('org_id', 'in', [org, foreignOrg])
      .where('action', '!=', 'project.engine_write_refused')
      .executeTakeFirstOrThrow()
    return entries
  }
})

/** Callers that were refused since the audit had this many entries. */
interface Refusals {
  readonly entries: number
  readonly names: CallerName[]
}

/** Why those who lack a right are refused, where its name is not the reason. */
const MISSING: Readonly<Record<string, readonly string[]>> = {
  // Keys do not comment on releases.
  member: ['project.read', 'person'],
  // People agree to releases, keys do not.
  'release.approve': ['release.approve', 'person'],
  server: ['origin'],
  never: ['read-only', 'decision.execute'],
}

/** Parameters that are ids of the platform. */
const idsIn = (params: Readonly<Record<string, string>>) =>
  ['oid', 'parent_id', 'id', 'uid', 'nid', 'sub_id', 'pid', 'eid', 'sid', 'cid', 'did', 'rid'].filter(
    (name) => name in params,
  )

const CODES: Readonly<Record<number, string>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  415: 'UNSUPPORTED_MEDIA_TYPE',
}

/** An error without what differs by request: its id, and the id that it repeats. */
function shapeOf({ status, body, headers }: Answered) {
  const plain = { ...body, request_id: '', error: String(body.error).replaceAll(/`[^`]*`/g, '``') }
  const details = (body.details as readonly { message: string }[] | undefined)?.map((detail) => ({
    ...detail,
    message: detail.message.replaceAll(/`[^`]*`/g, '``'),
  }))
  const names = [...headers.keys()].filter((name) => name !== 'date').toSorted()
  return { status, body: { ...plain, details }, names }
}

/** Queries of new connections and of jobs: periodic work, deliveries of webhooks, rollouts and replays. */
const BACKGROUND =
  /^set |"periodic"|^delete from|"webhook_deliveries"|"secret_encrypted"|"lease_until"|"next_run_at" is not null|"next_at" <=/

/** The answer to a request, and the queries that it made: their texts in order, without those in the background. */
async function counted(request: () => Promise<Answered>): Promise<{
  readonly answer: Answered
  readonly queries: readonly string[]
}> {
  const spy = vi.spyOn(pg.Client.prototype, 'query')
  try {
    const answer = await request()
    const queries = spy.mock.calls.map(([query]: readonly unknown[]) => textOf(query))
    expect(queries.length).toBeGreaterThan(0)
    return { answer, queries: queries.filter((text) => !BACKGROUND.test(text)) }
  } finally {
    spy.mockRestore()
  }
}

function textOf(query: unknown): string {
  if (typeof query === 'string') return query
  return typeof query === 'object' && query !== null && 'text' in query ? String(query.text) : String(query)
}

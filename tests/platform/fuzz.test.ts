import fc from 'fast-check'
import { Compile } from 'typebox/schema'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newToken } from '../../apps/platform-server/src/access/tokens.ts'
import { casesOf, casesOfProperty, printSeed } from '../cases.testing.ts'
import { type DatabaseKind, DATABASES_OF_API, useDatabase } from './databases.testing.ts'
import { type Answered, type Client, startPlatform, type TestPlatform } from './platform.testing.ts'
import { richRequests } from './fuzz.bodies.testing.ts'
import { mutated, mutations } from './mutations.testing.ts'
import { type GeneratedRequest, junk, type Operation, requestsTo, type Schema } from './requests.testing.ts'
import { type MatrixRow, partsOf, pathOf, ROWS, worldPartsOf } from './rights.testing.ts'
import { addCast, addWorld, type Cast, signIn, type World } from './world.testing.ts'

/** Requests to each operation in a full run: on PGlite fewer, for which the code of the platform is the same. */
const CASES: Readonly<Record<DatabaseKind, number>> = { postgres: 6, embedded: 1 }
/** Thousands of them take minutes on a busy machine; a limit only ends what hangs. */
const LIMIT_MS = 3_600_000

const CALLERS = ['owner', 'viewer', 'key', 'engine', 'none'] as const
type CallerName = (typeof CALLERS)[number]

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>
}

/** A response of the document. */
interface Response {
  readonly $ref?: string
  readonly content?: Readonly<Record<string, { readonly schema: object }>>
}

describe.each(DATABASES_OF_API)('on %s', (kind) => {
  const database = useDatabase(kind)
  let platform: TestPlatform
  let cast: Cast
  let description: Description
  beforeAll(async () => {
    platform = await startPlatform(database(), ['--allow-registration', '--rate-limit', '0'])
    cast = await addCast(database())
    description = (await platform.browser().request('GET', '/api/v1/openapi.json')).body
  })
  afterAll(() => platform.stop())

  test(
    'no response is a 500 or undescribed',
    async () => {
      printSeed(casesOf(CASES[kind]))
      const cases = casesOfProperty(CASES[kind])
      const seen = new Map<number, number>()
      const unreached: string[] = []
      // The routes of single sign-on are described only with that option.
      const rows = ROWS.filter((row) => operationOf(row) !== undefined)
      expect(rows).toHaveLength(Object.values(description.paths).flatMap((methods) => Object.keys(methods)).length)
      for (const [index, row] of rows.entries()) {
        const operation = operationOf(row) ?? fail(row.route)
        const setting: Setting = { row, operation, world: await newWorld(row), token: '' }
        setting.token = await tokenOfEngine(setting.world)
        const ask = async (name: CallerName, request: GeneratedRequest) => {
          const answer = await (await callerOf(name, setting)).request(row.method, ...sent(request))
          seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1)
          refuseUndescribed(answer, operation)
          if (answer.status < 300 && isUsedUp(row)) await renew(setting)
          return answer
        }
        await askValid(setting, ask, unreached)
        const { path } = row
        const ids = { fitting: fittingTo(path, setting.world), all: idsOf(setting.world) }
        const generated = fc.record({
          name: fc.oneof({ arbitrary: fc.constant<CallerName>('owner'), weight: 5 }, fc.constantFrom(...CALLERS)),
          request: requestsTo(path, operation, ids, resolve),
          valid: fc.nat(),
          changes: mutations(fc.oneof(junk, fc.constantFrom(...ids.all))),
        })
        const property = fc.asyncProperty(generated, async ({ name, request, valid, changes }) => {
          const known = await validRequests(setting)
          const base = known[valid % (known.length + 1)]
          await ask(
            path.includes('/internal/') ? 'engine' : name,
            base === undefined ? request : changed(base, changes),
          )
        })
        await fc.assert(property, { ...cases, seed: cases.seed + index, endOnFailure: true }).catch((error) => {
          throw new Error(row.route, { cause: error })
        })
      }
      expect(unreached).toEqual([])
      // Requests have passed the checks and reached the services.
      expect([...seen.keys()]).toEqual(expect.arrayContaining([200, 201, 204, 400, 401, 403, 404]))
      console.log(`answers: ${Array.from(seen, ([status, times]) => `${times} × ${status}`).join(', ')}`)
      const defects = platform.lines.filter((line) => JSON.stringify(line).includes('internal error'))
      expect(defects).toEqual([])
    },
    LIMIT_MS,
  )

  /** An operation with what its requests are about, which some of them use up. */
  interface Setting {
    readonly row: MatrixRow
    readonly operation: Operation
    world: World
    /** The parameters of the engine of the world. */
    token: string
  }

  async function renew(setting: Setting): Promise<void> {
    setting.world = await newWorld(setting.row)
    setting.token = await tokenOfEngine(setting.world)
  }

  const operationOf = ({ path, method }: MatrixRow): Operation | undefined =>
    description.paths[path]?.[method.toLowerCase()]

  /** Valid requests, each created when it is sent: the resource that it creates must not exist yet. */
  async function validRequests({ row, world }: Setting): Promise<readonly GeneratedRequest[]> {
    const sessionId = row.path.includes('/sessions/') ? (await signIn(database(), cast.owner)).id : undefined
    const place = { database: database(), world, userId: cast.owner.id, sessionId }
    const { params, body } = await partsOf(row, place)
    const smallest = { path: pathOf(row, params), headers: {}, body: body }
    const rich = richRequests(row.method, row.path, world).map(({ query = '', body: own }) => ({
      path: pathOf(row, { ...params, query }),
      headers: {},
      body: own,
    }))
    return [smallest, ...rich]
  }

  /** Every operation is reached behind its checks: each request as it should be, by a caller who may. */
  async function askValid(
    setting: Setting,
    ask: (name: CallerName, request: GeneratedRequest) => Promise<Answered>,
    unreached: string[],
  ): Promise<void> {
    const { row } = setting
    const name = row.right === 'server' ? 'engine' : row.right === 'key' ? 'key' : 'owner'
    for (let index = 0; ; index++) {
      const request = (await validRequests(setting))[index]
      if (request === undefined) return
      const { status, text } = await ask(name, request)
      if (!isReached(row, status, index === 0))
        unreached.push(`${row.route}: ${status} ${text.slice(0, 500)} for ${JSON.stringify(request.body)}`)
    }
  }

  /** What its requests need; a contract would keep them from drafts, and a project an organization from being deleted. */
  const newWorld = (row: MatrixRow) =>
    addWorld(database(), cast, 'org.manage', {
      ...worldPartsOf(row),
      ...(row.path.includes('{pid}') && { hasDrafts: true, hasRelease: true }),
      ...(row.path !== '/api/v1/orgs/{id}' && { hasServer: true }),
    })

  /** The token of the engine of a world. */
  async function tokenOfEngine({ org, server }: World): Promise<string> {
    const { text, hash } = newToken('srv')
    if (server === '') return text
    await database()
      .unscoped.tables.updateTable('servers')
      .set({ token_hash: hash })
      .where('org_id', '=', org)
      .where('id', '=', server)
      .execute()
    return text
  }

  const engineWith = (token: string) => platform.program(token)

  const sessions = new Map<string | undefined, string>()
  async function callerOf(name: CallerName, { row, world, token }: Setting): Promise<Client> {
    if (name === 'none') return platform.program(undefined)
    if (name === 'engine') return engineWith(token)
    if (name === 'key') return platform.program(world.keys.narrow.token)
    // A change may end sessions; requests that only read share one.
    const place = row.method === 'GET' ? `${row.route} ${name}` : undefined
    const session = sessions.get(place) ?? (await signIn(database(), cast[name])).token
    if (place !== undefined) sessions.set(place, session)
    const client = platform.browser()
    client.cookies.set('session', session)
    return client
  }

  function refuseUndescribed({ status, text, body, headers }: Answered, { responses }: Operation): void {
    expect(status).not.toBe(500)
    const response = resolve(
      (responses[String(status)] ?? fail(`the status ${status} is not described: ${text}`)) as Schema,
    )
    const { content } = response as Response
    expect(headers.get('x-request-id')).toMatch(/^[\w.:/+=@-]{1,128}$/)
    if (content === undefined) return expect(text).toBe('')
    const type = headers.get('content-type')?.split(';')[0] ?? ''
    const described = content[type] ?? Object.entries(content).find(([name]) => name.startsWith(type))?.[1]
    if (described === undefined) fail(`the content type ${type} is not described for ${status}`)
    if (type !== 'application/json') return
    const validator = validatorOf(described.schema)
    if (validator.Check(body)) return
    expect(validator.Errors(body)[1], text.slice(0, 2000)).toEqual([])
    fail('the body is not as described')
  }

  /** By the texts of their schemas: most operations refer to the same ones. */
  const validators = new Map<string, ReturnType<typeof Compile>>()
  function validatorOf(schema: object) {
    const text = JSON.stringify(schema)
    const known = validators.get(text)
    if (known !== undefined) return known
    // References begin at the root of the document.
    const made = Compile({ ...schema, components: description.components })
    validators.set(text, made)
    return made
  }

  /** The schema behind a reference of the document. */
  function resolve<T extends Schema>(schema: T): T {
    const [, group = '', name = ''] = /^#\/components\/(\w+)\/(\w+)$/.exec(schema.$ref ?? '') ?? []
    return group === '' ? schema : ((description.components[group]?.[name] ?? fail(`no ${name}`)) as T)
  }
})

function fail(message: string): never {
  throw new Error(message)
}

/** Whether a request as it should be was not stopped by a check. @param isSmallest the one of the matrix of rights */
function isReached({ right, expected }: MatrixRow, status: number, isSmallest: boolean): boolean {
  if (right === 'server') return [200, 201, 204, 401, 404].includes(status)
  return isSmallest ? status === expected[right === 'key' ? 'key' : 'owner'] : ![400, 401, 403, 404].includes(status)
}

/** A request as sent. Heartbeats are not held here. */
function sent({
  path,
  body,
  headers,
}: GeneratedRequest): [path: string, body: string | undefined, headers: Readonly<Record<string, string>>] {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  return [path, text?.replace(/"wait_ms":\d+/, '"wait_ms":0'), headers]
}

/** Whether a request that succeeds leaves nothing for the next one of the same kind. */
const isUsedUp = ({ method, path }: MatrixRow) =>
  method === 'DELETE' ||
  /\/(?:accept|approve|reject|cancel|rename|restore|from-template)$|\/(?:rulesets|sub-rules)\/\{name\}$/.test(path)

const changed = (request: GeneratedRequest, changes: Parameters<typeof mutated>[1]): GeneratedRequest =>
  request.body === undefined ? request : { ...request, body: mutated(request.body, changes) }

/** Ids of all kinds, each of which may stand where another is meant. */
function idsOf({ org, foreignOrg, sub, cast, keys, project, environment, server, ...more }: World): readonly string[] {
  return [
    org,
    org,
    foreignOrg,
    sub ?? '',
    cast.viewer.id,
    keys.target.id,
    project,
    environment,
    'dev',
    server,
    more.webhook,
    more.shadow,
    more.replay,
    more.release,
    more.policy,
    more.connectToken,
    more.spareRole,
    more.guest.id,
    more.invitation.id,
    more.invitation.token,
  ]
}

/** The resource that `{id}` is of, by the folder in front of it. */
const ID_OF: Readonly<Record<string, (world: World) => string>> = {
  orgs: ({ org }) => org,
  roles: ({ spareRole }) => spareRole,
  'api-keys': ({ keys }) => keys.target.id,
  invitations: ({ invitation }) => invitation.id,
  'connect-tokens': ({ connectToken }) => connectToken,
  servers: ({ server }) => server,
  webhooks: ({ webhook }) => webhook,
  shadows: ({ shadow }) => shadow,
  replays: ({ replay }) => replay,
  'release-policies': ({ policy }) => policy,
  history: ({ entry }) => entry,
}

function fittingTo(path: string, world: World): Readonly<Record<string, string>> {
  const { org, sub = '', project, environment, guest, suite, testCase } = world
  const folder = /([\w-]+)\/\{id\}/.exec(path)?.[1] ?? ''
  return {
    oid: org,
    parent_id: org,
    sub_id: sub,
    pid: project,
    eid: path.includes('/executions/') ? world.execution : environment,
    sid: suite,
    cid: testCase,
    rid: world.release,
    uid: guest.id,
    id: ID_OF[folder]?.(world) ?? '',
    seq: '1',
  }
}

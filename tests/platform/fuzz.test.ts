import fc from 'fast-check'
import { Compile } from 'typebox/schema'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newToken } from '../../apps/platform-server/src/access/tokens.ts'
import { casesOf, casesOfProperty, printSeed } from '../cases.testing.ts'
import { type DatabaseKind, DATABASES_OF_API, useDatabase } from './databases.testing.ts'
import { type Answered, type Client, startPlatform, type TestPlatform } from './platform.testing.ts'
import { type GeneratedRequest, type Operation, requestsTo, type Schema } from './requests.testing.ts'
import { addCast, addWorld, type Cast, signIn, type World } from './world.testing.ts'

/** Requests to each operation in a full run: on PGlite fewer, for which the code of the platform is the same. */
const CASES: Readonly<Record<DatabaseKind, number>> = { postgres: 15, embedded: 3 }
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
    'no request is answered with 500, or with what is not described',
    async () => {
      printSeed(casesOf(CASES[kind]))
      const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
      )
      const cases = casesOfProperty(CASES[kind])
      const seen = new Map<number, number>()
      for (const [index, { path, method, operation }] of operations.entries()) {
        let world = await newWorld()
        const token = await tokenOfEngine(world)
        const requests = fc.tuple(
          fc.oneof({ arbitrary: fc.constant<CallerName>('owner'), weight: 5 }, fc.constantFrom(...CALLERS)),
          requestsTo(path, operation, { fitting: fittingTo(path, world), all: idsOf(world) }, resolve),
        )
        const property = fc.asyncProperty(requests, async ([name, request]) => {
          const client = path.includes('/internal/') ? engineWith(token) : await callerOf(name, world, token)
          const answer = await client.request(method, request.path, patient(request), request.headers)
          seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1)
          refuseUndescribed(answer, operation)
          if (method === 'DELETE' && answer.status === 204) world = await newWorld()
        })
        await fc.assert(property, { ...cases, seed: cases.seed + index, endOnFailure: true }).catch((error) => {
          throw new Error(`${method} ${path}`, { cause: error })
        })
      }
      // It has reached what is behind the checks, and not only the checks.
      expect([...seen.keys()]).toEqual(expect.arrayContaining([200, 201, 204, 400, 401, 403, 404]))
      const defects = platform.lines.filter((line) => JSON.stringify(line).includes('internal error'))
      expect(defects).toEqual([])
    },
    LIMIT_MS,
  )

  const newWorld = () =>
    addWorld(database(), cast, 'project.read', {
      hasSub: true,
      hasProject: true,
      hasCatalog: true,
      hasDrafts: true,
      hasServer: true,
      hasRelease: true,
    })

  /** The token of the engine of a world. */
  async function tokenOfEngine({ org, server }: World): Promise<string> {
    const { text, hash } = newToken('srv')
    await database()
      .unscoped.tables.updateTable('servers')
      .set({ token_hash: hash })
      .where('org_id', '=', org)
      .where('id', '=', server)
      .execute()
    return text
  }

  const engineWith = (token: string) => platform.program(token)

  async function callerOf(name: CallerName, world: World, engine: string): Promise<Client> {
    if (name === 'none') return platform.program(undefined)
    if (name === 'engine') return engineWith(engine)
    if (name === 'key') return platform.program(world.keys.narrow.token)
    const client = platform.browser()
    client.cookies.set('session', (await signIn(database(), cast[name])).token)
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
    const [isAsDescribed, faults] = validatorOf(described.schema).Errors(body)
    expect(isAsDescribed ? [] : faults, text.slice(0, 2000)).toEqual([])
  }

  const validators = new Map<object, ReturnType<typeof Compile>>()
  function validatorOf(schema: object) {
    const known = validators.get(schema)
    if (known !== undefined) return known
    // References begin at the root of the document.
    const made = Compile({ ...schema, components: description.components })
    validators.set(schema, made)
    return made
  }

  /** What a reference of the document stands for. */
  function resolve<T extends Schema>(schema: T): T {
    const [, group = '', name = ''] = /^#\/components\/(\w+)\/(\w+)$/.exec(schema.$ref ?? '') ?? []
    return group === '' ? schema : ((description.components[group]?.[name] ?? fail(`no ${name}`)) as T)
  }
})

function fail(message: string): never {
  throw new Error(message)
}

/** Heartbeats are not held here. */
const patient = ({ body }: GeneratedRequest) => body?.replace(/"wait_ms":\d+/, '"wait_ms":0')

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

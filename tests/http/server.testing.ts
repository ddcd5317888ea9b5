import type { CapabilityProvider } from '@engine/ruleset'
import { Check } from 'typebox/value'
import { composeSingle } from '../../apps/engine-server/src/compose/single-process.ts'
import { describedBy } from '../../apps/engine-server/src/compose/transports.ts'
import { readConfiguration } from '../../apps/engine-server/src/config/config.ts'
import { answersOf, type Described, openApiOf } from '../../apps/engine-server/src/http/openapi.ts'
import { patternOf } from '@engine/http-server'
import { type Route, routesOf } from '../../apps/engine-server/src/http/routes.ts'
import { type Log, shutDown } from '@engine/process'

/** A server in this process, on a free port of loopback. */
export interface TestServer {
  readonly url: string
  /** Host and port of gRPC; empty without an option that begins with `--grpc-`. */
  readonly grpc: string
  /** The log: level and message. */
  readonly logged: readonly string[]
  /** The fields of the same lines. */
  readonly loggedFields: readonly object[]
  request(method: string, path: string, options?: RequestOptions): Promise<Reply>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply>
  /** As after SIGTERM; the steps of the shutdown may take this long, by default 5 s. */
  stop(milliseconds?: number): Promise<void>
}

export interface RequestOptions {
  readonly body?: string | Uint8Array | undefined
  readonly headers?: Record<string, string>
}

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; undefined when it is none. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  readonly body: any
}

/** A connection that is kept would be waited for at each stop. */
const CLOSE = { connection: 'close' }
/** The requests of the fast lane, which has only connections that are kept. */
const EXECUTE = '/api/v1/execute/'

export const JSON_TYPE = { 'content-type': 'application/json' }

/** Start with these options of the command line. */
export function startServer(...options: readonly string[]): Promise<TestServer> {
  return startHost([], ...options)
}

/** Start like a host program with separate capabilities. */
export async function startHost(
  capabilities: readonly CapabilityProvider[],
  ...options: readonly string[]
): Promise<TestServer> {
  const place = options.includes('--disable-http') ? [] : ['--http-addr', '127.0.0.1:0']
  const noGrpc = options.some((option) => option.startsWith('--grpc-')) ? [] : ['--disable-grpc']
  const start = readConfiguration([...place, ...noGrpc, ...options], {})
  if (start.kind === 'end') throw new Error(start.output)
  const logged: string[] = []
  const loggedFields: object[] = []
  const note = (level: string) => (fields: object, message: string) => {
    logged.push(`${level}: ${message}`)
    loggedFields.push(fields)
  }
  const log: Log = {
    debug: note('debug'),
    info: note('info'),
    warn: note('warn'),
    error: note('error'),
    fatal: note('fatal'),
    flush: () => Promise.resolve(),
  }
  const engine = await composeSingle({
    configuration: start.configuration,
    instanceId: start.configuration.instanceId ?? 'test',
    log,
    ownCapabilities: capabilities,
  })
  const { url = 'http://localhost', grpc = '' } = await engine.listen()
  const described = describedBy(start.configuration, { hasTokens: start.configuration.apiTokensFile !== undefined })
  const { metricsEnabled: hasMetrics, debugMode, authzenConfig, ofrep, receipts } = start.configuration
  const routes = routesOf({
    hasTenants: described.hasTenants,
    hasMetrics,
    debugMode,
    hasAuthzen: authzenConfig !== undefined,
    hasFlags: ofrep !== 'off',
    hasReceipts: receipts !== 'off',
  })
  const request: TestServer['request'] = async (method, path, { body, headers = {} } = {}) => {
    const reply = await fetch(`${url}${path}`, {
      method,
      headers: { ...(path.startsWith(EXECUTE) ? {} : CLOSE), ...headers },
      ...(body === undefined ? {} : { body: body as string }),
    })
    const text = await reply.text()
    const route = routes.find((one) => one.method === method && patternOf(one).test(path.split('?')[0] ?? ''))
    if (route !== undefined) requireDescribed(described, route, reply, text)
    return { status: reply.status, headers: reply.headers, text, body: parsed(text) }
  }
  return {
    url,
    grpc,
    logged,
    loggedFields,
    request,
    post: (path, body, headers = {}) =>
      request('POST', path, {
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { ...JSON_TYPE, ...headers },
      }),
    stop: (milliseconds = 5000) => shutDown(engine.shutdown, milliseconds, log),
  }
}

/** Every answer that a test sees is one that the description of its server has. */
function requireDescribed(described: Described, route: Route, { status, headers }: Response, text: string): void {
  if (BEFORE_ROUTES.has(status)) return
  const named = headersOf(described, route, status)
  const unnamed = DESCRIBED_HEADERS.filter((name) => headers.has(name) && !named.includes(name))
  if (unnamed.length > 0) throw new Error(`${route.method} ${route.path}: ${status} with ${unnamed.join(', ')}`)
  const type = headers.get('content-type')?.split(';')[0]
  if (status === 204 || status === 304 || (status === 200 && type !== 'application/json')) return
  if (!answersOf(route, status, described).some((schema) => Check(schema, parsed(text))))
    throw new Error(`${route.method} ${route.path}: ${status} with ${text} is not in the description`)
}

/** Refusals of a request by its headers alone, for any target. */
const BEFORE_ROUTES: ReadonlySet<number> = new Set([417, 431])

/** Headers that an answer has only where the description names them. */
const DESCRIBED_HEADERS = [
  'accept-encoding',
  'etag',
  'link',
  'location',
  'retry-after',
  'www-authenticate',
  'x-next-cursor',
]

/** The headers of an answer in the description, in small letters. */
function headersOf(described: Described, route: Route, status: number): readonly string[] {
  const { paths, components } = openApiOf([route], described) as unknown as Description
  const [answer] = Object.values(paths).flatMap((path) => Object.values(path).map(({ responses }) => responses[status]))
  const shared = answer?.$ref === undefined ? answer : components.responses[answer.$ref.split('/').at(-1) ?? '']
  return Object.keys(shared?.headers ?? {}).map((name) => name.toLowerCase())
}

interface Description {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Shared>> }>>>
  >
  readonly components: { readonly responses: Readonly<Record<string, Shared>> }
}

interface Shared {
  readonly $ref?: string
  readonly headers?: Readonly<Record<string, unknown>>
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** A small ruleset: `ADULT` from 18 on. */
export function adultCheck(changes: { config?: object; steps?: object; rest?: object } = {}) {
  return {
    config: { name: 'adult-check', version: '1.0.0', entry_step: 'check', ...changes.config },
    steps: {
      check: {
        id: 'check',
        name: 'Old enough?',
        type: 'decision',
        branches: [{ condition: 'age >= 18', next_step: 'yes' }],
        default_next: 'no',
      },
      yes: { id: 'yes', name: 'Adult', type: 'terminal', result: { code: 'ADULT', message: 'may order', limit: 100 } },
      no: { id: 'no', name: 'Minor', type: 'terminal', result: { code: 'MINOR', message: 'needs a guardian' } },
      ...changes.steps,
    },
    ...changes.rest,
  }
}

/** A ruleset that would take minutes: each of its many rounds searches a long text, and creates next to nothing. */
export function endless(name: string, config: object) {
  const found = `contains("${'a'.repeat(20_000)}", format("a{0}", coalesce($n, 0)))`
  return {
    config: { name, entry_step: 'a', max_depth: 1_000_000, ...config },
    steps: {
      a: { id: 'a', type: 'decision', branches: [{ condition: '$n < 0', next_step: 'z' }], default_next: 'b' },
      b: {
        id: 'b',
        type: 'action',
        actions: [{ action: 'set_variable', name: 'n', value: `len(to_string(${found}))` }],
        next_step: 'a',
      },
      z: { id: 'z', type: 'terminal', result: { code: 'Z', message: '' } },
    },
  }
}

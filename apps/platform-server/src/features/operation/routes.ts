import { MEDIA } from '@engine/http-server'
import { TIMED_OUT, within } from '@engine/process'
import { type Static, Type } from 'typebox'
import { json } from '../../http/json-response.ts'
import type { Database } from '../../database/database.ts'
import { openRoute, type Route } from '../../http/route.ts'
import type { Metrics } from '../../telemetry/metrics.ts'

const Check = Type.Enum(['ok', 'failed'])

const Health = Type.Object(
  {
    status: Type.Enum(['healthy', 'unhealthy']),
    version: Type.String(),
    uptime_seconds: Type.Integer({ minimum: 0 }),
    checks: Type.Object({
      database: Check,
      migrations: Check,
      jobs: Check,
      storage: Type.String({ description: '`ok`, or why the embedded database can store nothing' }),
    }),
    database: Type.Object({
      mode: Type.Enum(['embedded', 'postgres']),
      migration: Type.Integer({ description: 'number of the last one' }),
    }),
    servers: Type.Object({ total: Type.Integer({ minimum: 0 }), healthy: Type.Integer({ minimum: 0 }) }),
  },
  { title: 'Health' },
)

const ProxyHealth = Type.Object(
  {
    status: Type.Enum(['healthy', 'unhealthy']),
    database: Type.Enum(['ok', 'away'], {
      description: 'unavailable: the proxy works from memory, for `--proxy-stale-secs`',
    }),
  },
  { title: 'ProxyHealth' },
)

const Liveness = Type.Object({ status: Type.Literal('alive') }, { title: 'Liveness' })

export interface OperationParts {
  readonly database: Database
  readonly version: string
  /** Undefined: metrics are disabled. */
  readonly metrics: Metrics | undefined
  /** Number of engines, and of those in contact. */
  readonly servers: () => Promise<{ readonly total: number; readonly healthy: number }>
  /** Whether periodic jobs are running. */
  readonly jobsRun: () => boolean
  /** Whether the proxy can decide while the database is unavailable. */
  readonly decidesAlone: () => boolean
  /** False once the shutdown begins. */
  readonly isReady: () => boolean
}

const group = 'Operation'

/** Probes and metrics, without authentication. */
export function operationRoutes(parts: OperationParts): readonly Route[] {
  const count = createCount(parts.servers)
  const probe = (path: string): Route =>
    openRoute({
      method: 'GET',
      path,
      right: 'none',
      summary: 'Check readiness',
      group,
      query: 'any',
      isUnlimited: true,
      ignoresCredentials: true,
      answers: { 200: Health, 503: Health },
      async handle() {
        const health = await healthOf(parts, count)
        return json(health.status === 'healthy' ? 200 : 503, health)
      },
    })
  const { metrics } = parts
  return [
    probe('/health'),
    probe('/healthz/ready'),
    openRoute({
      method: 'GET',
      path: '/healthz/proxy',
      right: 'none',
      summary: 'Check the readiness of the proxy, which also works without the database for a while',
      group,
      query: 'any',
      isUnlimited: true,
      ignoresCredentials: true,
      answers: { 200: ProxyHealth, 503: ProxyHealth },
      async handle() {
        const isUp = await doesAnswer(parts.database)
        const isHealthy = (isUp || parts.decidesAlone()) && parts.isReady()
        const status = isHealthy ? 'healthy' : 'unhealthy'
        return json(isHealthy ? 200 : 503, { status, database: isUp ? 'ok' : 'away' })
      },
    }),
    openRoute({
      method: 'GET',
      path: '/healthz/live',
      right: 'none',
      summary: 'Check liveness',
      group,
      query: 'any',
      isUnlimited: true,
      ignoresCredentials: true,
      answers: { 200: Liveness },
      handle: async () => json(200, { status: 'alive' }),
    }),
    ...(metrics === undefined ? [] : [metricsRoute(metrics)]),
  ]
}

function metricsRoute(metrics: Metrics): Route {
  return openRoute({
    method: 'GET',
    path: '/metrics',
    right: 'none',
    summary: 'Get metrics in the text exposition format',
    group,
    query: 'any',
    isUnlimited: true,
    ignoresCredentials: true,
    produces: MEDIA.metrics,
    answers: { 200: Type.String() },
    handle: async () => ({ status: 200, body: await metrics.text(), type: MEDIA.metrics }),
  })
}

/** Milliseconds that a probe waits for the database. */
const PING_WAIT_MS = 2000
/** Milliseconds that a probe waits for the number of engines: a lock on their table must not make the platform unready. */
const COUNT_WAIT_MS = 500

async function healthOf(
  { database, version, jobsRun, isReady }: OperationParts,
  count: () => Promise<ServerCount>,
): Promise<Static<typeof Health>> {
  const isUp = await doesAnswer(database)
  const servers = isUp ? await count() : NO_SERVERS
  const fault = await database.storageFault()
  const jobs = jobsRun()
  return {
    status: isUp && jobs && fault === undefined && isReady() ? 'healthy' : 'unhealthy',
    version,
    uptime_seconds: Math.floor(process.uptime()),
    // The platform does not start with a database of other migrations.
    checks: {
      database: isUp ? 'ok' : 'failed',
      migrations: 'ok',
      jobs: jobs ? 'ok' : 'failed',
      storage: fault ?? 'ok',
    },
    database: { mode: database.mode, migration: database.migration },
    servers,
  }
}

async function doesAnswer(database: Database): Promise<boolean> {
  try {
    return (await within(PING_WAIT_MS, database.ping())) !== TIMED_OUT
  } catch {
    return false
  }
}

type ServerCount = Awaited<ReturnType<OperationParts['servers']>>
const NO_SERVERS: ServerCount = { total: 0, healthy: 0 }

/** The number of engines, or the last known one if counting takes too long. Only one count runs at a time. */
function createCount(servers: OperationParts['servers']): () => Promise<ServerCount> {
  let last = NO_SERVERS
  let counting: Promise<void> | undefined
  return async () => {
    counting ??= servers()
      .then(
        (counted) => void (last = counted),
        () => {},
      )
      .finally(() => (counting = undefined))
    await within(COUNT_WAIT_MS, counting)
    return last
  }
}

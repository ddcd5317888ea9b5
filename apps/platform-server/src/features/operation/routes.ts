import { MEDIA } from '@engine/http-server'
import { LATE, within } from '@engine/process'
import { type Static, Type } from 'typebox'
import { json } from '../../http/json-answer.ts'
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

const Liveness = Type.Object({ status: Type.Literal('alive') }, { title: 'Liveness' })

export interface OperationParts {
  readonly database: Database
  readonly version: string
  /** Undefined: there are none to answer. */
  readonly metrics: Metrics | undefined
  /** Engines, by their last contact. */
  readonly servers: () => Promise<{ readonly total: number; readonly healthy: number }>
  /** Whether periodic work goes on. */
  readonly jobsRun: () => boolean
  /** The shutdown has begun. */
  readonly isReady: () => boolean
}

const group = 'Operation'

/** Probes and metrics, without credentials. */
export function operationRoutes(parts: OperationParts): readonly Route[] {
  const probe = (path: string): Route =>
    openRoute({
      method: 'GET',
      path,
      right: 'none',
      summary: 'Whether requests can be answered',
      group,
      query: 'any',
      isUnlimited: true,
      ignoresCredentials: true,
      answers: { 200: Health, 503: Health },
      async handle() {
        const health = await healthOf(parts)
        return json(health.status === 'healthy' ? 200 : 503, health)
      },
    })
  const { metrics } = parts
  return [
    probe('/health'),
    probe('/healthz/ready'),
    openRoute({
      method: 'GET',
      path: '/healthz/live',
      right: 'none',
      summary: 'Whether the process runs',
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
    summary: 'Metrics in the text exposition format',
    group,
    query: 'any',
    isUnlimited: true,
    ignoresCredentials: true,
    produces: MEDIA.metrics,
    answers: { 200: Type.String() },
    handle: async () => ({ status: 200, body: await metrics.text(), type: MEDIA.metrics }),
  })
}

/** A probe waits no longer for the database. */
const PATIENCE_MS = 2000

async function healthOf({
  database,
  version,
  servers,
  jobsRun,
  isReady,
}: OperationParts): Promise<Static<typeof Health>> {
  const counted = await answered(servers)
  const isUp = counted !== undefined
  const fault = await database.storageFault()
  const jobs = jobsRun()
  return {
    status: isUp && jobs && fault === undefined && isReady() ? 'healthy' : 'unhealthy',
    version,
    uptime_seconds: Math.floor(process.uptime()),
    // A database that is not of this program's migrations is refused at the start.
    checks: {
      database: isUp ? 'ok' : 'failed',
      migrations: 'ok',
      jobs: jobs ? 'ok' : 'failed',
      storage: fault ?? 'ok',
    },
    database: { mode: database.mode, migration: database.migration },
    servers: counted ?? { total: 0, healthy: 0 },
  }
}

/** Undefined: the database did not answer in time. */
async function answered<T>(query: () => Promise<T>): Promise<T | undefined> {
  try {
    const result = await within(PATIENCE_MS, query())
    return result === LATE ? undefined : result
  } catch {
    return undefined
  }
}

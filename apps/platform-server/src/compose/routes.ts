import type { Log } from '@engine/process'
import type { Configuration } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { identityRoutes } from '../features/identity/routes.ts'
import { createSignIn } from '../features/identity/sign-in.ts'
import { operationRoutes } from '../features/operation/routes.ts'
import type { Cookies } from '../http/cookies.ts'
import type { Route } from '../http/route.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { VERSION } from '../version.ts'
import type { PublicPlace } from './places.ts'

/** What the features are made of. */
export interface FeatureParts {
  readonly configuration: Configuration
  readonly database: Database
  readonly metrics: Metrics
  readonly cookies: Cookies
  readonly log: Log
  /** Known when the platform listens. */
  readonly place: () => PublicPlace
  readonly jobsRun: () => boolean
  readonly isDraining: () => boolean
}

/** The routes of all features: the one place that names them. */
export async function composeRoutes(parts: FeatureParts): Promise<readonly Route[]> {
  const { configuration, database, metrics, cookies, log, jobsRun, isDraining } = parts
  const signIn = createSignIn(database, metrics, log)
  return [
    ...operationRoutes({
      database,
      version: VERSION,
      metrics: configuration.metricsEnabled ? metrics : undefined,
      servers: () => countServers(database),
      jobsRun,
      isDraining,
    }),
    ...identityRoutes({
      database,
      signIn,
      cookies,
      registration: configuration.allowRegistration,
      hasSingleSignOn: false,
    }),
  ]
}

async function countServers({ unscoped }: Database): Promise<{ readonly total: number; readonly healthy: number }> {
  const { total, healthy } = await unscoped.tables
    .selectFrom('servers')
    .select((eb) => [
      eb.fn.countAll<number>().as('total'),
      eb.fn.countAll<number>().filterWhere('healthy', '=', true).as('healthy'),
    ])
    .executeTakeFirstOrThrow()
  return { total, healthy }
}

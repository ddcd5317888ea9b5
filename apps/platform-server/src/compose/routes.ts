import type { Log } from '@engine/process'
import type { SecretBox } from '../access/secret-box.ts'
import type { Configuration } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { archiveRoutes } from '../features/archives/routes.ts'
import { auditRoutes } from '../features/audit/routes.ts'
import { statisticsRoutes } from '../features/statistics/routes.ts'
import { assistantRoutes } from '../features/assistants/routes.ts'
import { apiKeyRoutes } from '../features/api-keys/routes.ts'
import { catalogRoutes } from '../features/catalog/routes.ts'
import { draftRoutes } from '../features/drafts/routes.ts'
import { livenessOf } from '../features/engines/liveness.ts'
import { driftedServers } from '../features/engines/drift.ts'
import { serversWithReceiptFaults } from '../features/engines/receipt-witness.ts'
import type { Analyses } from '../compute/analyses.ts'
import type { Compute } from '../compute/compute.ts'
import { executionRoutes } from '../features/test-suites/routes.ts'
import type { KnownDestinations } from '../features/proxy/destinations.ts'
import { proxyMetrics } from '../features/proxy/metrics.ts'
import { proxyRoutes } from '../features/proxy/routes.ts'
import { environmentRoutes } from '../features/environments/routes.ts'
import { eventRoutes } from '../features/events/routes.ts'
import { engineRoutes } from '../features/engines/routes.ts'
import { interchangeRoutes } from '../features/interchange/routes.ts'
import { createEngineRecording } from '../features/recording/intake.ts'
import { recordingRoutes } from '../features/recording/routes.ts'
import { projectRoutes } from '../features/projects/routes.ts'
import { templateRoutes } from '../features/templates/routes.ts'
import { identityRoutes } from '../features/identity/routes.ts'
import { createReset } from '../features/identity/password-reset.ts'
import { openSingleSignOn } from '../features/identity/single-sign-on.ts'
import { singleSignOnRoutes } from '../features/identity/sso-routes.ts'
import { createSignIn } from '../features/identity/sign-in.ts'
import { memberRoutes } from '../features/members/routes.ts'
import { notificationRoutes } from '../features/notifications/routes.ts'
import { operationRoutes } from '../features/operation/routes.ts'
import { organizationRoutes } from '../features/organizations/routes.ts'
import type { Tally } from '../features/rollouts/tally.ts'
import { releaseMetrics } from '../features/rollouts/metrics.ts'
import { rolloutRoutes } from '../features/rollouts/routes.ts'
import { policyRoutes } from '../features/release-policies/routes.ts'
import { releaseRoutes } from '../features/releases/routes.ts'
import type { Comparison } from '../features/shadows/comparison.ts'
import { replayRoutes } from '../features/replays/routes.ts'
import { shadowRoutes } from '../features/shadows/routes.ts'
import { subRuleRoutes } from '../features/sub-rules/routes.ts'
import { roleRoutes } from '../features/roles/routes.ts'
import { releaseSignatureRoutes } from '../features/release-signatures/routes.ts'
import { signingRoutes } from '../features/signing/routes.ts'
import type { Deliveries } from '../features/webhooks/deliveries.ts'
import { webhookRoutes } from '../features/webhooks/routes.ts'
import type { Sender } from '../features/webhooks/sender.ts'
import { isLoopback, peerBehind } from '../http/address.ts'
import type { Cookies } from '../http/cookies.ts'
import { createEventStreams } from '../http/event-stream.ts'
import type { Route } from '../http/route.ts'
import { createStreams } from '../http/streams.ts'
import type { Background } from '../jobs/background.ts'
import type { Mail } from '../mail/mail.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { VERSION } from '../version.ts'

import type { EngineAccess } from './engines.ts'
import type { PublicPlace } from './locations.ts'

/** The dependencies of the features. */
export interface FeatureParts {
  readonly configuration: Configuration
  readonly database: Database
  readonly metrics: Metrics
  readonly cookies: Cookies
  /** Undefined if mail is not configured: links are shown instead. */
  readonly mail: Mail | undefined
  readonly background: Background
  readonly log: Log
  /** Known when the platform listens. */
  readonly place: () => PublicPlace
  readonly jobsRun: () => boolean
  readonly isReady: () => boolean
  /** Aborted when the shutdown begins: pending long polls are then answered. */
  readonly closing: AbortSignal
  /** The key of the platform. */
  readonly key: Buffer
  /** Encrypts secrets in the database. */
  readonly secretBox: SecretBox
  /** Sends messages to webhooks, and delivers stored ones. */
  readonly sender: Sender
  readonly deliveries: Deliveries
  readonly engines: EngineAccess
  /** The proxy's cache of projects. */
  readonly destinations: KnownDestinations
  /** Executes drafts. */
  readonly compute: Compute
  /** Analyses drafts for all inputs. */
  readonly analyses: Analyses
  /** Counts the results of both sides of canaries. */
  readonly tally: Tally
  /** Compares live decisions with those of shadows. */
  readonly comparison: Comparison
}

/** The routes of all features: only this function lists them. */
export async function composeRoutes(parts: FeatureParts): Promise<readonly Route[]> {
  const { configuration, database, metrics, cookies, mail, background, log, place, jobsRun, isReady } = parts
  const { closing, key, secretBox, sender, deliveries, engines, compute, analyses, tally, comparison } = parts
  const { basePath, heartbeatIntervalSecs } = configuration
  const streams = createStreams(configuration.maxStreamsPerCaller)
  metrics.openStreams(() => streams.open)
  releaseMetrics(metrics.registry, () => releasesByStatus(database))
  const eventStreams = createEventStreams({ streams, wakes: database.wakes, closing })
  const publicUrl = () => place().url
  const isHere = configuration.publicUrl === undefined || isLoopback(new URL(configuration.publicUrl).hostname)
  const signIn = createSignIn(database, metrics, background)
  const singleSignOn = await openSingleSignOn(configuration, { database, signIn, publicUrl })
  const requestReset = createReset({ database, mail, dataDir: configuration.dataDir, publicUrl, background, log })
  return [
    ...operationRoutes({
      database,
      version: VERSION,
      metrics: configuration.metricsEnabled ? metrics : undefined,
      servers: () => countServers(database, heartbeatIntervalSecs),
      jobsRun,
      decidesAlone: parts.destinations.areUsable,
      isReady,
    }),
    ...identityRoutes({
      database,
      signIn,
      cookies,
      registration: configuration.allowRegistration,
      requestReset,
      hasSingleSignOn: singleSignOn !== undefined,
    }),
    ...(singleSignOn === undefined ? [] : singleSignOnRoutes(singleSignOn, cookies)),
    ...organizationRoutes({ database, basePath }),
    ...memberRoutes({ database, basePath, mail, publicUrl, log, signIn, cookies }),
    ...roleRoutes({ database, basePath }),
    ...notificationRoutes(database),
    ...auditRoutes(database, streams),
    ...apiKeyRoutes(database, basePath),
    ...archiveRoutes({ database, basePath, compute }),
    ...templateRoutes({ database, basePath, compute }),
    ...projectRoutes({ database, basePath }),
    ...environmentRoutes({ database, basePath }),
    ...catalogRoutes({ database, basePath, compute }),
    ...executionRoutes({ database, basePath, compute }),
    ...subRuleRoutes({ database, basePath, compute }),
    ...draftRoutes({ database, basePath, compute, analyses }),
    ...eventRoutes(database, eventStreams),
    ...interchangeRoutes({ database, basePath, compute }),
    ...assistantRoutes({ database, basePath, compute, analyses }),
    ...statisticsRoutes(database),
    ...rolloutRoutes({ database, basePath, heartbeatIntervalSecs, events: eventStreams }),
    ...policyRoutes({ database, basePath }),
    ...releaseRoutes({ database, basePath, compute, analyses }),
    ...engineRoutes({
      database,
      basePath,
      secrets: configuration.registrationSecret,
      heartbeatIntervalSecs,
      key,
      closing,
      secretBox,
      recording: createEngineRecording(database),
      addresses: engines.addresses,
      identities: engines.identities,
      refusals: engines.refusals,
      peerOf: peerBehind(configuration.trustedProxies, isHere),
    }),
    ...recordingRoutes(database, streams),
    ...shadowRoutes({ database, compute, basePath }),
    ...replayRoutes({ database, compute, events: eventStreams, basePath }),
    ...signingRoutes(database, secretBox),
    ...releaseSignatureRoutes(database),
    ...webhookRoutes({ database, basePath, secretBox, sender, deliveries }),
    ...proxyRoutes({
      database,
      find: parts.destinations.find,
      forwarder: engines.forwarder,
      engineAnswerMs: configuration.engineAnswerMs,
      refusals: engines.refusals,
      streams,
      tally,
      comparison,
      metrics: proxyMetrics(
        metrics.registry,
        () => serversByStatus(database, heartbeatIntervalSecs),
        () => driftedServers(database.unscoped.tables),
        () => serversWithReceiptFaults(database.unscoped.tables),
      ),
    }),
  ]
}

/** Engines by their current status. */
async function serversByStatus({ probes }: Database, intervalSecs: number) {
  const rows = await probes.tables.selectFrom('servers').select(['last_heartbeat', 'held_until', 'healthy']).execute()
  const counts = { online: 0, degraded: 0, offline: 0 }
  for (const row of rows) counts[livenessOf(row, intervalSecs * 1000, Date.now()).status]++
  return counts
}

async function releasesByStatus({ unscoped }: Database): Promise<ReadonlyMap<string, number>> {
  const rows = await unscoped.tables
    .selectFrom('releases')
    .select((eb) => ['status', eb.fn.countAll<number>().as('count')])
    .groupBy('status')
    .execute()
  return new Map(rows.map(({ status, count }) => [status, count]))
}

async function countServers(
  database: Database,
  intervalSecs: number,
): Promise<{ readonly total: number; readonly healthy: number }> {
  const { online, degraded, offline } = await serversByStatus(database, intervalSecs)
  return { total: online + degraded + offline, healthy: online }
}

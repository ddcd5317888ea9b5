import {
  httpUrl,
  type HttpServer,
  listenOrExplain,
  readTls,
  refuseTakenAddress,
  type TlsFiles,
} from '@engine/http-server'
import { exitFailed, type Log, openTracing, type Service, ShutdownList, type Tracing } from '@engine/process'
import { createSecretBox } from '../access/secret-box.ts'
import { Analyses } from '../compute/analyses.ts'
import { Compute, SHADOW_LIMITS } from '../compute/compute.ts'
import { readLargeBody } from '../compute/large-body-reader.ts'
import type { Configuration } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { openDatabase } from '../database/connection.ts'
import { coalesceReads } from '../database/read-coalescing.ts'
import { createDestinations, type KnownDestinations } from '../features/proxy/destinations.ts'
import { historyCleanUp } from '../features/engines/statistics.ts'
import { recordingCleanUp } from '../features/recording/clean-up.ts'
import { checkoutArchive } from '../features/demo/checkout.ts'
import { runDemo } from '../features/demo/start.ts'
import { Templates } from '../features/templates/templates.ts'
import { firstToken, removeFirstLink, writeFirstLink } from '../features/identity/first-start.ts'
import { createKnownKeys, holderOfKey, type KnownKeys } from '../features/identity/api-key-cache.ts'
import { personOfSession } from '../features/identity/sessions.ts'
import { addressBehind } from '../http/address.ts'
import { type Cookies, createCookies } from '../http/cookies.ts'
import { identifyBy } from '../http/credentials.ts'
import { createIdempotency } from '../http/idempotency.ts'
import { createRateLimit } from '../http/rate-limit.ts'
import type { Route } from '../http/route.ts'
import { createHttpServer } from '../http/server.ts'
import { openStudio, STUDIO_FILES } from '../http/studio.ts'
import { type Background, createBackground } from '../jobs/background.ts'
import { cleanUp } from '../jobs/clean-up.ts'
import { type Jobs, startJobs } from '../jobs/periodic.ts'
import { MemoryBudget } from '../memory/memory-budget.ts'
import { SharedBytes } from '../memory/shared-bytes.ts'
import { retention } from '../jobs/retention.ts'
import { openMail } from '../mail/mail.ts'
import { createMetrics, type Metrics } from '../telemetry/metrics.ts'
import { type OutageMetrics, outageMetrics } from '../telemetry/outage-metrics.ts'
import { VERSION } from '../version.ts'
import { type PublicPlace, isSecure, locationOf, publicPlace } from './locations.ts'
import { startRolloutJob } from '../features/rollouts/job.ts'
import { startTally } from '../features/rollouts/tally.ts'
import { startReplays } from '../features/replays/work.ts'
import { startComparison } from '../features/shadows/comparison.ts'
import { composeEngines } from './engines.ts'
import { composeRoutes, type FeatureParts } from './routes.ts'
import { secretKey } from './secret-key.ts'
import { composeWebhooks } from './webhooks.ts'

/** A platform that accepts requests. */
export interface Started {
  readonly url: string
  readonly publicUrl: string
  readonly database: Database['mode']
  /** The link of the first sign-in; undefined if a person has signed in before. */
  readonly firstLink: string | undefined
}

/** The input of the composition. */
export interface Process {
  readonly configuration: Configuration
  readonly instanceId: string
  readonly log: Log
}

/** Composes the platform. Rejects with a `StartError`. */
export async function composePlatform(process: Process): Promise<Service<Started>> {
  const { configuration, instanceId, log } = process
  const shutdown = new ShutdownList()
  const tls = await readTls('http', configuration.httpTlsCert, configuration.httpTlsKey)
  // The first start of the embedded database takes seconds.
  await refuseTakenAddress({ tcp: configuration.http })
  const database = await openDatabase(locationOf(configuration, instanceId), log)
  let isClosing = false
  const close = () => {
    isClosing = true
    return database.close()
  }
  database.lost.catch((err: unknown) => {
    if (!isClosing) exitFailed(log, { err }, 'the database is gone')
  })
  shutdown.add('database', 0.8, close)
  try {
    return await composeOn(database, process, tls, shutdown)
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Composes the platform on an open database, which it does not close. Rejects with a `StartError`.
 *
 * @internal
 */
export async function composeOn(
  database: Database,
  { configuration, instanceId, log }: Process,
  tls: TlsFiles | undefined,
  shutdown: ShutdownList,
): Promise<Service<Started>> {
  const metrics = createMetrics(VERSION)
  const outage = outageMetrics(metrics.registry)
  const { traces, serviceName } = configuration
  const identity = { service: serviceName, program: 'engine-platform', version: VERSION, instance: instanceId }
  const tracing = await openTracing({ traces, ...identity }, log, shutdown)
  const cookies = createCookies(isSecure(configuration))
  // Updated when it listens: the system may choose the port.
  let place: PublicPlace = publicPlace(configuration, configuration.http.port)
  let isDraining = false
  let hasFirstLink = false
  const jobs = startPeriodicWork(configuration, database, log, shutdown)
  const background = createBackground(log)
  shutdown.add('work in the background', 0.5, () => background.settled())
  const mail = await openMail(configuration)
  if (mail !== undefined) shutdown.add('mail', 1, async () => mail.close())
  const closing = new AbortController()
  const key = await secretKey(configuration)
  const engines = composeEngines(configuration, { database, key, log, closing: closing.signal }, shutdown)
  const secretBox = createSecretBox(key)
  const { sender, deliveries } = composeWebhooks(configuration, { database, secretBox, metrics, log }, shutdown)
  const executions = startExecutions(configuration, { database, outage, log }, shutdown)
  const { compute } = executions
  const { keys, destinations } = openProxyCaches(configuration, { database, outage, key }, shutdown)
  const routes = await composeRoutes({
    configuration,
    database,
    metrics,
    cookies,
    mail,
    background,
    log,
    place: () => place,
    jobsRun: () => jobs.run,
    isReady: () => hasFirstLink && !isDraining,
    closing: closing.signal,
    key,
    secretBox,
    sender,
    deliveries,
    engines,
    destinations,
    ...executions,
  })
  const http = await openHttp(configuration, {
    database,
    compute,
    keys,
    cookies,
    routes,
    origin: () => place.origin,
    tls,
    log,
    tracing,
    metrics,
  })
  shutdown.add('connections', 1, async () => http.close())
  shutdown.add('requests', 0.8, () => http.drain())
  shutdown.add('held requests', 1, async () => closing.abort())
  shutdown.add('readiness', 1, async () => void (isDraining = true))
  return {
    async reload() {
      const now = await readTls('http', configuration.httpTlsCert, configuration.httpTlsKey)
      if (now === undefined) return []
      http.replaceTls(now)
      return ['--http-tls-cert', '--http-tls-key']
    },
    async listen() {
      const tcp = configuration.http
      const { port = tcp.port } = await listenOrExplain(http, { tcp, socketPath: undefined })
      place = publicPlace(configuration, port)
      const link = await firstLink(configuration, database, place)
      hasFirstLink = true
      const { signal } = closing
      await beginDemo({ configuration, database, background, platformUrl: place.url, compute, closing: signal })
      return {
        url: httpUrl(tls === undefined ? 'http' : 'https', tcp.host, port),
        publicUrl: place.url,
        database: database.mode,
        firstLink: link,
      }
    },
    shutdown: shutdown.steps,
  }
}

function startPeriodicWork(configuration: Configuration, database: Database, log: Log, shutdown: ShutdownList): Jobs {
  const { tables } = database.unscoped
  const jobs = startJobs(
    database,
    [
      cleanUp(tables),
      historyCleanUp(tables, configuration.metricsRetentionHours),
      recordingCleanUp(tables),
      retention(database, configuration.auditRetentionDays),
    ],
    log,
  )
  shutdown.add('periodic work', 0.5, () => jobs.stop())
  return jobs
}

interface ExecutionParts {
  readonly database: Database
  readonly outage: OutageMetrics
  readonly log: Log
}

/** Starts the executions of drafts, shadows and releases, and the counts of their results. */
function startExecutions(
  { heartbeatIntervalSecs }: Configuration,
  { database, outage, log }: ExecutionParts,
  shutdown: ShutdownList,
): Pick<FeatureParts, 'compute' | 'analyses' | 'comparison' | 'tally'> {
  const compute = new Compute()
  shutdown.add('executions of drafts', 0.5, () => compute.close())
  const analyses = new Analyses()
  shutdown.add('analyses of drafts', 0.5, () => analyses.close())
  const replays = startReplays({ database, analyses, log })
  shutdown.add('replays', 0.5, () => replays.stop())
  const shadowing = new Compute(SHADOW_LIMITS)
  shutdown.add('executions of shadows', 0.5, () => shadowing.close())
  const comparison = startComparison(database, shadowing, log, (requests) => outage.droppedCounts('shadow', requests))
  shutdown.add('counts of shadows', 0.5, () => comparison.stop())
  const tally = startTally(database, log, (requests) => outage.droppedCounts('canary', requests))
  const rollouts = startRolloutJob({ database, heartbeatIntervalSecs, log })
  shutdown.add('executions of releases', 0.5, () => rollouts.stop())
  shutdown.add('counts of canaries', 0.5, () => tally.stop())
  return { compute, analyses, comparison, tally }
}

interface ProxyCacheParts {
  readonly database: Database
  readonly outage: OutageMetrics
  readonly key: Buffer
}

/** Opens the caches that let decisions continue while the database is unavailable. */
function openProxyCaches(
  { heartbeatIntervalSecs, proxyStaleSecs }: Configuration,
  { database, outage, key }: ProxyCacheParts,
  shutdown: ShutdownList,
): { readonly keys: KnownKeys; readonly destinations: KnownDestinations } {
  const keptMs = proxyStaleSecs * 1000
  const destinations = createDestinations({ database, key, heartbeatIntervalSecs }, keptMs, () =>
    outage.servedStale('project'),
  )
  const keys = createKnownKeys(database, keptMs, () => outage.servedStale('key'))
  shutdown.add('known keys and destinations', 1, async () => {
    keys.close()
    destinations.close()
  })
  return { keys, destinations }
}

interface HttpParts {
  readonly database: Database
  readonly compute: Compute
  readonly keys: KnownKeys
  readonly cookies: Cookies
  readonly routes: readonly Route[]
  /** The origin of the studio's pages. */
  readonly origin: () => string
  readonly tls: TlsFiles | undefined
  readonly log: Log
  readonly tracing: Tracing | undefined
  readonly metrics: Metrics
}

function openHttp(configuration: Configuration, parts: HttpParts): Promise<HttpServer> {
  const { database, compute, keys, cookies, routes, origin, tls, log, tracing, metrics } = parts
  const { tables } = database.unscoped
  const { basePath, rateLimit } = configuration
  const requestTimeoutMs = configuration.requestTimeoutSecs * 1000
  const addressOf = addressBehind(configuration.trustedProxies)
  const credentials = {
    session: (token: string) => personOfSession(tables, token),
    key: coalesceReads(
      (token: string) => holderOfKey(tables, token),
      (token) => token,
    ),
    decisionKey: (token: string) => keys.holderOf(token),
  }
  return createHttpServer(
    {
      tcp: configuration.http,
      tls,
      socketPath: undefined,
      basePath,
      isSecure: isSecure(configuration),
      accessLog: configuration.accessLog,
      maxBytes: configuration.maxRequestBodyBytes,
      arrivingBodies: arrivingBodies(configuration),
      memory: new MemoryBudget(),
      maxConnections: configuration.maxConnections,
      requestTimeoutMs,
    },
    {
      routes,
      identification: identifyBy(credentials, cookies, origin, createRateLimit(rateLimit), addressOf),
      addressOf,
      readLarge: readLargeBody(compute),
      idempotency: createIdempotency(database, requestTimeoutMs),
      log,
      tracing,
      requests: metrics.httpRequests,
      studio: openStudio(STUDIO_FILES, basePath),
    },
  )
}

/** One organization may use half of the memory for arriving bodies, or the size of the largest body. */
function arrivingBodies({ maxUnreadBodyBytes: total, maxRequestBodyBytes }: Configuration): SharedBytes {
  return new SharedBytes(total, Math.min(total, Math.max(total / 2, maxRequestBodyBytes)))
}

/** Until the first person has signed in, each start creates a new link. */
async function firstLink(
  { adminEmail, dataDir }: Configuration,
  database: Database,
  { url }: PublicPlace,
): Promise<string | undefined> {
  const token = await firstToken(database, adminEmail)
  if (token !== undefined) return writeFirstLink(dataDir, url, token)
  await removeFirstLink(dataDir)
  return undefined
}

interface DemoStart {
  readonly configuration: Configuration
  readonly database: Database
  readonly background: Background
  readonly platformUrl: string
  readonly compute: Compute
  readonly closing: AbortSignal
}

/** Creates the demonstration while requests are answered: the first administrator has an account by then. */
async function beginDemo({
  configuration,
  database,
  background,
  platformUrl,
  compute,
  closing,
}: DemoStart): Promise<void> {
  const { demo: hasDemo, dataDir, adminEmail } = configuration
  if (!hasDemo) return
  const parts = { database, archive: await checkoutArchive(new Templates()), adminEmail, compute }
  background.run('the demonstration', () => runDemo(parts, { dataDir, platformUrl }, closing))
}

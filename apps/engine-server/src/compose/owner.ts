import cluster from 'node:cluster'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tooManyConnections } from '@engine/http-server'
import { type Credentials, optionsOf, readCredentials, readCredentialsAgain } from '../access/credentials.ts'
import { createCredentialsInUse } from '../access/credentials-in-use.ts'
import { requesterBehindWorker } from '../http/http-requester.ts'
import type { Engine } from '../lifecycle/start-text.ts'
import type { HealthService } from '../services/health.ts'
import { StartError, starting } from '@engine/process'
import { createListeners } from '../workers/listeners.ts'
import { createReplicaFeed } from '../workers/replica-feed.ts'
import { reportedByWorkers } from '../workers/server-receipts.ts'
import { createServerRecording } from '../workers/server-recording.ts'
import { createServerStatistics } from '../workers/server-statistics.ts'
import { createServerMetrics, type ServerMetrics } from '../workers/server-metrics.ts'
import { createWorkerPool, type PoolOwner, type WorkerPool } from '../workers/worker-pool.ts'
import { openStandards, type StandardsInUse } from '../standards/standard-files.ts'
import { beginSync, type Core, healthOf, openCore, type Process, started, withLock } from './core.ts'
import { addressesOf, listenAt, openTransports, servedBy, type Transports } from './transports.ts'
import { withKeys } from '../services/receipts.ts'
import type { ReceiptsHere } from './receipts.ts'

/**
 * Compose the process that owns the store while workers answer: it accepts and dispatches connections, forwards every
 * change to the workers, and answers requests that need more than a replica of the rulesets. Rejects with a
 * `StartError`.
 *
 * @param giveUp called when no worker can be started
 */
export function composeOwner(process: Omit<Process, 'shutdown'>, giveUp: (reason: string) => void): Promise<Engine> {
  if (!cluster.isPrimary) throw new StartError('--workers: this process is a worker of another program already')
  return withLock(process, (locked) => composeLocked(locked, giveUp))
}

async function composeLocked(process: Process, giveUp: (reason: string) => void): Promise<Engine> {
  const { configuration, instanceId, log, shutdown } = process
  const { workers: count, maxConnections, watchdogSecs } = configuration
  const credentials = await readCredentials(configuration, log)
  const standards = await openStandards(configuration)
  const pool = createWorkerPool({ count, silenceMs: watchdogSecs * 1000, log, giveUp })
  const pooledMetrics = createServerMetrics((milliseconds, heard) => pool.ask({ kind: 'metrics' }, milliseconds, heard))
  const feed = createReplicaFeed(
    (question) => pool.tell(question),
    (name, tenant) => pooledMetrics.forget(name, tenant),
  )
  const core = await openCore(process, feed, credentials)
  const { audit, storage, sync, link } = core
  const statistics = createServerStatistics((milliseconds, heard) =>
    pool.ask({ kind: 'statistics' }, milliseconds, heard),
  )
  const recording = link?.recording && createServerRecording(pool, link.recording.samples)
  const health = healthOf(process, core, () => ({ configured: count, ready: pool.ready }))
  const ownerSocket = join(await privateDirectory(), 'owner.sock')
  const served = { credentials, standards, pool, pooledMetrics, health, ownerSocket }
  const transports = await openOwnerTransports(process, core, served)
  const inUse = createCredentialsInUse(credentials, async (now) => {
    transports.follow(now)
    const rotate = () => pool.tell({ kind: 'credentials', credentials: now })
    await (core.receipts === undefined ? rotate() : core.receipts.rotate(now.receiptsKey, rotate))
  })
  const refuse = tooManyConnections(log, maxConnections)
  const listeners = createListeners((connection, place) => {
    if (pool.connections < maxConnections) return pool.dispatch(connection, place)
    connection.destroy()
    refuse()
  })
  shutdown.add('workers', 0.8, async (milliseconds) => {
    health.drain()
    listeners.close()
    await pool.stop(milliseconds)
  })
  const workersOwner: PoolOwner = {
    begin: () => {
      const { tenants, stored } = feed.snapshot()
      const begin = {
        instanceId,
        ownerSocket,
        credentials: inUse.current,
        standardFiles: standards.files,
        tenants,
        sampleRate: audit.sampleRate.get(),
        recording: recording?.rules ?? [],
      }
      return { message: { kind: 'begin', ...begin }, stored }
    },
    said: (message) => passToAudit(audit, message),
    ended(number) {
      pooledMetrics.ended(number)
      statistics.ended(number)
    },
  }
  const addresses = addressesOf(configuration)
  const { http, grpc, socketPath } = addresses
  return {
    async listen() {
      const listening = await listenAt(
        addresses,
        credentials,
        {
          listen: async () => {
            const taken = http === undefined ? undefined : await listeners.listen('http', http)
            if (socketPath !== undefined) await listeners.listen('socket', { path: socketPath })
            return { port: taken?.port }
          },
        },
        grpc === undefined ? undefined : { listen: () => listeners.listen('grpc', grpc) },
      )
      await beginSync(sync)
      await transports.listen()
      const shown = started(process, core, credentials, listening)
      await pool.start(workersOwner)
      link?.begin({
        storage,
        health,
        listening,
        statistics: () => statistics.rows(link.statistics.rows()),
        workers: recording,
        receipts: reportedReceipts(core.receipts, pool),
        admitProxy: (token) => inUse.admitProxy(token),
      })
      return shown
    },
    async reload() {
      // All files are validated before anything changes; workers started later use the new ones.
      const now = await readCredentialsAgain(configuration, log)
      const options = await standards.reload()
      await pool.tell({ kind: 'standards', files: standards.files })
      await inUse.replace(now)
      return [...optionsOf(now), ...options]
    },
    shutdown: shutdown.steps,
  }
}

function passToAudit(audit: Core['audit'], message: Parameters<PoolOwner['said']>[0]): void {
  if (message.kind === 'audit') audit.forward(message.path, message.text)
  else audit.missed(message.count)
}

interface OwnerTransportParts {
  readonly credentials: Credentials
  readonly standards: StandardsInUse
  readonly pool: WorkerPool
  readonly pooledMetrics: ServerMetrics
  readonly health: HealthService
  /** The path of the socket on which workers reach the owner. */
  readonly ownerSocket: string
}

/** The listener that workers use to reach the owner. */
function openOwnerTransports(
  { configuration, log, shutdown }: Process,
  core: Core,
  { credentials, standards, pool, pooledMetrics, health, ownerSocket }: OwnerTransportParts,
): Promise<Transports> {
  const { metrics, audit, storage } = core
  return openTransports({
    configuration,
    addresses: { http: undefined, grpc: undefined, socketPath: ownerSocket },
    credentials: { ...credentials, httpTls: undefined, grpcTls: undefined },
    reception: {
      server: {
        health,
        sampleRate: {
          get: audit.sampleRate.get,
          // A new rate is answered when all processes have it.
          async set(percent, by) {
            const previous = await audit.sampleRate.set(percent, by)
            await pool.tell({ kind: 'sample-rate', percent })
            return previous
          },
        },
        metrics: configuration.metricsEnabled
          ? { contentType: metrics.contentType, text: async () => pooledMetrics.text(await metrics.text()) }
          : undefined,
        tenants: storage.tenants,
        receipts: core.receipts?.directory,
        proveIdentity: core.link?.proveIdentity,
        standards: () => standards.current,
        ...servedBy(configuration, audit),
      },
      servicesFor: storage.servicesFor,
    },
    log,
    metrics,
    // Workers trace the requests that they pass on.
    tracing: undefined,
    behindWorkers: { peerCloses: true, requesterOf: requesterBehindWorker },
    shutdown,
  })
}

/** A directory that no other user can enter. Removed with the process, however it ends. */
function privateDirectory(): Promise<string> {
  return starting('--workers', tmpdir(), () => {
    const directory = mkdtempSync(join(tmpdir(), 'engine-server-'))
    process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
    return directory
  })
}

/** The chains of all workers, and the keys of their directory; undefined: no receipts are kept. */
function reportedReceipts(receipts: ReceiptsHere | undefined, pool: WorkerPool) {
  return receipts && (async () => withKeys(await reportedByWorkers(pool), receipts.directory))
}

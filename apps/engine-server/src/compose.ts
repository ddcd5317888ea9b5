import type { CapabilityProvider } from '@engine/ruleset'
import type { TrustedKeys } from '@engine/signing'
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { type Audit, openAudit } from './audit.ts'
import { egressOf, egressPolicyOf } from './capabilities/built-in.ts'
import { EGRESS_MEANING } from './capabilities/egress.ts'
import { openStorage } from './compose-storage.ts'
import { composeSync } from './compose-sync.ts'
import { grpcListening, grpcOf, httpListening, limitsOf, tracingOf } from './compose-transports.ts'
import type { Followers, SharedParts } from './compose-workspace.ts'
import type { Configuration } from './config.ts'
import { failures } from './errors.ts'
import { requesterBehindWorker, requesterOf } from './http/http-requester.ts'
import { createAdmission, type Credentials, optionsOf, readCredentials, readCredentialsAgain } from './credentials.ts'
import { createHttpServer } from './http/server.ts'
import type { Engine } from './serve.ts'
import { nodeDisk } from './store/disk.ts'
import { type DirectoryLock, lockDirectory } from './store/directory-lock.ts'
import { makeDirectoryDurably } from './store/files.ts'
import { createHealthService, type HealthParts } from './services/health.ts'
import type { ServerServices } from './services/services.ts'
import { readMinimumVersions, readTrustedKeys } from './start-files.ts'
import { StartError, starting } from './start-error.ts'
import { hostAndPort, httpUrl } from './start-text.ts'
import type { Log } from './telemetry/log.ts'
import { createMetrics, type MetricsRegistry } from './telemetry/metrics.ts'
import { VERSION } from './version.ts'

/** The name of this instance: as it was given, or a random one. */
export function instanceIdOf({ instanceId }: Configuration): string {
  return instanceId ?? randomUUID()
}

/** Differences where workers answer and this process owns the store. */
export interface Ownership {
  readonly followers: Followers
  /** Called with the audit as soon as there is one. */
  readonly audit: (audit: Audit) => void
  readonly sampleRateChanged: (percent: number) => Promise<void>
  /** The figures of all processes, given the text of this one. */
  readonly metrics: (own: string) => Promise<string>
  readonly workers: NonNullable<HealthParts['workers']>
}

/** An engine that can be drained before its own shutdown begins. */
export interface ComposedEngine extends Engine {
  /** From now on it is not ready. */
  drain(): void
  /** From now on these count. */
  follow(credentials: Credentials): void
}

/**
 * Construct everything and connect it, but for what each tenant has. Throws `StartError`.
 *
 * @param ownership undefined: this process answers itself
 */
export async function compose(
  configuration: Configuration,
  instanceId: string,
  log: Log,
  ownCapabilities: readonly CapabilityProvider[] = [],
  ownership?: Ownership,
): Promise<ComposedEngine> {
  const lock = await lockOf(configuration, instanceId, log)
  try {
    const engine = await composeLocked(configuration, instanceId, log, ownCapabilities, ownership)
    const unlock = { name: 'lock of the rules directory', share: 1, run: async () => lock?.release() }
    return { ...engine, shutdown: [...engine.shutdown, unlock] }
  } catch (error) {
    lock?.release()
    throw error
  }
}

/** Before anything is read from the directory. */
async function lockOf({ rulesDir }: Configuration, instanceId: string, log: Log): Promise<DirectoryLock | undefined> {
  if (rulesDir === undefined) return undefined
  return starting('--rules-dir', rulesDir, async () => {
    await makeDirectoryDurably(nodeDisk, rulesDir)
    return lockDirectory(rulesDir, instanceId, log)
  })
}

async function composeLocked(
  configuration: Configuration,
  instanceId: string,
  log: Log,
  ownCapabilities: readonly CapabilityProvider[],
  ownership: Ownership | undefined,
): Promise<ComposedEngine> {
  const { rulesDir, auditDir, debugMode, metricsEnabled } = configuration
  const { httpTls: tls, grpcTls, tokens } = await readCredentials(configuration)
  const metrics = createMetrics({ version: VERSION, rulesets: () => storage.overview.size })
  const audit = await starting('--audit-dir', auditDir ?? '', () =>
    openAudit({
      directory: auditDir,
      sampleRate: configuration.auditSampleRate,
      includePayload: configuration.auditIncludePayload,
      instanceId,
      log,
      lost: (count) => metrics.auditLost(count),
    }),
  )
  ownership?.audit(audit)
  const sync = await composeSync({ configuration, instanceId, log, metrics, local: () => storage.local })
  const shared: SharedParts = {
    configuration,
    log,
    metrics,
    audit,
    trusted: await trustedKeysOf(configuration, log),
    minimumVersions: await readMinimumVersions(configuration),
    sync,
    outbound: { egress: egressOf(configuration), metrics, own: ownCapabilities },
    followers: ownership?.followers,
  }
  const storage = await openStorage(shared)
  const health = createHealthService({
    store: storage.overview,
    version: VERSION,
    instanceId,
    role: configuration.role,
    debugMode,
    sync,
    audit: () => ({ enabled: auditDir !== undefined, sample_rate: audit.sampleRate.get(), dropped: audit.dropped }),
    workers: ownership?.workers,
  })
  const server: ServerServices = {
    health,
    sampleRate: ownership === undefined ? audit.sampleRate : toldSampleRate(audit, ownership),
    metrics: metricsEnabled ? (ownership === undefined ? metrics : mergedMetrics(metrics, ownership)) : undefined,
    tenants: storage.tenants,
    debugMode,
    readOnly: configuration.role === 'reader' ? failures.readOnly(configuration.writerAddr) : undefined,
    changeRefused: audit.changeRefused,
  }
  const tracing = await tracingOf(configuration, instanceId, log)
  const admission = createAdmission(tokens)
  const limits = { ...limitsOf(configuration), admit: admission.admit }
  const parts = { reception: { server, servicesFor: storage.servicesFor }, log, tracing }
  const grpc =
    ownership === undefined
      ? await grpcOf(configuration, { ...limits, tcp: configuration.grpc, tls: grpcTls }, parts)
      : undefined
  const takeGrpc = grpc === undefined ? undefined : (connection: Socket) => grpc.take(connection, 'socket')
  const http = await createHttpServer(
    {
      ...limits,
      tcp: configuration.http,
      tls,
      socketPath: configuration.udsPath,
      takeGrpc,
      peerCloses: ownership !== undefined,
      requesterOf: ownership === undefined ? requesterOf : requesterBehindWorker,
    },
    parts,
  )
  const follow = (now: Credentials) => {
    admission.replace(now.tokens)
    if (now.httpTls !== undefined) http.replaceTls(now.httpTls)
    if (now.grpcTls !== undefined) grpc?.replaceTls(now.grpcTls)
  }
  return {
    drain: () => health.drain(),
    async reload() {
      const now = await readCredentialsAgain(configuration)
      follow(now)
      return optionsOf(now)
    },
    follow,
    async listen() {
      const { udsPath } = configuration
      const unfit = await sync.begin()
      if (unfit !== undefined) throw new StartError(`--instance-id: ${unfit}`)
      const { port } = await httpListening(http, configuration)
      const grpcPort = await grpcListening(grpc, configuration)
      if (tokens === undefined)
        log.warn(
          {},
          'authentication is disabled: every client that can connect may change rulesets (--api-tokens-file)',
        )
      log.info(
        { policy: egressPolicyOf(configuration), allowed: configuration.networkHttpAllow.length },
        EGRESS_MEANING[egressPolicyOf(configuration)],
      )
      if (debugMode) log.warn({}, 'debug mode is on: its endpoints show values of inputs (--debug-mode)')
      audit.serverStarted()
      const scheme = tls === undefined ? 'http' : 'https'
      return {
        version: VERSION,
        url: port === undefined ? undefined : httpUrl(scheme, configuration.http?.host, port),
        grpc: grpcPort === undefined ? undefined : hostAndPort(configuration.grpc?.host, grpcPort),
        socket: udsPath,
        rulesets: storage.names(),
        rulesDirectory: rulesDir,
        tokens: tokens !== undefined,
      }
    },
    shutdown: [
      {
        name: 'requests',
        share: 0.8,
        run: async () => {
          health.drain()
          await Promise.all([http.drain(), grpc?.drain()])
        },
      },
      {
        name: 'connections',
        share: 1,
        run: async () => {
          http.close()
          grpc?.close()
        },
      },
      // A change applied from a file still becomes an audit event.
      { name: 'watching of rule files', share: 0.5, run: () => storage.stopWatching() },
      { name: 'sync', share: 0.5, run: (milliseconds) => sync.close(milliseconds) },
      {
        name: 'audit',
        share: 0.5,
        run: async () => {
          audit.serverStopped()
          await audit.close()
        },
      },
      { name: 'traces', share: 0.5, run: async (milliseconds) => tracing?.close(milliseconds) },
      { name: 'store and outbound connections', share: 1, run: () => storage.close() },
    ],
  }
}

async function trustedKeysOf(configuration: Configuration, log: Log): Promise<TrustedKeys> {
  const trusted = await readTrustedKeys(configuration)
  const { signatureEnabled } = configuration
  if (signatureEnabled && trusted.size === 0)
    log.warn({}, 'no key is trusted, so every signed ruleset is rejected (--signature-trusted-keys)')
  if (!signatureEnabled && !configuration.signatureAllowUnsignedLocal)
    log.warn({}, 'unsigned rule files are accepted: signatures are not verified (--signature-enabled)')
  if (!signatureEnabled && trusted.size > 0)
    log.warn({}, 'there are trusted keys, but signatures are not verified (--signature-enabled)')
  return trusted
}

/** A new rate is answered when all processes have it. */
function toldSampleRate({ sampleRate }: Audit, { sampleRateChanged }: Ownership): ServerServices['sampleRate'] {
  return {
    get: sampleRate.get,
    async set(percent, by) {
      const previous = await sampleRate.set(percent, by)
      await sampleRateChanged(percent)
      return previous
    },
  }
}

function mergedMetrics(own: MetricsRegistry, { metrics }: Ownership): NonNullable<ServerServices['metrics']> {
  return { contentType: own.contentType, text: async () => metrics(await own.text()) }
}

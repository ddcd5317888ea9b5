import type { CapabilityProvider } from '@engine/ruleset'
import type { Socket } from 'node:net'
import { egressOf } from '../capabilities/built-in.ts'
import { grpcOf, limitsOf, tracingOf } from '../compose-transports.ts'
import type { SharedParts } from '../compose-workspace.ts'
import type { Configuration } from '../config.ts'
import { createAdmission, type Credentials } from '../credentials.ts'
import { createHttpServer } from '../http/server.ts'
import { NO_MINIMUM } from '../minimum-versions.ts'
import { failures } from '../errors.ts'
import type { ShutdownStep } from '../shutdown.ts'
import type { Log } from '../telemetry/log.ts'
import { createMetrics } from '../telemetry/metrics.ts'
import { VERSION } from '../version.ts'
import { asksLocalRoute, isLocal } from './local-routes.ts'
import type { Begin, FromWorker, Place, Question, RulesetsOf } from './messages.ts'
import { createOwner } from './pass-through.ts'
import { openCopies } from './copies.ts'
import { openWorkerAudit } from './worker-audit.ts'

/** A worker that can answer. */
export interface Answering {
  take(connection: Socket, place: Place): void
  /** Resolves to the answer when it is done. */
  answer(question: Exclude<Question, { kind: 'connection' }>): Promise<string>
  /** The steps of the shutdown, in this order. */
  readonly shutdown: readonly ShutdownStep[]
}

export interface WorkerParts {
  readonly configuration: Configuration
  readonly begin: Begin
  readonly stored: readonly RulesetsOf[]
  readonly log: Log
  readonly ownCapabilities: readonly CapabilityProvider[]
  /** Resolves when the message is on its way. */
  readonly tell: (message: FromWorker) => Promise<void>
}

/** Construct and connect what one of several processes answers with. Rejects with a `StartError`. */
export async function composeWorker(parts: WorkerParts): Promise<Answering> {
  const { configuration, begin, log, ownCapabilities, tell } = parts
  const { instanceId } = begin
  const metrics = createMetrics({ version: VERSION, rulesets: () => 0 })
  const audit = await openWorkerAudit(
    {
      directory: configuration.auditDir,
      sampleRate: begin.sampleRate,
      includePayload: configuration.auditIncludePayload,
      instanceId,
      log,
    },
    tell,
  )
  const shared: SharedParts = {
    // The owner keeps what is stored, and has looked at it.
    configuration: { ...configuration, rulesDir: undefined, seedDir: undefined, signatureEnabled: false },
    log,
    // Changes of rulesets are counted once, by the owner.
    metrics: { ...metrics, versionWentBack: () => {} },
    audit,
    trusted: new Set(),
    minimumVersions: NO_MINIMUM,
    outbound: { egress: egressOf(configuration), metrics, own: ownCapabilities },
  }
  const copies = await openCopies(shared, begin.tenants, parts.stored)
  const owner = createOwner(begin.ownerSocket)
  const tracing = await tracingOf(configuration, instanceId, log)
  const admission = createAdmission(begin.credentials.tokens)
  const limits = { ...limitsOf(configuration), admit: admission.admit }
  const server = {
    health: owner.health,
    sampleRate: audit.sampleRate,
    metrics: undefined,
    tenants: copies.tenants,
    debugMode: configuration.debugMode,
    readOnly: configuration.role === 'reader' ? failures.readOnly(configuration.writerAddr) : undefined,
    changeRefused: audit.changeRefused,
  }
  const elsewhere = {
    has: (route: Parameters<typeof isLocal>[0]) => !isLocal(route),
    knows: (request: Parameters<typeof asksLocalRoute>[0]) => !asksLocalRoute(request),
    answer: owner.pass,
  }
  const connected = { reception: { server, servicesFor: copies.servicesFor }, log, tracing, elsewhere }
  const grpc = await grpcOf(
    configuration,
    { ...limits, tcp: configuration.grpc, tls: begin.credentials.grpcTls },
    connected,
  )
  const takeGrpc = grpc === undefined ? undefined : (connection: Socket) => grpc.take(connection, 'socket')
  const { http: tcp, udsPath: socketPath } = configuration
  const http = await createHttpServer(
    { ...limits, tcp, tls: begin.credentials.httpTls, socketPath, takeGrpc },
    connected,
  )
  const follow = (now: Credentials) => {
    admission.replace(now.tokens)
    if (now.httpTls !== undefined) http.replaceTls(now.httpTls)
    if (now.grpcTls !== undefined) grpc?.replaceTls(now.grpcTls)
  }
  return {
    take(connection, place) {
      if (place === 'grpc') grpc?.take(connection, 'tcp')
      else http.take(connection, place === 'socket' ? 'socket' : 'tcp')
    },
    async answer(question) {
      if (question.kind === 'metrics') return metrics.text()
      if (question.kind === 'sample-rate') audit.follow(question.percent)
      else if (question.kind === 'credentials') follow(question.credentials)
      else await copies.take(question)
      return ''
    },
    shutdown: [
      {
        name: 'requests',
        share: 0.8,
        run: async () => void (await Promise.all([http.drain(), grpc?.drain()])),
      },
      {
        name: 'connections',
        share: 1,
        run: async () => {
          http.close()
          grpc?.close()
        },
      },
      { name: 'audit', share: 0.5, run: () => audit.close() },
      { name: 'traces', share: 0.5, run: async (milliseconds) => tracing?.close(milliseconds) },
      { name: 'outbound connections', share: 1, run: () => copies.close() },
    ],
  }
}

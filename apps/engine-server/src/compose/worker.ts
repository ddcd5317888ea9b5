import type { CapabilityProvider } from '@engine/ruleset'
import type { Socket } from 'node:net'
import { egressOf } from '../capabilities/built-in.ts'
import type { Configuration } from '../config/config.ts'
import { NO_MINIMUM } from '../signatures/minimum-versions.ts'
import { type Log, ShutdownList, type ShutdownStep } from '@engine/process'
import { createMetrics } from '../telemetry/metrics.ts'
import { VERSION } from '../version.ts'
import { asksLocalRoute, isLocal } from '../workers/local-routes.ts'
import type { Begin, FromWorker, Place, Question, RulesetsOf } from '../workers/messages.ts'
import { createOwnerProxy } from '../workers/owner-proxy.ts'
import { openReplica } from '../workers/replica.ts'
import { openWorkerAudit } from '../workers/worker-audit.ts'
import { servedBy } from './core.ts'
import { addressesOf } from './single.ts'
import { openTracing, openTransports } from './transports.ts'
import { settingsOf, type SignaturePolicy } from './workspace.ts'

/** A worker that can answer. */
export interface Answering {
  take(connection: Socket, place: Place): void
  /** Resolves to the answer when it is done. */
  answer(question: Exclude<Question, { kind: 'connection' }>): Promise<string>
  /** What to do at the end, in this order. */
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

/** Compose one of several processes that answer. Rejects with a `StartError`. */
export async function composeWorker(parts: WorkerParts): Promise<Answering> {
  const { configuration, begin, log, ownCapabilities, tell } = parts
  const { instanceId } = begin
  const shutdown = new ShutdownList()
  const metrics = createMetrics({ version: VERSION })
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
  shutdown.add('audit', 0.5, () => audit.close())
  const replica = await openReplica(
    {
      ...settingsOf(configuration),
      // The owner keeps the rulesets, and has verified them.
      files: undefined,
      seedDir: undefined,
      signatures: UNVERIFIED,
      log,
      // Changes of rulesets are counted once, where they are made.
      metrics: { ...metrics, versionWentBack: () => {} },
      audit,
      outbound: { egress: egressOf(configuration), metrics, own: ownCapabilities },
    },
    begin.tenants,
    parts.stored,
    1 / configuration.workers,
  )
  shutdown.add('outbound connections', 1, () => replica.close())
  const owner = createOwnerProxy(begin.ownerSocket)
  const transports = await openTransports({
    configuration,
    addresses: addressesOf(configuration),
    credentials: begin.credentials,
    reception: {
      server: {
        health: owner.health,
        sampleRate: audit.sampleRate,
        metrics: undefined,
        tenants: replica.tenants,
        ...servedBy(configuration, audit),
      },
      servicesFor: replica.servicesFor,
    },
    log,
    tracing: await openTracing(configuration, instanceId, log, shutdown),
    fallback: {
      has: (route) => !isLocal(route),
      knows: (request) => !asksLocalRoute(request),
      answer: owner.pass,
    },
    shutdown,
  })
  return {
    take: (connection, place) => transports.take(connection, place),
    async answer(question) {
      if (question.kind === 'metrics') return metrics.text()
      if (question.kind === 'sample-rate') audit.follow(question.percent)
      else if (question.kind === 'credentials') transports.follow(question.credentials)
      else await replica.take(question)
      return ''
    },
    shutdown: shutdown.steps,
  }
}

const UNVERIFIED: SignaturePolicy = {
  enabled: false,
  required: false,
  allowUnsignedLocal: true,
  bindTenant: false,
  trusted: new Set(),
  minimumVersions: NO_MINIMUM,
}

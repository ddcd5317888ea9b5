import { AnalysisThreads } from '../analysis/threads.ts'
import { egressOf } from './egress.ts'
import { NO_MINIMUM } from '../signatures/minimum-versions.ts'
import { ShutdownList } from '@engine/process'
import { stringifyJson } from '@engine/expression'
import { createStatistics } from '../platform/statistics.ts'
import { createMetrics } from '../telemetry/metrics.ts'
import { VERSION } from '../version.ts'
import { asksLocalRoute, isLocal } from '../workers/local-routes.ts'
import type { Answering, WorkerParts } from '../workers/worker.ts'
import { createOwnerProxy } from '../workers/owner-proxy.ts'
import { createRecording } from './platform.ts'
import { createReceiptDirectory } from '../services/receipts.ts'
import { openReceipts } from './receipts.ts'
import { openReplica } from './replica.ts'
import { decodeStandards } from '../standards/standard-files.ts'
import { openWorkerAudit } from '../workers/worker-audit.ts'
import { addressesOf, openTransports, servedBy, tracingOf } from './transports.ts'
import { settingsOf, type SignaturePolicy } from './workspace.ts'

/** Compose one of several processes that answer. Rejects with a `StartError`. */
export async function composeWorker(parts: WorkerParts): Promise<Answering> {
  const { number, configuration, begin, log, ownCapabilities, tell } = parts
  const { instanceId } = begin
  const id = `${instanceId}.w${number}`
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
  const statistics = configuration.platformUrl === undefined ? undefined : createStatistics()
  const recording = createRecording(configuration)
  recording?.recorder.follow(begin.recording)
  const analysis = new AnalysisThreads()
  shutdown.add('analysis', 1, () => analysis.close())
  const receipts = await openReceipts({ configuration, log, metrics, shutdown }, id, begin.credentials.receiptsKey)
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
      analysis,
      outbound: { egress: egressOf(configuration), metrics, own: ownCapabilities },
      statistics,
      recorder: recording?.recorder,
      receipts,
    },
    begin.tenants,
    parts.stored,
    1 / configuration.workers,
  )
  shutdown.add('outbound connections', 1, () => replica.close())
  const owner = createOwnerProxy(begin.ownerSocket)
  let standards = await decodeStandards(begin.standardFiles)
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
        // The owner answers for all chains.
        receipts: receipts && createReceiptDirectory(receipts.archive),
        // The owner has the link to the platform.
        proveIdentity: undefined,
        standards: () => standards,
        ...servedBy(configuration, audit),
      },
      servicesFor: replica.servicesFor,
    },
    log,
    metrics,
    tracing: await tracingOf(configuration, instanceId, log, shutdown),
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
      if (question.kind === 'statistics') return JSON.stringify(statistics?.rows() ?? [])
      if (question.kind === 'decisions') return stringifyJson(recording?.samples.take() ?? [])
      if (question.kind === 'receipts') return JSON.stringify(receipts?.keeper.report ?? null)
      if (question.kind === 'recording') recording?.recorder.follow(question.rules)
      else if (question.kind === 'sample-rate') audit.follow(question.percent)
      else if (question.kind === 'credentials') {
        transports.follow(question.credentials)
        receipts?.rotate(question.credentials.receiptsKey)
      } else if (question.kind === 'standards') standards = await decodeStandards(question.files)
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

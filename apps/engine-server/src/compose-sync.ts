import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Configuration } from './config.ts'
import { starting } from './start-error.ts'
import { nodeDisk } from './store/disk.ts'
import { shownAddress } from './sync/broker-address.ts'
import { openDirectoryOutbox } from './sync/directory-outbox.ts'
import { largestMessage } from './sync/event.ts'
import type { LocalState } from './sync/local-state.ts'
import { createMemoryOutbox, type Outbox } from './sync/outbox.ts'
import { createNoSync, createSync, type Sync } from './sync/sync.ts'
import type { Log } from './telemetry/log.ts'
import type { MetricsRegistry } from './telemetry/metrics.ts'

/** What sync is made of. */
export interface SyncComposition {
  readonly configuration: Configuration
  readonly instanceId: string
  readonly log: Log
  readonly metrics: MetricsRegistry
  /** What is stored here; asked once it is open. */
  readonly local: () => LocalState
}

/** Make ready what keeps this instance like others; nothing is connected yet. Rejects with a `StartError`. */
export async function composeSync({ configuration, instanceId, log, metrics, local }: SyncComposition): Promise<Sync> {
  const { role, brokerUrl: address, brokerCredentialsFile: file } = configuration
  if (address === undefined || role === 'standalone') {
    if (role === 'reader') log.warn({}, 'this reader hears of no changes: there is no broker (--broker-url)')
    return createNoSync(role, local)
  }
  const credentials =
    file === undefined ? undefined : await starting('--broker-credentials-file', file, () => readFile(file))
  const outbox = await outboxOf(configuration, log)
  // The client costs time at start, so it is loaded only where there is a broker.
  const { createJetStreamBroker } = await import('./sync/jetstream.ts')
  const broker = createJetStreamBroker({
    address,
    credentials,
    prefix: configuration.brokerSubjectPrefix,
    instanceId,
    isRandomId: configuration.instanceId === undefined,
    replicas: configuration.brokerReplicas,
    makes: role === 'writer',
  })
  const sync: Sync = createSync({
    role,
    broker,
    address: shownAddress(address),
    outbox,
    local,
    largest: largestMessage(configuration.maxRequestBodyBytes),
    requiresSignatures: configuration.signatureEnabled && configuration.signatureRequire,
    instanceId,
    session: randomUUID(),
    metrics: metrics.forSync(() => sync.status()),
    log,
  })
  return sync
}

async function outboxOf({ role, rulesDir }: Configuration, log: Log): Promise<Outbox> {
  if (role !== 'writer' || rulesDir === undefined) return createMemoryOutbox()
  return starting('--rules-dir', rulesDir, () => openDirectoryOutbox({ disk: nodeDisk, rulesDirectory: rulesDir, log }))
}

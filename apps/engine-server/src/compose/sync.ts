import { startingStore } from '../store/start-failure.ts'
import { randomUUID } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import type { Configuration } from '../config/config.ts'
import { type Log, readStartFile, StartError, starting } from '@engine/process'
import { nodeDisk } from '../store/disk.ts'
import { shownAddress } from '../sync/broker-address.ts'
import type { IdentityFiles } from '../sync/broker-identity.ts'
import { openDirectoryOutbox } from '../sync/directory-outbox.ts'
import { largestMessage } from '../sync/event.ts'
import type { LocalState } from '../sync/local-state.ts'
import { createMemoryOutbox, type Outbox } from '../sync/outbox.ts'
import { createNoSync, createSync, type Sync } from '../sync/sync.ts'
import type { MetricsRegistry } from '../telemetry/metrics.ts'

/** The parts of sync. */
export interface SyncComposition {
  readonly configuration: Configuration
  readonly instanceId: string
  readonly log: Log
  readonly metrics: MetricsRegistry
  /** The local state; read once the store is open. */
  readonly local: () => LocalState
}

/** Make ready what keeps this instance like others; nothing is connected yet. Rejects with a `StartError`. */
export async function openSync({ configuration, instanceId, log, metrics, local }: SyncComposition): Promise<Sync> {
  const { role, brokerUrl: address } = configuration
  if (address === undefined || role === 'standalone') {
    if (role === 'reader') log.warn({}, 'this reader receives no changes: no broker is configured (--broker-url)')
    return createNoSync(role, local)
  }
  const identity = await identityOf(configuration)
  const outbox = await outboxOf(configuration, log)
  // The client costs time at start, so it is loaded only where there is a broker.
  const { createJetStreamBroker } = await import('../sync/jetstream.ts')
  const broker = createJetStreamBroker({
    address,
    identity,
    tlsFirst: configuration.brokerTlsFirst,
    domain: configuration.brokerDomain,
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
    takesOthers: role === 'writer' && configuration.brokerOtherWriters,
    requiresSignatures: configuration.signatureEnabled && configuration.signatureRequire,
    instanceId,
    session: randomUUID(),
    metrics: metrics.forSync(() => sync.status()),
    log,
  })
  return sync
}

/** Rejects with a `StartError` when a file does not match its option. */
async function identityOf(configuration: Configuration): Promise<IdentityFiles> {
  const { brokerCredentialsFile: credentials, brokerNkeyFile: nkey } = configuration
  const { brokerTlsCertFile: certFile, brokerTlsKeyFile: keyFile } = configuration
  // The client costs time at start, so it is loaded only where there is a broker.
  const { BadIdentity, checkCredentials, checkNkey } = await import('../sync/broker-identity.ts')
  const tried = (option: string, file: string, check: (file: string) => void) =>
    starting(option, file, async () => {
      // The check reads it again, and holds up the process while it does.
      await readStartFile(option, file)
      try {
        check(file)
      } catch (error) {
        if (error instanceof BadIdentity) throw new StartError(`${option}: cannot use \`${file}\`: ${error.message}`)
        throw error
      }
    })
  if (credentials !== undefined) await tried('--broker-credentials-file', credentials, checkCredentials)
  if (nkey !== undefined) await tried('--broker-nkey-file', nkey, checkNkey)
  if (certFile === undefined || keyFile === undefined) return { credentials, nkey, certificate: undefined }
  const [cert, key] = await Promise.all([
    readStartFile('--broker-tls-cert-file', certFile),
    readStartFile('--broker-tls-key-file', keyFile),
  ])
  try {
    createSecureContext({ cert, key })
  } catch (cause) {
    throw new StartError(
      `--broker-tls-cert-file: \`${certFile}\` and \`${keyFile}\` are not a certificate and its key in PEM`,
      { cause },
    )
  }
  return { credentials, nkey, certificate: { certFile, keyFile } }
}

async function outboxOf({ role, rulesDir }: Configuration, log: Log): Promise<Outbox> {
  if (role !== 'writer' || rulesDir === undefined) return createMemoryOutbox()
  return startingStore('--rules-dir', rulesDir, () =>
    openDirectoryOutbox({ disk: nodeDisk, rulesDirectory: rulesDir, log }),
  )
}

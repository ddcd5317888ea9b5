import { optionsOf, readCredentials, readCredentialsAgain } from '../access/credentials.ts'
import { createCredentialsInUse } from '../access/credentials-in-use.ts'
import type { Engine } from '../lifecycle/start-text.ts'
import { openStandards } from '../standards/standard-files.ts'
import { beginSync, healthOf, openCore, type Process, started, withLock } from './core.ts'
import { addressesOf, openTransports, servedBy, tracingOf } from './transports.ts'
import { withKeys } from '../services/receipts.ts'
import type { ReceiptsHere } from './receipts.ts'

/** Compose an engine of one process. Rejects with a `StartError`. */
export function composeSingle(process: Omit<Process, 'shutdown'>): Promise<Engine> {
  return withLock(process, composeLocked)
}

async function composeLocked(process: Process): Promise<Engine> {
  const { configuration, instanceId, log, shutdown } = process
  const credentials = await readCredentials(configuration, log)
  const standards = await openStandards(configuration)
  const core = await openCore(process, undefined, credentials)
  const { metrics, audit, storage, receipts } = core
  const health = healthOf(process, core)
  const transports = await openTransports({
    configuration,
    addresses: addressesOf(configuration),
    credentials,
    reception: {
      server: {
        health,
        sampleRate: audit.sampleRate,
        metrics: configuration.metricsEnabled ? metrics : undefined,
        tenants: storage.tenants,
        receipts: receipts?.directory,
        proveIdentity: core.link?.proveIdentity,
        standards: () => standards.current,
        ...servedBy(configuration, audit),
      },
      servicesFor: storage.servicesFor,
    },
    log,
    metrics,
    tracing: await tracingOf(configuration, instanceId, log, shutdown),
    shutdown,
  })
  const inUse = createCredentialsInUse(credentials, async (now) => {
    transports.follow(now)
    await receipts?.rotate(now.receiptsKey)
  })
  shutdown.add('readiness', 1, async () => health.drain())
  return {
    async reload() {
      // All files are validated before anything changes.
      const now = await readCredentialsAgain(configuration, log)
      const options = await standards.reload()
      await inUse.replace(now)
      return [...optionsOf(now), ...options]
    },
    async listen() {
      await beginSync(core.sync)
      const listening = await transports.listen()
      const { link } = core
      link?.begin({
        storage,
        health,
        listening,
        statistics: async () => link.statistics.rows(),
        receipts: reportedReceipts(receipts),
        admitProxy: (token) => inUse.admitProxy(token),
      })
      return started(process, core, credentials, listening)
    },
    shutdown: shutdown.steps,
  }
}

/** The chains and keys of this process; undefined: it keeps no receipts. */
function reportedReceipts(receipts: ReceiptsHere | undefined) {
  const own = receipts?.own
  return own && (() => withKeys(own.keeper.report, receipts.directory))
}

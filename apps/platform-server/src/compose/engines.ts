import { createNameLookup } from '@engine/egress'
import type { Log, ShutdownList } from '@engine/process'
import type { Configuration } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { createRefusalAudit, type RefusalAudit } from '../features/audit/refusals.ts'
import { createEngineAddresses, type EngineAddresses } from '../features/engines/addresses.ts'
import { createEngineConnections } from '../features/engines/connections.ts'
import { createIdentities, type Identities } from '../features/engines/identity.ts'
import { createForwarder, type Forwarder } from '../features/proxy/forwarder.ts'

interface EngineParts {
  readonly database: Database
  /** The key of the platform. */
  readonly key: Buffer
  readonly log: Log
  /** Aborted when the shutdown begins. */
  readonly closing: AbortSignal
}

/** Access to engines: only this part connects to them. */
export interface EngineAccess {
  readonly addresses: EngineAddresses
  readonly identities: Identities
  readonly forwarder: Forwarder
  readonly refusals: RefusalAudit
}

export function composeEngines(
  { engineAllow, requireIdentityProof }: Pick<Configuration, 'engineAllow' | 'requireIdentityProof'>,
  { database, key, log, closing }: EngineParts,
  shutdown: ShutdownList,
): EngineAccess {
  const resolve = createNameLookup()
  const addresses = createEngineAddresses(engineAllow, resolve)
  const connections = createEngineConnections(addresses, resolve)
  shutdown.add('connections to engines', 0.5, () => connections.close())
  const refusals = createRefusalAudit(database)
  const identities = createIdentities({ database, connections, refusals, key, requireIdentityProof, log, closing })
  return { addresses, identities, forwarder: createForwarder(connections, identities), refusals }
}

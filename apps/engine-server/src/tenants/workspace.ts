import type { Tenant } from '@engine/api'
import type { ReplicationService } from '../services/replication.ts'
import type { Services } from '../services/services.ts'
import type { Store } from '../store/store.ts'
import type { ChangeGate } from './change-gate.ts'

/** Where one tenant works: its store, and the services that know nothing but it. */
export interface Workspace {
  /** Undefined: the server has no tenants. */
  readonly tenant: string | undefined
  readonly store: Store
  readonly services: Services
  /** Closed while the tenant is deleted. */
  readonly changes: ChangeGate
  /** Takes over what was changed elsewhere. */
  readonly replication: ReplicationService
  /** From now on the tenant has these limits. */
  configure(tenant: Tenant): void
  /** From now on changes of files are not noticed any more. Resolves when none is being taken over. */
  stopWatching(): Promise<void>
  close(): Promise<void>
}

import type { Tenant } from '@engine/api'
import type { RulesetCatalog } from '../catalog/catalog.ts'
import type { DeliveryService } from '../services/delivery.ts'
import type { ReplicationService } from '../services/replication.ts'
import type { Services } from '../services/services.ts'

/** Where one tenant works: its rulesets, and the services that know nothing but it. */
export interface Workspace {
  /** Undefined: the server has no tenants. */
  readonly tenant: string | undefined
  readonly catalog: RulesetCatalog
  readonly services: Services
  /** Applies changes made elsewhere. */
  readonly replication: ReplicationService
  /** Applies changes from outside the fleet, and publishes them to the other instances. */
  readonly adoption: ReplicationService
  /** Applies the platform's desired state, and publishes changes to the other instances. */
  readonly delivery: DeliveryService
  /** Names of what its rules may call. */
  readonly capabilities: readonly string[]
  /** Applies these limits to the tenant. */
  configure(tenant: Tenant): void
  /**
   * The tenant is about to be deleted: refuses changes of its rulesets, and ignores file changes. Resolves when no
   * change is being applied.
   */
  pause(): Promise<void>
  /** The tenant stays: changes are made again, and files that changed meanwhile are noticed. */
  resume(): void
  /** Stops applying file changes. Resolves when no change is being applied. */
  stopWatching(): Promise<void>
  close(): Promise<void>
}

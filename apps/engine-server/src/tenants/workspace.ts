import type { Tenant } from '@engine/api'
import type { RulesetCatalog } from '../catalog/catalog.ts'
import type { DeliveryService } from '../services/delivery.ts'
import type { ReplicationService } from '../services/replication.ts'
import type { Services } from '../services/services.ts'

/** The environment of one tenant: its rulesets, and services with access to nothing else. */
export interface Workspace {
  /** Undefined if the server has no tenants. */
  readonly tenant: string | undefined
  readonly catalog: RulesetCatalog
  readonly services: Services
  /** Applies changes made elsewhere. */
  readonly replication: ReplicationService
  /** Applies changes from outside the fleet, and publishes them to the other instances. */
  readonly adoption: ReplicationService
  /** Applies the platform's desired state, and publishes changes to the other instances. */
  readonly delivery: DeliveryService
  /** Names of the capabilities that its rules may call. */
  readonly capabilities: readonly string[]
  /** Applies the settings of the tenant as limits. */
  configure(tenant: Tenant): void
  /**
   * Called before the tenant is deleted: refuses changes of its rulesets, and ignores file changes. Resolves when no
   * change is in progress.
   */
  pause(): Promise<void>
  /**
   * Called if the tenant is not deleted after all: changes are accepted again, and file changes made meanwhile are
   * detected.
   */
  resume(): void
  /** Stops applying file changes. Resolves when no change is in progress. */
  stopWatching(): Promise<void>
  close(): Promise<void>
}

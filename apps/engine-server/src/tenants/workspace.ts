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
  /** Takes over what was changed elsewhere. */
  readonly replication: ReplicationService
  /** The same, and tells the other instances: it was changed by none of them. */
  readonly adoption: ReplicationService
  /** Takes over what the platform wants, and tells the other instances. */
  readonly delivery: DeliveryService
  /** Names of what its rules may call. */
  readonly capabilities: readonly string[]
  /** From now on the tenant has these limits. */
  configure(tenant: Tenant): void
  /**
   * The tenant is to be deleted: from now on changes of its rulesets are refused, and those of files not noticed. Resolves
   * when none is under way.
   */
  pause(): Promise<void>
  /** The tenant stays: changes are made again, and files that changed meanwhile are noticed. */
  resume(): void
  /** From now on changes of files are not noticed any more. Resolves when none is being applied. */
  stopWatching(): Promise<void>
  close(): Promise<void>
}

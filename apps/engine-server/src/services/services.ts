import type { IdentityProof } from '@engine/api'
import type { ChangeRefused, SampleRate } from './events.ts'
import type { EngineError } from '../errors.ts'
import type { Requester } from '../requester.ts'
import type { AnalysisService } from './analysis.ts'
import type { DebugService } from './debug.ts'
import type { EvaluationService } from './evaluation.ts'
import type { ExecutionService } from './execution.ts'
import type { FilterService } from './filters.ts'
import type { HealthService } from './health.ts'
import type { ReceiptDirectory, ReceiptService } from './receipts.ts'
import type { RulesetService } from './rulesets.ts'
import type { TenantService } from './tenants.ts'
import type { Standards } from '../standards/standard-files.ts'

/** All operations on the rulesets of a tenant, for every transport. */
export interface Services {
  readonly rulesets: RulesetService
  readonly execution: ExecutionService
  readonly evaluation: EvaluationService
  readonly filters: FilterService
  readonly analysis: AnalysisService
  /** Undefined if this engine keeps no receipts. */
  readonly receipts: ReceiptService | undefined
  /** Undefined if debug mode is off. */
  readonly debug: DebugService | undefined
}

/** The services of the server as a whole. */
export interface ServerServices {
  readonly health: HealthService
  readonly sampleRate: SampleRate
  /** Undefined if metrics are off. */
  readonly metrics: { text(): Promise<string>; readonly contentType: string } | undefined
  /** Undefined if the server has no tenants. */
  readonly tenants: TenantService | undefined
  readonly debugMode: boolean
  /** Undefined if this engine keeps no receipts. */
  readonly receipts: ReceiptDirectory | undefined
  /** The current configuration of the interfaces of other standards. */
  readonly standards: () => Standards
  /** Why clients cannot change anything here; undefined if they can. */
  readonly writeRefusal: EngineError | undefined
  /** Proves the registration at the platform for a nonce. Throws `EngineError`. Undefined if there is no platform. */
  readonly proveIdentity: ((nonce: string) => IdentityProof) | undefined
  /** A requested change was rejected. */
  readonly changeRefused: (refused: ChangeRefused, by: Requester) => void
}

/** Authentication and authorization, the same for all transports. */
export interface Reception {
  readonly server: ServerServices
  /**
   * The services of the request's tenant. Without tenants there is a single set of services. Throws `EngineError`.
   *
   * @param tenant undefined if the request names none
   */
  servicesFor(tenant: string | undefined): Services
}

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

/** Everything that a request can do with the rulesets of its tenant, regardless of the transport. */
export interface Services {
  readonly rulesets: RulesetService
  readonly execution: ExecutionService
  readonly evaluation: EvaluationService
  readonly filters: FilterService
  readonly analysis: AnalysisService
  /** Undefined: this engine keeps no receipts. */
  readonly receipts: ReceiptService | undefined
  /** Undefined: debug mode is off. */
  readonly debug: DebugService | undefined
}

/** The services of the server as a whole. */
export interface ServerServices {
  readonly health: HealthService
  readonly sampleRate: SampleRate
  /** Undefined: metrics are off. */
  readonly metrics: { text(): Promise<string>; readonly contentType: string } | undefined
  /** Undefined: the server has no tenants. */
  readonly tenants: TenantService | undefined
  readonly debugMode: boolean
  /** Undefined: this engine keeps no receipts. */
  readonly receipts: ReceiptDirectory | undefined
  /** The interfaces of other standards as configured at this moment. */
  readonly standards: () => Standards
  /** Why clients may change nothing here; undefined: they may. */
  readonly writeRefusal: EngineError | undefined
  /** Proves the registration at the platform, from a nonce. Throws `EngineError`. Undefined: there is no platform. */
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
   * @param tenant undefined: the request names none
   */
  servicesFor(tenant: string | undefined): Services
}

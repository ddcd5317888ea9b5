import type { ExecutionService } from './execution.ts'
import type { DebugService } from './debug.ts'
import type { EvaluationService } from './evaluation.ts'
import type { FilterService } from './filters.ts'
import type { HealthService } from './health.ts'
import type { RulesetService } from './rulesets.ts'

/** Everything that the server can do, whatever the transport. */
export interface Services {
  readonly rulesets: RulesetService
  readonly execution: ExecutionService
  readonly evaluation: EvaluationService
  readonly filters: FilterService
  readonly health: HealthService
  readonly sampleRate: { get(): number; set(percent: number): number }
  /** Undefined: metrics are off. */
  readonly metrics: { text(): Promise<string>; readonly contentType: string } | undefined
  /** Undefined: debug mode is off. */
  readonly debug: DebugService | undefined
}

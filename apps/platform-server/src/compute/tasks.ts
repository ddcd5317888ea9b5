import type {
  Case,
  Concepts,
  Contract,
  Coverage,
  deriveContract,
  DraftGraph,
  DraftRuleset,
  Problem,
  TracedStep,
} from '@engine/authoring'
import type { Value } from '@engine/expression'
import type { RulesetDocument } from '@engine/ruleset'

/** A contract with the concepts that its types may name. */
export interface ContractInUse {
  readonly contract: Contract
  readonly concepts: Concepts
}

/** A draft with everything that it refers to. */
export interface Subject {
  readonly draft: DraftRuleset
  /** Sub-rules of project and organization that it uses. */
  readonly subRules: ReadonlyMap<string, DraftGraph>
  /** Undefined: it has none. */
  readonly contract: ContractInUse | undefined
}

/** Execute a draft for one input. */
export interface TraceTask {
  readonly kind: 'trace'
  readonly subject: Subject
  readonly input: Value
  readonly now: string | undefined
  readonly stubs: { readonly [call: string]: Value } | undefined
}

/** Run cases of a draft. */
export interface CasesTask {
  readonly kind: 'cases'
  readonly subject: Subject
  readonly cases: readonly Case[]
}

/** Convert a draft, and name what is wrong with it. */
export interface CheckTask {
  readonly kind: 'check'
  readonly subject: Subject
}

/** Derive a contract from a draft, and from inputs that it is to have. */
export interface DeriveTask {
  readonly kind: 'derive'
  readonly subject: Subject
  readonly inputs: readonly Value[]
}

/** What threads do. */
export type Task = TraceTask | CasesTask | CheckTask | DeriveTask

/** A draft that was held to the language, the sub-rules that it uses, and its contract. */
export interface Checked {
  /** In the format of engines; undefined when there are errors. */
  readonly ruleset?: RulesetDocument
  readonly problems: readonly Problem[]
}

/** What an execution for one input did. */
export interface Traced {
  readonly code: string | null
  readonly message: string | null
  readonly output: { readonly [name: string]: Value } | null
  readonly duration_us: number
  readonly trace: { readonly path: string; readonly steps: readonly TracedStep[]; readonly truncated?: true }
  readonly error?: { readonly message: string; readonly code: string; readonly step_id: string }
}

/** How one case went. */
export interface CaseOutcome {
  readonly passed: boolean
  readonly failures: readonly { readonly kind: string; readonly message: string }[]
  readonly actual: Pick<Traced, 'code' | 'message' | 'output'> & {
    readonly path: readonly string[]
    readonly error?: string
  }
  readonly duration_us: number
}

/** What is wrong with the draft: nothing was executed. */
export interface Unexecuted {
  readonly kind: 'problems'
  readonly problems: readonly Problem[]
}

/** The results of tasks by their kind. */
export interface Results {
  readonly trace: Unexecuted | { readonly kind: 'traced'; readonly traced: Traced }
  readonly cases:
    | Unexecuted
    | { readonly kind: 'run'; readonly outcomes: readonly CaseOutcome[]; readonly coverage: Coverage }
  readonly check: Checked
  readonly derive: Unexecuted | { readonly kind: 'derived'; readonly contract: ReturnType<typeof deriveContract> }
}

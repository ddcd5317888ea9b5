import type { Value } from '@engine/expression'

/**
 * A ruleset in the editor's format (specification 2.10). Other members are preserved: the types list only those with a
 * meaning. Everything except ids is optional, since unfinished work is saved too.
 */
export type DraftRuleset = {
  readonly config: DraftConfig
  readonly startStepId?: string
  readonly steps: readonly DraftStep[]
  readonly subRules?: { readonly [name: string]: DraftGraph }
  /** Inputs to try it with; not executed by engines. */
  readonly samples?: readonly Sample[]
}

/** A named input that the studio offers in the simulator. */
export type Sample = { readonly name: string; readonly input: { readonly [key: string]: Value } }

/** Steps of a sub-rule. */
export type DraftGraph = {
  readonly startStepId?: string
  readonly steps: readonly DraftStep[]
}

/** Settings of a ruleset (specification 2.1), by the editor's member names. */
export type DraftConfig = {
  readonly name: string
  readonly version?: string
  readonly description?: string
  readonly enableTrace?: boolean
  /** Name of the contract; default: the contract with the ruleset's name. */
  readonly contract?: string
  /** Milliseconds; `timeout_ms` of the engine. */
  readonly timeout?: number
  readonly maxDepth?: number
  readonly fieldMissing?: string
  readonly defaults?: { readonly [path: string]: Value }
  /** `double` or `decimal`. */
  readonly numbers?: string
  readonly metadata?: { readonly [key: string]: Value }
  readonly tenantId?: string
  /** Findings of the analysis that the author intends. They are not sent to engines. */
  readonly intended?: readonly IntendedFinding[]
}

/** Findings that an author can acknowledge: those of `@engine/analysis`, and missing tests. */
export const INTENDED_FINDINGS = [
  'dead_branch',
  'shadowed',
  'always_true',
  'unreachable_step',
  'unreachable_code',
  'gap',
  'can_fail',
  'endless_loop',
  'depth_limit',
  'overlap',
  'contract',
  'not_tested',
] as const
export type FindingKind = (typeof INTENDED_FINDINGS)[number]

/**
 * A finding that the author intends, with the reason for reviewers. `place`: JSON pointer with ids as keys of list
 * items.
 */
export type IntendedFinding = {
  readonly finding: FindingKind
  readonly place: string
  readonly reason: string
  /** The first person who acknowledged it, and when (RFC 3339). The platform sets both when it saves the draft. */
  readonly author?: string
  readonly at?: string
}

/** A step by its `type`. Sub-rules and tables are converted to steps that the engine knows. */
export type DraftStep = DecisionStep | ActionStep | TerminalStep | SubRuleStep | TableStep

/** Text of an expression. The editor's objects are decoded to text. */
export type ExpressionText = string

type AnyStep = { readonly id: string; readonly name?: string }

/** Leads to the target of its first true branch, or to the default. */
export type DecisionStep = AnyStep & {
  readonly type: 'decision'
  readonly branches: readonly DraftBranch[]
  readonly defaultNextStepId?: string
}

/** A branch that is unfinished as long as it lacks a condition or a target. */
export type DraftBranch = {
  readonly id: string
  readonly label?: string
  readonly condition?: ExpressionText
  readonly nextStepId?: string
}

/** Runs external calls, then assignments, then logging; continues at `nextStepId`. */
export type ActionStep = AnyStep & {
  readonly type: 'action'
  readonly assignments: readonly Assignment[]
  readonly externalCalls?: readonly DraftCall[]
  readonly logging?: { readonly message?: ExpressionText; readonly level?: string }
  readonly nextStepId?: string
}

/** A name and the expression for its value. */
export type Assignment = { readonly name?: string; readonly value?: ExpressionText }

/**
 * An external call (appendix of the specification). `retry`, `onError` and `fallbackValue` are kept in the editor only.
 */
export type DraftCall = {
  readonly type: CallType
  readonly target?: string
  readonly params?: { readonly [name: string]: ExpressionText }
  readonly resultVariable?: string
  /** Milliseconds. */
  readonly timeout?: number
}

/** The kind of an external call (appendix of the specification). */
export type CallType = 'http' | 'function' | 'grpc'

/** Ends the execution with a result code, a message and output fields. */
export type TerminalStep = AnyStep & {
  readonly type: 'terminal'
  readonly code?: string
  readonly message?: ExpressionText
  readonly output?: readonly Assignment[]
}

/** Runs a sub-rule by name: `bindings` are its inputs, `outputs` the variables that it sets here. */
export type SubRuleStep = AnyStep & {
  readonly type: 'sub_rule'
  readonly refName?: string
  readonly bindings: readonly { readonly field?: string; readonly expr?: ExpressionText }[]
  readonly outputs: readonly { readonly parentVar?: string; readonly childVar?: string }[]
  readonly nextStepId?: string
}

/** The hit policy: the first matching row, the only one (several are an error), or all. */
export type HitPolicy = 'first' | 'unique' | 'collect'

/** The aggregation of output values of matching rows with `collect`. */
export type Aggregate = 'sum' | 'min' | 'max' | 'count'

/** A decision table: a row matches when all cells of its input columns do. */
export type TableStep = AnyStep & {
  readonly type: 'table'
  readonly hitPolicy: HitPolicy
  readonly aggregate?: Aggregate
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
  readonly nextStepId?: string
  readonly defaultNextStepId?: string
}

/** An input column tests `field`, an output column sets it. */
export type Column = {
  readonly id: string
  readonly kind: 'input' | 'output'
  /** Input: a path. Output: the name of a variable without `$`. */
  readonly field?: string
  /** Specification 2.9; undefined: any. */
  readonly type?: string
  /** The author's label; default: its field. */
  readonly label?: string
  /** The unit of its numbers, for display: `kg`, `EUR`. */
  readonly unit?: string
  /** Width in pixels in the studio. */
  readonly width?: number
}

/** A row of a table; an empty input cell matches any value. */
export type Row = {
  readonly id: string
  readonly cells: { readonly [columnId: string]: string }
  readonly nextStepId?: string
  readonly disabled?: boolean
  readonly note?: string
}

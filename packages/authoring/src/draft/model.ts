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

export type Sample = { readonly name: string; readonly input: { readonly [key: string]: Value } }

/** Steps of a sub-rule. */
export type DraftGraph = {
  readonly startStepId?: string
  readonly steps: readonly DraftStep[]
}

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
}

export type DraftStep = DecisionStep | ActionStep | TerminalStep | SubRuleStep | TableStep

/** Text of an expression. The editor's objects are decoded to text. */
export type ExpressionText = string

type AnyStep = { readonly id: string; readonly name?: string }

export type DecisionStep = AnyStep & {
  readonly type: 'decision'
  readonly branches: readonly DraftBranch[]
  readonly defaultNextStepId?: string
}

export type DraftBranch = {
  readonly id: string
  readonly label?: string
  readonly condition?: ExpressionText
  readonly nextStepId?: string
}

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

export type CallType = 'http' | 'function' | 'grpc'

export type TerminalStep = AnyStep & {
  readonly type: 'terminal'
  readonly code?: string
  readonly message?: ExpressionText
  readonly output?: readonly Assignment[]
}

export type SubRuleStep = AnyStep & {
  readonly type: 'sub_rule'
  readonly refName?: string
  readonly bindings: readonly { readonly field?: string; readonly expr?: ExpressionText }[]
  readonly outputs: readonly { readonly parentVar?: string; readonly childVar?: string }[]
  readonly nextStepId?: string
}

export type HitPolicy = 'first' | 'unique' | 'collect'
export type Aggregate = 'sum' | 'min' | 'max' | 'count'

export type TableStep = AnyStep & {
  readonly type: 'table'
  readonly hitPolicy: HitPolicy
  readonly aggregate?: Aggregate
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
  readonly nextStepId?: string
  readonly defaultNextStepId?: string
}

export type Column = {
  readonly id: string
  readonly kind: 'input' | 'output'
  /** Input: a path. Output: the name of a variable without `$`. */
  readonly field?: string
  /** Specification 2.9; undefined: any. */
  readonly type?: string
}

export type Row = {
  readonly id: string
  readonly cells: { readonly [columnId: string]: string }
  readonly nextStepId?: string
  readonly disabled?: boolean
  readonly note?: string
}

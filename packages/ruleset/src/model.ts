import type { InputContract } from './contract/input-contract.ts'
import type { Expression, Numbers, Value } from '@engine/expression/core'

/** A ruleset as stored and exchanged: the JSON of specification 2.1, unknown fields included. */
export type RulesetDocument = { readonly [key: string]: Value }

/** A decoded ruleset: defaults applied, expressions parsed, step targets resolved. */
export interface Ruleset {
  readonly config: RulesetConfig
  readonly steps: ReadonlyMap<string, Step>
}

/** `config` of specification 2.1 with the additions of docs/rulesets.md. */
export interface RulesetConfig {
  readonly name: string
  /** Default `1.0.0`. Free text in semantic-version style. */
  readonly version: string
  readonly entryStep: string
  readonly description: string | null
  readonly fieldMissing: 'lenient' | 'strict' | 'default'
  /** Canonical dotted path to value, for `field_missing: default`. */
  readonly defaults: ReadonlyMap<string, Value>
  /** Milliseconds; 0 is off. Default 5000. Specification 8. */
  readonly timeoutMs: number
  /** Maximum number of entered steps, 1 to 1,000,000. Default 1000. */
  readonly maxDepth: number
  readonly enableTrace: boolean
  readonly messageTemplates: boolean
  /** The contract of inputs; undefined allows any input. docs/rulesets.md. */
  readonly contract: InputContract | undefined
  /** Default `double`. docs/numbers.md. */
  readonly numbers: Numbers
  /** Input fields with separate commitments in receipts: dot-joined names. docs/receipts.md. */
  readonly receiptFields: readonly string[]
  readonly tenantId: string | null
  readonly metadata: ReadonlyMap<string, string>
}

/** A step by its `type`, after sub-rules were inlined. */
export type Step = DecisionStep | ActionStep | TerminalStep

/** Leads to the target of its first true branch, or to `defaultNext`. */
export interface DecisionStep {
  readonly type: 'decision'
  readonly id: string
  readonly name: string
  /** Tried in order; the first true one wins. Specification 2.2. */
  readonly branches: readonly Branch[]
  readonly defaultNext: string | undefined
}

/** A branch of a decision, with its condition parsed and checked. */
export interface Branch {
  readonly condition: Expression
  /** The condition as written, for traces; the canonical text for the JSON form. */
  readonly source: string
  readonly nextStep: string
  /** Run when this branch is taken, before entering its target. */
  readonly actions: readonly Action[]
}

/** Runs its actions in order, then continues at `nextStep`. */
export interface ActionStep {
  readonly type: 'action'
  readonly id: string
  readonly name: string
  readonly actions: readonly Action[]
  readonly nextStep: string
}

/** Ends the execution with a result. */
export interface TerminalStep {
  readonly type: 'terminal'
  readonly id: string
  readonly name: string
  readonly code: string
  readonly message: Message
  /** `result` fields other than code, message and an evaluated output, unchanged. */
  readonly fields: ReadonlyMap<string, Value>
  /** `result.output` when it is a list of `[name, expression]`; empty otherwise. */
  readonly output: readonly (readonly [name: string, value: Expression])[]
}

/** A plain message, or with `config.message_templates` alternating texts and expressions. */
export type Message =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'template'; readonly parts: readonly (string | Expression)[] }

/** Severities of the `log` action, in rising order. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** An effect of a step or a branch, by its `action`. */
export type Action = SetVariable | Log | Metric | ExternalCall | CallRuleset

/** Sets `$name` for later steps. */
export interface SetVariable {
  readonly action: 'set_variable'
  readonly name: string
  readonly value: Expression
}

/** A message for the log that the host provides. */
export interface Log {
  readonly action: 'log'
  readonly message: string
  readonly level: LogLevel
}

/** Records a number under a name; the tags become labels. */
export interface Metric {
  readonly action: 'metric'
  readonly name: string
  readonly value: Expression
  readonly tags: readonly (readonly [string, string])[]
}

/** Specification 2.8. */
export interface ExternalCall {
  readonly action: 'external_call'
  readonly service: string
  readonly method: string
  readonly params: readonly (readonly [name: string, value: Expression])[]
  readonly resultVariable: string | undefined
  /** Milliseconds; undefined: the provider's own limit. */
  readonly timeoutMs: number | undefined
}

/** Executes another ruleset of the tenant and stores its result in `$resultVariable`. */
export interface CallRuleset {
  readonly action: 'call_ruleset'
  readonly rulesetName: string
  /** The callee's input; undefined: the caller's whole input. */
  readonly inputMapping: Expression | undefined
  readonly resultVariable: string
}

import type {
  Case,
  Concepts,
  Contract,
  Coverage,
  deriveContract,
  DraftGraph,
  DraftRuleset,
  Problem,
} from '@engine/authoring'
import type { Value } from '@engine/expression'
import type { Exported, Imported } from '@engine/interchange'
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

/** Formats of documents that can be imported. */
export type ImportFormat = 'engine' | 'jdm' | 'dmn' | 'json-rules-engine' | 'xlsx' | 'csv'

/** Make drafts of a document of another format. */
export interface ImportTask {
  readonly kind: 'import'
  readonly format: ImportFormat
  /** Of a format that is no JSON: its text, or its bytes as a text of one character each. */
  readonly document: Value
  /** Of the ruleset; undefined: the document says it, or what it is. */
  readonly name: string | undefined
}

/** Formats, beside the engine's own, that a draft can be written in. */
export type ExportFormat = 'dmn'

/** Write a draft in another format. */
export interface ExportTask {
  readonly kind: 'export'
  readonly format: ExportFormat
  readonly draft: DraftRuleset
}

/** What threads do. */
export type Task = TraceTask | CasesTask | CheckTask | DeriveTask | ImportTask | ExportTask

/** A draft that was held to the language, the sub-rules that it uses, and its contract. */
export interface Checked {
  /** In the format of engines; undefined when there are errors. */
  readonly ruleset?: RulesetDocument
  readonly problems: readonly Problem[]
}

/** One step of a trace, as the author of the draft knows it. */
export interface TracedStep {
  readonly id: string
  readonly name: string
  readonly type: string
  /** Of a step of an execution that ended with a decision. */
  readonly duration_us?: number
  /** Of a decision or table: what was tried, the last one true unless none was. */
  readonly branches?: readonly {
    /** JSON pointer of the branch or row in the draft. */
    readonly path: string
    readonly condition: string
    readonly taken: boolean
    readonly fields: { readonly [path: string]: Value }
    readonly error?: string
  }[]
  /** The variables after the step. */
  readonly values: { readonly [name: string]: Value }
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
  readonly import:
    | { readonly kind: 'imported'; readonly imported: Imported }
    | { readonly kind: 'too-large'; readonly message: string }
  /** JSON, or the text of XML. */
  readonly export: Exported<Value>
  readonly derive: Unexecuted | { readonly kind: 'derived'; readonly contract: ReturnType<typeof deriveContract> }
}

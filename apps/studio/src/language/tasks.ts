import type { CaseStubs, Counterfactual } from '@engine/analysis'
import type {
  Assignment,
  Case,
  Concept,
  Contract,
  Coverage,
  DraftGraph,
  DraftRuleset,
  FindingKind,
  MergeConflict,
  Problem,
  TracedStep,
} from '@engine/authoring'
import type { Problem as ExpressionProblem, Value } from '@engine/expression'
import type { Loss, SheetTexts } from '@engine/interchange'
import type { ValueAnswer } from '@engine/ruleset'

/** The references of a draft, as stored on the platform. */
export interface Surroundings {
  readonly subRules: Readonly<Record<string, DraftGraph>>
  /** Undefined if the draft has none. */
  readonly contract: Contract | undefined
  /** The concepts of the project, which types may name. */
  readonly concepts: readonly Concept[]
}

export interface Subject extends Surroundings {
  readonly draft: DraftRuleset
}

/** A step of an execution, with the JSON pointer to it in the draft. */
export type LocalStep = TracedStep & { readonly path: string }

/** The result of an execution in the browser. */
export interface LocalRun {
  readonly code: string | null
  readonly message: string | null
  readonly output: Value
  readonly steps: readonly LocalStep[]
  /** JSON pointers to the reached steps, branches and rows. */
  readonly parts: readonly string[]
  readonly error?: { readonly message: string; readonly step: string }
}

/** The result of one case, and its mismatches. */
export interface LocalCase {
  /** The id of a stored case. */
  readonly id: string | undefined
  readonly name: string
  readonly outcome: {
    readonly code: string | null
    readonly message: string | null
    readonly output: Value | null
    readonly error?: string
  }
  readonly failures: readonly string[]
}

/** The coverage of all cases. */
export interface LocalCoverage {
  readonly coverage: Coverage
  /** Number of cases by the JSON pointer of a step, branch or row. */
  readonly hits: ReadonlyMap<string, number>
}

/** A changed draft, or the reason why the change failed. */
export type Edited<Result> =
  | ({ readonly kind: 'edited' } & Result)
  | { readonly kind: 'refused'; readonly message: string }

/** A function that expressions may call. */
export interface FunctionEntry {
  readonly name: string
  readonly signature: string
  readonly returns: string
  readonly summary: string
  readonly example: string
}

/** The reason why an execution was refused. */
export interface Refused {
  readonly kind: 'problems'
  readonly problems: readonly Problem[]
}

/** A table as read from a file. */
export interface SheetTable extends SheetTexts {
  readonly name: string
}

/** The tables of a file, and its unreadable parts with their positions. */
export interface ReadSheets {
  readonly tables: readonly SheetTable[]
  readonly lost: readonly Loss[]
}

/** The result of a replayed decision. */
export interface ReplayedOutcome {
  /** Null: the execution failed. */
  readonly code: string | null
  readonly output: Value | null
}

/** How often engines took each branch of a step; the last entry is the default. */
export type CountedBranches = { readonly [step: string]: readonly number[] }

/** Every task of the worker: its arguments, and its result. */
export interface Tasks {
  readonly functions: { readonly takes: undefined; readonly gives: readonly FunctionEntry[] }
  readonly check: {
    readonly takes: { readonly text: string; readonly types: Readonly<Record<string, string>> }
    readonly gives: readonly ExpressionProblem[]
  }
  readonly validate: { readonly takes: Subject; readonly gives: readonly Problem[] }
  readonly run: {
    readonly takes: Subject & { readonly input: Value; readonly stubs?: CaseStubs }
    readonly gives: Refused | { readonly kind: 'ran'; readonly run: LocalRun }
  }
  /** The value of an expression where an execution enters a step; undefined: the draft cannot be executed. */
  readonly evaluate: {
    readonly takes: Subject & {
      readonly input: Value
      readonly text: string
      /** JSON pointer of the step. */
      readonly path: string
      /** Assignments that precede the expression in the step. */
      readonly assignments: readonly Assignment[]
    }
    readonly gives: ValueAnswer | undefined
  }
  readonly cases: {
    readonly takes: Subject & { readonly cases: readonly Case[] }
    readonly gives: Refused | ({ readonly kind: 'ran'; readonly cases: readonly LocalCase[] } & LocalCoverage)
  }
  readonly findings: { readonly takes: Subject & { readonly samples: readonly Value[] }; readonly gives: Findings }
  /** Number of inputs by the JSON pointer of the row, branch or step that they reach. */
  readonly seen: {
    /** `inputs`: of recorded decisions, JSON values; or the counts of engines, by step. */
    readonly takes: Subject & ({ readonly inputs: readonly unknown[] } | { readonly counts: CountedBranches })
    readonly gives: ReadonlyMap<string, number>
  }
  /** Recorded decisions, executed again, each at its own time. */
  readonly replay: {
    readonly takes: Subject & {
      readonly decisions: readonly { readonly input: Value; readonly at: number; readonly calls: Value }[]
    }
    readonly gives: Refused | { readonly kind: 'ran'; readonly outcomes: readonly ReplayedOutcome[] }
  }
  readonly whyNot: {
    readonly takes: Subject & { readonly input: { readonly [key: string]: Value }; readonly code: string }
    readonly gives: WhyNot
  }
  readonly derive: { readonly takes: Subject; readonly gives: Contract | undefined }
  readonly decode: {
    readonly takes: string
    readonly gives: { readonly draft?: DraftRuleset; readonly problem?: string }
  }
  readonly merge: {
    readonly takes: { readonly base: DraftRuleset; readonly mine: DraftRuleset; readonly theirs: DraftRuleset }
    readonly gives: { readonly draft: DraftRuleset; readonly conflicts: readonly MergeConflict[] }
  }
  readonly resolve: {
    readonly takes: {
      readonly draft: DraftRuleset
      readonly conflicts: readonly MergeConflict[]
      readonly theirs: readonly string[]
    }
    readonly gives: DraftRuleset
  }
  readonly extract: {
    readonly takes: {
      readonly draft: DraftRuleset
      readonly steps: readonly string[]
      readonly name: string
      readonly within: string | undefined
    }
    readonly gives: Edited<{ readonly draft: DraftRuleset; readonly stepId: string }>
  }
  readonly inline: {
    readonly takes: Subject & { readonly step: string; readonly within: string | undefined }
    readonly gives: Edited<{ readonly draft: DraftRuleset }>
  }
  readonly paste: {
    readonly takes: { readonly draft: DraftRuleset; readonly text: string; readonly within: string | undefined }
    readonly gives: Edited<{ readonly draft: DraftRuleset; readonly ids: readonly string[] }>
  }
  /** A draft with a renamed input field, and the number of occurrences. */
  readonly renameField: {
    readonly takes: { readonly draft: DraftRuleset; readonly from: string; readonly to: string }
    readonly gives: { readonly draft: DraftRuleset; readonly places: number }
  }
  readonly sheets: {
    readonly takes: { readonly bytes: ArrayBuffer; readonly format: 'csv' | 'xlsx' }
    readonly gives: ReadSheets
  }
}

/** A finding about a draft: a claim that is proved for all inputs, or refuted by an input. */
export interface DraftFinding {
  readonly kind: FindingKind
  /** JSON pointer into the draft. */
  readonly path: string
  /** `notice`: correct, but perhaps unintended. `info`: common and harmless. */
  readonly severity: 'error' | 'warning' | 'notice' | 'info'
  /** For `shadowed`, pointers to the rows or branches that precede it. For `overlap`, to the row that takes effect. */
  readonly by: readonly string[]
  /** For `can_fail`, the error code. */
  readonly error?: string
  /** For `unreachable_code`, the result code. */
  readonly code?: string
  /** An example input. */
  readonly input?: DraftExample['input']
  readonly stubs?: CaseStubs
}

/** An input, and the answers to external calls with which it is executed. */
export interface DraftExample {
  readonly input: { readonly [key: string]: Value }
  readonly stubs: CaseStubs
}

/** The findings of an executable draft. */
export interface Findings {
  readonly findings: readonly DraftFinding[]
  /** Number of claims that the analysis could not decide. */
  readonly open: number
  /** An input by the JSON pointer of the row, branch or default that it takes. */
  readonly inputs: ReadonlyMap<string, DraftExample>
}

/** The smallest change of an input that leads to a result. */
export interface WhyNot {
  readonly verdict: Counterfactual['verdict']
  readonly changes: Counterfactual['changes']
  readonly input?: { readonly [key: string]: Value }
}

export type TaskName = keyof Tasks
/** The tasks of the worker for analyses. */
export type AnalysisName = 'findings' | 'whyNot' | 'seen' | 'replay'
/** The tasks of the worker for everything else. */
export type LanguageName = Exclude<TaskName, AnalysisName>
export interface Message<Name extends TaskName = TaskName> {
  readonly id: number
  readonly name: Name
  /** Excludes the draft, if the task has one. */
  readonly takes: Tasks[Name]['takes']
  /**
   * The draft of a task; `same` stands for the last draft that was sent, so that a large draft is copied to the worker
   * only once.
   */
  readonly draft?: DraftRuleset | 'same'
}
export type Reply =
  | { readonly id: number; readonly kind: 'done'; readonly gives: unknown }
  | { readonly id: number; readonly kind: 'failed'; readonly message: string }

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
  /** Undefined: it has none. */
  readonly contract: Contract | undefined
  /** Structures that types may name, each a concept of the project. */
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
  /** JSON pointers to the steps, branches and rows that it reached. */
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
  /** Numbers of cases by the JSON pointer of a step, branch or row. */
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

/** The tables of a file, and its unreadable parts with their places. */
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

/** How often engines took each branch of a step, last its default. */
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
      /** Assignments that the step makes earlier. */
      readonly assignments: readonly Assignment[]
    }
    readonly gives: ValueAnswer | undefined
  }
  readonly cases: {
    readonly takes: Subject & { readonly cases: readonly Case[] }
    readonly gives: Refused | ({ readonly kind: 'ran'; readonly cases: readonly LocalCase[] } & LocalCoverage)
  }
  readonly findings: { readonly takes: Subject & { readonly samples: readonly Value[] }; readonly gives: Findings }
  /** Numbers of inputs by the JSON pointer of the row, branch or step that they come to. */
  readonly seen: {
    /** `inputs`: of recorded decisions, JSON values; or the counts of engines, by step. */
    readonly takes: Subject & ({ readonly inputs: readonly unknown[] } | { readonly counts: CountedBranches })
    readonly gives: ReadonlyMap<string, number>
  }
  /** Recorded decisions executed again, each at its own time. */
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
  /** A draft with an input field renamed, and how many places read it. */
  readonly renameField: {
    readonly takes: { readonly draft: DraftRuleset; readonly from: string; readonly to: string }
    readonly gives: { readonly draft: DraftRuleset; readonly places: number }
  }
  readonly sheets: {
    readonly takes: { readonly bytes: ArrayBuffer; readonly format: 'csv' | 'xlsx' }
    readonly gives: ReadSheets
  }
}

/** What an analysis found about a draft: a claim that holds for all inputs, or one that an input shows. */
export interface DraftFinding {
  readonly kind: FindingKind
  /** JSON pointer into the draft. */
  readonly path: string
  /** `notice`: nothing is wrong, but the author may not have meant it. `info`: usual, and worth knowing. */
  readonly severity: 'error' | 'warning' | 'notice' | 'info'
  /** Of `shadowed`: pointers to the rows or branches that come first. Of `overlap`: to the row that counts. */
  readonly by: readonly string[]
  /** Of `can_fail`: the code of the error. */
  readonly error?: string
  /** Of `unreachable_code`: the code. */
  readonly code?: string
  /** An input that shows it. */
  readonly input?: DraftExample['input']
  readonly stubs?: CaseStubs
}

/** An input, and the answers of external calls with which it is executed. */
export interface DraftExample {
  readonly input: { readonly [key: string]: Value }
  readonly stubs: CaseStubs
}

/** The findings of a draft that can be executed. */
export interface Findings {
  readonly findings: readonly DraftFinding[]
  /** Claims that the analysis did not decide. */
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
  /** Excludes the draft, when the task has one. */
  readonly takes: Tasks[Name]['takes']
  /**
   * The draft of a task; `same`: that of the last task with one. This way a large draft is copied to the worker once.
   */
  readonly draft?: DraftRuleset | 'same'
}
export type Reply =
  | { readonly id: number; readonly kind: 'done'; readonly gives: unknown }
  | { readonly id: number; readonly kind: 'failed'; readonly message: string }

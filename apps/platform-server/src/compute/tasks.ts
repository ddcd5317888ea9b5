import type { Finding, Impact, Replayed, Report } from '@engine/analysis'
import type {
  ArchiveFile,
  Case,
  ComparedContracts,
  Concepts,
  Contract,
  ContractMode,
  Coverage,
  deriveContract,
  DraftGraph,
  DraftRuleset,
  FieldReads,
  Problem,
  ReadArchive,
  RulesetComparison,
  TracedStep,
} from '@engine/authoring'
import type { JsonProblem, Value } from '@engine/expression'
import type { Exported, Imported, ImportReport } from '@engine/interchange'
import type { Fields, RulesetDocument } from '@engine/ruleset'
import type { StoredCall } from '../database/stored-content.ts'
import type { UnsupportedText } from '../database/unsupported-text.ts'
import type { LargeDraft } from './large-draft.ts'

/** A contract with the concepts that its types may name. */
export interface ContractInUse {
  readonly contract: Contract
  readonly concepts: Concepts
  /** The mode in which released rulesets carry it; undefined if they do not. */
  readonly mode?: ContractMode
}

/** The references of drafts. */
interface References {
  /** Sub-rules of project and organization that it uses. */
  readonly subRules: ReadonlyMap<string, DraftGraph>
  /** Undefined if it has none. */
  readonly contract: ContractInUse | undefined
}

/** A draft with everything that it refers to. */
export interface Subject extends References {
  readonly draft: DraftRuleset
}

/** Like `Subject`, for a large draft: copying its text costs less than copying its values. */
export interface LargeSubject extends References {
  readonly draftText: string
}

export type SentSubject = Subject | LargeSubject

/** The interface of a sub-rule for the steps that use it. */
export interface SubRuleInterface {
  readonly bindings: readonly { readonly name: string; readonly type: string; readonly required: boolean }[]
  readonly outputs: readonly { readonly name: string; readonly type: string }[]
}

/** Executes a draft for one input. */
export interface TraceTask {
  readonly kind: 'trace'
  readonly subject: SentSubject
  readonly input: Value
  readonly now: string | undefined
  readonly stubs: { readonly [call: string]: Value } | undefined
}

/** Runs cases of a draft. */
export interface CasesTask {
  readonly kind: 'cases'
  readonly subject: SentSubject
  readonly cases: readonly Case[]
}

/** Converts a draft, and reports its problems. */
export interface CheckTask {
  readonly kind: 'check'
  readonly subject: SentSubject
  /** The sub-rules that it uses, as far as known. */
  readonly used: ReadonlyMap<string, SubRuleInterface>
  readonly form: EngineForm
}

/** The form in which the converted draft is returned: text is cheapest for a large one; `none` if it is not needed. */
export type EngineForm = 'values' | 'text' | 'none'

/** Reads a file of test suites. */
export interface SuiteFileTask {
  readonly kind: 'suite-file'
  readonly format: 'yaml' | 'csv'
  readonly bytes: Uint8Array
  /** Maximum number of cases in a file. */
  readonly most: number
}

/** `{ruleset, cases}` with cases that `decodeCases` reads, or why the file has none. */
export type SuiteFileResult =
  | { readonly kind: 'read'; readonly document: Value }
  | { readonly kind: 'not-text' }
  /** Too large: 413. */
  | { readonly kind: 'refused'; readonly reason: string; readonly line?: number; readonly isTooLarge?: true }

/** Writes the suites of a ruleset as one file. */
export interface WriteSuitesTask {
  readonly kind: 'write-suites'
  readonly format: 'yaml' | 'csv'
  readonly ruleset: string
  readonly suites: readonly StoredSuite[]
}

/** A suite as stored. */
export interface StoredSuite {
  readonly name: string
  /** JSON text of a list of cases, each with its id. */
  readonly cases: string
}

/** Reports the problems of a sub-rule. */
export interface SubRuleTask {
  readonly kind: 'sub-rule'
  readonly graph: DraftGraph
  readonly bindings: SubRuleInterface['bindings']
  readonly outputs: SubRuleInterface['outputs']
  readonly subRules: References['subRules']
  readonly used: CheckTask['used']
}

/** Parses the text of a body with a large draft. */
export interface ReadTask {
  readonly kind: 'read'
  readonly text: string
  /** The member that is the draft, and its format. */
  readonly draft: { readonly name: string; readonly format: 'editor' | 'engine' }
}

/** A body without its draft, and the draft as text. */
export type ReadResult =
  | { readonly kind: 'not-json'; readonly problem: JsonProblem }
  | { readonly kind: 'unstorable'; readonly path: string; readonly message: string }
  | {
      readonly kind: 'read'
      readonly body: Value
      /** Undefined if the body has none. */
      readonly draft?: { readonly read: LargeDraft['read']; readonly problems: readonly Problem[] }
    }

/** Derives a contract from a draft and from inputs that the contract must have. */
export interface DeriveTask {
  readonly kind: 'derive'
  readonly subject: SentSubject
  readonly inputs: readonly Value[]
}

/** Formats of documents that can be imported. */
export type ImportFormat = 'engine' | 'jdm' | 'dmn' | 'json-rules-engine' | 'xlsx' | 'csv'

/** Creates drafts from a document in another format. */
export interface ImportTask {
  readonly kind: 'import'
  readonly format: ImportFormat
  readonly bytes: Uint8Array
  /** The name of the ruleset; undefined for the name in the document, or the default of the format. */
  readonly name: string | undefined
  readonly options: ImportOptions
}

/** Options of single formats. */
export interface ImportOptions {
  /** Only of `dmn`: the name or id of the only decision to convert. */
  readonly decision?: string | undefined
  /** Only of `jdm`; see `JdmOptions`. */
  readonly repeatInput?: boolean | undefined
}

/** A body as sent. */
export interface Told {
  readonly bytes: Uint8Array
  /** The header `content-encoding`. */
  readonly coding: string | undefined
}

/** Compares an answer with the decision of a candidate. */
export interface ShadowTask {
  readonly kind: 'shadow'
  readonly digest: string
  /** JSON text of the candidate, in the format of engines. */
  readonly document: string
  readonly request: Told
  /** A status other than 200 means that the ruleset failed. */
  readonly answer: Told & { readonly status: number }
  /** Dotted paths of the input whose values are hidden in examples. */
  readonly mask: readonly string[]
}

/** Counts the recorded inputs that violate the contract of a ruleset. */
export interface RefusalsTask {
  readonly kind: 'refusals'
  /** `config.contract` of the ruleset in the format of engines. */
  readonly contract: Value
  /** Masked. */
  readonly inputs: readonly Value[]
}

/** An input that violates a contract. Its values are not shown: readers may not have the right to see recorded ones. */
export interface RefusedInput {
  /** Its index in the task. */
  readonly index: number
  readonly violations: readonly { readonly path: string; readonly code: string; readonly expected: string }[]
}

/** Formats of other programs to which drafts can be exported. */
export type ExportFormat = 'dmn' | 'jdm'

/** Exports a draft in another format. */
export interface ExportTask {
  readonly kind: 'export'
  readonly format: ExportFormat
  /** JSON text. */
  readonly draft: string
  /** Sub-rules of project and organization that it uses. */
  readonly subRules: ReadonlyMap<string, DraftGraph>
  /** The contract with its defaults; undefined if it has none. */
  readonly contract: Contract | undefined
}

/** Compares two rulesets of the same format. */
export interface CompareTask {
  readonly kind: 'compare'
  /** Undefined if the ruleset did not exist before, or does not exist after. */
  readonly base: Fields | undefined
  readonly next: Fields | undefined
  readonly contracts: ComparedContracts
}

/** Lists the differences between two drafts. */
export interface DiffTask {
  readonly kind: 'diff'
  /** JSON texts. */
  readonly base: string
  readonly next: string
}

/** Finds where a draft reads a field, and the problems that a change of the field would cause. */
export interface UsageTask {
  readonly kind: 'usage'
  /** Dotted path. */
  readonly field: string
  /** JSON text of the draft. */
  readonly text: string
  /** The contract before and after the change; undefined if the change does not affect it. */
  readonly change: { readonly before: ContractInUse; readonly after: ContractInUse } | undefined
  /** The sub-rules that it uses. */
  readonly subRules: References['subRules']
  readonly used: CheckTask['used']
}

/** Where a draft reads a field. */
export interface UsedIn extends FieldReads {
  /** Problems that the change would add. */
  readonly problems: readonly Problem[]
}

/** Reads the files of a project: those of a body, or a gzip-compressed tar archive. */
export type ReadArchiveTask = { readonly kind: 'read-archive' } & SentArchive

/** An archive as sent. */
export type SentArchive = { readonly files: readonly ArchiveFile[] } | { readonly bytes: Uint8Array }

/** The content of an archive, and the first text in it that cannot be stored; or why it is refused. */
export type ReadArchiveResult =
  | ({ readonly kind: 'read'; readonly unstorable?: UnsupportedText } & ReadArchive)
  | { readonly kind: 'refused'; readonly message: string; readonly isTooLarge: boolean }

/** Writes the files of a project. */
export interface WriteArchiveTask {
  readonly kind: 'write-archive'
  /** JSON text of a `ProjectArchive` without its rulesets and suites. */
  readonly archive: string
  /** JSON texts in UTF-8, read one at a time: all of them together may need more memory than a thread has. */
  readonly rulesets: readonly Uint8Array[]
  /** Suites with their cases as in `StoredSuite`, in UTF-8. */
  readonly suites: readonly { readonly ruleset: string; readonly name: string; readonly cases: Uint8Array }[]
  /** A gzip-compressed tar archive, or the JSON text `{"files": […]}`. */
  readonly form: 'tar.gz' | 'json'
}

/** Analyses a draft for all inputs. */
export interface AnalyzeTask {
  readonly kind: 'analyze'
  readonly subject: SentSubject
  readonly seeds: readonly ExampleInput[]
  /** Work of the search, in assignments. */
  readonly budget: number
}

/** An input with which a search starts. */
export type ExampleInput = { readonly [field: string]: Value }

/** Compares a ruleset with a draft that replaces it, for all inputs. */
export interface ImpactTask {
  readonly kind: 'impact'
  readonly subject: SentSubject
  readonly seeds: readonly ExampleInput[]
  /** JSON text in the format of engines. */
  readonly baseText: string
  /** Changes of code to prove absent. */
  readonly forbid: readonly Transition[]
  readonly budget: number
}

/** A change of result code; `*` is any code. */
export interface Transition {
  readonly from: string
  readonly to: string
}

/** Repeats recorded decisions with a ruleset and with its replacement. */
export interface ReplayTask {
  readonly kind: 'replay'
  /** JSON texts in the format of engines. */
  readonly baseText: string
  readonly candidateText: string
  readonly inputs: readonly Value[]
  /**
   * The code, the time in epoch milliseconds and the `RecordedCall`s of each decision. A null `code` means that the
   * input was refused; null `calls` were not recorded.
   */
  readonly decisions: readonly {
    readonly code: string | null
    readonly now: number
    readonly calls: readonly StoredCall[] | null
  }[]
  /** The conditions of the regions of the comparison. */
  readonly regions: readonly string[]
}

/** Measures how thoroughly cases test a draft. */
export interface MeasureTask {
  readonly kind: 'measure'
  readonly subject: SentSubject
  readonly inputs: readonly Value[]
  /** Epoch milliseconds of `now()` for each input. */
  readonly times: readonly number[]
  readonly budget: number
}

/** The tasks of threads. */
export type Task =
  | AnalyzeTask
  | ImpactTask
  | ReplayTask
  | MeasureTask
  | TraceTask
  | CasesTask
  | CheckTask
  | DeriveTask
  | SubRuleTask
  | ReadTask
  | SuiteFileTask
  | WriteSuitesTask
  | ImportTask
  | ExportTask
  | ShadowTask
  | RefusalsTask
  | CompareTask
  | DiffTask
  | UsageTask
  | ReadArchiveTask
  | WriteArchiveTask

/** A checked draft, the sub-rules that it uses, and its contract. */
export interface Checked {
  /** In the format of engines, in the requested form; undefined if the draft has errors. */
  readonly ruleset?: RulesetDocument
  readonly engineText?: string
  /** At most `MAX_PROBLEMS`; if there are more, errors come first. */
  readonly problems: readonly Problem[]
  /** Problems of result codes that the contract does not declare, among the reported ones or beyond. */
  readonly undeclared: readonly Problem[]
}

/** The trace of an execution for one input. */
export interface Traced {
  readonly code: string | null
  readonly message: string | null
  readonly output: { readonly [name: string]: Value } | null
  readonly duration_us: number
  readonly trace: { readonly path: string; readonly steps: readonly TracedStep[]; readonly truncated?: true }
  readonly error?: { readonly message: string; readonly code: string; readonly step_id: string }
}

/** The result of one case. */
export interface CaseOutcome {
  readonly passed: boolean
  readonly failures: readonly { readonly kind: string; readonly message: string }[]
  readonly actual: Pick<Traced, 'code' | 'message' | 'output'> & {
    readonly path: readonly string[]
    readonly error?: string
  }
  readonly duration_us: number
}

/** The problems of a draft that was not executed. */
export interface Unexecuted {
  readonly kind: 'problems'
  readonly problems: readonly Problem[]
}

/** The analysis of a draft. Places are JSON pointers into the draft. */
export interface DraftReport extends Pick<Report, 'domain' | 'questions' | 'truncated'> {
  /** At most `MAX_FINDINGS`, errors and warnings first. */
  readonly findings: readonly Finding[]
}

/** How much of a draft its cases test: a measure of `SuiteMeasures`, in percent, and the first places that it misses. */
export interface SuiteShare {
  readonly percent: number
  readonly missing: readonly string[]
}

/** A measure of how thoroughly cases test a draft. */
export type SuiteMeasure = 'branches' | 'conditions' | 'boundaries' | 'mutants'

/** The results of tasks by their kind. */
export interface Results {
  readonly analyze: Unexecuted | { readonly kind: 'analyzed'; readonly report: DraftReport }
  readonly impact: Unexecuted | { readonly kind: 'compared'; readonly impact: Omit<Impact, 'records'> }
  readonly replay: { readonly replayed: Replayed; readonly inRegions: readonly number[] }
  readonly measure:
    | Unexecuted
    | { readonly kind: 'measured'; readonly measures: Readonly<Record<SuiteMeasure, SuiteShare>> }
  readonly trace: Unexecuted | { readonly kind: 'traced'; readonly traced: Traced }
  readonly cases:
    | Unexecuted
    | { readonly kind: 'run'; readonly outcomes: readonly CaseOutcome[]; readonly coverage: Coverage }
  readonly check: Checked
  readonly 'sub-rule': { readonly problems: readonly Problem[] }
  readonly read: ReadResult
  readonly 'suite-file': SuiteFileResult
  /** UTF-8. */
  readonly 'write-suites': { readonly bytes: Uint8Array }
  readonly import:
    | {
        readonly kind: 'imported'
        readonly imported: Imported
        readonly report: ImportReport
        /** The first text in its rulesets that cannot be stored. */
        readonly unstorable: UnsupportedText | undefined
      }
    | { readonly kind: 'too-large'; readonly message: string }
    /** The bytes are not UTF-8. */
    | { readonly kind: 'not-text' }
    | Extract<ReadResult, { readonly kind: 'not-json' | 'unstorable' }>
  /** JSON, or the text of XML. */
  readonly export: Exported<Value>
  readonly compare: RulesetComparison
  /** A `DraftDiff` as JSON. */
  readonly diff: { readonly text: string }
  readonly usage: UsedIn
  readonly derive: Unexecuted | { readonly kind: 'derived'; readonly contract: ReturnType<typeof deriveContract> }
  readonly 'read-archive': ReadArchiveResult
  /** UTF-8 where it is JSON. */
  readonly 'write-archive': { readonly bytes: Uint8Array }
  readonly refusals: { readonly refused: number; readonly examples: readonly RefusedInput[] }
  readonly shadow:
    | { readonly kind: 'skipped' }
    | {
        readonly kind: 'compared'
        readonly changed: boolean
        /** Result codes; null if it failed; `error:INVALID_INPUT` if it refused the input. */
        readonly from: string | null
        readonly to: string | null
        /** JSON text; undefined if there is none, or it is too large. */
        readonly example: string | undefined
      }
}

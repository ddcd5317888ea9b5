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
  /** The mode in which released rulesets carry it; undefined: they do not. */
  readonly mode?: ContractMode
}

/** What drafts refer to. */
interface References {
  /** Sub-rules of project and organization that it uses. */
  readonly subRules: ReadonlyMap<string, DraftGraph>
  /** Undefined: it has none. */
  readonly contract: ContractInUse | undefined
}

/** A draft with everything that it refers to. */
export interface Subject extends References {
  readonly draft: DraftRuleset
}

/** The same of a large draft: a copy of its text costs less than one of its values. */
export interface LargeSubject extends References {
  readonly draftText: string
}

export type SentSubject = Subject | LargeSubject

/** A sub-rule as the steps that use it see it. */
export interface SubRuleInterface {
  readonly bindings: readonly { readonly name: string; readonly type: string; readonly required: boolean }[]
  readonly outputs: readonly { readonly name: string; readonly type: string }[]
}

/** Execute a draft for one input. */
export interface TraceTask {
  readonly kind: 'trace'
  readonly subject: SentSubject
  readonly input: Value
  readonly now: string | undefined
  readonly stubs: { readonly [call: string]: Value } | undefined
}

/** Run cases of a draft. */
export interface CasesTask {
  readonly kind: 'cases'
  readonly subject: SentSubject
  readonly cases: readonly Case[]
}

/** Convert a draft, and report its problems. */
export interface CheckTask {
  readonly kind: 'check'
  readonly subject: SentSubject
  /** The sub-rules that it uses, as far as known. */
  readonly used: ReadonlyMap<string, SubRuleInterface>
  readonly form: EngineForm
}

/** How the converted draft is answered: a large one costs least as text, and where it is not needed nothing. */
export type EngineForm = 'values' | 'text' | 'none'

/** Read a file of test suites. */
export interface SuiteFileTask {
  readonly kind: 'suite-file'
  readonly format: 'yaml' | 'csv'
  readonly bytes: Uint8Array
  /** Cases that a file may have. */
  readonly most: number
}

/** `{ruleset, cases}` with cases that `decodeCases` reads, or why the file has none. */
export type SuiteFileResult =
  | { readonly kind: 'read'; readonly document: Value }
  | { readonly kind: 'not-text' }
  /** Too large: 413. */
  | { readonly kind: 'refused'; readonly reason: string; readonly line?: number; readonly isTooLarge?: true }

/** Write the suites of a ruleset as one file. */
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

/** Report the problems of a sub-rule. */
export interface SubRuleTask {
  readonly kind: 'sub-rule'
  readonly graph: DraftGraph
  readonly bindings: SubRuleInterface['bindings']
  readonly outputs: SubRuleInterface['outputs']
  readonly subRules: References['subRules']
  readonly used: CheckTask['used']
}

/** Read the text of a body that has a large draft. */
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
      /** Undefined: the body has none. */
      readonly draft?: { readonly read: LargeDraft['read']; readonly problems: readonly Problem[] }
    }

/** Derive a contract from a draft and from inputs that the contract must have. */
export interface DeriveTask {
  readonly kind: 'derive'
  readonly subject: SentSubject
  readonly inputs: readonly Value[]
}

/** Formats of documents that can be imported. */
export type ImportFormat = 'engine' | 'jdm' | 'dmn' | 'json-rules-engine' | 'xlsx' | 'csv'

/** Make drafts of a document of another format. */
export interface ImportTask {
  readonly kind: 'import'
  readonly format: ImportFormat
  readonly bytes: Uint8Array
  /** The name of the ruleset; undefined: the name in the document, or the default of the format. */
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

/** Compare an answer with the decision of a candidate. */
export interface ShadowTask {
  readonly kind: 'shadow'
  readonly digest: string
  /** JSON text of the candidate, in the format of engines. */
  readonly document: string
  readonly request: Told
  /** Another status than 200: the ruleset failed. */
  readonly answer: Told & { readonly status: number }
  /** Dotted paths of the input whose values are hidden in examples. */
  readonly mask: readonly string[]
}

/** Count the recorded inputs that break the contract of a ruleset. */
export interface RefusalsTask {
  readonly kind: 'refusals'
  /** `config.contract` of the ruleset in the format of engines. */
  readonly contract: Value
  /** Masked. */
  readonly inputs: readonly Value[]
}

/** An input that breaks a contract. Its values are not shown: readers may not have the right to see recorded ones. */
export interface RefusedInput {
  /** Its index in the task. */
  readonly index: number
  readonly violations: readonly { readonly path: string; readonly code: string; readonly expected: string }[]
}

/** Formats of other programs that drafts are written in. */
export type ExportFormat = 'dmn' | 'jdm'

/** Export a draft in another format. */
export interface ExportTask {
  readonly kind: 'export'
  readonly format: ExportFormat
  /** JSON text. */
  readonly draft: string
  /** Sub-rules of project and organization that it uses. */
  readonly subRules: ReadonlyMap<string, DraftGraph>
  /** The contract whose defaults it has; undefined: it has none. */
  readonly contract: Contract | undefined
}

/** Compare two rulesets of the same format. */
export interface CompareTask {
  readonly kind: 'compare'
  /** Undefined: the ruleset did not exist before, or does not exist after. */
  readonly base: Fields | undefined
  readonly next: Fields | undefined
  readonly contracts: ComparedContracts
}

/** List the differences between two drafts. */
export interface DiffTask {
  readonly kind: 'diff'
  /** JSON texts. */
  readonly base: string
  readonly next: string
}

/** Find where a draft reads a field, and the problems that a change of the field would cause. */
export interface UsageTask {
  readonly kind: 'usage'
  /** Dotted path. */
  readonly field: string
  /** JSON text of the draft. */
  readonly text: string
  /** The contract before and after the change; undefined: the change does not affect it. */
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

/** Read the files of a project: those of a body, or a gzip-compressed tar archive. */
export type ReadArchiveTask = { readonly kind: 'read-archive' } & SentArchive

/** An archive as sent. */
export type SentArchive = { readonly files: readonly ArchiveFile[] } | { readonly bytes: Uint8Array }

/** What an archive holds, and the first text in it that cannot be stored; or why it is refused. */
export type ReadArchiveResult =
  | ({ readonly kind: 'read'; readonly unstorable?: UnsupportedText } & ReadArchive)
  | { readonly kind: 'refused'; readonly message: string; readonly isTooLarge: boolean }

/** Write the files of a project. */
export interface WriteArchiveTask {
  readonly kind: 'write-archive'
  /** JSON text of a `ProjectArchive` without its rulesets and suites. */
  readonly archive: string
  /** JSON texts in UTF-8, read one at a time: all of them together may need more memory than a thread has. */
  readonly rulesets: readonly Uint8Array[]
  /** Suites with their cases as `StoredSuite` has them, in UTF-8. */
  readonly suites: readonly { readonly ruleset: string; readonly name: string; readonly cases: Uint8Array }[]
  /** A gzip-compressed tar archive, or the JSON text `{"files": […]}`. */
  readonly form: 'tar.gz' | 'json'
}

/** Look for the mistakes of a draft, for all inputs. */
export interface AnalyzeTask {
  readonly kind: 'analyze'
  readonly subject: SentSubject
  readonly seeds: readonly ExampleInput[]
  /** Work of the search, in assignments. */
  readonly budget: number
}

/** An input that a search begins with. */
export type ExampleInput = { readonly [field: string]: Value }

/** Compare a ruleset with a draft that replaces it, for all inputs. */
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

/** Decide recorded inputs by a ruleset and by the one that replaces it. */
export interface ReplayTask {
  readonly kind: 'replay'
  /** JSON texts in the format of engines. */
  readonly baseText: string
  readonly candidateText: string
  readonly inputs: readonly Value[]
  /**
   * The code, the time in epoch milliseconds and the `RecordedCall`s of each decision. A `code` of null: the input was refused;
   * `calls` of null: they were not recorded.
   */
  readonly decisions: readonly {
    readonly code: string | null
    readonly now: number
    readonly calls: readonly StoredCall[] | null
  }[]
  /** The conditions of the regions of the comparison. */
  readonly regions: readonly string[]
}

/** Measure how thoroughly cases test a draft. */
export interface MeasureTask {
  readonly kind: 'measure'
  readonly subject: SentSubject
  readonly inputs: readonly Value[]
  /** Epoch milliseconds of `now()` for each input. */
  readonly times: readonly number[]
  readonly budget: number
}

/** What threads do. */
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
  /** In the format of engines, in the requested form; undefined when the draft has errors. */
  readonly ruleset?: RulesetDocument
  readonly engineText?: string
  /** At most `MAX_PROBLEMS`, errors first where there are more. */
  readonly problems: readonly Problem[]
  /** Those of result codes that the contract does not have, of the problems or beyond. */
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

/** The problems of the draft: it was not executed. */
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
    /** The bytes are no UTF-8. */
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
        /** Codes; null: it failed; `error:INVALID_INPUT`: it refused the input. */
        readonly from: string | null
        readonly to: string | null
        /** JSON text; undefined: none, or it is too large. */
        readonly example: string | undefined
      }
}

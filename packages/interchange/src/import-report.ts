import { type CaseHost, convertDraft, runCase } from '@engine/authoring'
import { decodeRuleset } from '@engine/ruleset'
import type { Imported, ImportedRuleset, Loss } from './conversion-result.ts'

/** Maximum number of listed places per reason; all are counted. */
const MAX_PLACES = 100

/**
 * `ready`: only information is reported, and every case passed. `review`: there are warnings or failed cases.
 * `refused`: a part is missing.
 */
export type ImportVerdict = 'ready' | 'review' | 'refused'

/** A case that came with a document, executed with the imported ruleset. */
export interface ImportedCase {
  readonly ruleset: string
  readonly name: string
  readonly passed: boolean
  readonly failures: readonly string[]
}

/** The result for one document. */
export interface DocumentReport {
  /** Its name, such as a path; empty for the only document of a request. */
  readonly document: string
  readonly verdict: ImportVerdict
  readonly rulesets: readonly string[]
  /** Empty for a refused document, whose cases are not run. */
  readonly cases: readonly ImportedCase[]
}

/** A place of a reason; path, line and column are those of the `Loss`. */
export interface ReasonPlace extends Pick<Loss, 'path' | 'message' | 'line' | 'column'> {
  readonly document: string
}

/** All losses of one kind. */
export interface ImportReason extends Pick<Loss, 'severity' | 'code'> {
  readonly count: number
  /** The first ones, in the order of the documents. */
  readonly places: readonly ReasonPlace[]
}

/** The report of an import, the same for a request, a page and the command line. */
export interface ImportReport {
  readonly summary: {
    readonly documents: number
    readonly ready: number
    readonly review: number
    readonly refused: number
    /** Executed cases. */
    readonly cases: number
    readonly failed: number
  }
  readonly documents: readonly DocumentReport[]
  /** Errors first, then warnings, each severity by falling count. */
  readonly reasons: readonly ImportReason[]
}

/** An imported document with its name. */
export interface ReportedDocument {
  readonly document: string
  readonly imported: Imported
}

/** Executes the cases of imported documents, and groups their problems by kind. */
export async function importReport(imports: readonly ReportedDocument[], host: CaseHost): Promise<ImportReport> {
  const documents: DocumentReport[] = []
  for (const one of imports) documents.push(await documentReport(one, host))
  const count = (verdict: ImportVerdict) => documents.filter((one) => one.verdict === verdict).length
  const cases = documents.flatMap((one) => one.cases)
  return {
    summary: {
      documents: documents.length,
      ready: count('ready'),
      review: count('review'),
      refused: count('refused'),
      cases: cases.length,
      failed: cases.filter(({ passed }) => !passed).length,
    },
    documents,
    reasons: reasonsOf(imports),
  }
}

async function documentReport({ document, imported }: ReportedDocument, host: CaseHost): Promise<DocumentReport> {
  const { rulesets, lost } = imported
  const names = rulesets.map(({ name }) => name)
  // Only information: a model that others import, without a decision.
  const isEmpty = rulesets.length === 0 && !lost.some(({ severity }) => severity === 'info')
  if (isEmpty || lost.some(({ severity }) => severity === 'error'))
    return { document, verdict: 'refused', rulesets: names, cases: [] }
  const cases: ImportedCase[] = []
  for (const ruleset of rulesets) cases.push(...(await casesRun(ruleset, host)))
  const isReady = lost.every(({ severity }) => severity === 'info') && cases.every(({ passed }) => passed)
  return { document, verdict: isReady ? 'ready' : 'review', rulesets: names, cases }
}

async function casesRun(
  { name: ruleset, ruleset: draft, cases = [] }: ImportedRuleset,
  host: CaseHost,
): Promise<readonly ImportedCase[]> {
  if (cases.length === 0) return []
  const { ruleset: document, problems } = convertDraft(draft)
  const decoded = document && decodeRuleset(document)
  const [fault] = [...problems.filter(({ severity }) => severity === 'error'), ...(decoded?.problems ?? [])]
  const run: ImportedCase[] = []
  for (const one of cases) {
    const failures =
      fault !== undefined || decoded?.ruleset === undefined
        ? [`not run: ${fault?.message ?? 'the ruleset cannot be executed'}`]
        : (await runCase(decoded.ruleset, one, host)).failures.map(({ message }) => message)
    run.push({ ruleset, name: one.name, passed: failures.length === 0, failures })
  }
  return run
}

function reasonsOf(imports: readonly ReportedDocument[]): readonly ImportReason[] {
  const all = imports.flatMap(({ document, imported: { lost } }) => lost.map((problem) => ({ document, problem })))
  const kinds = Map.groupBy(all, ({ problem: { severity, code } }) => `${severity} ${code}`)
  return Array.from(kinds.values(), (those): ImportReason => {
    const { severity = 'error', code = '' } = those[0]?.problem ?? {}
    return { severity, code, count: those.length, places: those.slice(0, MAX_PLACES).map(placeOf) }
  }).sort((one, other) => RANKS[one.severity] - RANKS[other.severity] || other.count - one.count)
}

const RANKS: { readonly [Severity in Loss['severity']]: number } = { error: 0, warning: 1, info: 2 }

const placeOf = ({ document, problem }: { readonly document: string; readonly problem: Loss }): ReasonPlace => {
  const { path, message, line, column } = problem
  return { document, path, message, ...(line !== undefined && { line }), ...(column !== undefined && { column }) }
}

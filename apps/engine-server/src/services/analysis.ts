import { addReplayed, type Finding, NOTHING_REPLAYED, type Replayed } from '@engine/analysis'
import { jsonValue, stringifyJson } from '@engine/expression'
import { type AnalysisTask, type RecordLine, sumsOf } from '../analysis/tasks.ts'
import type { AnalysisThreads, TaskOwner } from '../analysis/threads.ts'
import type { RulesetCatalog, ShownRulesets } from '../catalog/catalog.ts'
import { contentDigest } from '../catalog/content-digest.ts'
import { failures } from '../errors.ts'
import type { StoredRuleset } from '../store/store.ts'
import { withStoreErrors } from './store-failures.ts'

/** Who waits for an answer. */
export type AnalysisRun = Pick<TaskOwner, 'signal'>

/** Proved statements about rulesets (docs/analysis.md). Bodies and answers are JSON text. Rejects with an `EngineError`. */
export interface AnalysisService {
  analyze(name: string, body: string, run: AnalysisRun): Promise<string>
  /** @param seq the old version, of which the stored one is the new one; undefined: the new one is in the body */
  impact(name: string, seq: number | undefined, body: string, run: AnalysisRun): Promise<string>
  whyNot(name: string, body: string, run: AnalysisRun): Promise<string>
  /** Replays records by a replaced version and the stored one. */
  replay(name: string, seq: number, run: AnalysisRun): Promise<ReplayStream>
}

/** The errors and warnings of a ruleset that may be stored. */
export type FindingsOf = (ruleset: StoredRuleset) => Promise<readonly Finding[]>

/** Records that arrive line by line. */
export interface ReplayStream {
  /** The answers of lines, one a line. */
  add(lines: readonly RecordLine[]): Promise<string>
  /** The sums of all lines, as JSON text. */
  summary(): string
}

export interface AnalysisParts {
  readonly catalog: Pick<RulesetCatalog, 'version'>
  /** What answers may show. */
  readonly shown: ShownRulesets
  readonly threads: AnalysisThreads
  readonly tenant: string | undefined
}

export function createAnalysisService({ catalog, shown, threads, tenant }: AnalysisParts): AnalysisService {
  const stored = (name: string): StoredRuleset => {
    const found = shown.get(name)
    if (found === undefined) throw failures.noSuchRuleset(name)
    return found
  }
  const replaced = async (name: string, seq: number): Promise<string> => {
    const version = await withStoreErrors(() => catalog.version(name, seq))
    if (version === undefined) throw failures.noSuchVersion(name, seq)
    return version.text
  }
  const run = async (task: AnalysisTask, { signal }: AnalysisRun) => threads.run(task, { tenant, signal })
  return {
    async analyze(name, body, by) {
      const ruleset = stored(name)
      const digest = await contentDigest(ruleset)
      return (await run({ kind: 'analyze', ruleset: ruleset.text, digest, body }, by)).text
    },
    async impact(name, seq, body, by) {
      const { text } = stored(name)
      const versions =
        seq === undefined ? { before: text, after: undefined } : { before: await replaced(name, seq), after: text }
      return (await run({ kind: 'impact', ...versions, body }, by)).text
    },
    async whyNot(name, body, by) {
      return (await run({ kind: 'why-not', ruleset: stored(name).text, body }, by)).text
    },
    async replay(name, seq, by) {
      const { text: after } = stored(name)
      const before = await replaced(name, seq)
      let sums: Replayed = NOTHING_REPLAYED
      return {
        async add(lines) {
          const { text, sums: more } = await run({ kind: 'replay', before, after, lines }, by)
          if (more !== undefined) sums = addReplayed(sums, sumsOf(more))
          return text
        },
        summary: () => stringifyJson(sums),
      }
    },
  }
}

export function createFindings(threads: AnalysisThreads, tenant: string | undefined): FindingsOf {
  return async ({ text }) => {
    const answer = await threads.run({ kind: 'findings', ruleset: text }, { tenant })
    return jsonValue(answer.text) as unknown as readonly Finding[]
  }
}

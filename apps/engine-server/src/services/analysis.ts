import { addReplayed, type Finding, NOTHING_REPLAYED, type Replayed } from '@engine/analysis'
import { isList, jsonValue, stringifyJson } from '@engine/expression'
import { type AnalysisTask, type Callee, type RecordLine, sumsOf } from '../analysis/tasks.ts'
import type { AnalysisThreads, TaskOwner } from '../analysis/threads.ts'
import type { RulesetCatalog, ShownRulesets } from '../catalog/catalog.ts'
import { contentDigest } from '../catalog/content-digest.ts'
import { failures } from '../errors.ts'
import type { StoredRuleset } from '../store/store.ts'
import { traitsOf } from './ruleset-traits.ts'
import { withStoreErrors } from './store-failures.ts'

/** The waiting client of an analysis. */
export type AnalysisRun = Pick<TaskOwner, 'signal'>

/** Proved statements about rulesets (docs/analysis.md). Bodies and answers are JSON text. Rejects with an `EngineError`. */
export interface AnalysisService {
  analyze(name: string, body: string, run: AnalysisRun): Promise<string>
  /**
   * @param seq the old version, which is compared with the stored one; undefined if the body contains the new version
   */
  impact(name: string, seq: number | undefined, body: string, run: AnalysisRun): Promise<string>
  whyNot(name: string, body: string, run: AnalysisRun): Promise<string>
  /** Replays records with a replaced version and with the stored one. */
  replay(name: string, seq: number, run: AnalysisRun): Promise<ReplayStream>
}

/** The errors and warnings of a ruleset that may be stored. */
export type FindingsOf = (ruleset: StoredRuleset) => Promise<readonly Finding[]>

/** Replays records that arrive line by line. */
export interface ReplayStream {
  /** The answers of lines, one per line. */
  add(lines: readonly RecordLine[]): Promise<string>
  /** The totals of all lines, as JSON text. */
  summary(): string
}

export interface AnalysisParts {
  readonly catalog: Pick<RulesetCatalog, 'version' | 'rulesetOf'>
  /** The rulesets that answers may show. */
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
  const replaced = async (name: string, seq: number): Promise<StoredRuleset> => {
    const version = await withStoreErrors(() => catalog.version(name, seq))
    if (version === undefined) throw failures.noSuchVersion(name, seq)
    return version
  }
  const run = async (task: AnalysisTask, { signal }: AnalysisRun) => threads.run(task, { tenant, signal })
  const called = createCalled(catalog, shown)
  /** The rulesets that a version calls if it is not live. It is decoded on a thread, because it may be large. */
  const callsOf = async (task: Extract<AnalysisTask, { kind: 'calls' | 'calls-of-sent' }>, by: AnalysisRun) => {
    const names = jsonValue((await run(task, by)).text)
    return isList(names) ? names.filter((name) => typeof name === 'string') : []
  }
  return {
    async analyze(name, body, by) {
      const ruleset = stored(name)
      const [digest, callees] = [await contentDigest(ruleset), await called([ruleset])]
      return (await run({ kind: 'analyze', ruleset: ruleset.text, digest, callees, body }, by)).text
    },
    async impact(name, seq, body, by) {
      const ruleset = stored(name)
      const { text } = ruleset
      if (seq !== undefined) {
        const old = await replaced(name, seq)
        const callees = await called([ruleset], await callsOf({ kind: 'calls', ruleset: old.text }, by))
        return (await run({ kind: 'impact', before: old.text, after: text, callees, body }, by)).text
      }
      const callees = await called([ruleset], await callsOf({ kind: 'calls-of-sent', body }, by))
      return (await run({ kind: 'impact', before: text, after: undefined, callees, body }, by)).text
    },
    async whyNot(name, body, by) {
      const ruleset = stored(name)
      const callees = await called([ruleset])
      return (await run({ kind: 'why-not', ruleset: ruleset.text, callees, body }, by)).text
    },
    async replay(name, seq, by) {
      const young = stored(name)
      const old = await replaced(name, seq)
      const callees = await called([young], await callsOf({ kind: 'calls', ruleset: old.text }, by))
      const [before, after] = [old.text, young.text]
      let sums: Replayed = NOTHING_REPLAYED
      return {
        async add(lines) {
          const { text, sums: more } = await run({ kind: 'replay', before, after, callees, lines }, by)
          if (more !== undefined) sums = addReplayed(sums, sumsOf(more))
          return text
        },
        summary: () => stringifyJson(sums),
      }
    },
  }
}

export function createFindings({ catalog, shown, threads, tenant }: AnalysisParts): FindingsOf {
  const called = createCalled(catalog, shown)
  return async (ruleset) => {
    const callees = await called([ruleset])
    const answer = await threads.run({ kind: 'findings', ruleset: ruleset.text, callees }, { tenant })
    return jsonValue(answer.text) as unknown as readonly Finding[]
  }
}

/** Maximum number of characters of called rulesets per task; further rulesets count as missing. */
const MAX_CALLEE_CHARACTERS = 16_000_000

/**
 * Finds the stored rulesets that versions call, directly and indirectly, by name. Rulesets that are not stored or
 * exceed the limit are omitted.
 */
function createCalled(
  catalog: Pick<RulesetCatalog, 'rulesetOf'>,
  shown: ShownRulesets,
): (versions: readonly StoredRuleset[], names?: readonly string[]) => Promise<readonly Callee[]> {
  const calls = (ruleset: StoredRuleset) => traitsOf(catalog.rulesetOf(ruleset)).calls
  return async (versions, names = []) => {
    const found = new Map<string, StoredRuleset>()
    let characters = 0
    const pending = [...names, ...versions.flatMap(calls)]
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const callee = found.has(next) ? undefined : shown.get(next)
      if (callee === undefined || characters + callee.text.length > MAX_CALLEE_CHARACTERS) continue
      characters += callee.text.length
      found.set(next, callee)
      pending.push(...calls(callee))
    }
    return Promise.all(
      Array.from(found, async ([name, callee]) => ({ name, digest: await contentDigest(callee), text: callee.text })),
    )
  }
}

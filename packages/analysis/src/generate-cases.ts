import type { Value } from '@engine/expression'
import type { Ruleset } from '@engine/ruleset'
import { Analysis, type AnalyzeOptions } from './analyze.ts'
import type { Witness } from './verdict.ts'
import { CaseAnswers, caseStubs } from './witness/case-answers.ts'
import { furtherSearch } from './witness/further-search.ts'
import { Follower, type Side } from './witness/trail.ts'

/** A case that expects the present result of the rules, for the author to confirm. */
export interface GeneratedCase {
  readonly name: string
  readonly input: Witness['input']
  readonly now?: number
  /** The answers of external calls by `service.method`, or `{error}` of a call that fails. */
  readonly stubs?: { readonly [call: string]: Value }
  readonly expect:
    | { readonly code: string; readonly output: { readonly [key: string]: Value } }
    | { readonly error: string }
}

/**
 * A suite that takes every branch, default and result that an input was found for, chosen greedily from those inputs:
 * each case takes something that no case before it takes.
 */
export function generateCases(ruleset: Ruleset, options: AnalyzeOptions = {}): readonly GeneratedCase[] {
  const analysis = new Analysis(ruleset, { further: furtherSearch, ...options })
  analysis.report()
  const follower = new Follower(ruleset, { callees: options.callees })
  const candidates = analysis.shown().flatMap((candidate) => {
    const { input, now } = candidate
    const stubs = caseStubs(candidate.stubs?.calls ?? [])
    const { seen, side } = follower.follow(input, now, undefined, new CaseAnswers(stubs))
    return side === undefined
      ? []
      : [{ input, now, stubs, side, ways: new Set(seen.filter((key) => COVERED.test(key))) }]
  })
  const cases: GeneratedCase[] = []
  const covered = new Set<string>()
  for (;;) {
    let best: (typeof candidates)[number] | undefined
    let most = 0
    for (const candidate of candidates) {
      const gain = [...candidate.ways].filter((way) => !covered.has(way)).length
      if (gain > most) [best, most] = [candidate, gain]
    }
    if (best === undefined) return cases
    const added = [...best.ways].filter((way) => !covered.has(way))
    for (const way of added) covered.add(way)
    const { input, now, stubs, side } = best
    const answered = Object.keys(stubs).length === 0 ? {} : { stubs }
    const name = nameOf(added)
    cases.push({ name, input, ...(now === undefined ? {} : { now }), ...answered, expect: expectationOf(side) })
  }
}

const COVERED = /^(?:taken|default|gap|code) /

function nameOf(ways: readonly string[]): string {
  return ways
    .map((way) => {
      const [kind = '', ...rest] = way.split(' ')
      if (kind === 'taken') return `branch ${rest.at(-1) ?? ''} of ${rest.slice(0, -1).join(' ')}`
      return `${kind === 'gap' ? 'no branch' : kind} of ${rest.join(' ')}`.replace(/^code of /, 'result ')
    })
    .join(', ')
}

function expectationOf(side: Side): GeneratedCase['expect'] {
  return 'error' in side ? { error: side.error.code } : { code: side.code, output: side.output }
}

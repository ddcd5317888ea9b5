import {
  assumedDomain,
  caseStubs,
  createSession,
  type Finding,
  type FurtherSearch,
  type InputDomain,
  isFault,
  needsFurtherSearch,
  type Session,
  type Witness,
} from '@engine/analysis'
import { convertHeld, deriveContract, type DraftRuleset, endsTable, type FindingKind } from '@engine/authoring'
import { isObject, keysOfPointer, toCloneable, type Value } from '@engine/expression'
import type { Ruleset } from '@engine/ruleset'
import { conceptsOf, type Executable, executable } from './executable.ts'
import { countedIn, replayed, seenBy } from './runs.ts'
import type { AnalysisName, DraftExample, DraftFinding, Findings, Subject, Tasks } from './tasks.ts'
import type { Performers } from './worker-loop.ts'

/**
 * Maximum number of assignments of the search per version, some seconds. The content security policy forbids generated
 * code.
 */
export const BUDGET = 20_000_000

/** The analysis session of the open draft, reused for its next version. */
let held: { readonly session: Session; readonly domain: string } | undefined

/** Loaded before the first analysis that may need it, and kept. */
let further: FurtherSearch | undefined

const NOTHING: Findings = { findings: [], open: 0, inputs: new Map() }

/**
 * The findings of a draft, over the inputs that its contract allows; without one, over inputs of the types that its conditions
 * compare. Inputs of saved tests are tried first.
 */
async function findingsOf({ samples, ...subject }: Tasks['findings']['takes']): Promise<Findings> {
  const found = executable(subject)
  if (found.kind === 'problems') return NOTHING
  if (further === undefined && needsFurtherSearch(found.ruleset)) {
    further = (await import('./further-search.ts')).furtherSearch
    held = undefined
  }
  const { session, domain } = sessionOf(found, subject, samples)
  held = { session, domain }
  return placed(session, found, subject.draft)
}

function sessionOf(
  { ruleset }: Executable,
  subject: Subject,
  samples: readonly Value[],
): { readonly session: Session; readonly domain: string } {
  const domain = domainOf(ruleset, subject, samples)
  const firstMatch = firstMatchTables(subject.draft)
  const text = `${[...firstMatch].join()} ${textOf(domain)}`
  if (held?.domain === text) {
    held.session.update(ruleset)
    return held
  }
  const options = { domain, firstMatch, budget: BUDGET, seeds: samples.filter(isObject), compiles: false, further }
  return { session: createSession(ruleset, options), domain: text }
}

/** The tables with the hit policy *first*, except those in sub-rules. A table and its decision have the same id. */
const firstMatchTables = ({ steps }: DraftRuleset): ReadonlySet<string> =>
  new Set(steps.flatMap((step) => (step.type === 'table' && step.hitPolicy === 'first' ? [step.id] : [])))

const textOf = (domain: InputDomain) =>
  JSON.stringify(toCloneable([...domain]), (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))

/** A ruleset without rules, used to decode a contract as an engine does. */
const BARE: DraftRuleset = {
  config: { name: 'bare' },
  startStepId: 'end',
  steps: [{ id: 'end', type: 'terminal', code: 'END' }],
}

/** The inputs that the contract of a draft allows; without one, those of the types that its conditions compare. */
export function domainOf(ruleset: Ruleset, subject: Subject, samples: readonly Value[]): InputDomain {
  const contract = subject.contract ?? deriveContract(ruleset, samples)
  const bare = { ...BARE, config: { ...BARE.config, numbers: ruleset.config.numbers } }
  const decoded = convertHeld(bare, {
    subRules: new Map(),
    contract: { contract, concepts: conceptsOf(subject), mode: 'warn' },
  }).decoded()
  return decoded === undefined ? new Map() : assumedDomain(decoded)
}

function placed(session: Session, { ruleset, places }: Executable, draft: DraftRuleset): Findings {
  const { report } = session
  const findings = new Map<string, DraftFinding>()
  const pathOf = (place: string): string | undefined => {
    const [, step = '', list, branch] = keysOfPointer(place)
    const own = places.editorStep(step)?.path
    if (list !== 'branches' || branch === undefined) return own
    return places.editorStep(step, Number(branch))?.path ?? own
  }
  for (const finding of report.findings) {
    if (!isFault(finding) && !isRemark(finding)) continue
    const { kind, place, severity, by = [], error, code, witness } = finding
    if (kind === 'always_true' && endsTable(ruleset, places, place)) continue
    const path = pathOf(place)
    if (path === undefined) continue
    const key = `${kind} ${path} ${error ?? code ?? ''}`
    if (findings.has(key)) continue
    findings.set(key, {
      kind: kind satisfies FindingKind,
      path,
      severity,
      by: by.flatMap((one) => pathOf(one) ?? []),
      ...(error !== undefined && { error }),
      ...(code !== undefined && { code }),
      ...exampleOf(witness),
    })
  }
  for (const { path } of [...findings.values()].filter(({ kind }) => kind === 'unreachable_step'))
    for (const [key, one] of findings) if (one.kind === 'unreachable_code' && one.path === path) findings.delete(key)
  const inputs = new Map<string, DraftExample>()
  for (const step of ruleset.steps.values()) {
    const own = places.editorStep(step.id)?.path
    if (step.type !== 'decision' || own === undefined) continue
    for (const branch of step.branches.keys()) {
      const path = places.editorStep(step.id, branch)?.path
      const example = exampleOf(session.inputFor(step.id, branch))
      if (path !== undefined && example !== undefined && !inputs.has(path)) inputs.set(path, example)
    }
    const other = exampleOf(session.inputFor(step.id))
    if (other !== undefined) inputs.set(`${own}/default`, other)
  }
  return {
    findings: [...findings.values(), ...passedTables(draft, inputs)],
    open: report.questions.unknown + (report.truncated ? 1 : 0),
    inputs,
  }
}

const exampleOf = (witness: Witness | undefined): DraftExample | undefined =>
  witness && { input: witness.input, stubs: caseStubs(witness.stubs ?? []) }

/** Whether a finding is decided and harmless. */
const isRemark = ({ verdict, severity }: Finding): boolean => severity === 'info' && verdict !== 'unknown'

/** Tables that some inputs leave without a matching row. */
function passedTables({ steps }: DraftRuleset, inputs: Findings['inputs']): readonly DraftFinding[] {
  return steps.flatMap((step, index) => {
    const path = `/steps/${index}`
    const example = inputs.get(`${path}/default`)
    if (step.type !== 'table' || step.hitPolicy === 'collect' || example === undefined) return []
    return [{ kind: 'gap', path, severity: 'notice', by: [], ...example }]
  })
}

/** Responses of the platform are JSON, so they contain only values. */
const isValue = (json: unknown): json is Value => json !== undefined

/** Modules that most analyses do not need are loaded on first use. */
const performers: Performers<AnalysisName> = {
  findings: findingsOf,
  whyNot: async ({ input, code, ...subject }) => (await import('./why-not.ts')).whyNotOf(subject, input, code),
  replay: async ({ decisions, ...subject }) => {
    const found = executable(subject)
    if (found.kind === 'problems') return found
    const { answering } = await import('./recorded-calls.ts')
    const answered = decisions.map(({ input, at, calls }) => ({ input, at, capabilities: answering(input, calls) }))
    return { kind: 'ran', outcomes: await replayed(found, answered) }
  },
  seen: (subject) => {
    const found = executable(subject)
    if (found.kind === 'problems') return new Map()
    return 'counts' in subject ? countedIn(found, subject.counts) : seenBy(found, subject.inputs.filter(isValue))
  },
}

/** Perform a task of the worker for analyses. */
export const analyses = <Name extends AnalysisName>(
  name: Name,
  takes: Tasks[Name]['takes'],
): Tasks[Name]['gives'] | Promise<Tasks[Name]['gives']> => performers[name](takes)

import {
  analyze,
  type Covered,
  type Finding,
  impact,
  isFault,
  LastVersions,
  measureSuite,
  readDecisionRecord,
  type OutputContract,
  RegionMatch,
  ReplayedVersions,
  Replayer,
  type Side,
  type SuiteMeasures,
} from '@engine/analysis'
import { type ConvertedDraft, type DraftRuleset, endsTable, intendedPlace } from '@engine/authoring'
import { isObject, keysOfPointer, parseJson } from '@engine/expression'
import { decodeRuleset, parseType, type Ruleset } from '@engine/ruleset'
import { inMemory } from './check.ts'
import { executable } from './executable.ts'
import { MASKED } from './refusals.ts'
import type {
  AnalyzeTask,
  ImpactTask,
  MeasureTask,
  ReplayTask,
  Results,
  Subject,
  SuiteMeasure,
  SuiteShare,
} from './tasks.ts'

/** Maximum number of findings of one draft. */
const MAX_FINDINGS = 500
/** Maximum number of places named by a measure. */
const MAX_MISSING = 20

type AnalysisTask = AnalyzeTask | ImpactTask | ReplayTask | MeasureTask

/** Performs a task on this thread. */
export function analysisResult(task: AnalysisTask): Results[AnalysisTask['kind']] {
  if (task.kind === 'replay') return replayed(task)
  lastVersions.clear()
  const subject = inMemory(task.subject)
  const found = executable(subject)
  if (found.kind === 'problems') return found
  const { ruleset, converted, places } = found
  switch (task.kind) {
    case 'analyze': {
      const outputs = outputsOf(subject)
      const firstMatch = firstMatchTables(subject.draft)
      const { budget, seeds } = task
      const options = { budget, seeds, firstMatch, ...(outputs !== undefined && { outputs }) }
      const { findings, questions, domain, truncated } = analyze(ruleset, options)
      const mistakes = findings.filter(
        ({ kind, place }) => kind !== 'always_true' || !endsTable(ruleset, converted, place),
      )
      const placed = mistakes.map((one) => acknowledged(placedFinding(one, places), subject.draft))
      const foremost = [...placed.filter(isFault), ...placed.filter((one) => !isFault(one))].slice(0, MAX_FINDINGS)
      const isCut = placed.length > foremost.length
      return { kind: 'analyzed', report: { findings: foremost, questions, domain, truncated: truncated || isCut } }
    }
    case 'impact':
      return { kind: 'compared', impact: compared(task, ruleset, places) }
    case 'measure': {
      const cases = task.inputs.flatMap((input, index) =>
        isObject(input) ? [{ input, now: task.times[index] ?? 0 }] : [],
      )
      return { kind: 'measured', measures: sharesOf(measureSuite(ruleset, cases, { budget: task.budget }), places) }
    }
  }
}

/** A replay has a task for every hundred decisions, which share the versions. Other tasks need the memory. */
const lastVersions = new LastVersions()

function replayed({ baseText, candidateText, inputs, decisions, regions }: ReplayTask): Results['replay'] {
  const versions = lastVersions.get(
    [baseText, candidateText],
    () => new ReplayedVersions(storedRuleset(baseText), storedRuleset(candidateText), { mask: MASKED }),
  )
  const replayer = new Replayer(versions)
  const match = new RegionMatch(regions, versions.numbers)
  const inRegions = regions.map(() => 0)
  for (const [index, input] of inputs.entries()) {
    const decision = decisions[index]
    if (!isObject(input) || decision === undefined) continue
    const { code, now, calls } = decision
    const outcome = code === null ? 'refused' : 'decided'
    const record = readDecisionRecord({ input, code, outcome, now, calls })
    if (typeof record === 'string') throw new TypeError(`a stored decision is not a record: ${record}`)
    const made = replayer.add(record)
    const region = made.kind === 'replayed' && made.isChanged ? match.regionOf(input, now) : undefined
    if (region !== undefined) inRegions[region] = (inRegions[region] ?? 0) + 1
  }
  return { replayed: replayer.replayed(), inRegions }
}

/**
 * The tables whose first matching row decides, except those in sub-rules: a table and its decision step have the same
 * id.
 */
const firstMatchTables = ({ steps }: DraftRuleset): ReadonlySet<string> =>
  new Set(steps.flatMap((step) => (step.type === 'table' && step.hitPolicy === 'first' ? [step.id] : [])))

/** The outputs that the contract of a draft requires; undefined if it has none. */
function outputsOf({ contract: held }: Subject): readonly OutputContract[] | undefined {
  return held?.contract.outputs.map(({ code, fields }) => ({
    code,
    fields: fields.flatMap(({ name, type: text }) => {
      const type = parseType(text)
      return type === undefined ? [] : [{ name, type }]
    }),
  }))
}

function compared({ baseText, forbid, budget, seeds }: ImpactTask, ruleset: Ruleset, places: Places) {
  const { diff, probes, gates } = impact(storedRuleset(baseText), ruleset, { forbid, budget, seeds })
  const regions = diff.regions.map((region) => ({ ...region, after: placedSide(region.after, places) }))
  const unknown = diff.unknown.map(({ place, reason }) => ({ place: placeIn(places, place), reason }))
  return { diff: { ...diff, regions, unknown }, probes, gates }
}

/** The content of engines, which was checked before it was stored. */
function storedRuleset(text: string): Ruleset {
  const parsed = parseJson(text, { duplicateKeys: 'last', numbers: 'document' })
  const { ruleset } = parsed.kind === 'parsed' ? decodeRuleset(parsed.value, { isStored: true }) : {}
  if (ruleset === undefined) throw new TypeError('a stored content is not a ruleset')
  return ruleset
}

type Places = ConvertedDraft['editorStep']

const placedFinding = (finding: Finding, places: Places): Finding => ({
  ...finding,
  place: placeIn(places, finding.place),
  ...(finding.by !== undefined && { by: finding.by.map((place) => placeIn(places, place)) }),
})

/** A step added by the conversion is located at the draft as a whole. */
function placeIn(places: Places, place: string): string {
  const [, id = '', , branch] = keysOfPointer(place)
  const ofBranch = branch === undefined ? undefined : places(id, Number(branch))
  return (ofBranch ?? places(id))?.path ?? ''
}

function placedSide(side: Side, places: Places): Side {
  if (!('error' in side)) return side
  const { code, step } = side.error
  return { error: { code, step: places(step)?.step_id ?? step } }
}

/**
 * Marks an intended finding: one at the same place as in `config.intended`, which identifies list items by their ids.
 */
function acknowledged(finding: Finding, draft: DraftRuleset): Finding {
  const { intended = [] } = draft.config
  const place = intended.length === 0 ? '' : intendedPlace(finding.place, draft)
  const one = intended.find((row) => row.finding === finding.kind && row.place === place)
  if (one === undefined) return finding
  const { reason, author, at } = one
  const signed = { reason, ...(author !== undefined && { author }), ...(at !== undefined && { at }) }
  return { ...finding, acknowledged: signed }
}

function sharesOf(measures: SuiteMeasures, places: Places): Readonly<Record<SuiteMeasure, SuiteShare>> {
  const shareOf = ({ covered, total, missing }: Covered): SuiteShare => ({
    percent: percentOf(covered, total),
    missing: missing.slice(0, MAX_MISSING).map(({ place, what }) => `${placeIn(places, place)}: ${what}`),
  })
  const { total, killed, equivalent, survivors } = measures.mutants
  return {
    branches: shareOf(measures.branches),
    conditions: shareOf(measures.conditions),
    boundaries: shareOf(measures.boundaries),
    mutants: {
      percent: percentOf(killed, total - equivalent),
      missing: survivors.slice(0, MAX_MISSING).map(({ place, change }) => `${placeIn(places, place)}: ${change}`),
    },
  }
}

const percentOf = (part: number, whole: number): number => (whole === 0 ? 100 : (100 * part) / whole)

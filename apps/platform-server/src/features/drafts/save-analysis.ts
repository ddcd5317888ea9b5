import { witnessText } from '@engine/analysis'
import { stringifyJson } from '@engine/expression'
import { type Caller, reachesEnvironment } from '../../access/caller.ts'
import type { KnownImpact, KnownReport } from '../../compute/analyses.ts'
import type { TaskSignal } from '../../compute/compute.ts'
import { failures } from '../../errors.ts'
import { invalidDocument } from '../../resources/invalid-document.ts'
import { contractFor } from '../catalog/contract-in-use.ts'
import { contentTexts } from '../engines/contents.ts'
import type { InProject } from '../projects/project-scope.ts'
import { graphsFor } from '../sub-rules/repository.ts'
import { referencesOf } from './draft-check.ts'
import { exampleInputs } from './example-inputs.ts'
import { type DraftRow, type LiveRuleset, liveOf, saveText } from './repository.ts'
import { draftOfSave, sentSubject } from './sent-draft.ts'
import type { AnalyzingParts } from './view.ts'

/** The findings of a save, and its changes in each environment. */
export interface AnalyzedSave {
  readonly seq: number
  readonly report: KnownReport
  readonly impacts: readonly (Pick<KnownImpact, 'diff' | 'probes'> & {
    readonly environment: string
    readonly base: Pick<LiveRuleset, 'version' | 'digest' | 'release_id'>
  })[]
}

/**
 * Analyse a save for all inputs, and compare it with the content of each environment where its ruleset is live and that
 * the caller can access. Environments with the same content share one comparison. Throws 400 for a save with errors.
 */
export async function analyzeSave(
  { database, analyses }: Pick<AnalyzingParts, 'database' | 'analyses'>,
  { member: { scope }, project }: InProject,
  caller: Caller,
  row: DraftRow,
  seq: number,
  signal?: TaskSignal,
): Promise<AnalyzedSave> {
  const save = await saveText(scope, row, seq)
  if (save === undefined) throw failures.notFound('save', String(seq))
  const draft = draftOfSave(save)
  const used = await graphsFor(scope, project.id, draft.uses)
  const analyzed = {
    subject: sentSubject(draft, referencesOf(used, await contractFor(scope, project.id, draft))),
    seeds: await exampleInputs(scope, row.id),
    signal,
  }
  const report = await analyses.report(analyzed)
  if ('problems' in report) throw invalidDocument(report.problems)
  const live = await liveOf(scope, project.id, [row.name])
  const reached = live.filter(({ environment }) => reachesEnvironment(caller, environment))
  const texts = await contentTexts(
    database,
    reached.map(({ digest }) => digest),
  )
  const impacts: AnalyzedSave['impacts'][number][] = []
  for (const { environment, version, digest, release_id } of reached) {
    const impact = await analyses.impact(analyzed, { digest, text: texts.get(digest) ?? '' })
    if ('problems' in impact) throw invalidDocument(impact.problems)
    const { diff, probes } = impact
    impacts.push({ environment, base: { version, digest, release_id }, diff, probes })
  }
  return { seq, report, impacts }
}

/** The same as sentences, which language models follow better than nested values. */
export function sentencesOfAnalysis({ report, impacts }: Omit<AnalyzedSave, 'seq'>): readonly string[] {
  const { findings, questions, reason, truncated } = report
  const unknown = reason === null ? [] : [`The ruleset was not analysed: ${reason}.`]
  const cut = reason === null && truncated ? ['The analysis reached its limit: other mistakes are possible.'] : []
  const shown = findings.filter(({ severity, acknowledged }) => severity !== 'info' && acknowledged === undefined)
  const clean = reason === null && shown.length === 0 ? [`No mistake was found: ${countsOf(questions)}.`] : []
  return [...unknown, ...shown.map(sentenceOfFinding), ...clean, ...cut, ...impacts.flatMap(sentencesOfImpact)]
}

const countsOf = ({ proved, refuted, unknown }: KnownReport['questions']) =>
  `${proved + refuted} questions are decided for all inputs, ${unknown} are unknown`

function sentenceOfFinding({
  kind,
  place,
  verdict,
  severity,
  by = [],
  reason,
  witness,
}: KnownReport['findings'][number]) {
  const label = severity === 'error' ? 'Error' : 'Warning'
  const earlier = by.length === 0 ? '' : ` (${by.join(', ')})`
  const shown = witness === undefined ? '' : ` Input that shows it: ${witnessText(witness)}.`
  const certainty =
    verdict === 'proved' ? 'proved for all inputs' : verdict === 'refuted' ? 'shown by an input' : 'unknown'
  return `${label} at ${place === '' ? 'the ruleset' : place}, ${kind}, ${certainty}: ${reason ?? ''}${earlier}.${shown}`
}

/** Maximum number of regions listed per environment. */
const MAX_REGIONS = 10

function sentencesOfImpact({ environment, base, diff }: AnalyzedSave['impacts'][number]): readonly string[] {
  const where = `In ${environment}, where ${base.version === '' ? 'a version' : base.version} is live`
  if (diff.verdict === 'equivalent') return [`${where}, nothing changes: proved for all inputs.`]
  const regions = diff.regions.slice(0, MAX_REGIONS).map(({ condition, complete, before, after, witness }) => {
    const change = `from ${sideText(before)} to ${sideText(after)}`
    const inputs = complete
      ? `exactly the inputs with \`${condition}\` change`
      : `inputs with \`${condition}\`, and perhaps others, change`
    return `${where}, ${inputs} ${change}, for example ${witnessText(witness)}.`
  })
  const more = diff.regions.length - regions.length
  const rest = more > 0 ? [`${where}, ${more} more changes are known.`] : []
  const open = diff.unknown.slice(0, 1).map(({ reason }) => `${where}, further changes are possible: ${reason}.`)
  return [...regions, ...rest, ...open]
}

type Side = AnalyzedSave['impacts'][number]['diff']['regions'][number]['before']

function sideText(side: Side): string {
  if ('error' in side) return `the error ${side.error.code}`
  return `${side.code} ${stringifyJson(side.output)}`
}

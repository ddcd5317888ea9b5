import { type Value, quote } from '@engine/expression'
import { at, decodeRuleset, type Place, type RulesetDocument } from '@engine/ruleset'
import type { DraftGraph, DraftRuleset } from '../draft/model.ts'
import type { DeclaredFields } from '../engine/declared-types.ts'
import { type Shared, Scope, type Source } from '../engine/scope.ts'
import { below } from '../place.ts'
import { messages, type Problem, Report } from '../problem.ts'
import { CONFIG } from '../draft/config.ts'
import { engineConfig } from './config.ts'
import { reportFaults } from './faults.ts'
import { inlined } from './inlining.ts'
import { type EditorPlaces, type FoundGraph, placesOf } from './editor-places.ts'
import { convertStep } from './step.ts'
import { usesTemplates, variableNames } from './survey.ts'

export interface ConvertOptions {
  /** Sub-rules of project and organization, for names that the draft itself does not have. */
  readonly subRules?: ReadonlyMap<string, DraftGraph>
  /** The fields that expressions may read; undefined: any. */
  readonly fields?: DeclaredFields | undefined
}

export interface ConvertedDraft extends EditorPlaces {
  /** The ruleset of the engine's format, without sub-rules; undefined when there are errors. */
  readonly ruleset?: RulesetDocument
  readonly problems: readonly Problem[]
  /** Whether a variable of the ruleset is none of the draft: tables keep there which rows match. */
  isGenerated(variable: string): boolean
}

/**
 * The ruleset that an engine executes, with every problem of the draft at the step, field or cell where it is. Sub-rules
 * are inlined by the engine's own decoder, which has the limits of depth and steps. Costs the size of the draft and that of the result, which is bounded before it
 * is made.
 */
export function convertDraft(draft: DraftRuleset, options: ConvertOptions = {}): ConvertedDraft {
  const report = new Report()
  const graphs = graphsOf(draft, options.subRules ?? new Map())
  const all = [draft, ...Array.from(graphs.values(), ({ graph }) => graph)]
  const generated = new Set<string>()
  const freshVariable = freshNames(all, generated)
  const shared: Shared = { sources: new Map(), templates: usesTemplates(all), freshVariable }
  const root = convertGraph(shared, report, {
    graph: draft,
    from: undefined,
    to: undefined,
    fields: options.fields,
    fixed: undefined,
  })
  const subRules = Array.from(graphs, ([name, { graph, from, asset }]): [string, Value] => {
    const own = asset ? new Report() : report
    const converted = convertGraph(shared, own, {
      graph,
      from,
      to: below(undefined, 'sub_rules', name),
      fields: undefined,
      fixed: asset ? from : undefined,
    })
    if (asset) relocate(own, report, name, from)
    return [name, converted]
  })
  for (const key of CONFIG.keys()) {
    const source: Source = { place: below(undefined, 'config', key), stepId: undefined }
    shared.sources.set(`/config/${CONFIG.get(key)}`, source)
  }
  const document = {
    config: engineConfig(report, draft, shared.templates, options.fields?.defaults ?? new Map()),
    steps: root['steps'] as Value,
    ...(subRules.length > 0 && { sub_rules: Object.fromEntries(subRules) }),
  }
  return finished(document, shared, report, { draft, graphs, generated })
}

function finished(
  document: RulesetDocument,
  shared: Shared,
  report: Report,
  {
    draft,
    graphs,
    generated,
  }: {
    readonly draft: DraftRuleset
    readonly graphs: ReadonlyMap<string, FoundGraph>
    readonly generated: ReadonlySet<string>
  },
): ConvertedDraft {
  const { ruleset, problems, warnings } = decodeRuleset(document)
  reportFaults(report, shared.sources, problems, 'error')
  reportFaults(report, shared.sources, warnings, 'warning')
  const found = { problems: report.problems, ...placesOf(draft, graphs, shared.sources) }
  const isGenerated = (variable: string) => generated.has(variable)
  if (ruleset === undefined || report.hasErrors) return { ...found, isGenerated }
  const { document: whole, originalOf } = inlined(document, ruleset)
  return { ...found, ruleset: whole, isGenerated: (variable) => isGenerated(originalOf(variable)) }
}

/** The draft's sub-rules and those assets that they and the draft use, each once. */
function graphsOf(draft: DraftRuleset, assets: ReadonlyMap<string, DraftGraph>): ReadonlyMap<string, FoundGraph> {
  const found = new Map<string, FoundGraph>()
  for (const [name, graph] of Object.entries(draft.subRules ?? {}))
    found.set(name, { graph, from: below(undefined, 'subRules', name), asset: false })
  const add = (graph: DraftGraph, placeOf: (index: number) => Place) => {
    for (const [index, step] of graph.steps.entries()) {
      if (step.type !== 'sub_rule' || step.refName === undefined || found.has(step.refName)) continue
      const asset = assets.get(step.refName)
      if (asset !== undefined) found.set(step.refName, { graph: asset, from: placeOf(index), asset: true })
    }
  }
  add(draft, (index) => below(undefined, 'steps', index, 'refName'))
  // Entries that are added here are visited too.
  for (const { graph, from, asset } of found.values())
    add(graph, (index) => (asset ? from : below(from, 'steps', index, 'refName')))
  return found
}

interface Task {
  readonly graph: DraftGraph
  /** In the draft; undefined: the draft itself. */
  readonly from: Place | undefined
  /** In the engine's document. */
  readonly to: Place | undefined
  readonly fields: DeclaredFields | undefined
  /** Of an asset: where it is used. */
  readonly fixed: Place | undefined
}

function convertGraph(
  shared: Shared,
  report: Report,
  { graph, from, to, fields, fixed }: Task,
): { [key: string]: Value } {
  const engine = at(to, 'steps')
  const scope = new Scope(shared, report, engine, graph, { fields, fixed })
  scope.note(engine, below(from, 'steps'))
  const ids = new Set<string>()
  const steps = graph.steps.flatMap((step, index) => {
    const place = below(from, 'steps', index)
    report.stepId = step.id
    if (ids.has(step.id)) report.error(below(place, 'id'), messages.duplicateId('step', step.id))
    ids.add(step.id)
    return convertStep(scope, place, step)
  })
  report.stepId = undefined
  const start = below(from, 'startStepId')
  scope.note(below(to ?? at(undefined, 'config'), 'entry_step'), start)
  if (graph.startStepId === undefined) report.error(start, messages.noStart())
  else scope.target(start, graph.startStepId)
  return { entry_step: graph.startStepId ?? '', steps: Object.fromEntries(steps) }
}

/** The problems of an asset stand where it is used, and say which asset they are of. */
function relocate(own: Report, report: Report, name: string, place: Place): void {
  for (const { code, message, severity } of own.problems) {
    const text = { code, message: `in the sub-rule ${quote(name)}: ${message}` }
    if (severity === 'error') report.error(place, text)
  }
}

/** @param given the names that were given */
function freshNames(graphs: readonly DraftGraph[], given: Set<string>): Shared['freshVariable'] {
  let taken: Set<string> | undefined
  return (wanted) => {
    taken ??= variableNames(graphs)
    const plain = `_${wanted.replace(/\W/g, '_').slice(0, 64)}`
    let name = plain
    for (let number = 2; taken.has(name); number++) name = `${plain}${number}`
    taken.add(name)
    given.add(name)
    return name
  }
}

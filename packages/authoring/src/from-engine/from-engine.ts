import type { Value } from '@engine/expression'
import { decodeRuleset, type Fields, isFields, member, type Place } from '@engine/ruleset'
import { fieldsAt } from './document-members.ts'
import { decodeDraft } from '../draft/decode.ts'
import { CONFIG } from '../draft/config.ts'
import type { DraftRuleset } from '../draft/model.ts'
import { below } from '../place.ts'
import { type Problem, problemOf, Report } from '../problem.ts'
import { editorSteps, type Graph } from './step.ts'

/** A draft exactly when the whole document could be converted. */
export interface EditorRuleset {
  readonly draft?: DraftRuleset
  readonly problems: readonly Problem[]
}

/**
 * Converts an engine document to a draft. Decisions with many comparisons with literals become tables. Features that
 * the editor does not support (metrics, calls of other rulesets) are reported with their place in the document. Linear
 * in the size of the document.
 */
export function draftOf(document: Value): EditorRuleset {
  const report = new Report()
  const { ruleset, problems } = decodeRuleset(document)
  for (const fault of problems) report.add(problemOf(fault, 'error'))
  if (ruleset === undefined || !isFields(document)) return { problems: report.problems }
  const config = fieldsAt(document, 'config')
  const subRules = fieldsAt(document, 'sub_rules')
  const graphs = Object.keys(subRules).map((name): [string, Value] => {
    const fields = fieldsAt(subRules, name)
    const place = below(undefined, 'sub_rules', name)
    return [name, { ...converted(report, place, fields), startStepId: member(fields, 'entry_step') ?? '' }]
  })
  const draft = {
    config: editorConfig(config),
    startStepId: ruleset.config.entryStep,
    ...converted(report, undefined, document, ruleset.steps),
    ...(graphs.length > 0 && { subRules: Object.fromEntries(graphs) }),
  }
  if (report.hasErrors) return { problems: report.problems }
  return decodeDraft(draft)
}

function converted(
  report: Report,
  place: Place | undefined,
  owner: Fields,
  decoded: Graph['decoded'] = new Map(),
): { readonly steps: Value } {
  const steps = fieldsAt(owner, 'steps')
  const taken = new Set(Object.keys(steps))
  const graph: Graph = {
    report,
    decoded,
    freshId: (wanted) => {
      let id = wanted
      for (let number = 2; taken.has(id); number++) id = `${wanted}_${number}`
      taken.add(id)
      return id
    },
  }
  const list = Object.keys(steps).flatMap((id) => {
    report.stepId = id
    return editorSteps(graph, below(place, 'steps', id), id, fieldsAt(steps, id))
  })
  report.stepId = undefined
  return { steps: list }
}

function editorConfig(config: Fields): Value {
  const members = [...CONFIG].flatMap(([key, name]) => {
    const value = member(config, name)
    return value === undefined || value === null ? [] : [[key, value] as const]
  })
  return Object.fromEntries(members)
}

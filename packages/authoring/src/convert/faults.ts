import type { Fault } from '@engine/ruleset'
import { pointer } from '@engine/ruleset'
import type { Source } from '../engine/scope.ts'
import { type Problem, problemOf, type Report } from '../problem.ts'

/** Where an expression's own problem stands is said at the place of the expression. */
const POSITION = / \(line \d+, column \d+ of the expression\)$/

/**
 * Adds the faults of the engine's decoder at the places of the draft that they come from. A place that has an error
 * already keeps that one: the editor's own checks know the draft's words for it. Costs the faults times their depth.
 */
export function reportFaults(
  report: Report,
  sources: ReadonlyMap<string, Source>,
  faults: readonly Fault[],
  severity: Problem['severity'],
): void {
  const known = new Set(report.problems.map(({ path }) => path))
  for (const fault of faults) {
    const { place, stepId } = sourceOf(sources, fault.path)
    const path = pointer(place)
    if (path !== '' && known.has(path)) continue
    const problem = problemOf({ ...fault, path, message: fault.message.replace(POSITION, '') }, severity)
    report.add(stepId === undefined ? problem : { ...problem, step_id: stepId })
  }
}

/** The nearest place at or above a pointer into the engine's document. */
function sourceOf(sources: ReadonlyMap<string, Source>, path: string): Source {
  for (let at = path; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const source = sources.get(at)
    if (source !== undefined) return source
  }
  return { place: undefined, stepId: undefined }
}

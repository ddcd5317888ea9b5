import { withoutPlace } from '@engine/expression'
import type { Fault } from '@engine/ruleset'
import { pointer } from '@engine/ruleset'
import type { Source } from '../engine/scope.ts'
import { type Problem, problemOf, type Report } from '../problem.ts'

/**
 * Reports the decoder's faults at the draft places that they come from. A place with an error keeps it: the editor's
 * own checks use the draft's terms. Linear in the faults times their depth.
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
    const problem = problemOf({ ...fault, path, message: withoutPlace(fault.message) }, severity)
    report.add(stepId === undefined ? problem : { ...problem, step_id: stepId })
  }
}

/** The nearest draft place at or above a pointer into the engine document. */
function sourceOf(sources: ReadonlyMap<string, Source>, path: string): Source {
  for (let at = path; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const source = sources.get(at)
    if (source !== undefined) return source
  }
  return { place: undefined, stepId: undefined }
}

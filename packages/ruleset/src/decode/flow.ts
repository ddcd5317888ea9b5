import { cycles, endlessLoops, reachable, stepGraph } from '../graph.ts'
import type { Ruleset } from '../model.ts'
import { faults } from '../problems.ts'
import { suggest, warn } from './decoding.ts'
import type { Decoding, Pausable } from './decoding.ts'
import { at, pointer, type Place } from './place.ts'

/** Where steps stand in the document that are not at `/steps/…`: those of sub-rules, by their ids in the ruleset. */
type Places = ReadonlyMap<string, Place>

/** Warns of what is odd about a ruleset as a whole: its ways from step to step, its variables. */
export function* warnOfFlow(decoding: Decoding, ruleset: Ruleset, places: Places): Pausable<void> {
  yield* graphWork(decoding, ruleset)
  const graph = stepGraph(ruleset)
  const steps = at(undefined, 'steps')
  const reached = reachable(graph)
  const placeOf = (id: string) => places.get(id) ?? at(steps, id)
  let terminal = false
  /** Steps of a sub-rule stand in the document once: one that a way leads to in some use is no fault in others. */
  const unreached = new Map<string, string>()
  const seen = new Set<string>()
  for (const [number, step] of [...ruleset.steps.values()].entries()) {
    const path = pointer(placeOf(step.id))
    if (reached[number] === true) {
      seen.add(path)
      if (step.type === 'terminal') terminal = true
    } else if (!unreached.has(path)) unreached.set(path, step.id)
  }
  for (const [path, id] of unreached) if (!seen.has(path)) warn(decoding, placeOf(id), faults.unreachableStep(id))
  if (!terminal) warn(decoding, steps, faults.noTerminal())
  yield* graphWork(decoding, ruleset)
  // Most rulesets have no cycle at all, which is cheap to see.
  if (cycles(graph.successors).length === 0) return
  yield* graphWork(decoding, ruleset)
  for (const loop of endlessLoops(ruleset, graph)) {
    const ids = loop.map((number) => graph.ids[number] ?? '')
    warn(decoding, placeOf(ids[0] ?? ''), faults.endlessLoop(ids))
  }
}

/** Warns of each variable that some expression reads and no action sets. */
export function warnOfVariables(decoding: Decoding): void {
  const { variablesRead, variablesSet } = decoding.scope
  for (const [name, place] of variablesRead) {
    if (variablesSet.has(name)) continue
    warn(decoding, place, faults.unsetVariable(name, suggest(decoding, name, variablesSet)))
  }
}

/** Each pass over all steps comes after a pause, when there are many. */
function* graphWork(decoding: Decoding, { steps }: Ruleset): Pausable<void> {
  decoding.work += steps.size * STEP_WORK
  yield
}

/** A step costs a pass about as much as so many characters of JSON cost the reader. */
const STEP_WORK = 32

import { cycles, endlessLoops, reachable, stepGraph } from '../graph.ts'
import type { Ruleset } from '../model.ts'
import { faults } from '../problems.ts'
import { suggest, warn } from './decoding.ts'
import type { Decoding, Pausable } from './decoding.ts'
import { at } from './place.ts'

/** Warns of what is odd about a ruleset as a whole: its ways from step to step, its variables. */
export function* warnOfFlow(decoding: Decoding, ruleset: Ruleset): Pausable<void> {
  yield* graphWork(decoding)
  const graph = stepGraph(ruleset)
  const steps = at(undefined, 'steps')
  const reached = reachable(graph)
  let terminal = false
  for (const [number, step] of [...ruleset.steps.values()].entries()) {
    if (reached[number] !== true) warn(decoding, at(steps, step.id), faults.unreachableStep(step.id))
    else if (step.type === 'terminal') terminal = true
  }
  if (!terminal) warn(decoding, steps, faults.noTerminal())
  yield* graphWork(decoding)
  // Most rulesets have no cycle at all, which is cheap to see.
  if (cycles(graph.successors).length === 0) return
  yield* graphWork(decoding)
  for (const loop of endlessLoops(ruleset, graph)) {
    const ids = loop.map((number) => graph.ids[number] ?? '')
    warn(decoding, at(steps, ids[0] ?? ''), faults.endlessLoop(ids))
  }
}

/** Warns of each variable that some expression reads and no action sets. */
export function warnOfVariables(decoding: Decoding): void {
  for (const [name, place] of decoding.variablesRead) {
    if (decoding.variablesSet.has(name)) continue
    warn(decoding, place, faults.unsetVariable(name, suggest(decoding, name, decoding.variablesSet)))
  }
}

/** Each pass over all steps comes after a pause, when there are many. */
function* graphWork(decoding: Decoding): Pausable<void> {
  decoding.work += decoding.stepIds.size * STEP_WORK
  yield
}

/** A step costs a pass about as much as so many characters of JSON cost the reader. */
const STEP_WORK = 32

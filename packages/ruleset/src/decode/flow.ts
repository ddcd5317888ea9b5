import { cycles, endlessLoops, reachable, stepGraph } from '../graph.ts'
import type { Ruleset } from '../model.ts'
import { faults } from '../problems.ts'
import { suggest, warn } from './decoding.ts'
import type { Decoding, Pausable } from './decoding.ts'
import { at, pointer, type Place } from './place.ts'

/** The document places of sub-rule steps, which are not at `/steps/…`, by their ids in the ruleset. */
type Places = ReadonlyMap<string, Place>

/** Warns about questionable structure of a ruleset as a whole: reachability and variables. */
export function* warnOfFlow(decoding: Decoding, ruleset: Ruleset, places: Places): Pausable<void> {
  yield* graphWork(decoding, ruleset)
  const graph = stepGraph(ruleset)
  const steps = at(undefined, 'steps')
  const reached = reachable(graph)
  const placeOf = (id: string) => places.get(id) ?? at(steps, id)
  let terminal = false
  /** A sub-rule's step exists once in the document: it is fine if it is reachable in at least one use. */
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
  // Most rulesets have no cycle, which is cheap to determine.
  if (cycles(graph.successors).length === 0) return
  yield* graphWork(decoding, ruleset)
  for (const loop of endlessLoops(ruleset, graph)) {
    const ids = loop.map((number) => graph.ids[number] ?? '')
    warn(decoding, placeOf(ids[0] ?? ''), faults.endlessLoop(ids))
  }
}

/** Warns about each variable that is read but never set. */
export function warnOfVariables(decoding: Decoding): void {
  const { variablesRead, variablesSet } = decoding.scope
  for (const [name, place] of variablesRead) {
    if (variablesSet.has(name)) continue
    warn(decoding, place, faults.unsetVariable(name, suggest(decoding, name, variablesSet)))
  }
}

/** Pauses before each pass over all steps when there are many. */
function* graphWork(decoding: Decoding, { steps }: Ruleset): Pausable<void> {
  decoding.work += steps.size * STEP_WORK
  yield
}

/** Characters of JSON that take as long to read as one pass takes per step. */
const STEP_WORK = 32

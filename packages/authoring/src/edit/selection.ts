import type { Flow } from './flow.ts'
import { type Refusal, refusals } from './refusal.ts'

/** The only entry of the selected steps, and the only outside step that they lead to. */
export interface EntryAndExit {
  readonly kind: 'found'
  readonly entry: string
  readonly exit: string
}

/** Linear in the steps of the graph. */
export function entryAndExit(flow: Flow, area: ReadonlySet<string>): EntryAndExit | Refusal {
  const ids = [...area]
  if (ids.length === 0) return refusals.nothingSelected()
  const unknown = ids.filter((id) => !flow.steps.has(id))
  if (unknown.length > 0) return refusals.unknownSteps(unknown)
  const terminals = ids.filter((id) => flow.steps.get(id)?.type === 'terminal')
  if (terminals.length > 0) return refusals.terminalSelected(terminals)
  const entries = entriesOf(flow, area)
  const [entry] = entries
  if (entry === undefined) return refusals.noEntry()
  if (entries.length > 1) return refusals.severalEntries(entries)
  const exits = [...new Set(ids.flatMap((id) => flow.successors(id)))].filter((id) => !area.has(id))
  const [exit] = exits
  if (exit === undefined) return refusals.noExit()
  if (exits.length > 1) return refusals.severalExits(exits)
  if (flow.reached([exit], (id) => flow.successors(id)).has(entry)) return refusals.loop(ids)
  return { kind: 'found', entry, exit }
}

/**
 * Selected steps with edges from outside, or at which the ruleset starts; if the selection is unreachable, its first
 * steps.
 */
function entriesOf(flow: Flow, area: ReadonlySet<string>): readonly string[] {
  const ids = [...area]
  const entered = ids.filter((id) => id === flow.start || flow.predecessors(id).some((other) => !area.has(other)))
  return entered.length > 0 ? entered : ids.filter((id) => flow.predecessors(id).length === 0)
}

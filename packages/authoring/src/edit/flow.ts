import type { DraftGraph, DraftStep } from '../draft/model.ts'
import { edgesOf } from './edges.ts'
import { type StepVariables, stepVariables } from './step-variables.ts'

/** Control flow and variable access of a graph's steps. */
export class Flow {
  readonly steps: ReadonlyMap<string, DraftStep>
  readonly start: string | undefined
  readonly #variables = new Map<string, StepVariables>()
  readonly #successors = new Map<string, readonly string[]>()
  readonly #predecessors = new Map<string, string[]>()

  constructor({ steps, startStepId }: DraftGraph) {
    this.steps = new Map(steps.map((step) => [step.id, step]))
    this.start = startStepId
    for (const step of this.steps.values()) {
      const targets = new Set(edgesOf(step).map(({ target }) => target))
      const known = [...targets].filter((id) => this.steps.has(id))
      this.#successors.set(step.id, known)
      for (const id of known)
        if (this.#predecessors.get(id)?.push(step.id) === undefined) this.#predecessors.set(id, [step.id])
    }
  }

  successors(id: string): readonly string[] {
    return this.#successors.get(id) ?? []
  }

  predecessors(id: string): readonly string[] {
    return this.#predecessors.get(id) ?? []
  }

  variables(id: string): StepVariables {
    const known = this.#variables.get(id)
    if (known !== undefined) return known
    const step = this.steps.get(id)
    if (step === undefined) throw new Error(`there is no step ${id}`)
    const found = stepVariables(step)
    this.#variables.set(id, found)
    return found
  }

  /** Names of the variables set by steps. */
  setBy(ids: Iterable<string>): ReadonlySet<string> {
    return new Set(
      [...ids].flatMap((id) => this.variables(id).events.flatMap((event) => (event.kind === 'set' ? event.name : []))),
    )
  }

  /** Steps reachable from some steps, including these; `next` gives the direction. */
  reached(from: Iterable<string>, next: (id: string) => readonly string[]): ReadonlySet<string> {
    const found = new Set(from)
    for (const id of found) for (const other of next(id)) found.add(other)
    return found
  }

  /**
   * For each step reachable from `entry` within `area`, the variables that are set on every path to it: a forward
   * data-flow analysis that starts with all variables and intersects until nothing changes. Costs at most steps times
   * variables.
   */
  setBefore(entry: string, area: ReadonlySet<string>): ReadonlyMap<string, ReadonlySet<string>> {
    const before = new Map<string, ReadonlySet<string>>([[entry, new Set()]])
    const pending = new Set([entry])
    for (const id of pending) {
      pending.delete(id)
      const after = this.#setAfter(id, before.get(id) ?? new Set())
      for (const next of this.successors(id)) {
        if (!area.has(next)) continue
        const known = before.get(next)
        const common = known === undefined ? after : known.intersection(after)
        if (known !== undefined && common.size === known.size) continue
        before.set(next, common)
        pending.add(next)
      }
    }
    return before
  }

  /** The variables set on every path through `area` to one of the `last` steps. */
  setAtEnd(before: ReadonlyMap<string, ReadonlySet<string>>, last: Iterable<string>): ReadonlySet<string> {
    const ends = [...last].flatMap((id) => {
      const known = before.get(id)
      return known === undefined ? [] : [this.#setAfter(id, known)]
    })
    return ends.length === 0 ? new Set() : ends.reduce((common, end) => common.intersection(end))
  }

  #setAfter(id: string, before: ReadonlySet<string>): ReadonlySet<string> {
    const certain = this.variables(id).events.flatMap((event) =>
      event.kind === 'set' && event.isCertain === true ? event.name : [],
    )
    return certain.length === 0 ? before : before.union(new Set(certain))
  }

  /** Variables that may be read before they are set, by the strictest kind of read. */
  readEarly(before: ReadonlyMap<string, ReadonlySet<string>>): ReadonlyMap<string, 'read' | 'kept'> {
    const early = new Map<string, 'read' | 'kept'>()
    for (const [id, known] of before) {
      const set = new Set(known)
      for (const { kind, name, isCertain } of this.variables(id).events) {
        if (kind === 'set') {
          if (isCertain === true) set.add(name)
        } else if (!set.has(name) && early.get(name) !== 'read') early.set(name, kind)
      }
    }
    return early
  }

  /**
   * Variables whose values at `entry` may still be read: a backward data-flow analysis that starts with none and adds
   * until nothing changes. `atEnd` are read after the terminals. Costs at most steps times variables.
   */
  readFrom(entry: string, atEnd: ReadonlySet<string>): ReadonlySet<string> {
    const live = new Map<string, ReadonlySet<string>>()
    const pending = new Set([...this.reached([entry], (id) => this.successors(id))].toReversed())
    for (const id of pending) {
      pending.delete(id)
      const found = new Set(this.steps.get(id)?.type === 'terminal' ? atEnd : [])
      for (const next of this.successors(id)) for (const name of live.get(next) ?? []) found.add(name)
      for (const { kind, name, isCertain } of this.variables(id).events.toReversed()) {
        if (kind !== 'set') found.add(name)
        else if (isCertain === true) found.delete(name)
      }
      if (found.size === live.get(id)?.size) continue
      live.set(id, found)
      for (const previous of this.predecessors(id)) pending.add(previous)
    }
    return live.get(entry) ?? new Set()
  }
}

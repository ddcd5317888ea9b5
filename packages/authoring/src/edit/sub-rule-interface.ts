import { printPath } from '@engine/expression'
import type { SubRuleStep } from '../draft/model.ts'
import type { Flow } from './flow.ts'
import { freshName } from './place.ts'
import { fieldNamed, variableNamed } from './references.ts'
import { type Refusal, refusals } from './refusal.ts'
import type { EntryAndExit } from './selection.ts'

/** The inputs and outputs of a sub-rule. */
export interface Interface {
  readonly kind: 'found'
  readonly bindings: SubRuleStep['bindings']
  /** Caller variables that are only read, mapped to the fields that they become. */
  readonly readOnly: ReadonlyMap<string, string>
  /** Variables that may have a previous value, mapped to the fields that initialize them. */
  readonly initial: ReadonlyMap<string, string>
  readonly outputs: readonly {
    readonly variable: string
    /** A separate caller variable that transfers a result which must not fall back to the previous value. */
    readonly through?: string
  }[]
}

export interface Area extends EntryAndExit {
  readonly area: ReadonlySet<string>
}

interface Meaning {
  /** A missing variable is an error. */
  readonly isStrict: boolean
  /** The graph is a sub-rule: its variables start as null, and any of them may be an output. */
  readonly isSubRule: boolean
}

/** The interface of steps that become a sub-rule, from the variables that flow in and out. */
export function interfaceOf(flow: Flow, area: Area, meaning: Meaning): Interface | Refusal {
  const reads = readsOf(flow, area.area)
  if (reads.kind === 'refused') return reads
  const values = valuesOf(flow, area, meaning)
  const needs = Map.groupBy(values.set, (name) => values.needsValueOfBefore(name))
  const [unknown] = needs.get('unknown') ?? []
  if (unknown !== undefined) return refusals.maybeMissing(unknown)
  const taken = new Set(reads.fields)
  const fieldsFor = (names: readonly string[]) => new Map(names.map((name) => [name, freshName(taken, name)]))
  const readOnly = fieldsFor([...reads.variables].filter((name) => !values.set.has(name)))
  const initial = fieldsFor(needs.get('yes') ?? [])
  return {
    kind: 'found',
    bindings: bindingsOf(reads.fields, new Map([...readOnly, ...initial])),
    readOnly,
    initial: new Map(Array.from(initial, ([variable, field]) => [variable, printPath(fieldNamed(field))])),
    outputs: outputsOf(flow, values),
  }
}

function bindingsOf(fields: ReadonlySet<string>, variables: ReadonlyMap<string, string>): SubRuleStep['bindings'] {
  return [
    ...Array.from(fields, (name) => ({ field: name, expr: printPath(fieldNamed(name)) })),
    ...Array.from(variables, ([name, field]) => ({ field, expr: printPath(variableNamed(name)) })),
  ]
}

function outputsOf(flow: Flow, { set, before, readAfter }: Values): Interface['outputs'] {
  const taken = new Set([...flow.steps.keys()].flatMap((id) => flow.variables(id).events.map(({ name }) => name)))
  return [...set]
    .filter((name) => readAfter.has(name))
    .map((variable) =>
      before.has(variable) ? { variable, through: freshName(taken, `${variable}_out`) } : { variable },
    )
}

interface Reads {
  readonly kind: 'found'
  readonly fields: ReadonlySet<string>
  readonly variables: ReadonlySet<string>
}

function readsOf(flow: Flow, area: ReadonlySet<string>): Reads | Refusal {
  const fields = new Set<string>()
  const variables = new Set<string>()
  for (const id of flow.steps.keys()) {
    // Reads after the selected steps determine the outputs.
    const found = flow.variables(id)
    if (found.unreadable !== undefined) return refusals.unreadable(id, found.unreadable)
    if (!area.has(id)) continue
    if (found.readsInput) return refusals.readsInput([id])
    for (const field of found.fields) fields.add(field)
    for (const { kind, name } of found.events) if (kind === 'read') variables.add(name)
  }
  return { kind: 'found', fields, variables }
}

interface Values {
  /** Variables set by the selected steps. */
  readonly set: ReadonlySet<string>
  /** Other variables that may be non-null when the selected steps are entered. */
  readonly before: ReadonlySet<string>
  readonly readAfter: ReadonlySet<string>
  /** `unknown`: it may be missing, which differs from null here. */
  needsValueOfBefore(name: string): 'yes' | 'no' | 'unknown'
}

function valuesOf(flow: Flow, { area, entry, exit }: Area, { isStrict, isSubRule }: Meaning): Values {
  const all = flow.setBy(flow.steps.keys())
  const set = flow.setBy(area)
  const leading = [...flow.reached([entry], (id) => flow.predecessors(id))].filter((id) => !area.has(id))
  const before = flow.setBy(leading)
  const readAfter = flow.readFrom(exit, isSubRule ? all : new Set())
  const inside = flow.setBefore(entry, area)
  const early = flow.readEarly(inside)
  const atEnd = flow.setAtEnd(
    inside,
    [...area].filter((id) => flow.successors(id).includes(exit)),
  )
  const certain = isSubRule ? all : certainAt(flow, entry)
  const tellsMissing = isStrict || [...flow.steps.keys()].some((id) => flow.variables(id).asksPresence)
  const needsValueOfBefore = (name: string) => {
    const mayStay = readAfter.has(name) && !atEnd.has(name)
    const read = early.get(name)
    if (!mayStay && read === undefined) return 'no'
    if (before.has(name)) return certain.has(name) || !tellsMissing ? 'yes' : 'unknown'
    // It is missing or null before, and null in the sub-rule.
    return certain.has(name) || !tellsMissing || (!mayStay && read === 'kept') ? 'no' : 'unknown'
  }
  return { set, before, readAfter, needsValueOfBefore }
}

/** Variables set on every path from the start of the graph to a step. */
function certainAt(flow: Flow, id: string): ReadonlySet<string> {
  if (flow.start === undefined || !flow.steps.has(flow.start)) return new Set()
  return flow.setBefore(flow.start, new Set(flow.steps.keys())).get(id) ?? new Set()
}

import type { DraftStep, TracedStep } from '@engine/authoring'
import type { LocalStep } from '../language/tasks.ts'
import { type OpenGraph, stepAt, usesSubRule } from '../session/open-graph.ts'
import { exitId, shapeOf } from './shape.ts'

/** A step on the path of an execution. */
export interface Visit {
  /** From 1. */
  readonly order: number
  /** Handle of the exit taken; undefined: none. */
  readonly port: string | undefined
  readonly step: TracedStep
}

/**
 * The visits of an execution by the steps of the open graph; a step of a loop has its last one. Steps within a sub-rule of the
 * draft count for the step that uses it.
 */
export function visitsOf(graph: OpenGraph, traced: readonly LocalStep[]): ReadonlyMap<string, Visit> {
  const { draft, prefix } = graph
  const visits = new Map<string, Visit>()
  const begin = `${prefix}/steps/`
  for (const [index, one] of traced.entries()) {
    const { path } = one
    const own = path.startsWith(begin) ? draft.steps[Number.parseInt(path.slice(begin.length), 10)] : undefined
    const step = own ?? useOf(graph, visits, path)
    if (step === undefined) continue
    const taken = own && one.branches?.find((branch) => branch.taken)?.path
    const visit = { order: index + 1, step: one, port: portTaken(step, taken) }
    visits.delete(step.id)
    visits.set(step.id, visit)
  }
  return visits
}

/** Rows of a step of the open graph that matched in an execution: several for a table that collects. */
export function rowsIn({ draft, prefix }: OpenGraph, id: string, parts: readonly string[]): ReadonlySet<number> {
  const begin = `${prefix}/steps/${draft.steps.findIndex((step) => step.id === id)}/rows/`
  return new Set(parts.flatMap((path) => (path.startsWith(begin) ? [Number(path.slice(begin.length))] : [])))
}

/** The step that uses the sub-rule of a path: the one that was entered, else the first one that was not left yet. */
function useOf({ draft }: OpenGraph, visits: ReadonlyMap<string, Visit>, path: string): DraftStep | undefined {
  const within = stepAt(draft, path)?.within
  if (within === undefined) return undefined
  const uses = draft.steps.filter((step) => step.type === 'sub_rule' && usesSubRule(draft, step.refName ?? '', within))
  const last = [...visits.keys()].at(-1)
  return uses.find(({ id }) => id === last) ?? uses.find(({ id }) => !visits.has(id)) ?? uses.at(-1)
}

function indexIn(path: string | undefined, list: string): number | undefined {
  const found = new RegExp(`/${list}/(\\d+)$`).exec(path ?? '')?.[1]
  return found === undefined ? undefined : Number(found)
}

function portTaken(step: DraftStep, path: string | undefined): string | undefined {
  if (step.type === 'terminal') return undefined
  if (step.type === 'decision') {
    const branch = step.branches[indexIn(path, 'branches') ?? -1]
    return branch === undefined ? 'default' : exitId({ kind: 'branch', id: branch.id })
  }
  if (step.type !== 'table') return 'next'
  const row = step.rows[indexIn(path, 'rows') ?? -1]
  if (row === undefined && step.hitPolicy !== 'collect')
    return step.defaultNextStepId === undefined ? 'next' : 'default'
  if (row?.nextStepId === undefined) return 'next'
  return shapeOf(step).ports.find(({ exit, target }) => exit.kind === 'row' && target === row.nextStepId)?.id ?? 'next'
}

import type { DraftRuleset, DraftStep, TracedStep } from '@engine/authoring'
import { exitId, shapeOf } from './shape.ts'

/** A step on the way of an execution. */
export interface Visit {
  /** From 1. */
  readonly order: number
  /** Handle of the way out that was taken; undefined: none. */
  readonly port: string | undefined
  /** Index of the row of a table that matched. */
  readonly row: number | undefined
  readonly step: TracedStep
}

/** The visits of an execution by step; a step of a loop has its last one. */
export function visitsOf({ steps }: DraftRuleset, traced: readonly TracedStep[]): ReadonlyMap<string, Visit> {
  const byId = new Map(steps.map((step) => [step.id, step]))
  return new Map(
    traced.map((one, index) => {
      const step = byId.get(one.id)
      const taken = one.branches?.find((branch) => branch.taken)?.path
      const row = step?.type === 'table' ? indexIn(taken, 'rows') : undefined
      return [one.id, { order: index + 1, step: one, row, port: step && portTaken(step, taken) }]
    }),
  )
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

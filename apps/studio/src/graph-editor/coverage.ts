import { escapedKey } from '@engine/expression'
import type { LocalCoverage } from '../language/tasks.ts'
import type { OpenGraph } from '../session/open-graph.ts'
import { exitId, shapeOf } from './shape.ts'

/** The number of saved cases that reached a step, its exits and its rows. */
export interface StepHits {
  readonly count: number
  /** By handle of an exit. */
  readonly ways: ReadonlyMap<string, number>
  /** By row index. */
  readonly rows: readonly number[]
}

/** Hits of the steps of the open graph. Linear in its steps, branches and rows. */
export function coverageIn({ draft, prefix }: OpenGraph, { hits }: LocalCoverage): ReadonlyMap<string, StepHits> {
  return new Map(
    draft.steps.map((step, index): [string, StepHits] => {
      const path = `${prefix}/steps/${index}`
      const at = (place: string) => hits.get(`${path}${place}`) ?? 0
      const rows = step.type === 'table' ? step.rows.map((_row, row) => at(`/rows/${row}`)) : []
      const branches = step.type === 'decision' ? step.branches : []
      const ways = new Map([
        ...branches.map(({ id }, branch): [string, number] => [
          exitId({ kind: 'branch', id }),
          at(`/branches/${branch}`),
        ]),
        ...(step.type === 'decision' || step.type === 'table' ? [['default', at('/default')] as const] : []),
        ...(step.type === 'table' ? rowWays(step, rows) : []),
      ])
      // The hits in a shared sub-rule count at the step that uses it.
      return [step.id, { count: at('') || at('/refName') || inner(draft, step, hits), ways, rows }]
    }),
  )
}

type Step = OpenGraph['draft']['steps'][number]

/** Rows with the same exit are counted together; rows without their own exit use `next`. */
function rowWays(
  step: Extract<Step, { type: 'table' }>,
  rows: readonly number[],
): readonly (readonly [string, number])[] {
  const sums = new Map<string, number>()
  for (const [index, { nextStepId }] of step.rows.entries()) {
    const port = shapeOf(step).ports.find(({ exit, target }) => exit.kind === 'row' && target === nextStepId)
    const id = nextStepId === undefined || port === undefined ? 'next' : port.id
    sums.set(id, (sums.get(id) ?? 0) + (rows[index] ?? 0))
  }
  return [...sums]
}

/** Cases that reached the first step of one of the draft's sub-rules. A use without bindings is not a separate step. */
function inner({ subRules }: OpenGraph['draft'], step: Step, hits: LocalCoverage['hits']): number {
  if (step.type !== 'sub_rule' || step.refName === undefined || !Object.hasOwn(subRules ?? {}, step.refName)) return 0
  const graph = subRules?.[step.refName]
  const start = graph?.steps.findIndex(({ id }) => id === (graph.startStepId ?? graph.steps[0]?.id)) ?? -1
  return hits.get(`/subRules/${escapedKey(step.refName)}/steps/${start}`) ?? 0
}

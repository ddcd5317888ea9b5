import { type DraftGraph, type DraftStep, targetOf } from '@engine/authoring'
import { shapeOf } from '../../graph-editor/shape.ts'

/** A step of the outline; a result follows the first step that leads to it. */
interface OutlineStep {
  readonly step: DraftStep
  readonly isResult: boolean
}

/**
 * The steps in outline order: each is followed by the results that it is the first to lead to. Linear in the branches.
 */
export function outlineSteps({ steps }: Pick<DraftGraph, 'steps'>): readonly OutlineStep[] {
  const results = new Map(steps.flatMap((step) => (step.type === 'terminal' ? [[step.id, step] as const] : [])))
  const listed = steps
    .filter(({ type }) => type !== 'terminal')
    .flatMap((step): readonly OutlineStep[] => {
      const own = shapeOf(step).ports.flatMap(({ exit }) => {
        const target = targetOf(step, exit)
        const found = target === undefined ? undefined : results.get(target)
        if (found === undefined) return []
        results.delete(found.id)
        return [{ step: found, isResult: true }]
      })
      return [{ step, isResult: false }, ...own]
    })
  return [...listed, ...[...results.values()].map((step) => ({ step, isResult: false }))]
}

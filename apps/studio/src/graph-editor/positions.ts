import type { DraftRuleset, DraftStep } from '@engine/authoring'
import { isObject, type Value } from '@engine/expression'
import type { Direction } from './direction.ts'
import { layout, type Layout, type Point } from './layout.ts'
import { shapeOf, sizeOf } from './shape.ts'

/** The manual position of a step; undefined for automatic placement. */
export function storedPosition(step: DraftStep): Point | undefined {
  const { position } = step as { readonly position?: Value }
  if (position === undefined || !isObject(position)) return undefined
  const { x, y } = position
  return typeof x === 'number' && typeof y === 'number' ? { x, y } : undefined
}

/** The step at a fixed position or, if undefined, with automatic placement. */
export function placedAt<Step extends DraftStep>(step: Step, point: Point | undefined): Step {
  const { position: _position, ...rest } = step as Step & { readonly position?: Value }
  return point === undefined
    ? (rest as Step)
    : { ...(rest as Step), position: { x: Math.round(point.x), y: Math.round(point.y) } }
}

/** A key of the layout's inputs: typing in a condition does not change it. */
export function layoutKey({ steps, startStepId = '' }: DraftRuleset): string {
  const parts = steps.map((step) => {
    const { height, ports } = shapeOf(step)
    return `${step.id}:${step.type === 'terminal'}:${height}:${ports.map(({ target = '' }) => target).join()}`
  })
  return `${startStepId}|${parts.join('|')}`
}

export function layoutOf({ steps, startStepId }: DraftRuleset, direction: Direction, width: number): Layout {
  const boxes = steps.map((step) => ({
    id: step.id,
    ...sizeOf(step, direction),
    isResult: step.type === 'terminal',
    ports: shapeOf(step).ports,
  }))
  return layout(boxes, startStepId, { direction, width })
}

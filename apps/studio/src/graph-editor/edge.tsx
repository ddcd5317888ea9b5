import { BaseEdge, type Edge, type EdgeProps, getBezierPath, Position } from '@xyflow/react'
import { memo } from 'react'
import { bendOf, curvesThrough } from './curves.ts'
import type { Point } from './layout.ts'
import { WIDTH } from './shape.ts'

export interface StepEdgeData extends Record<string, unknown> {
  /** Where it passes the layers between its ends. */
  readonly via: readonly Point[]
}

export type StepEdgeType = Edge<StepEdgeData, 'step'>

/** An edge that passes between the steps of the layers that it crosses. */
export const StepEdge = memo(function StepEdge({
  sourceX,
  sourceY,
  targetX,
  targetY,
  data,
  markerEnd,
}: EdgeProps<StepEdgeType>) {
  const via = data?.via ?? []
  const path =
    via.length === 0
      ? getBezierPath({
          sourceX,
          sourceY,
          targetX,
          targetY,
          sourcePosition: Position.Right,
          targetPosition: Position.Left,
        })[0]
      : routeOf({ x: sourceX, y: sourceY }, via, { x: targetX, y: targetY })
  return <BaseEdge path={path} interactionWidth={12} {...(markerEnd !== undefined && { markerEnd })} />
})

/** The line of an edge: in a layer it runs straight; between layers it bends. */
export function routeOf(source: Point, via: readonly Point[], target: Point): string {
  const curves = curvesThrough(source, via, target).map((curve) => {
    const { to, from, through } = curve
    const bend = bendOf(curve)
    const onward = through ? ` L${to.x + WIDTH},${to.y}` : ''
    return ` C${from.x + bend},${from.y} ${to.x - bend},${to.y} ${to.x},${to.y}${onward}`
  })
  return `M${source.x},${source.y}${curves.join('')}`
}

import { BaseEdge, type Edge, type EdgeProps, getBezierPath, Position } from '@xyflow/react'
import { memo } from 'react'
import type { Point } from './layout.ts'
import { WIDTH } from './shape.ts'

export interface StepEdgeData extends Record<string, unknown> {
  /** Where it passes the layers between its ends. */
  readonly via: readonly Point[]
}

export type StepEdgeType = Edge<StepEdgeData, 'step'>

const SHORTEST_BEND = 24

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
  let path = `M${source.x},${source.y}`
  let at = source
  for (const point of [...via, target]) {
    const bend = Math.max(SHORTEST_BEND, (point.x - at.x) / 2)
    path += ` C${at.x + bend},${at.y} ${point.x - bend},${point.y} ${point.x},${point.y}`
    at = point
    if (point === target) continue
    at = { x: point.x + WIDTH, y: point.y }
    path += ` L${at.x},${at.y}`
  }
  return path
}

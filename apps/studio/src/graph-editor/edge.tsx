import { BaseEdge, type Edge, type EdgeProps, getBezierPath, Position } from '@xyflow/react'
import { memo } from 'react'
import { routeOf } from './curves.ts'
import type { Point } from './layout.ts'

export interface StepEdgeData extends Record<string, unknown> {
  /** Points at which it passes the layers between its ends. */
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

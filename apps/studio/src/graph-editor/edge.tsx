import { BaseEdge, type Edge, type EdgeProps } from '@xyflow/react'
import { memo } from 'react'
import { pathOf, type Route } from './routes.ts'

export interface StepEdgeData extends Record<string, unknown> {
  readonly route: Route
}

export type StepEdgeType = Edge<StepEdgeData, 'step'>

/** An edge on the track that the layout reserves for it. */
export const StepEdge = memo(function StepEdge({ data, markerEnd }: EdgeProps<StepEdgeType>) {
  if (data === undefined) return null
  return <BaseEdge path={pathOf(data.route)} interactionWidth={12} {...(markerEnd !== undefined && { markerEnd })} />
})

import type { DraftStep, Exit } from '@engine/authoring'
import { type Edge, ViewportPortal } from '@xyflow/react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTexts } from '../texts/texts.tsx'
import type { StepEdgeType } from './edge.tsx'
import { middleOf } from './routes.ts'
import { exitOf } from './shape.ts'
import { StepMenu } from './step-menu.tsx'

/** Time to move the pointer from an edge to its button, in milliseconds. */
const HIDE_DELAY_MS = 700

/** The edge under the pointer, kept while its button is used. */
export interface Hovered {
  readonly id: string | undefined
  readonly handlers: {
    readonly onEdgeMouseEnter: (event: unknown, edge: Edge) => void
    readonly onEdgeMouseLeave: () => void
    readonly onEdgeClick: (event: unknown, edge: Edge) => void
  }
  /** The edge under the pointer if edges are drawn as a picture; undefined if there is none. */
  point(edge: Edge | undefined): void
  keep(): void
  leave(): void
}

export function useHovered(): Hovered {
  const [id, setId] = useState<string>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const pointed = useRef<string>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return useMemo(() => {
    const keep = () => clearTimeout(timer.current)
    const leave = () => {
      keep()
      timer.current = setTimeout(() => setId(undefined), HIDE_DELAY_MS)
    }
    const point = (edge: Edge | undefined) => {
      if (edge?.id === pointed.current) return
      pointed.current = edge?.id
      if (edge === undefined) leave()
      else show(undefined, edge)
    }
    const show = (_event: unknown, edge: Edge) => {
      keep()
      setId(edge.id)
    }
    return {
      id,
      point,
      keep,
      leave,
      handlers: { onEdgeMouseEnter: show, onEdgeMouseLeave: leave, onEdgeClick: show },
    }
  }, [id])
}

interface InsertOnEdgeProps {
  readonly hovered: Hovered
  readonly edges: readonly StepEdgeType[]
  readonly insert: (id: string, exit: Exit, type: DraftStep['type']) => void
}

/** The kinds of steps to insert. A result has no exits and would cut the edge. */
const TYPES = ['decision', 'table', 'action', 'sub_rule'] as const

/** A button for a new step, in the middle of the edge under the pointer. The keyboard equivalent is `N` on a step. */
export function InsertOnEdge({ hovered, edges, insert }: InsertOnEdgeProps) {
  const { canvas } = useTexts()
  const edge = hovered.id === undefined ? undefined : edges.find(({ id }) => id === hovered.id)
  const exit = exitOf(edge?.sourceHandle ?? '')
  const middle = edge?.data && middleOf(edge.data.route)
  if (edge === undefined || exit === undefined || middle === undefined) return null
  return (
    <ViewportPortal>
      <div
        className="insert-on-edge nodrag nopan"
        style={{ transform: `translate(${middle.x - 13}px, ${middle.y - 13}px)` }}
        onPointerEnter={hovered.keep}
        onPointerLeave={hovered.leave}
      >
        <StepMenu
          label={canvas.insertOnEdge}
          types={TYPES}
          add={(type) => insert(edge.source, exit, type)}
          onOpenChange={(isOpen) => (isOpen ? hovered.keep() : hovered.leave())}
        />
      </div>
    </ViewportPortal>
  )
}

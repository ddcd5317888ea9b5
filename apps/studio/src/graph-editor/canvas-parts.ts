import type { DraftRuleset } from '@engine/authoring'
import { type NodeHandle, Position } from '@xyflow/react'
import { useMemo, useRef } from 'react'
import type { StepHits } from './coverage.ts'
import type { StepEdgeType } from './edge.tsx'
import type { Layout, Point } from './layout.ts'
import type { StepChange, StepNodeType } from './node.tsx'
import { storedPosition } from './positions.ts'
import { ENTRY, type Shape, shapeOf, WIDTH } from './shape.ts'
import type { Visit } from './trace.ts'

/** The content of the canvas. */
export interface Shown {
  readonly draft: DraftRuleset
  readonly selected: string | undefined
  /** Steps marked together, by a box or by keys. */
  readonly marked: ReadonlySet<string>
  readonly visits: ReadonlyMap<string, Visit> | undefined
  /** Numbers of problems by step. */
  readonly problems: ReadonlyMap<string, number>
  /** Coverage of the saved cases, by step; undefined: hidden. */
  readonly coverage: ReadonlyMap<string, StepHits> | undefined
  /** Names of other users at a step. */
  readonly present: ReadonlyMap<string, string>
  /** Differences of steps from those of another save. */
  readonly changes?: ReadonlyMap<string, StepChange>
  /** Prefix of element ids, when there are two canvases. */
  readonly scope?: string
}

/** Positions of steps while some of them are dragged. */
export function usePlaces(
  { steps }: DraftRuleset,
  placed: Layout,
  dragged: ReadonlyMap<string, Point>,
): ReadonlyMap<string, Point> {
  return useMemo(
    () =>
      new Map(
        steps.map((step): [string, Point] => {
          const at = dragged.get(step.id) ?? storedPosition(step)
          return [step.id, at ?? placed.boxes.get(step.id) ?? { x: 0, y: 0 }]
        }),
      ),
    [steps, placed, dragged],
  )
}

/** Unchanged nodes keep their objects: the canvas renders only changed ones again. */
export function useNodes(
  { draft, selected, visits, problems, marked, coverage, present, changes, scope = '' }: Shown,
  places: ReadonlyMap<string, Point>,
  current: string,
) {
  const known = useRef(new Map<string, StepNodeType>())
  return useMemo(() => {
    const { steps, startStepId } = draft
    return steps.map((step, index): StepNodeType => {
      const { id } = step
      const position = places.get(id) ?? { x: 0, y: 0 }
      const data = {
        step,
        visit: visits?.get(id),
        isTraced: visits !== undefined,
        isSelected: selected === id,
        isCurrent: current === id,
        isEntry: startStepId === id,
        problems: problems.get(id) ?? 0,
        hits: coverage?.get(id),
        present: present.get(id) ?? '',
        change: changes?.get(id),
        scope,
      }
      const isMarked = marked.has(id)
      const old = known.current.get(id)
      const isSame =
        old !== undefined &&
        old.position.x === position.x &&
        old.position.y === position.y &&
        old.selected === isMarked &&
        old.data.place[1] === steps.length &&
        Object.entries(data).every(([name, value]) => old.data[name] === value)
      if (isSame) return old
      const place = [index + 1, steps.length] as const
      const node: StepNodeType = {
        id,
        type: 'step',
        position,
        data: { ...data, place },
        ...sizeOf(shapeOf(step)),
        selected: isMarked,
      }
      known.current.set(id, node)
      return node
    })
  }, [draft, places, visits, selected, current, problems, marked, coverage, present, changes, scope])
}

/** Pixels of a handle. */
const HANDLE = 9

/** Size and handles follow from the text: the canvas need not render every step to measure it. */
function sizeOf({ height, ports }: Shape) {
  const handles: NodeHandle[] = [
    { type: 'target', position: Position.Left, ...handleAt(0, ENTRY) },
    ...ports.map(({ id, y }) => ({ id, type: 'source' as const, position: Position.Right, ...handleAt(WIDTH, y) })),
  ]
  return { width: WIDTH, height, measured: { width: WIDTH, height }, handles }
}

const handleAt = (x: number, y: number) => ({ x: x - HANDLE / 2, y: y - HANDLE / 2, width: HANDLE, height: HANDLE })

/** Edges whose ends both exist. */
export function useEdges({ draft, selected, visits }: Shown, placed: Layout): StepEdgeType[] {
  return useMemo(() => {
    const ids = new Set(draft.steps.map(({ id }) => id))
    const moved = new Set(draft.steps.filter((step) => storedPosition(step) !== undefined).map(({ id }) => id))
    return draft.steps.flatMap((step) =>
      shapeOf(step).ports.flatMap(({ id, target }, index): StepEdgeType[] => {
        if (target === undefined || !ids.has(target)) return []
        const isTaken = visits?.get(step.id)?.port === id && visits.has(target)
        const isMoved = moved.has(step.id) || moved.has(target)
        return [
          {
            id: `${step.id}:${id}`,
            source: step.id,
            sourceHandle: id,
            target,
            type: 'step',
            focusable: false,
            className: visits !== undefined ? (isTaken ? 'taken' : 'dim') : selected === step.id ? 'hot' : '',
            zIndex: isTaken ? 2 : 0,
            data: { via: isMoved ? [] : (placed.routes.get(`${step.id}:${index}`) ?? []) },
          },
        ]
      }),
    )
  }, [draft, placed, visits, selected])
}

import type { DraftRuleset, DraftStep } from '@engine/authoring'
import { type NodeHandle, Position } from '@xyflow/react'
import { useMemo, useRef } from 'react'
import { codeColours } from './code-colours.ts'
import type { StepHits } from './coverage.ts'
import type { Direction } from './direction.ts'
import type { StepEdgeType } from './edge.tsx'
import { dockOffset, type Layout, type Point } from './layout.ts'
import type { Reference, StepChange, StepNodeType } from './node.tsx'
import { storedPosition } from './positions.ts'
import { type Placed, routeOf, tracksAt } from './routes.ts'
import { ENTRY, shapeOf, sizeOf, WIDTH } from './shape.ts'
import type { Visit } from './trace.ts'

/** The content of the canvas. */
export interface Shown {
  readonly draft: DraftRuleset
  readonly selected: string | undefined
  /** Steps selected together, by a box or by keyboard. */
  readonly marked: ReadonlySet<string>
  readonly visits: ReadonlyMap<string, Visit> | undefined
  /** Number of problems by step. */
  readonly problems: ReadonlyMap<string, number>
  /** Coverage of the saved cases, by step; undefined if hidden. */
  readonly coverage: ReadonlyMap<string, StepHits> | undefined
  /** Names of other users at a step. */
  readonly present: ReadonlyMap<string, string>
  /** Differences of steps from those of another save. */
  readonly changes?: ReadonlyMap<string, StepChange>
  /** Result codes in the order of the contract. */
  readonly codes?: readonly string[]
  /** Prefix of element ids, needed if there are two canvases. */
  readonly scope?: string
}

/** Positions of steps during a drag. A result follows the step to which it is docked. */
export function usePlaces(
  { steps }: DraftRuleset,
  placed: Layout,
  dragged: ReadonlyMap<string, Point>,
): ReadonlyMap<string, Point> {
  return useMemo(() => {
    const byId = new Map(steps.map((step) => [step.id, step]))
    const own = (step: DraftStep) => dragged.get(step.id) ?? storedPosition(step)
    const placeOf = (step: DraftStep): Point => {
      const at = own(step)
      if (at !== undefined) return at
      const dock = placed.docks.get(step.id)
      const home = dock === undefined ? undefined : byId.get(dock.step)
      const moved = home === undefined ? undefined : own(home)
      if (dock === undefined || home === undefined || moved === undefined)
        return placed.boxes.get(step.id) ?? { x: 0, y: 0 }
      const box = { width: WIDTH, ports: shapeOf(home).ports }
      const offset = dockOffset(box, dock.port, placed.direction)
      return { x: moved.x + offset.x, y: moved.y + offset.y }
    }
    return new Map(steps.map((step): [string, Point] => [step.id, placeOf(step)]))
  }, [steps, placed, dragged])
}

/** By step, branches whose result is placed elsewhere, and rows that contain their result. */
function useReferences(steps: readonly DraftStep[], { docks }: Layout, colours: ReadonlyMap<string, string>) {
  const known = useRef(new Map<string, { readonly key: string; readonly found: readonly Reference[] }>())
  return useMemo(() => {
    const byId = new Map(steps.map((step) => [step.id, step]))
    return new Map(
      steps.map((step): [string, readonly Reference[]] => {
        const found = shapeOf(step).ports.flatMap(({ id, target = '' }, port): Reference[] => {
          const result = byId.get(target)
          if (result?.type !== 'terminal') return []
          const dock = docks.get(target)
          const isHere = dock?.step === step.id && dock.port === port && storedPosition(result) === undefined
          const code = result.code ?? ''
          return [{ port: id, target, code, colour: colours.get(code) ?? '', isHere }]
        })
        // Equal references keep their object, so that the step is not rendered again.
        const key = found.map((one) => `${one.port} ${one.target} ${one.code} ${one.colour} ${one.isHere}`).join('\n')
        const old = known.current.get(step.id)
        if (old?.key === key) return [step.id, old.found]
        known.current.set(step.id, { key, found })
        return [step.id, found]
      }),
    )
  }, [steps, docks, colours])
}

/** Unchanged nodes keep their objects: the canvas renders only changed nodes again. */
export function useNodes(
  { draft, selected, visits, problems, marked, coverage, present, changes, codes, scope = '' }: Shown,
  places: ReadonlyMap<string, Point>,
  placed: Layout,
  current: string,
  naming: string | undefined,
) {
  const known = useRef(new Map<string, StepNodeType>())
  const colours = useMemo(() => codeColours(draft.steps, codes), [draft.steps, codes])
  const references = useReferences(draft.steps, placed, colours)
  const { direction } = placed
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
        isNaming: naming === id,
        problems: problems.get(id) ?? 0,
        hits: coverage?.get(id),
        present: present.get(id) ?? '',
        change: changes?.get(id),
        references: references.get(id) ?? NO_REFERENCES,
        colour: step.type === 'terminal' ? (colours.get(step.code ?? '') ?? '') : '',
        direction,
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
        ...measuresOf(step, direction),
        selected: isMarked,
        // A result overlaps the row of its step.
        zIndex: step.type === 'terminal' ? 1 : 0,
      }
      known.current.set(id, node)
      return node
    })
  }, [
    draft,
    places,
    visits,
    selected,
    current,
    naming,
    problems,
    marked,
    coverage,
    present,
    changes,
    references,
    colours,
    direction,
    scope,
  ])
}

const NO_REFERENCES: readonly Reference[] = []

/** Size of a handle in pixels. */
const HANDLE = 9

/** Size and handles are computed from the text, so that the canvas need not render every step to measure it. */
function measuresOf(step: DraftStep, direction: Direction) {
  const size = sizeOf(step, direction)
  const handles: NodeHandle[] = [
    { type: 'target', position: Position.Left, ...handleAt(0, step.type === 'terminal' ? size.height / 2 : ENTRY) },
    ...shapeOf(step).ports.map(({ id, y }) => ({
      id,
      type: 'source' as const,
      position: Position.Right,
      ...handleAt(WIDTH, y),
    })),
  ]
  return { ...size, measured: size, handles }
}

const handleAt = (x: number, y: number) => ({ x: x - HANDLE / 2, y: y - HANDLE / 2, width: HANDLE, height: HANDLE })

/** Edges whose ends both exist. Unchanged edges keep their objects. */
export function useEdges(
  { draft, selected, visits }: Shown,
  placed: Layout,
  places: ReadonlyMap<string, Point>,
): StepEdgeType[] {
  const known = useRef(new Map<string, StepEdgeType>())
  return useMemo(() => {
    const byId = new Map(draft.steps.map((step) => [step.id, step]))
    const at = (step: DraftStep): Placed => ({
      ...(places.get(step.id) ?? { x: 0, y: 0 }),
      ...sizeOf(step, placed.direction),
      isResult: step.type === 'terminal',
    })
    return draft.steps.flatMap((step) => {
      const from = at(step)
      const { ports } = shapeOf(step)
      const buses = new Map<string, number>()
      return ports.flatMap(({ id, target = '', y }, index): StepEdgeType[] => {
        const to = byId.get(target)
        if (to === undefined) return []
        const end = at(to)
        const dock = placed.docks.get(target)
        const isDocked = dock?.step === step.id && dock.port === index
        // A branch references a result that is placed elsewhere; a result within its row needs no edge.
        if (end.isResult && storedPosition(to) === undefined && (!isDocked || placed.direction === 'right')) return []
        const bus = buses.getOrInsertComputed(target, () => buses.size)
        const tracks = { from: tracksAt(placed, step.id, from), to: tracksAt(placed, target, end) }
        const route = routeOf(from, { y, isLast: index === ports.length - 1, bus }, end, tracks, placed.direction)
        const isTaken = visits?.get(step.id)?.port === id && visits.has(target)
        const edge: StepEdgeType = {
          id: `${step.id}:${id}`,
          source: step.id,
          sourceHandle: id,
          target,
          type: 'step',
          focusable: false,
          className: visits !== undefined ? (isTaken ? 'taken' : 'dim') : selected === step.id ? 'hot' : '',
          zIndex: isTaken ? 2 : 0,
          data: { route },
        }
        return [kept(known.current, edge)]
      })
    })
  }, [draft, placed, places, visits, selected])
}

function kept(known: Map<string, StepEdgeType>, edge: StepEdgeType): StepEdgeType {
  const old = known.get(edge.id)
  const [before, after] = [old?.data?.route, edge.data?.route]
  const isSame =
    old?.target === edge.target &&
    old.className === edge.className &&
    before?.isCurve === after?.isCurve &&
    before?.points.length === after?.points.length &&
    before?.points.every(({ x, y }, index) => after?.points[index]?.x === x && after.points[index]?.y === y) === true
  if (isSame && old !== undefined) return old
  known.set(edge.id, edge)
  return edge
}

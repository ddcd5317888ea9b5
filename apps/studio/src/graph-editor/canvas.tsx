import type { DraftStep, Exit } from '@engine/authoring'
import { type NodeChange, ReactFlow, ReactFlowProvider, SelectionMode, useReactFlow } from '@xyflow/react'
import { memo, type MouseEvent, useCallback, useMemo, useRef, useState } from 'react'
import '../styles/canvas.css'
import { useTexts } from '../texts/texts.tsx'
import { type CanvasActions, useCanvasClipboard, useCanvasKeys } from './canvas-keys.ts'
import { type Shown, useEdges, useNodes, usePlaces } from './canvas-parts.ts'
import {
  fitAll,
  firstView,
  MIN_ZOOM,
  reveal,
  useDetail,
  useDrawn,
  useRefit,
  useRoom,
  useWayInView,
} from './canvas-view.ts'
import { useDirection } from './direction.ts'
import { Dots } from './dot-grid.tsx'
import { StepEdge, type StepEdgeType } from './edge.tsx'
import { InsertOnEdge, useHovered } from './insert-on-edge.tsx'
import { type Point, VIEW_MARGIN } from './layout.ts'
import { MarkedBar } from './marked-bar.tsx'
import { focusStep } from './focus-step.ts'
import { NamingContext, StepNode, type StepNodeType } from './node.tsx'
import { Overview } from './overview.tsx'
import { EdgeCanvas } from './edge-canvas.tsx'
import { usePlaced } from './placement.ts'
import { distanceTo } from './routes.ts'
import { useSelectedInView } from './selection-scroll.ts'
import { exitOf, WIDTH } from './shape.ts'
import { ViewBar } from './view-bar.tsx'

export interface CanvasProps extends Shown, CanvasActions {
  readonly select: (id: string) => void
  readonly move: (moves: ReadonlyMap<string, Point>) => void
  readonly connect: (id: string, exit: Exit, target: string) => void
  readonly insertOn: (id: string, exit: Exit, type: DraftStep['type']) => void
  /** Undefined: read-only. */
  readonly extract: (() => void) | undefined
  /** Accessible name, needed if there are two canvases. */
  readonly label?: string
}

const nodeTypes = { step: StepNode }
const edgeTypes = { step: StepEdge }

/** Number of steps from which an overview is shown. */
const MIN_OVERVIEW_STEPS = 15
/** Distance from an edge of a picture within which a click hits it. */
const EDGE_HIT_PIXELS = 6

/** The rules as a graph with a single tab stop; arrow keys follow the edges. */
export const Canvas = memo(function Canvas(props: CanvasProps) {
  return (
    <ReactFlowProvider>
      <Stage {...props} />
    </ReactFlowProvider>
  )
})

function Stage(props: CanvasProps) {
  const { canvas } = useTexts()
  const { draft, selected, visits, isReadOnly, select, open, scope, label } = props
  const flow = useReactFlow()
  const stage = useRef<HTMLDivElement>(null)
  const shown = useArrangement(props, stage)
  const { room, direction, placed, places, nodes, edges, current, view, onNodesChange, editNames, naming } = shown
  const leaveFirstView = useRefit(flow, room, placed, places.get(draft.startStepId ?? ''))
  useDetail(stage)
  const focus = useCallback(
    (id: string) => {
      select(id)
      reveal(flow, stage.current, places.get(id))
      focusStep(id, scope)
    },
    [flow, places, scope, select],
  )
  useWayInView(flow, stage, visits, places, leaveFirstView)
  useSelectedInView(flow, stage, selected, places)
  const onKey = useCanvasKeys(props, { stage, flow, nodes, places, current, focus, editNames })
  const clipboard = useCanvasClipboard(props, stage, current)
  const hovered = useHovered()
  const drawn = useDrawn(nodes, edges, view, current)
  const { isFar, isLarge } = drawn
  const edgeUnder = (event: MouseEvent) =>
    isLarge && !isFar ? nearestEdge(drawn.pictured, pointOf(event), EDGE_HIT_PIXELS / flow.getZoom()) : undefined
  const pointOf = ({ clientX: x, clientY: y }: MouseEvent) => flow.screenToFlowPosition({ x, y })
  const openAt = (event: MouseEvent) => {
    const at = pointOf(event)
    const hit = isFar ? nodes.find((node) => isIn(at, node)) : undefined
    if (hit !== undefined) focus(hit.id)
    else stage.current?.focus({ preventScroll: true })
    if (!isReadOnly) hovered.point(edgeUnder(event))
  }
  return (
    <div
      className="canvas"
      ref={stage}
      role="region"
      aria-label={label ?? canvas.name}
      tabIndex={-1}
      onKeyDown={onKey}
      onKeyDownCapture={leaveFirstView}
      onPointerDownCapture={leaveFirstView}
      onWheelCapture={leaveFirstView}
      {...clipboard}
    >
      <NamingContext value={naming}>
        {view !== undefined && (
          <ReactFlow
            nodes={drawn.nodes}
            edges={drawn.edges}
            onInit={drawn.begin}
            nodeTypes={nodeTypes}
            edgeTypes={edgeTypes}
            width={view.width}
            height={view.height}
            defaultViewport={view}
            minZoom={MIN_ZOOM}
            maxZoom={2}
            nodesDraggable={!isReadOnly}
            nodesConnectable={!isReadOnly}
            nodesFocusable={false}
            // A result within a row of its step stays above the step.
            elevateNodesOnSelect={false}
            edgesFocusable={false}
            disableKeyboardA11y
            deleteKeyCode={null}
            selectionMode={SelectionMode.Partial}
            zoomOnDoubleClick={false}
            panOnScroll
            proOptions={{ hideAttribution: true }}
            onNodesChange={onNodesChange}
            onNodeClick={(event, { id }) => {
              if (!event.shiftKey && !event.ctrlKey && !event.metaKey) focus(id)
            }}
            onNodeDoubleClick={(_event, { id }) => open(id)}
            onPaneClick={openAt}
            onMoveStart={() => stage.current?.classList.add('moving')}
            onMoveEnd={() => stage.current?.classList.remove('moving')}
            onSelectionEnd={() => stage.current?.focus({ preventScroll: true })}
            onConnect={({ source, sourceHandle, target }) => {
              const exit = exitOf(sourceHandle ?? '')
              if (exit !== undefined) props.connect(source, exit, target)
            }}
            {...(!isReadOnly && hovered.handlers)}
            {...(!isReadOnly && isLarge && { onPaneMouseMove: (event) => hovered.point(edgeUnder(event)) })}
          >
            <Dots />
            {isLarge && <EdgeCanvas edges={drawn.pictured} steps={drawn.small} />}
            {nodes.length >= MIN_OVERVIEW_STEPS && !isFar && <Overview label={canvas.overview} nodes={nodes} />}
            <InsertOnEdge hovered={hovered} edges={edges} insert={props.insertOn} />
          </ReactFlow>
        )}
      </NamingContext>
      <MarkedBar {...props} />
      <ViewBar fit={() => fitAll(flow, nodes)} direction={direction} tidy={isReadOnly ? undefined : props.tidy} />
    </div>
  )
}

/** Steps and edges at their positions from the layout, the author or a drag, with the initial viewport. */
function useArrangement(props: CanvasProps, stage: React.RefObject<HTMLDivElement | null>) {
  const { draft, selected } = props
  const room = useRoom(stage)
  const direction = useDirection(room?.width ?? 0)
  const placed = usePlaced(draft, direction, (room?.width ?? 0) - 2 * VIEW_MARGIN)
  const current = selected ?? draft.startStepId ?? ''
  const { dragged, onNodesChange } = useNodeChanges(props)
  const { naming, editNames, context } = useNaming(props, props.scope)
  const places = usePlaces(draft, placed, dragged)
  const nodes = useNodes(props, places, placed, current, naming)
  const edges = useEdges(props, placed, places)
  const isMeasured = room !== undefined
  const view = useMemo(
    () => (room === undefined ? undefined : firstView(room, placed, places.get(current))),
    // eslint-disable-next-line -- initial viewport only
    [isMeasured],
  )
  return { room, direction, placed, places, nodes, edges, current, view, onNodesChange, editNames, naming: context }
}

const isIn = (at: Point, { position: { x, y }, width = WIDTH, height = 0 }: StepNodeType) =>
  at.x >= x && at.x <= x + width && at.y >= y && at.y <= y + height

/** The edge nearest to a point within `reach`, if any. */
function nearestEdge(edges: readonly StepEdgeType[], at: Point, reach: number): StepEdgeType | undefined {
  let [nearest, found]: [number, StepEdgeType | undefined] = [reach, undefined]
  for (const edge of edges) {
    const far = edge.data === undefined ? nearest : distanceTo(edge.data.route, at)
    if (far < nearest) [nearest, found] = [far, edge]
  }
  return found
}

/** The step whose name and labels are being edited in place. */
function useNaming({ rename, isReadOnly }: CanvasProps, scope: string | undefined) {
  const [naming, editNames] = useState<string>()
  const context = useMemo(
    () => ({
      rename,
      begin: isReadOnly ? undefined : editNames,
      end(id: string) {
        editNames(undefined)
        focusStep(id, scope)
      },
    }),
    [rename, isReadOnly, scope],
  )
  return { naming, editNames, context }
}

/** Selects steps by box and click; dragging several steps is one change. */
function useNodeChanges({ marked, mark, move }: Pick<CanvasProps, 'marked' | 'mark' | 'move'>) {
  const [dragged, setDragged] = useState<ReadonlyMap<string, Point>>(NOTHING)
  const onNodesChange = (changes: readonly NodeChange<StepNodeType>[]) => {
    const next = new Set(marked)
    const moving = new Map(dragged)
    const moved = new Map<string, Point>()
    for (const change of changes) {
      if (change.type === 'select') next[change.selected ? 'add' : 'delete'](change.id)
      if (change.type !== 'position' || change.position === undefined) continue
      if (change.dragging === true) moving.set(change.id, change.position)
      else moved.set(change.id, change.position)
    }
    if (next.symmetricDifference(marked).size > 0) mark(next)
    if (moved.size > 0) {
      setDragged(NOTHING)
      move(moved)
    } else if (changes.some(({ type }) => type === 'position')) setDragged(moving)
  }
  return { dragged, onNodesChange }
}

const NOTHING: ReadonlyMap<string, Point> = new Map()

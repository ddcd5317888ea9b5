import type { DraftStep, Exit } from '@engine/authoring'
import { type NodeChange, ReactFlow, ReactFlowProvider, SelectionMode, useReactFlow } from '@xyflow/react'
import { memo, type MouseEvent, useCallback, useRef, useState } from 'react'
import '../styles/canvas.css'
import { useTexts } from '../texts/texts.tsx'
import { type CanvasActions, useCanvasClipboard, useCanvasKeys } from './canvas-keys.ts'
import { type Shown, useEdges, useNodes, usePlaces } from './canvas-parts.ts'
import { fitAll, MIN_ZOOM, reveal, useDrawn, useFirstView, useRefit, useWayInView } from './canvas-view.ts'
import { edgeAt } from './curves.ts'
import { Dots } from './dot-grid.tsx'
import { StepEdge } from './edge.tsx'
import { InsertOnEdge, useHovered } from './insert-on-edge.tsx'
import type { Point } from './layout.ts'
import { MarkedBar } from './marked-bar.tsx'
import { focusStep } from './focus-step.ts'
import { StepNode, type StepNodeType } from './node.tsx'
import { Overview } from './overview.tsx'
import { EdgeCanvas } from './edge-canvas.tsx'
import { usePlaced } from './placement.ts'
import { useSelectedInView } from './selection-scroll.ts'
import { exitOf, WIDTH } from './shape.ts'
import { Zoom } from './zoom.tsx'

export interface CanvasProps extends Shown, CanvasActions {
  readonly select: (id: string) => void
  readonly move: (moves: ReadonlyMap<string, Point>) => void
  readonly connect: (id: string, exit: Exit, target: string) => void
  readonly insertOn: (id: string, exit: Exit, type: DraftStep['type']) => void
  /** Undefined: read-only. */
  readonly extract: (() => void) | undefined
  /** Its name, when there are two. */
  readonly label?: string
}

const nodeTypes = { step: StepNode }
const edgeTypes = { step: StepEdge }

/** Steps from which on an overview is shown. */
const MANY = 15
/** Pixels from an edge of a picture that count as on it. */
const REACH = 6

/** The rules as a graph. It has one tab stop; arrow keys follow the edges. */
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
  const placed = usePlaced(draft)
  const current = selected ?? draft.startStepId ?? ''
  const { dragged, onNodesChange } = useNodeChanges(props)
  const places = usePlaces(draft, placed, dragged)
  const nodes = useNodes(props, places, current)
  const edges = useEdges(props, placed)
  const view = useFirstView(stage, placed, places.get(current))
  const leaveFirstView = useRefit(flow, stage, view, placed, places.get(draft.startStepId ?? ''))
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
  const onKey = useCanvasKeys(props, { stage, flow, nodes, places, current, focus })
  const clipboard = useCanvasClipboard(props, stage, current)
  const hovered = useHovered()
  const drawn = useDrawn(nodes, edges, view, current)
  const { isFar, isLarge } = drawn
  const edgeUnder = (event: MouseEvent) =>
    isLarge && !isFar ? edgeAt(drawn.pictured, pointOf(event), REACH / flow.getZoom()) : undefined
  const pointOf = ({ clientX: x, clientY: y }: MouseEvent) => flow.screenToFlowPosition({ x, y })
  const openAt = (event: MouseEvent) => {
    const at = pointOf(event)
    const hit = isFar ? nodes.find(({ position: { x, y }, height = 0 }) => isIn(at, x, y, height)) : undefined
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
          {nodes.length >= MANY && !isFar && <Overview label={canvas.overview} nodes={nodes} />}
          <InsertOnEdge hovered={hovered} edges={edges} draft={draft} places={places} insert={props.insertOn} />
        </ReactFlow>
      )}
      <MarkedBar {...props} />
      <Zoom fit={() => fitAll(flow, nodes)} />
    </div>
  )
}

const isIn = (at: Point, x: number, y: number, height: number) =>
  at.x >= x && at.x <= x + WIDTH && at.y >= y && at.y <= y + height

/** Boxes and clicks mark steps; a drag of several is one change. */
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

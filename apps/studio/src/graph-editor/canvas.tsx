import type { DraftRuleset, Exit } from '@engine/authoring'
import {
  Background,
  BackgroundVariant,
  MiniMap,
  type NodeChange,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from '@xyflow/react'
import { type KeyboardEvent, memo, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import '../styles/canvas.css'
import { useTexts } from '../texts/texts.tsx'
import { StepEdge, type StepEdgeType } from './edge.tsx'
import { neighbour } from './keys.ts'
import type { Layout, Point } from './layout.ts'
import { nodeElementId, StepNode, type StepNodeType } from './node.tsx'
import { layoutKey, layoutOf, storedPosition } from './positions.ts'
import { exitOf, shapeOf, WIDTH } from './shape.ts'
import type { Visit } from './trace.ts'
import { Zoom } from './zoom.tsx'

export interface CanvasProps {
  readonly draft: DraftRuleset
  readonly selected: string | undefined
  readonly visits: ReadonlyMap<string, Visit> | undefined
  /** Numbers of problems by step. */
  readonly problems: ReadonlyMap<string, number>
  readonly isReadOnly: boolean
  readonly select: (id: string) => void
  readonly open: (id: string) => void
  readonly move: (id: string, to: Point) => void
  readonly connect: (id: string, exit: Exit, target: string) => void
  readonly remove: (id: string) => void
  readonly insert: (id: string) => void
}

const nodeTypes = { step: StepNode }
const edgeTypes = { step: StepEdge }

/** Steps from which on there is an overview, and only what is in view is drawn. */
const MANY = 15
const VERY_MANY = 60

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
  const { draft, selected, visits, isReadOnly, select, open, remove, insert } = props
  const flow = useReactFlow()
  const stage = useRef<HTMLDivElement>(null)
  const key = layoutKey(draft)
  // eslint-disable-next-line -- the key says when the layout changes
  const placed = useMemo(() => layoutOf(draft), [key])
  const current = selected ?? draft.startStepId ?? ''
  const [dragged, setDragged] = useState<{ readonly id: string; readonly at: Point }>()
  const places = usePlaces(draft, placed, dragged)
  const nodes = useNodes(props, places, current)
  const edges = useEdges(props, placed)
  const view = useFirstView(stage, placed, places.get(current))
  const focus = useCallback(
    (id: string) => {
      select(id)
      const at = places.get(id)
      const box = stage.current?.getBoundingClientRect()
      if (at !== undefined && box !== undefined) {
        const { x, y, zoom } = flow.getViewport()
        const [left, top] = [at.x * zoom + x, at.y * zoom + y]
        if (left < 8 || top < 8 || left + WIDTH * zoom > box.width - 8 || top + 90 * zoom > box.height - 8)
          void flow.setCenter(at.x + WIDTH / 2, at.y + 60, { zoom: Math.max(zoom, 0.7), duration: motion(160) })
      }
      requestAnimationFrame(() => document.getElementById(nodeElementId(id))?.focus({ preventScroll: true }))
    },
    [flow, places, select],
  )
  useWayInView(flow, stage, visits, places)
  const onKey = (event: KeyboardEvent) => {
    if (!(event.target as HTMLElement).classList.contains('nd') || event.ctrlKey || event.metaKey) return
    const to = neighbour(event.key, draft, current, visits, places)
    const act = to === undefined ? actions[event.key] : () => focus(to)
    if (act === undefined) return
    event.preventDefault()
    act()
  }
  const actions: Readonly<Record<string, () => unknown>> = {
    Enter: () => open(current),
    '0': () => flow.fitView({ padding: 0.08, duration: motion(160) }),
    '1': () => flow.zoomTo(1),
    '+': () => flow.zoomIn(),
    '-': () => flow.zoomOut(),
    ...(!isReadOnly && { Delete: () => remove(current), Backspace: () => remove(current), n: () => insert(current) }),
  }
  const onNodesChange = (changes: readonly NodeChange<StepNodeType>[]) => {
    for (const change of changes) {
      if (change.type !== 'position' || change.position === undefined) continue
      if (change.dragging === true) setDragged({ id: change.id, at: change.position })
      else {
        setDragged(undefined)
        props.move(change.id, change.position)
      }
    }
  }
  return (
    <div className="canvas" ref={stage} role="region" aria-label={canvas.name} onKeyDown={onKey}>
      {view !== undefined && (
        <ReactFlow
          nodes={nodes}
          edges={edges}
          nodeTypes={nodeTypes}
          edgeTypes={edgeTypes}
          width={view.width}
          height={view.height}
          defaultViewport={view}
          minZoom={0.05}
          maxZoom={2}
          nodesDraggable={!isReadOnly}
          nodesConnectable={!isReadOnly}
          nodesFocusable={false}
          edgesFocusable={false}
          disableKeyboardA11y
          deleteKeyCode={null}
          zoomOnDoubleClick={false}
          panOnScroll
          onlyRenderVisibleElements={nodes.length > VERY_MANY}
          proOptions={{ hideAttribution: true }}
          onNodesChange={onNodesChange}
          onNodeClick={(_event, { id }) => focus(id)}
          onNodeDoubleClick={(_event, { id }) => open(id)}
          onConnect={({ source, sourceHandle, target }) => {
            const exit = exitOf(sourceHandle ?? '')
            if (exit !== undefined) props.connect(source, exit, target)
          }}
        >
          <Background variant={BackgroundVariant.Dots} gap={20} size={1.2} color="var(--line)" />
          {nodes.length >= MANY && (
            <MiniMap
              pannable
              ariaLabel={canvas.overview}
              nodeColor={({ data }) => `var(--k-${(data as StepNodeType['data']).step.type})`}
              nodeBorderRadius={12}
            />
          )}
        </ReactFlow>
      )}
      <Zoom />
    </div>
  )
}

/** Milliseconds until the panel below has its place. */
const SETTLED_MS = 60

/** The way of an execution comes into view, as far as it can be read. */
function useWayInView(
  flow: ReturnType<typeof useReactFlow>,
  stage: React.RefObject<HTMLDivElement | null>,
  visits: CanvasProps['visits'],
  places: ReadonlyMap<string, Point>,
): void {
  const latest = useRef(places)
  latest.current = places
  useEffect(() => {
    if (visits === undefined) return
    const timer = setTimeout(() => {
      const box = stage.current?.getBoundingClientRect()
      const way = [...visits.keys()].flatMap((id) => latest.current.get(id) ?? [])
      if (box === undefined || way.length === 0) return
      const left = Math.min(...way.map(({ x }) => x))
      const top = Math.min(...way.map(({ y }) => y))
      const width = Math.max(...way.map(({ x }) => x)) + WIDTH - left
      const height = Math.max(...way.map(({ y }) => y)) + 120 - top
      const fit = Math.min((box.width - 48) / width, (box.height - 48) / height, 1)
      const zoom = Math.max(READABLE, fit)
      const isWhole = fit >= READABLE
      const x = isWhole ? (box.width - width * zoom) / 2 - left * zoom : 28 - left * zoom
      const y = isWhole ? (box.height - height * zoom) / 2 - top * zoom : 28 - top * zoom
      void flow.setViewport({ x, y, zoom }, { duration: motion(200) })
    }, SETTLED_MS)
    return () => clearTimeout(timer)
  }, [flow, stage, visits])
}

const motion = (ms: number) => (matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : ms)

function usePlaces(
  { steps }: DraftRuleset,
  placed: Layout,
  dragged: { readonly id: string; readonly at: Point } | undefined,
) {
  return useMemo(
    () =>
      new Map(
        steps.map((step): [string, Point] => {
          const at = dragged?.id === step.id ? dragged.at : storedPosition(step)
          return [step.id, at ?? placed.boxes.get(step.id) ?? { x: 0, y: 0 }]
        }),
      ),
    [steps, placed, dragged],
  )
}

/** Nodes that did not change are the same objects: the canvas draws only the others again. */
function useNodes(
  { draft, selected, visits, problems }: CanvasProps,
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
      }
      const old = known.current.get(id)
      const isSame =
        old !== undefined &&
        old.position.x === position.x &&
        old.position.y === position.y &&
        old.data.place[1] === steps.length &&
        Object.entries(data).every(([name, value]) => old.data[name] === value)
      if (isSame) return old
      const place = [index + 1, steps.length] as const
      const node: StepNodeType = {
        id,
        type: 'step',
        position,
        data: { ...data, place },
        width: WIDTH,
        height: shapeOf(step).height,
      }
      known.current.set(id, node)
      return node
    })
  }, [draft, places, visits, selected, current, problems])
}

function useEdges({ draft, selected, visits }: CanvasProps, placed: Layout): StepEdgeType[] {
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

/** Zoom from which on a text can be read: below it the view begins at a step, and shows a part. */
const READABLE = 0.62
const BEGIN = 0.78

/** All if that can be read, else the current step at the left. The stage measures itself once. */
function useFirstView(stage: React.RefObject<HTMLDivElement | null>, placed: Layout, at: Point | undefined) {
  const [view, setView] = useState<{ width: number; height: number; x: number; y: number; zoom: number }>()
  useLayoutEffect(() => {
    const box = stage.current?.getBoundingClientRect()
    if (box === undefined) return
    const { width, height } = box
    const fit = Math.min((width - 48) / Math.max(1, placed.width), (height - 48) / Math.max(1, placed.height), 1)
    setView(
      fit >= READABLE || at === undefined
        ? { width, height, zoom: fit, x: (width - placed.width * fit) / 2, y: (height - placed.height * fit) / 2 }
        : {
            width,
            height,
            zoom: BEGIN,
            x: 28 - at.x * BEGIN,
            y: Math.max(28 - at.y * BEGIN, height / 2 - (at.y + 60) * BEGIN),
          },
    )
    // eslint-disable-next-line -- the first view only
  }, [])
  return view
}

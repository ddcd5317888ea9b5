import type { DraftStep } from '@engine/authoring'
import { useStore } from '@xyflow/react'
import { useEffect, useMemo, useRef } from 'react'
import type { StepEdgeType } from './edge.tsx'
import type { StepNodeType } from './node.tsx'
import { shapeOf, WIDTH } from './shape.ts'

/** Zoom below which a large graph is drawn as one picture, and steps from which on it is large. */
const FAR = 0.34
const LARGE = 150
/** Zoom from which on names are drawn. */
const NAMED = 0.12

/** Whether the graph is so far away that its steps are no elements: a thousand of them would cost 50 ms a frame. */
export function useIsFar(count: number): boolean {
  return useStore(({ transform }) => transform[2] < FAR) && count > LARGE
}

interface FarViewProps {
  readonly nodes: readonly StepNodeType[]
  readonly edges: readonly StepEdgeType[]
}

interface Line {
  readonly from: readonly [x: number, y: number]
  readonly to: readonly [x: number, y: number]
  readonly isTaken: boolean
}

/** What is drawn, and from where it is seen. */
interface Scene extends View {
  readonly context: CanvasRenderingContext2D
  colour(name: string): string
}

/** The graph as a picture of boxes and lines. Keys and the list of steps go on as they do near by. */
export function FarView({ nodes, edges }: FarViewProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [x, y, zoom] = useStore(({ transform }) => transform)
  const width = useStore((store) => store.width)
  const height = useStore((store) => store.height)
  const lines = useMemo(() => linesOf(nodes, edges), [nodes, edges])
  const drawn = useRef<Drawn>(undefined)
  useEffect(() => {
    const element = canvas.current
    const last = drawn.current
    const isMoved =
      last !== undefined &&
      last.lines === lines &&
      last.nodes === nodes &&
      [last.zoom, last.width, last.height].join() === [zoom, width, height].join() &&
      Math.abs(x - last.x) < width * MARGIN &&
      Math.abs(y - last.y) < height * MARGIN
    if (element === null) return
    if (!isMoved) {
      draw(element, { x, y, zoom, width, height }, lines, nodes)
      drawn.current = { x, y, zoom, width, height, lines, nodes }
    }
    element.style.transform = isMoved ? `translate(${x - last.x}px, ${y - last.y}px)` : ''
  }, [x, y, zoom, width, height, lines, nodes])
  return (
    <canvas
      ref={canvas}
      className="far"
      aria-hidden="true"
      style={{ width: width * SIDES, height: height * SIDES, left: -width * MARGIN, top: -height * MARGIN }}
    />
  )
}

/** More is drawn than is seen, at each side this part of the view: within it a motion only moves the picture. */
const MARGIN = 0.5
const SIDES = 1 + 2 * MARGIN

interface View {
  readonly x: number
  readonly y: number
  readonly zoom: number
  readonly width: number
  readonly height: number
}

interface Drawn extends View {
  readonly lines: readonly Line[]
  readonly nodes: readonly StepNodeType[]
}

function draw(element: HTMLCanvasElement, view: View, lines: readonly Line[], nodes: readonly StepNodeType[]): void {
  const context = element.getContext('2d')
  if (context === null) return
  const ratio = devicePixelRatio
  const [width, height] = [view.width * SIDES, view.height * SIDES]
  // Another size of the element, even the same one, empties it.
  Object.assign(element, { width: width * ratio, height: height * ratio })
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  const style = getComputedStyle(document.documentElement)
  const scene: Scene = {
    context,
    x: view.x + view.width * MARGIN,
    y: view.y + view.height * MARGIN,
    zoom: view.zoom,
    width,
    height,
    colour: (name) => style.getPropertyValue(name),
  }
  drawLines(scene, lines, false)
  drawLines(scene, lines, true)
  drawBoxes(scene, nodes)
}

function linesOf(nodes: readonly StepNodeType[], edges: readonly StepEdgeType[]): readonly Line[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  return edges.flatMap(({ source, sourceHandle, target, className }): readonly Line[] => {
    const [from, to] = [byId.get(source), byId.get(target)]
    if (from === undefined || to === undefined) return []
    const port = shapeOf(from.data.step).ports.find(({ id }) => id === sourceHandle)?.y ?? 20
    return [
      {
        from: [from.position.x + WIDTH, from.position.y + port],
        to: [to.position.x, to.position.y + 20],
        isTaken: className === 'taken',
      },
    ]
  })
}

function drawLines(
  { context, x, y, zoom, width, height, colour }: Scene,
  lines: readonly Line[],
  isTaken: boolean,
): void {
  context.beginPath()
  for (const line of lines) {
    if (line.isTaken !== isTaken) continue
    const [ax, ay] = [line.from[0] * zoom + x, line.from[1] * zoom + y]
    const [bx, by] = [line.to[0] * zoom + x, line.to[1] * zoom + y]
    if (Math.max(ax, bx) < 0 || Math.min(ax, bx) > width || Math.max(ay, by) < 0 || Math.min(ay, by) > height) continue
    context.moveTo(ax, ay)
    context.lineTo(bx, by)
  }
  context.lineWidth = isTaken ? 2 : 0.6
  context.strokeStyle = colour(isTaken ? '--ok-line' : '--line-strong')
  context.globalAlpha = isTaken ? 1 : 0.45
  context.stroke()
  context.globalAlpha = 1
}

function drawBoxes(scene: Scene, nodes: readonly StepNodeType[]): void {
  const { context, x, y, zoom, width, height, colour } = scene
  const [surface, text, bad, font] = [colour('--surface'), colour('--text'), colour('--bad'), colour('--font')]
  const kinds = new Map<DraftStep['type'], string>()
  const isNamed = zoom > NAMED
  context.font = `600 ${Math.max(9, 34 * zoom)}px ${font}`
  for (const { position, data, height: own = 60 } of nodes) {
    const [left, top, wide, high] = [position.x * zoom + x, position.y * zoom + y, WIDTH * zoom, own * zoom]
    if (left > width || top > height || left + wide < 0 || top + high < 0) continue
    const kind = kinds.getOrInsertComputed(data.step.type, (type) => colour(`--k-${type}`))
    const shown = data.problems > 0 ? bad : kind
    context.fillStyle = isNamed ? surface : shown
    context.fillRect(left, top, Math.max(2, wide), Math.max(2, high))
    if (!isNamed) continue
    context.fillStyle = shown
    context.fillRect(left, top, 3, high)
    context.fillStyle = text
    context.fillText(fitting(nameOf(data.step)), left + 8, top + Math.max(11, 40 * zoom), wide - 10)
  }
}

const nameOf = (step: DraftStep) => (step.type === 'terminal' ? (step.code ?? step.id) : (step.name ?? step.id))

/** Letters of a name that are drawn: longer ones would be squeezed. */
const fitting = (name: string) => (name.length > 15 ? `${name.slice(0, 14)}…` : name)

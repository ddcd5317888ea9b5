import type { DraftStep } from '@engine/authoring'
import type { StepEdgeType } from './edge.tsx'
import type { StepNodeType } from './node.tsx'
import { bendOf, type Route } from './routes.ts'
import { WIDTH } from './shape.ts'

/** The viewport of a graph: the position of its origin, and pixels per unit. */
export interface View {
  readonly x: number
  readonly y: number
  readonly zoom: number
  readonly width: number
  readonly height: number
}

/** A drawing surface with its viewport. */
interface Scene extends View {
  readonly context: CanvasRenderingContext2D
  colour(name: string): string
}

/** Zoom from which names are drawn. */
const NAMED = 0.12
/** Maximum number of lines per stroke: larger strokes take longer than several of this size. */
const MAX_STROKE_LINES = 100

/** Styles of edges by the class of their elements, topmost last. */
const LOOKS = [
  { name: 'dim', colour: '--line-strong', width: 1.4, alpha: 0.4 },
  { name: '', colour: '--line-strong', width: 1.4, alpha: 1 },
  { name: 'hot', colour: '--accent', width: 2, alpha: 1 },
  { name: 'taken', colour: '--ok-line', width: 2.6, alpha: 1 },
] as const

/** Draw edges, and steps without elements. The surface takes the size of the viewport. */
export function drawGraph(
  element: HTMLCanvasElement,
  view: View,
  edges: readonly StepEdgeType[],
  steps: readonly StepNodeType[],
): void {
  const context = element.getContext('2d')
  if (context === null) return
  const ratio = devicePixelRatio
  // Setting the size of the element clears it, even to the same value.
  Object.assign(element, { width: view.width * ratio, height: view.height * ratio })
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  const style = getComputedStyle(document.documentElement)
  const scene: Scene = { ...view, context, colour: (name) => style.getPropertyValue(name) }
  const isFaint = steps.length > 0
  for (const look of LOOKS) drawEdges(scene, edges, look, isFaint)
  drawBoxes(scene, steps)
}

function drawEdges(scene: Scene, edges: readonly StepEdgeType[], look: (typeof LOOKS)[number], isFaint: boolean): void {
  const { context, zoom, colour } = scene
  const seen = edges.flatMap(({ className = '', data }) =>
    className === look.name && data !== undefined && isSeen(data.route, scene) ? [data.route] : [],
  )
  const isUpper = look.name === 'taken' || look.name === 'hot'
  context.lineWidth = isUpper ? Math.max(1.5, look.width * zoom) : Math.max(0.6, look.width * zoom)
  context.strokeStyle = colour(look.colour)
  context.globalAlpha = isFaint && !isUpper ? 0.45 : look.alpha
  for (let at = 0; at < seen.length; at += MAX_STROKE_LINES) {
    context.beginPath()
    for (const route of seen.slice(at, at + MAX_STROKE_LINES)) trace(route, scene)
    context.stroke()
  }
  context.globalAlpha = 1
}

function isSeen({ points }: Route, { x, y, zoom, width, height }: Scene): boolean {
  const across = points.map((point) => point.x * zoom + x)
  const along = points.map((point) => point.y * zoom + y)
  return (
    Math.max(...across) >= 0 && Math.min(...across) <= width && Math.max(...along) >= 0 && Math.min(...along) <= height
  )
}

function trace({ points, isCurve }: Route, { context, x, y, zoom }: Scene): void {
  const [from, ...others] = points.map((point) => ({ x: point.x * zoom + x, y: point.y * zoom + y }))
  if (from === undefined) return
  context.moveTo(from.x, from.y)
  const [to] = others
  const bend = bendOf(points) * zoom
  if (isCurve && to !== undefined) context.bezierCurveTo(from.x + bend, from.y, to.x - bend, to.y, to.x, to.y)
  else for (const point of others) context.lineTo(point.x, point.y)
}

function drawBoxes(scene: Scene, steps: readonly StepNodeType[]): void {
  const { context, x, y, zoom, width, height, colour } = scene
  const [surface, text, bad, font] = [colour('--surface'), colour('--text'), colour('--bad'), colour('--font')]
  const kinds = new Map<string, string>()
  const isNamed = zoom > NAMED
  context.font = `600 ${Math.max(9, 34 * zoom)}px ${font}`
  for (const { position, data, width: broad = WIDTH, height: own = 60 } of steps) {
    const [left, top, wide, high] = [position.x * zoom + x, position.y * zoom + y, broad * zoom, own * zoom]
    if (left > width || top > height || left + wide < 0 || top + high < 0) continue
    const name = data.step.type === 'terminal' ? data.colour : `--k-${data.step.type}`
    const kind = kinds.getOrInsertComputed(name, colour)
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

/** A name truncated to the available width. */
const fitting = (name: string) => (name.length > 15 ? `${name.slice(0, 14)}…` : name)

/** Calls a function when the colours of the page change; returns a function that stops this. */
export function onColours(changed: () => void): () => void {
  const theme = new MutationObserver(changed)
  theme.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  return () => theme.disconnect()
}

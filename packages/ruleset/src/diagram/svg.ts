import { type Diagram, type DiagramEdge, type DiagramNode, edgesByStep } from './diagram.ts'
import { edgeColor, fillOf } from './text-forms.ts'

/** Dimensions in pixels. */
const [LINE_HEIGHT, CHARACTER, PADDING, COLUMN_GAP, ROW_GAP, MARGIN] = [18, 7.2, 12, 48, 72, 24]

interface Box {
  readonly node: DiagramNode
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/**
 * An SVG image without scripts and references. The row of a step is the length of its shortest path from the entry;
 * unreachable steps are in the last row. Linear in the diagram.
 */
export function diagramSvg(diagram: Diagram): string {
  const boxes = placedBoxes(diagram)
  const all = [...boxes.values()]
  const width = Math.max(0, ...all.map(({ x, width: own }) => x + own)) + MARGIN + COLUMN_GAP
  const height = Math.max(0, ...all.map(({ y, height: own }) => y + own)) + MARGIN
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${round(width)}" height="${round(height)}" viewBox="0 0 ${round(width)} ${round(height)}" font-family="sans-serif" font-size="12">`,
    `<title>${xmlText(diagram.title)}</title>`,
    '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#555555"/></marker></defs>',
    ...edgeLines(diagram.edges, boxes),
    ...all.map(boxText),
    '</svg>\n',
  ].join('\n')
}

function placedBoxes({ nodes, edges }: Diagram): ReadonlyMap<string, Box> {
  const boxes = new Map<string, Box>()
  let y = MARGIN
  for (const row of rowsOf(nodes, edges)) {
    let x = MARGIN
    let tallest = 0
    for (const node of row) {
      const width = Math.max(80, ...node.lines.map((line) => line.length * CHARACTER)) + 2 * PADDING
      const height = node.lines.length * LINE_HEIGHT + PADDING
      boxes.set(node.id, { node, x, y, width, height })
      x += width + COLUMN_GAP
      tallest = Math.max(tallest, height)
    }
    y += tallest + ROW_GAP
  }
  return boxes
}

function rowsOf(nodes: readonly DiagramNode[], edges: readonly DiagramEdge[]): readonly (readonly DiagramNode[])[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const out = edgesByStep(edges)
  const seen = new Set<string>()
  const rows: DiagramNode[][] = []
  let row = nodes.filter(({ isEntry }) => isEntry)
  for (const { id } of row) seen.add(id)
  while (row.length > 0) {
    rows.push(row)
    const next: DiagramNode[] = []
    for (const { id } of row)
      for (const { to } of out.get(id) ?? []) {
        const node = byId.get(to)
        if (node === undefined || seen.has(to)) continue
        seen.add(to)
        next.push(node)
      }
    row = next
  }
  const rest = nodes.filter(({ id }) => !seen.has(id))
  return rest.length === 0 ? rows : [...rows, rest]
}

/** Edges of one step start next to each other, so that their labels do not overlap. */
function edgeLines(edges: readonly DiagramEdge[], boxes: ReadonlyMap<string, Box>): readonly string[] {
  return [...edgesByStep(edges).values()].flatMap((siblings) =>
    siblings.flatMap((edge, index) => {
      const [from, to] = [boxes.get(edge.from), boxes.get(edge.to)]
      if (from === undefined || to === undefined) return []
      const startX = from.x + (from.width * (index + 1)) / (siblings.length + 1)
      const startY = from.y + from.height
      const endX = to.x + to.width / 2
      const isDown = to.y > from.y
      const endY = isDown ? to.y : to.y + to.height
      const bend = isDown ? ROW_GAP / 2 : ROW_GAP
      const color = edgeColor(edge)
      const points = [startX, startY, startX, startY + bend, endX, endY + (isDown ? -bend : bend), endX, endY].map(
        round,
      )
      const [x1, y1, x2, y2, x3, y3, x4, y4] = points
      const path = `<path d="M${x1} ${y1}C${x2} ${y2} ${x3} ${y3} ${x4} ${y4}" fill="none" stroke="${color}" marker-end="url(#head)"/>`
      if (edge.label === '') return [path]
      const labelY = startY + LINE_HEIGHT * (1 + (index % 3) * 0.9)
      return [
        path,
        `<text x="${round(startX + 4)}" y="${round(labelY)}" font-size="11" fill="${color}">${xmlText(edge.label)}</text>`,
      ]
    }),
  )
}

function boxText({ node, x, y, width, height }: Box): string {
  const radius = { decision: 2, action: 6, terminal: height / 2 }[node.type]
  const stroke = node.isEntry ? 2.5 : 1
  const lines = node.lines.map(
    (line, index) =>
      `<text x="${round(x + width / 2)}" y="${round(y + PADDING / 2 + LINE_HEIGHT * (index + 0.7))}" text-anchor="middle">${xmlText(line)}</text>`,
  )
  return `<g><rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="${round(radius)}" fill="${fillOf(node)}" stroke="#555555" stroke-width="${stroke}"/>${lines.join('')}</g>`
}

const round = (pixels: number) => Math.round(pixels * 10) / 10

/** Control characters, and characters that XML 1.0 forbids. */
const UNSEEN = /[^\P{Cc}\t\n\r]|[\uFFFE\uFFFF]/gu

const xmlText = (text: string) =>
  text
    .toWellFormed()
    .replaceAll(UNSEEN, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { casesOfProperty } from '../../../../tests/cases.testing.ts'
import type { Direction } from './direction.ts'
import { DOCK_GAP, firstZoom, layout, type Layout, READABLE, RESULT } from './layout.ts'
import { type Box, orderBoxes } from './order.ts'
import { piecesOf, type Placed, routeOf, tracksAt } from './routes.ts'
import { WIDTH } from './shape.ts'

const HEAD = 38
const DIRECTIONS: readonly Direction[] = ['down', 'right']

/** A step with rows of given heights, each leading to a box. */
function step(id: string, targets: readonly (string | undefined)[], rows: readonly number[] = []): Box {
  let top = HEAD
  const ports = targets.map((target, index) => {
    const height = rows[index] ?? 40
    top += height
    return { y: top - height / 2, target }
  })
  return { id, width: WIDTH, height: top + 2, isResult: false, ports }
}

const result = (id: string, direction: Direction): Box => ({
  id,
  ...(direction === 'down' ? RESULT : { width: 116, height: 24 }),
  isResult: true,
  ports: [],
})

interface Rectangle {
  readonly name: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** The rectangles on the canvas: steps, results, and references to results. A result in the row of its step is part of it. */
function drawn(boxes: readonly Box[], placed: Layout): readonly Rectangle[] {
  const byId = new Map(boxes.map((box) => [box.id, box]))
  return boxes.flatMap((box): Rectangle[] => {
    const at = placed.boxes.get(box.id)
    if (at === undefined) return []
    const isInRow = box.isResult && placed.direction === 'right' && placed.docks.has(box.id)
    const own = isInRow ? [] : [{ name: box.id, ...at, width: box.width, height: box.height }]
    const references =
      placed.direction === 'right'
        ? []
        : box.ports.flatMap(({ y, target = '' }, port) => {
            const dock = placed.docks.get(target)
            if (byId.get(target)?.isResult !== true || (dock?.step === box.id && dock.port === port)) return []
            const x = at.x + box.width + DOCK_GAP
            return [{ name: `${box.id} to ${target}`, x, y: at.y + y - 13, width: RESULT.width, height: 26 }]
          })
    return [...own, ...references]
  })
}

function overlaps(rectangles: readonly Rectangle[]): readonly string[] {
  const sorted = rectangles.toSorted((left, right) => left.y - right.y)
  return sorted.flatMap((one, index) => {
    const found: string[] = []
    for (const other of sorted.slice(index + 1)) {
      if (other.y >= one.y + one.height) break
      if (one.x < other.x + other.width && other.x < one.x + one.width) found.push(`${one.name} and ${other.name}`)
    }
    return found
  })
}

/** Steps with up to five exits each to any box: loops, shared results, unreachable steps and rows of up to three lines. */
const graphs = fc
  .record({ steps: fc.integer({ min: 1, max: 40 }), results: fc.integer({ min: 0, max: 8 }) })
  .chain(({ steps, results }) =>
    fc.record({
      results: fc.constant(results),
      exits: fc.array(
        fc.array(
          fc.record({
            to: fc.option(fc.integer({ min: 0, max: steps + results - 1 }), { nil: undefined }),
            height: fc.constantFrom(36, 40, 48, 64),
          }),
          { minLength: 1, maxLength: 5 },
        ),
        { minLength: steps, maxLength: steps },
      ),
      width: fc.integer({ min: 320, max: 1600 }),
    }),
  )

const boxesOf = (
  { exits, results }: { exits: { to: number | undefined; height: number }[][]; results: number },
  direction: Direction,
) => {
  const name = (to: number | undefined) =>
    to === undefined ? undefined : to < exits.length ? `s${to}` : `r${to - exits.length}`
  return [
    ...exits.map((rows, index) =>
      step(
        `s${index}`,
        rows.map(({ to }) => name(to)),
        rows.map(({ height }) => height),
      ),
    ),
    ...Array.from({ length: results }, (_, index) => result(`r${index}`, direction)),
  ]
}

describe.each(DIRECTIONS)('a flow %s', (direction) => {
  test('has no overlaps, and places every step and result, on random graphs', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const boxes = boxesOf(graph, direction)
        const placed = layout(boxes, 's0', { direction, width: graph.width })
        expect(new Set(placed.boxes.keys())).toEqual(new Set(boxes.map(({ id }) => id)))
        expect(overlaps(drawn(boxes, placed))).toEqual([])
      }),
      casesOfProperty(2000),
    )
  })

  test('is readable in its first view on random graphs', () => {
    fc.assert(
      fc.property(
        graphs,
        fc.integer({ min: 320, max: 2400 }),
        fc.integer({ min: 300, max: 1400 }),
        (graph, width, height) => {
          const placed = layout(boxesOf(graph, direction), 's0', { direction, width })
          expect(firstZoom(placed, { width, height })).toBeGreaterThanOrEqual(READABLE)
        },
      ),
      casesOfProperty(2000),
    )
  })

  test('is the same for the same graph', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const boxes = boxesOf(graph, direction)
        const room = { direction, width: graph.width }
        expect(layout(boxes, 's0', room)).toEqual(layout(boxes, 's0', room))
      }),
      casesOfProperty(200),
    )
  })

  test('of 5,000 steps in one chain is laid out, as deep as it is', () => {
    const chain = Array.from({ length: 5000 }, (_, index) =>
      step(`s${index}`, [index < 4999 ? `s${index + 1}` : undefined]),
    )
    expect(layout(chain, 's0', { direction, width: 700 }).boxes.size).toBe(5000)
  })
})

describe('a flow down', () => {
  const room = { direction: 'down', width: 800 } as const

  test('has each result next to the first branch that leads to it', () => {
    const boxes = [step('a', ['no', 'b']), step('b', ['no', 'yes']), result('no', 'down'), result('yes', 'down')]
    const { boxes: at, docks } = layout(boxes, 'a', room)
    expect(docks.get('no')).toEqual({ step: 'a', port: 0 })
    expect(at.get('no')).toEqual({ x: WIDTH + DOCK_GAP, y: HEAD + 20 - RESULT.height / 2 })
    expect(at.get('b')?.x, 'the way on keeps its lane').toBe(0)
  })

  test('keeps the path with the most steps in its lane, among equal ones the later branch', () => {
    const deep = [step('a', ['b', 'c']), step('b', ['d']), step('c', [undefined]), step('d', [undefined])]
    const longest = layout(deep, 'a', room).boxes
    expect([longest.get('b')?.x, longest.get('d')?.x]).toEqual([0, 0])
    expect(longest.get('c')?.x).toBeGreaterThan(WIDTH)
    const equal = layout([step('a', ['b', 'c']), step('b', [undefined]), step('c', [undefined])], 'a', room).boxes
    expect(equal.get('c')?.x).toBe(0)
  })

  test('has steps that nothing leads to in a strip below', () => {
    const { boxes: at } = layout([step('a', ['b']), step('b', [undefined]), step('lost', [undefined])], 'a', room)
    expect(at.get('lost')?.y).toBeGreaterThan((at.get('b')?.y ?? 0) + 80)
  })

  test('leads edges between reached steps past all others, on random graphs', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const boxes = boxesOf(graph, 'down')
        const placed = layout(boxes, 's0', room)
        const { reached } = orderBoxes(new Map(boxes.map((box) => [box.id, box])), 's0')
        const steps = boxes.filter(({ id }) => reached.has(id))
        const at = (box: Box): Placed => ({ ...box, ...(placed.boxes.get(box.id) ?? { x: 0, y: 0 }) })
        for (const box of steps)
          for (const [index, { y, target }] of box.ports.entries()) {
            const to = steps.find(({ id }) => id === target)
            if (to === undefined) continue
            const [from, end] = [at(box), at(to)]
            const tracks = { from: tracksAt(placed, box.id, from), to: tracksAt(placed, to.id, end) }
            const route = routeOf(from, { y, isLast: index === box.ports.length - 1, bus: 0 }, end, tracks, 'down')
            expect(crossed(piecesOf(route), steps.map(at))).toEqual([])
          }
      }),
      casesOfProperty(500),
    )
  })
})

/** Steps whose inside a line of horizontal and vertical pieces runs through. */
function crossed(
  points: readonly { readonly x: number; readonly y: number }[],
  steps: readonly Placed[],
): readonly Placed[] {
  return steps.filter((one) =>
    points.some((to, index) => {
      const from = points[index - 1]
      if (from === undefined) return false
      const [left, right] = [Math.min(from.x, to.x), Math.max(from.x, to.x)]
      const [top, bottom] = [Math.min(from.y, to.y), Math.max(from.y, to.y)]
      return left < one.x + one.width - 1 && right > one.x + 1 && top < one.y + one.height - 1 && bottom > one.y + 1
    }),
  )
}

test.each([
  [{ width: 570, height: 600 }, { width: 776, height: 700 }, 1.0733],
  [{ width: 570, height: 300 }, { width: 1400, height: 900 }, 1.1],
  [{ width: 570, height: 4000 }, { width: 776, height: 700 }, 1],
  [{ width: 2000, height: 4000 }, { width: 776, height: 700 }, 0.8],
])('a picture of %o in a view of %o begins at %d', (picture, view, zoom) =>
  expect(firstZoom(picture, view)).toBeCloseTo(zoom, 2),
)

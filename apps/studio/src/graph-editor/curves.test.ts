import { expect, test } from 'vitest'
import { curvesThrough, type DrawnEdge, edgeAt } from './curves.ts'
import { WIDTH } from './shape.ts'

const edge = (id: string, ...points: readonly (readonly [x: number, y: number])[]): DrawnEdge => {
  const [source = { x: 0, y: 0 }, ...rest] = points.map(([x, y]) => ({ x, y }))
  const target = rest.pop() ?? source
  return { edge: { id, source: 'a', target: 'b' }, curves: curvesThrough(source, rest, target) }
}

test('an edge bends from layer to layer, and runs straight through those between its ends', () => {
  expect(curvesThrough({ x: 280, y: 20 }, [{ x: 400, y: 90 }], { x: 800, y: 20 })).toEqual([
    { from: { x: 280, y: 20 }, to: { x: 400, y: 90 }, through: true },
    { from: { x: 400 + WIDTH, y: 90 }, to: { x: 800, y: 20 }, through: false },
  ])
})

test('the edge under the pointer is the nearest one within reach', () => {
  const straight = edge('straight', [0, 0], [100, 0])
  const falling = edge('falling', [0, 0], [100, 200])
  const passing = edge('passing', [0, 400], [100, 400], [100 + WIDTH + 100, 400])
  const all = [straight, falling, passing]
  expect(edgeAt(all, { x: 90, y: 2 }, 6)?.id).toBe('straight')
  expect(edgeAt(all, { x: 50, y: 100 }, 6)?.id).toBe('falling')
  expect(edgeAt(all, { x: 100 + WIDTH / 2, y: 404 }, 6)?.id).toBe('passing')
  expect(edgeAt(all, { x: 50, y: 300 }, 6)).toBeUndefined()
})

test('an edge that leads back is found where it bends beyond its ends', () => {
  expect(edgeAt([edge('back', [200, 0], [0, 100])], { x: 100, y: 50 }, 6)?.id).toBe('back')
})

import { expect, test } from 'vitest'
import { distanceTo, middleOf, pathOf, routeOf } from './routes.ts'

const box = (x: number, y: number, isResult = false) => ({ x, y, width: 320, height: 120, isResult })
const NO_TRACKS = { from: undefined, to: undefined }

test('the last exit of a step leads straight down to the next one', () => {
  const route = routeOf(box(0, 0), { y: 60, isLast: true, bus: 0 }, box(0, 158), NO_TRACKS, 'down')
  expect(pathOf(route)).toBe('M26 120L26 158')
})

test('another exit leaves at the side, and enters at the head', () => {
  const { points } = routeOf(box(0, 0), { y: 60, isLast: false, bus: 1 }, box(0, 158), NO_TRACKS, 'down')
  expect(points[0]).toEqual({ x: 0, y: 60 })
  expect(points[1]?.x, 'with a line for each target').toBeLessThan(-18)
  expect(points.at(-1)).toEqual({ x: 26, y: 158 })
})

test('neighbours to the right are connected by a curve', () => {
  const route = routeOf(box(0, 0), { y: 60, isLast: true, bus: 0 }, box(372, 40), NO_TRACKS, 'right')
  expect(route.isCurve).toBe(true)
  expect(pathOf(route)).toMatch(/^M320 60C/)
})

test('a step in the line below is reached through the gap between the lines', () => {
  const tracks = { from: undefined, to: { above: 272, left: -18, right: 338 } }
  const { points, isCurve } = routeOf(box(372, 0), { y: 60, isLast: true, bus: 0 }, box(0, 300), tracks, 'right')
  expect(isCurve).toBe(false)
  expect(points.some(({ y }) => y === 272)).toBe(true)
})

test('a line is near where it is drawn, and its button is on it', () => {
  const route = routeOf(box(0, 0), { y: 60, isLast: false, bus: 0 }, box(0, 500), NO_TRACKS, 'down')
  expect(distanceTo(route, { x: -18, y: 300 })).toBeLessThan(1)
  expect(distanceTo(route, { x: 160, y: 300 })).toBeGreaterThan(100)
  expect(distanceTo(route, middleOf(route))).toBe(0)
})

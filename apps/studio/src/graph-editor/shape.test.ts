import type { DraftStep, Row } from '@engine/authoring'
import { expect, test } from 'vitest'
import { linesOf, shapeOf } from './shape.ts'

const portsOf = (step: DraftStep) =>
  shapeOf(step).ports.map(({ id, label, text, target, y, height }) => [id, label, text, target, y, height])
const rows = (...targets: readonly (string | undefined)[]): readonly Row[] =>
  targets.map((target, index) => ({
    id: `r${index + 1}`,
    cells: {},
    ...(target !== undefined && { nextStepId: target }),
  }))

test.each([
  [undefined, 0],
  ['', 0],
  ['a', 1],
  ['a'.repeat(36), 1],
  ['a'.repeat(37), 2],
])('the condition %j has %i lines', (text, lines) => {
  expect(linesOf(text)).toBe(lines)
})

test('a decision has an exit for each branch, as high as its lines and label, and one for “otherwise”', () => {
  const step: DraftStep = {
    id: 'd',
    type: 'decision',
    branches: [
      { id: 'b1', condition: 'a', nextStepId: 'x' },
      { id: 'b2', condition: 'a'.repeat(37), label: '', nextStepId: 'y' },
      { id: 'b3', condition: 'a', label: 'high' },
      { id: 'b4', condition: 'a'.repeat(37), label: 'long', nextStepId: 'x' },
      { id: 'b5' },
    ],
    defaultNextStepId: 'z',
  }
  expect(portsOf(step)).toEqual([
    ['branch:b1', undefined, 'a', 'x', 58, 40],
    ['branch:b2', undefined, 'a'.repeat(37), 'y', 102, 48],
    ['branch:b3', 'high', 'a', undefined, 150, 48],
    ['branch:b4', 'long', 'a'.repeat(37), 'x', 206, 64],
    ['branch:b5', undefined, '', undefined, 256, 36],
    ['default', undefined, undefined, 'z', 292, 36],
  ])
  expect(shapeOf(step).height).toBe(312)
})

test('a table has an exit for the first row of each target, six at most', () => {
  const step: DraftStep = {
    id: 't',
    type: 'table',
    hitPolicy: 'first',
    columns: [
      { id: 'c1', kind: 'input', field: 'a' },
      { id: 'c2', kind: 'output', field: 'fee' },
      { id: 'c3', kind: 'output', field: '' },
      { id: 'c4', kind: 'output', field: 'tax' },
    ],
    rows: rows('a', undefined, 'a', 'b', 'c', 'd', 'e', 'f', 'g'),
    nextStepId: 'next',
    defaultNextStepId: 'none',
  }
  expect(portsOf(step).map(([id, , text, target]) => [id, text, target])).toEqual([
    ['row:r1', '#1', 'a'],
    ['row:r4', '#4', 'b'],
    ['row:r5', '#5', 'c'],
    ['row:r6', '#6', 'd'],
    ['row:r7', '#7', 'e'],
    ['row:r8', '#8', 'f'],
    ['next', 'fee, tax', 'next'],
    ['default', undefined, 'none'],
  ])
})

test.each<[count: number, calls: number, height: number]>([
  [0, 0, 80],
  [1, 0, 80],
  [2, 0, 94],
  [1, 1, 94],
  [6, 0, 182],
  [7, 0, 182],
])('an action with %i assignments and %i calls is %i pixels high', (count, calls, height) => {
  const step = {
    id: 'a',
    type: 'action',
    assignments: Array.from({ length: count }, () => ({ name: 'x', value: '1' })),
    externalCalls: Array.from({ length: calls }, () => ({ service: 's', method: 'm' })),
    nextStepId: 'end',
  } as unknown as DraftStep
  expect(shapeOf(step).height).toBe(height)
  expect(portsOf(step)).toEqual([['next', undefined, undefined, 'end', 38 + (height - 40) / 2, height - 40]])
})

test('a result has no exit', () => {
  expect(portsOf({ id: 'e', type: 'terminal', code: 'DONE' })).toEqual([])
})

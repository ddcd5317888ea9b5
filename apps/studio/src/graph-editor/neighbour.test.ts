import type { DraftRuleset, TracedStep } from '@engine/authoring'
import { expect, test } from 'vitest'
import { neighbour } from './neighbour.ts'
import type { Visit } from './trace.ts'

const DRAFT: DraftRuleset = {
  config: { name: 'd' },
  startStepId: 'check',
  steps: [
    {
      id: 'check',
      type: 'decision',
      branches: [
        { id: 'open', condition: 'a' },
        { id: 'b1', condition: 'b', nextStepId: 'high' },
      ],
      defaultNextStepId: 'low',
    },
    { id: 'high', type: 'action', assignments: [], nextStepId: 'end' },
    { id: 'low', type: 'action', assignments: [], nextStepId: 'end' },
    { id: 'end', type: 'terminal', code: 'DONE' },
  ],
}
const PLACES = new Map([
  ['check', { x: 0, y: 0 }],
  ['high', { x: 0, y: 300 }],
  ['low', { x: 90, y: 100 }],
  ['end', { x: 0, y: 600 }],
  ['beside', { x: 10, y: 300 }],
])
const visit = (port: string | undefined): Visit => ({ order: 1, port, step: {} as TracedStep })
const TAKEN = new Map([
  ['check', visit('default')],
  ['low', visit('next')],
  ['end', visit(undefined)],
])

test.each<[key: string, from: string, visits: ReadonlyMap<string, Visit> | undefined, to: string | undefined]>([
  ['ArrowRight', 'check', undefined, 'high'],
  ['ArrowRight', 'check', TAKEN, 'low'],
  ['ArrowRight', 'end', undefined, undefined],
  ['ArrowRight', 'gone', undefined, undefined],
  ['ArrowLeft', 'end', undefined, 'high'],
  ['ArrowLeft', 'end', TAKEN, 'low'],
  ['ArrowLeft', 'check', undefined, undefined],
  ['Home', 'end', undefined, 'check'],
  // The horizontal distance counts three times.
  ['ArrowDown', 'check', undefined, 'high'],
  ['ArrowDown', 'high', undefined, 'end'],
  ['ArrowDown', 'end', undefined, undefined],
  ['ArrowUp', 'end', undefined, 'high'],
  ['ArrowUp', 'check', undefined, undefined],
  ['ArrowUp', 'low', undefined, 'check'],
  ['ArrowUp', 'gone', undefined, undefined],
  ['End', 'check', undefined, undefined],
])('%s leads from %s', (key, from, visits, to) => {
  expect(neighbour(key, DRAFT, from, visits, PLACES)).toBe(to)
})

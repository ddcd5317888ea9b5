import type { DraftStep } from '@engine/authoring'
import { expect, test } from 'vitest'
import { textOfStep } from './step-text.ts'

test.each<[step: DraftStep, text: string]>([
  [
    {
      id: 'check',
      name: 'Check',
      type: 'decision',
      branches: [{ id: 'b1', label: 'high', condition: 'amount > 10', nextStepId: 'end' }],
      position: { x: 1, y: 2 },
    } as DraftStep,
    'check\nCheck\nb1\nhigh\namount > 10\nend',
  ],
  [
    {
      id: 't',
      type: 'table',
      hitPolicy: 'first',
      columns: [{ id: 'c', kind: 'input', field: 'land' }],
      rows: [
        { id: 'r1', cells: { c: '"DE"' }, note: 'home' },
        { id: 'r2', cells: {} },
      ],
    },
    't\nfirst\nc\nland\nr1 · "DE" · home\nr2',
  ],
])('the text of a step has a line for each part, and one for each row', (step, text) => {
  expect(textOfStep(step)).toBe(text)
  expect(textOfStep(step)).toBe(text)
})

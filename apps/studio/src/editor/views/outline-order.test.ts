import type { DraftStep } from '@engine/authoring'
import { expect, test } from 'vitest'
import { outlineSteps } from './outline-order.ts'

const end = (id: string): DraftStep => ({ id, type: 'terminal', code: id.toUpperCase() })
const decision = (id: string, targets: readonly string[], otherwise: string): DraftStep => ({
  id,
  type: 'decision',
  branches: targets.map((nextStepId, index) => ({ id: `b${index}`, condition: 'x', nextStepId })),
  defaultNextStepId: otherwise,
})

const shown = (steps: readonly DraftStep[]) =>
  outlineSteps({ steps }).map(({ step, isResult }) => (isResult ? `- ${step.id}` : step.id))

test('each result follows the first step that leads to it', () => {
  const steps = [
    decision('a', ['no', 'b'], 'b'),
    decision('b', ['yes', 'no'], 'late'),
    end('yes'),
    end('no'),
    end('late'),
  ]
  expect(shown(steps)).toEqual(['a', '- no', 'b', '- yes', '- late'])
})

test('results that nothing leads to come last, and no step is lost or repeated', () => {
  const steps = [end('alone'), decision('a', ['yes', 'yes', 'nowhere'], 'a'), end('yes')]
  expect(shown(steps)).toEqual(['a', '- yes', 'alone'])
})

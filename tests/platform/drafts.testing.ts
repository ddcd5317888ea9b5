import { randomUUID } from 'node:crypto'
import type { Value } from '@engine/expression'

/** A draft that grants from some points on. */
export const grading = (name: string, points = 10, config: object = {}) => ({
  config: { name, version: '1.0.0', ...config },
  startStepId: 'start',
  steps: [
    {
      id: 'start',
      name: 'Enough?',
      type: 'decision',
      branches: [{ id: 'b1', condition: `points >= ${points}`, nextStepId: 'yes' }],
      defaultNextStepId: 'no',
    },
    { id: 'yes', type: 'terminal', code: 'GRANTED', output: [{ name: 'limit', value: `${points}` }] },
    { id: 'no', type: 'terminal', code: 'REFUSED' },
  ],
})

/** A name that no other test has. */
export const newName = () => `r-${randomUUID()}`

/** A draft whose steps call a sub-rule and use its outputs. */
export const asking = (name: string, refName: string, bindings: Value = [{ field: 'amount', expr: 'cart' }]) => ({
  config: { name, version: '1.0.0' },
  startStepId: 'ask',
  steps: [
    {
      id: 'ask',
      type: 'sub_rule',
      refName,
      bindings,
      outputs: [{ parentVar: 'fee', childVar: 'fee' }],
      nextStepId: 'end',
    },
    { id: 'end', type: 'terminal', code: 'DONE', output: [{ name: 'fee', value: '$fee' }] },
  ],
})

/** A sub-rule that computes a fee from an amount. */
export const feeOf = (factor: string, more: object = {}) => ({
  version: '1.0.0',
  graph: {
    startStepId: 'set',
    steps: [
      {
        id: 'set',
        type: 'action',
        assignments: [{ name: 'fee', value: `amount * ${factor}` }],
        nextStepId: 'done',
      },
      { id: 'done', type: 'terminal', code: 'DONE' },
    ],
  },
  bindings: [{ name: 'amount', type: 'number', required: true }],
  outputs: [{ name: 'fee', type: 'number' }],
  ...more,
})

import type { Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { fromJdm } from './from-jdm.ts'

const document = (content: object): Value => ({
  nodes: [
    { id: 'in', type: 'inputNode', name: 'in' },
    {
      id: 't',
      type: 'decisionTableNode',
      name: 't',
      content: {
        inputs: [{ id: 'i', name: 'n', field: 'n' }],
        outputs: [{ id: 'o', name: 'o', field: 'k' }],
        rules: [{ _id: 'r', i: '> 1', o: '1' }],
        ...content,
      },
    },
    { id: 'out', type: 'outputNode', name: 'out' },
  ],
  edges: [
    { id: 'e1', sourceId: 'in', targetId: 't' },
    { id: 'e2', sourceId: 't', targetId: 'out' },
  ],
})

test.each([
  ['first', { hitPolicy: 'first' }, 'first'],
  ['collect', { hitPolicy: 'collect' }, 'collect'],
  ['the one that is left out', {}, 'first'],
  ['the one that is null', { hitPolicy: null }, 'first'],
])('a table with the hit policy %s', (_, content, hitPolicy) => {
  const { rulesets, lost } = fromJdm(document(content))
  expect(lost).toEqual([])
  expect(rulesets[0]?.ruleset.steps.find(({ type }) => type === 'table')).toMatchObject({ hitPolicy })
})

test.each([['unique'], ['any'], ['First'], ['outputOrder'], [''], [7]])(
  'a table with the hit policy %j is lost, and reported',
  (hitPolicy) => {
    const { rulesets, lost } = fromJdm(document({ hitPolicy }))
    expect(lost[0]).toMatchObject({ path: '/nodes/1', code: 'no-counterpart', severity: 'error' })
    expect(rulesets[0]?.ruleset.steps.filter(({ type }) => type === 'table') ?? []).toEqual([])
  },
)

import type { Value } from '@engine/expression'
import { ZenEngine } from '@gorules/zen-engine'
import { expect, test } from 'vitest'
import { executable } from '../execute.testing.ts'
import { fromJdm } from './from-jdm.ts'
import { isSameResult } from './same-result.testing.ts'
import { TooLarge } from '../size-error.ts'

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

test.each([
  ['[1..3]', '[1..3]'],
  ['(1..3)', '(1..3)'],
  ['[1..1]', '[1..1]'],
  ['(1..3]', '(1..3]'],
  ['[a..3]', '? n >= a && n <= 3'],
  ['1', '1'],
  ['1, 2', 'in [1, 2]'],
  ['> 1', '> 1'],
])('the test %s of a cell becomes %s', (cell, expected) => {
  const { rulesets, lost } = fromJdm(document({ rules: [{ _id: 'r', i: cell, o: '1' }] }))
  expect(lost.filter(({ severity }) => severity === 'error')).toEqual([])
  expect(rulesets[0]?.ruleset.steps.find(({ type }) => type === 'table')).toMatchObject({
    rows: [{ cells: { i1: expected } }],
  })
})

test.each(['(n + 1)', '> (1)', '1 or (2)'])('parentheses in the test %s are refused at its place', (cell) => {
  const { lost } = fromJdm(document({ rules: [{ _id: 'r', i: cell, o: '1' }] }))
  expect(lost.find(({ severity }) => severity === 'error')).toMatchObject({
    path: '/nodes/1/content/rules/0/i',
    message: expect.stringContaining('parentheses in the test of a cell'),
  })
})

test.each([
  ["d($).isAfter(d('2026-01-01'))", ['2026-02-01', '2025-02-01']],
  ['d($).isLeapYear()', ['2024-02-01', '2025-02-01']],
  ['d($).year() == 2026', ['2026-02-01', '2025-02-01']],
  ["startsWith($, 'a')", ['ab', 'ba']],
  ["upper('a')", ['A', 'a']],
  ['len($) > 1', ['ab', 'a']],
  ["$ == 'a' or $ == 'b'", ['a', 'b', 'c']],
  ['$ in [1..3]', [1, 4]],
  ['not in [1, 2]', [1, 3]],
  ['-1', [-1, 1]],
  ['1 + 1', [2, 1]],
  ['`a${1}`', ['a1', 'a']],
])('the test %s of a cell holds for the values for which it holds in the engine of GoRules', async (cell, values) => {
  const table = document({ hitPolicy: 'first', rules: [{ _id: 'r', i: cell, o: '1' }] })
  const { rulesets, lost } = fromJdm(table)
  expect(lost.filter(({ severity }) => severity === 'error')).toEqual([])
  const decide = executable(rulesets[0]?.ruleset ?? { config: { name: '' }, steps: [] })
  const decision = new ZenEngine().createDecision(table as object)
  for (const n of values) {
    const { result } = await decision.evaluate({ n })
    const found = decide({ n })
    if (found.kind === 'failed') throw new Error(found.message)
    expect([n, found.output['k'] ?? null]).toEqual([n, (result as { k?: number } | null)?.k ?? null])
  }
})

test('a table in a loop decides each item as in the engine of GoRules, also where names of fields have blanks', async () => {
  for (const [input, output] of [
    [' n ', ' k '],
    ['n', 'a. b'],
  ]) {
    const content = {
      hitPolicy: 'first',
      inputs: [{ id: 'i', name: 'n', field: input }],
      outputs: [{ id: 'o', name: 'o', field: output }],
    }
    const loop = { executionMode: 'loop', inputField: 'items', outputPath: 'found' }
    for (const [table, given] of [
      [document({ ...content, ...loop }), { items: [{ n: 2 }, { n: 3 }, {}] }],
      [document(content), { n: 2 }],
    ] as const) {
      const { rulesets, lost } = fromJdm(table)
      expect(lost.filter(({ severity }) => severity === 'error')).toEqual([])
      const { result } = await new ZenEngine().createDecision(table as object).evaluate(given)
      const decide = executable(rulesets[0]?.ruleset ?? { config: { name: '' }, steps: [] })
      const decided = decide(given)
      expect(isSameResult(result as Value, decided, {}), JSON.stringify({ decided, result })).toBe(true)
    }
  }
})

test('a table has at most 100,000 rules', () => {
  const rules = Array.from({ length: 100_001 }, () => ({}))
  expect(fromJdm(document({ rules: rules.slice(1) })).lost.map(({ message }) => message)).toEqual([])
  expect(() => fromJdm(document({ rules }))).toThrow(new TooLarge('a table may have at most 100000 rules'))
})

import type { Value } from '@engine/expression'
import { ZenEngine } from '@gorules/zen-engine'
import { expect, test } from 'vitest'
import { executable } from '../execute.testing.ts'
import { alone, documentOf, set, switchOn, table } from './documents.testing.ts'
import { fromJdm } from './from-jdm.ts'
import { isSameResult } from './same-result.testing.ts'

interface Joined {
  readonly title: string
  readonly nodes: readonly Value[]
  /** `source statement? target`, highest precedence first. */
  readonly edges: readonly string[]
  readonly inputs: readonly { readonly [name: string]: Value }[]
  /** Codes of the warnings. */
  readonly warned: readonly string[]
}

const either = switchOn('s', 'n > 1')

const AMOUNTS = [{ n: 1 }, { n: 2 }, { n: 2, k: 7 }, { n: 1, k: null }]
const OBJECTS = [{ n: 1 }, { n: 2, o: { p: 1, z: 2 } }, { n: 1, o: { p: null } }, { n: 2, o: 7 }, { n: 1, o: 7 }]

const JOINS: readonly Joined[] = [
  {
    title: 'two ways to a switch that give a member another type each',
    nodes: [
      either,
      set('a', 'k', '[n]'),
      set('b', 'k', 'm'),
      switchOn('small', 'k <= 0.5'),
      set('c', 'l', '"small"'),
      set('d', 'l', '"other"'),
    ],
    edges: ['in s', 's yes a', 's no b', 'a small', 'b small', 'small yes c', 'small no d', 'c out', 'd out'],
    inputs: [
      { n: 1, m: 0.25 },
      { n: 2, m: 0.25 },
      { n: 1, m: 3 },
    ],
    warned: ['input', 'join'],
  },
  {
    title: 'two ways behind a switch, of which one is gone',
    nodes: [either, set('a', 'k', '"yes"'), set('b', 'k', '"no"'), set('c', 'l', 'k')],
    edges: ['in s', 's yes a', 's no b', 'a c', 'b c', 'c out'],
    inputs: AMOUNTS,
    warned: ['input'],
  },
  {
    title: 'two ways to one value, of which one gives it in front of another node',
    nodes: [either, set('a', 'k', '1', alone), set('b', 'k', '1', alone), set('m', 'k', '2', alone)],
    edges: ['in s', 's yes a', 's no b', 'in m', 'a out', 'm out', 'b out'],
    inputs: AMOUNTS,
    warned: [],
  },
  {
    title: 'two ways to one value, of which one executes the node that is read by its name',
    nodes: [either, set('a', 'k', '1'), set('b', 'k', '1'), set('c', 'l', '$nodes.a.k')],
    edges: ['in s', 's yes a', 's no b', 'a c', 'b c', 'c out'],
    inputs: AMOUNTS,
    warned: ['input'],
  },
  {
    title: 'two nodes side by side that set fields of their own',
    nodes: [set('a', 'k', 'n + 1', alone), set('b', 'l', 'n * 2', alone)],
    edges: ['in a', 'in b', 'a out', 'b out'],
    inputs: AMOUNTS,
    warned: [],
  },
  {
    title: 'two nodes side by side that set one field',
    nodes: [set('a', 'k', 'n + 1', alone), set('b', 'k', '"b"', alone)],
    edges: ['in a', 'in b', 'b out', 'a out'],
    inputs: AMOUNTS,
    warned: [],
  },
  {
    title: 'a row that sets null in front of a value',
    nodes: [table('a', 'k', 'null'), set('b', 'k', '5', alone)],
    edges: ['in a', 'in b', 'a out', 'b out'],
    inputs: AMOUNTS,
    warned: [],
  },
  {
    title: 'a row that sets a member of an object in front of the input',
    nodes: [table('a', 'o.p', 'null')],
    edges: ['in a', 'a out', 'in out'],
    inputs: OBJECTS,
    warned: ['input'],
  },
  {
    title: 'a row that may set a member of a value that may not be an object',
    nodes: [table('a', 'o.p', '5', { passThrough: true })],
    edges: ['in a', 'a out'],
    inputs: OBJECTS,
    warned: ['input'],
  },
  {
    title: 'the input in front of a member that a node sets',
    nodes: [set('a', 'o.p', 'n + 1')],
    edges: ['in a', 'in out', 'a out'],
    inputs: OBJECTS,
    warned: ['input'],
  },
  {
    title: 'a list in front of an object',
    nodes: [table('a', 'k', 'n', { hitPolicy: 'collect' }), set('b', 'k', '5', alone)],
    edges: ['in a', 'in b', 'a out', 'b out'],
    inputs: AMOUNTS,
    warned: [],
  },
  {
    title: 'a node without an outgoing edge',
    nodes: [set('a', 'k', 'n + 1', alone), set('b', 'l', 'k * 2', alone)],
    edges: ['in a', 'a b'],
    inputs: AMOUNTS,
    warned: [],
  },
  {
    title: 'several nodes without an outgoing edge, the last in the document in front',
    nodes: [
      set('a', 'o', '{x: 1, y: 2}', alone),
      set('b', 'k', '"b"', alone),
      set('c', 'k', '"c"', alone),
      set('d', 'o.y', '3', alone),
    ],
    edges: ['in d', 'in c', 'in b', 'in a'],
    inputs: AMOUNTS,
    warned: [],
  },
  {
    title: 'an end that sets null in front of another',
    nodes: [set('a', 'k', '1', alone), set('b', 'k', 'null', alone)],
    edges: ['in a', 'in b'],
    inputs: AMOUNTS,
    warned: [],
  },
  {
    title: 'branches of a switch of which one leads nowhere',
    nodes: [either, set('a', 'k', '"yes"', alone)],
    edges: ['in s', 's yes a'],
    inputs: AMOUNTS,
    warned: [],
  },
  {
    title: 'a branch that leads nowhere next to an end',
    nodes: [either, set('a', 'k', '"yes"', alone), set('b', 'l', '"b"', alone)],
    edges: ['in s', 's no a', 'in b'],
    inputs: AMOUNTS,
    warned: [],
  },
  {
    title: 'a switch without an outgoing edge',
    nodes: [either],
    edges: ['in s'],
    inputs: AMOUNTS,
    warned: ['input'],
  },
  {
    title: 'a switch that takes each statement that holds',
    nodes: [
      {
        id: 's',
        type: 'switchNode',
        name: 's',
        content: {
          hitPolicy: 'collect',
          statements: [
            { id: 'large', condition: 'n > 1' },
            { id: 'known', condition: 'k == 7' },
            { id: 'always', condition: '' },
          ],
        },
      },
      set('a', 'p', '1', alone),
      set('b', 'q', '2', alone),
      set('c', 'r', '3', alone),
    ],
    edges: ['in s', 's large a', 's known b', 's always c', 'a out', 'b out', 'c out'],
    inputs: [...AMOUNTS, { n: 1, k: 7 }],
    warned: [],
  },
  {
    title: 'operands of `or` and `and` in a cell, which bind alike',
    nodes: [table('a', 'q', '1', { rules: [{ _id: 'r', i: 'k or 1 and > 0', o: '"yes"' }] })],
    edges: ['in a'],
    inputs: [
      { n: 0, k: 0 },
      { n: 1, k: 0 },
      { n: 2, k: 2 },
      { n: 2, k: 0 },
    ],
    warned: ['comparison'],
  },
  {
    title: 'a column without a field',
    nodes: [
      {
        id: 't',
        type: 'decisionTableNode',
        name: 't',
        content: {
          hitPolicy: 'first',
          inputs: [{ id: 'i', name: 'i' }],
          outputs: [{ id: 'o', name: 'o', field: 'q' }],
          rules: [
            { _id: 'r1', i: '> 1', o: '"no comparison"' },
            { _id: 'r2', i: 'k, n', o: '"no list"' },
            { _id: 'r3', i: '!(n == 2)', o: '"an expression"' },
            { _id: 'r4', i: 'k', o: '"true"' },
            { _id: 'r5', i: '', o: '"other"' },
          ],
        },
      },
    ],
    edges: ['in t'],
    inputs: [...AMOUNTS, { n: 2, k: true }, { n: 2, k: 'x' }],
    warned: [],
  },
  {
    title: 'operands in a cell that are compared with the column',
    nodes: [
      table('a', 'q', '1', {
        rules: [
          { _id: 'r', i: '1 or k or > 5', o: '"yes"' },
          { _id: 's', i: '> 1 and k', o: '"both"' },
        ],
      }),
    ],
    edges: ['in a'],
    inputs: [...AMOUNTS, { n: 7, k: 7 }, { n: 3, k: 3 }, { n: 3, k: null }, { n: 6, k: 'x' }],
    warned: ['comparison'],
  },
  {
    title: 'a list that a node loops over',
    nodes: [
      {
        id: 'a',
        type: 'expressionNode',
        name: 'a',
        content: {
          executionMode: 'loop',
          inputField: 'lines',
          outputPath: 'priced',
          passThrough: true,
          expressions: [
            { id: 'e1', key: 'total', value: 'price * count' },
            { id: 'e2', key: 'tax', value: '$.total / 5' },
          ],
        },
      },
    ],
    edges: ['in a'],
    inputs: [
      { lines: [] },
      {
        lines: [
          { price: 2, count: 3 },
          { price: 2.5, count: 1, total: 9 },
        ],
      },
    ],
    warned: ['decimals', 'input'],
  },
  {
    title: 'a list that a table loops over',
    nodes: [table('a', 'q', '"large"', { executionMode: 'loop', inputField: 'l', outputPath: 'r' })],
    edges: ['in a'],
    inputs: [{ l: [{ n: 1 }, { n: 2 }, {}] }],
    warned: [],
  },
]

test.each(JOINS)('$title is joined as in the engine of GoRules', async ({ nodes, edges, inputs, warned }) => {
  const document = documentOf(nodes, edges)
  const { rulesets, lost } = fromJdm(document)
  expect(lost.map(({ code }) => code)).toEqual(warned)
  const decide = executable(rulesets[0]?.ruleset as NonNullable<(typeof rulesets)[0]>['ruleset'])
  const decision = new ZenEngine().createDecision(document as object)
  for (const input of inputs) {
    const { result } = await decision.evaluate(input)
    const decided = decide(input)
    expect(isSameResult(result as Value, decided, input), JSON.stringify({ input, result, decided })).toBe(true)
  }
})

test('texts of nodes that join an object again and again do not grow without bound', () => {
  const ids = Array.from({ length: 40 }, (_, index) => `a${index}`)
  const edges = ids.flatMap((id, index) => (index === 0 ? [`in ${id}`] : [`in ${id}`, `a${index - 1} ${id}`]))
  const { rulesets, lost } = fromJdm(
    documentOf(
      ids.map((id) => set(id, 'o.p', 'n')),
      [...edges, 'a39 out'],
    ),
  )
  expect(lost).toContainEqual(expect.objectContaining({ code: 'members', severity: 'warning' }))
  expect(JSON.stringify(rulesets).length).toBeLessThan(50_000)
})

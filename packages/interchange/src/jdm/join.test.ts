import type { Value } from '@engine/expression'
import { ZenEngine } from '@gorules/zen-engine'
import { expect, test } from 'vitest'
import { executable } from '../execute.testing.ts'
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

const set = (id: string, key: string, value: string, rest: object = {}): Value => ({
  id,
  type: 'expressionNode',
  name: id,
  content: { passThrough: true, expressions: [{ id: `${id}1`, key, value }], ...rest },
})
const alone = { passThrough: false }

const either: Value = {
  id: 's',
  type: 'switchNode',
  name: 's',
  content: {
    hitPolicy: 'first',
    statements: [
      { id: 'yes', condition: 'n > 1' },
      { id: 'no', condition: '' },
    ],
  },
}

/** A table that sets a field for some inputs only. */
const table = (id: string, field: string, cell: string, rest: object = {}): Value => ({
  id,
  type: 'decisionTableNode',
  name: id,
  content: {
    hitPolicy: 'first',
    inputs: [{ id: 'i', name: 'n', field: 'n' }],
    outputs: [{ id: 'o', name: 'o', field }],
    rules: [{ _id: 'r', i: '> 1', o: cell }],
    ...rest,
  },
})

const AMOUNTS = [{ n: 1 }, { n: 2 }, { n: 2, k: 7 }, { n: 1, k: null }]
const OBJECTS = [{ n: 1 }, { n: 2, o: { p: 1, z: 2 } }, { n: 1, o: { p: null } }, { n: 2, o: 7 }, { n: 1, o: 7 }]

const JOINS: readonly Joined[] = [
  {
    title: 'two ways behind a switch, of which one is gone',
    nodes: [either, set('a', 'k', '"yes"'), set('b', 'k', '"no"'), set('c', 'l', 'k')],
    edges: ['in s', 's yes a', 's no b', 'a c', 'b c', 'c out'],
    inputs: AMOUNTS,
    warned: ['input'],
  },
  {
    title: 'two nodes side by side that set fields of their own',
    nodes: [set('a', 'k', 'n + 1', alone), set('b', 'l', 'n * 2', alone)],
    edges: ['in a', 'in b', 'a out', 'b out'],
    inputs: AMOUNTS,
    warned: ['decimals'],
  },
  {
    title: 'two nodes side by side that set one field',
    nodes: [set('a', 'k', 'n + 1', alone), set('b', 'k', '"b"', alone)],
    edges: ['in a', 'in b', 'b out', 'a out'],
    inputs: AMOUNTS,
    warned: ['decimals'],
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
    title: 'a row that may set a member of what may be no object',
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
    warned: ['decimals', 'input'],
  },
  {
    title: 'a list in front of an object',
    nodes: [table('a', 'k', 'n', { hitPolicy: 'collect' }), set('b', 'k', '5', alone)],
    edges: ['in a', 'in b', 'a out', 'b out'],
    inputs: AMOUNTS,
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

function documentOf(nodes: readonly Value[], edges: readonly string[]): Value {
  return {
    nodes: [{ id: 'in', type: 'inputNode', name: 'in' }, ...nodes, { id: 'out', type: 'outputNode', name: 'out' }],
    edges: edges.map((text, index) => {
      const words = text.split(' ')
      const handle = words.length === 3 ? { sourceHandle: words[1] } : {}
      return { id: `e${index}`, type: 'edge', sourceId: words[0], targetId: words.at(-1), ...handle } as Value
    }),
  }
}

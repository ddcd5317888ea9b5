import type { Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { alone, documentOf, lossLines, set, switchOn, table } from './documents.testing.ts'
import { fromJdm } from './from-jdm.ts'

const INPUT = { id: 'in', type: 'inputNode', name: 'in' }
const OUTPUT = { id: 'out', type: 'outputNode', name: 'out' }

/** A switch that takes each statement that holds: the ways double with each. */
const STATEMENTS = Array.from({ length: 13 }, (_, at) => ({ id: `w${at}`, condition: `n > ${at}` }))
const WAYS = documentOf(
  [
    { id: 's', type: 'switchNode', name: 's', content: { hitPolicy: 'collect', statements: STATEMENTS } },
    set('a', 'k', '1', alone),
  ],
  ['in s', ...STATEMENTS.map(({ id }) => `s ${id} a`), 'a out'],
)

test.each<readonly [title: string, document: Value, rulesets: number, lost: readonly string[]]>([
  ['a text', 'x', 0, ['error wrong-type  must be a decision with `nodes` and `edges`, found the text `x`']],
  ['nothing', null, 0, ['error wrong-type  must be a decision with `nodes` and `edges`, found `null`']],
  ['a list', [], 0, ['error wrong-type  must be a decision with `nodes` and `edges`, found a list']],
  [
    'an object without lists',
    {},
    0,
    ['error wrong-type /nodes must be a list, found nothing', 'error wrong-type /edges must be a list, found nothing'],
  ],
  [
    'lists of other types',
    { nodes: 5, edges: 'x' },
    0,
    ['error wrong-type /nodes must be a list, found `5`', 'error wrong-type /edges must be a list, found the text `x`'],
  ],
  ['nodes alone', { nodes: [] }, 0, ['error wrong-type /edges must be a list, found nothing']],
  ['no nodes', { nodes: [], edges: [] }, 0, ['error input-nodes /nodes a decision has one input node, found 0']],
  [
    'nodes of other types',
    { nodes: [INPUT, 7, {}, { id: 5, type: 6 }, { id: 'a', type: 'outputNode', content: [] }], edges: [] },
    1,
    [
      'error wrong-type /nodes/1 must be a node, found `7`',
      'error wrong-type /nodes/2/id must be a text, found nothing',
      'error wrong-type /nodes/2/type must be a text, found nothing',
      'error wrong-type /nodes/3/id must be a text, found `5`',
      'error wrong-type /nodes/3/type must be a text, found `6`',
      'error wrong-type /nodes/4/content in `a`: must be an object, found a list',
      'info input /nodes/0 in `in`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  ],
  [
    'nodes of one id',
    { nodes: [INPUT, { ...INPUT, type: 'outputNode' }], edges: [] },
    1,
    [
      'error duplicate-id /nodes/1/id in `in`: another node has this id',
      'info input /nodes/0 in `in`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  ],
  [
    'edges of other types',
    {
      nodes: [INPUT, OUTPUT],
      edges: [7, {}, { sourceId: 'in', targetId: 5 }, { sourceId: 'in', targetId: 'out', sourceHandle: 5 }],
    },
    1,
    [
      'error wrong-type /edges/0 must be an edge, found `7`',
      'error wrong-type /edges/1/sourceId must be a text, found nothing',
      'error wrong-type /edges/1/targetId must be a text, found nothing',
      'error wrong-type /edges/2/targetId must be a text, found `5`',
      'info input /nodes/1 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  ],
  [
    'edges to missing nodes',
    {
      nodes: [INPUT, OUTPUT],
      edges: [
        { sourceId: 'in', targetId: 'z' },
        { sourceId: 'z', targetId: 'y' },
      ],
    },
    1,
    [
      'warning unknown-node /edges/0/targetId no node has the id `z`: the edge was omitted',
      'warning unknown-node /edges/1/sourceId no node has the id `z`: the edge was omitted',
      'warning unknown-node /edges/1/targetId no node has the id `y`: the edge was omitted',
      'warning unconnected /nodes/1 in `out`: the node is not connected and was omitted',
      'info input /nodes/0 in `in`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
    ],
  ],
  [
    'two input nodes',
    { nodes: [INPUT, OUTPUT, { ...INPUT, id: 'two' }], edges: [] },
    0,
    ['error input-nodes /nodes/2 in `in`: a decision has one input node, found 2'],
  ],
  [
    'a ring',
    documentOf([set('a', 'k', '1'), set('b', 'k', '1')], ['in a', 'a b', 'b a']),
    0,
    ['error cycle /nodes/1 in `a`: the node is part of a cycle'],
  ],
  [
    'a node that leads to itself',
    documentOf([set('a', 'k', '1')], ['in a', 'a a']),
    0,
    ['error cycle /nodes/1 in `a`: the node is part of a cycle'],
  ],
  [
    'more nodes than may be',
    { nodes: Array.from({ length: 2001 }, () => INPUT), edges: [] },
    0,
    ['error too-many /nodes must have at most 2000 items, found 2001'],
  ],
  [
    'more edges than may be',
    { nodes: [INPUT], edges: Array.from({ length: 10_001 }, () => ({})) },
    0,
    ['error too-many /edges must have at most 10000 items, found 10001'],
  ],
  [
    'tests that are no list',
    documentOf([], ['in out'], { tests: 5 }),
    1,
    [
      'info input /nodes/1 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
      'warning test /tests must be a list of tests: it was omitted',
    ],
  ],
  [
    'tests of other types',
    documentOf([], ['in out'], { tests: [5, {}, { input: 5, output: 1 }, { input: {}, output: 1 }] }),
    1,
    [
      'info input /nodes/1 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
      'warning test /tests/0 must have the objects `input` and `output`: it was omitted',
      'warning test /tests/1 must have the objects `input` and `output`: it was omitted',
      'warning test /tests/2 must have the objects `input` and `output`: it was omitted',
    ],
  ],
  [
    'more tests than may be',
    documentOf([], ['in out'], { tests: Array.from({ length: 10_001 }, () => ({ output: {} })) }),
    1,
    [
      'info input /nodes/1 in `out`: the result includes the whole input in ZEN; here it has the fields that the document names, and no others',
      'warning too-many /tests only the first 10000 tests were imported',
    ],
  ],
  ['more ways than may be', WAYS, 0, ['error too-many /nodes the switches have too many paths: split the decision']],
])('%s: what is lost', (_, document, count, lost) => {
  const { rulesets, lost: found } = fromJdm(document)
  expect(lossLines(found)).toEqual(lost)
  expect(rulesets.length).toBe(count)
})

test.each([
  [
    'n / 3',
    [
      'warning decimals /nodes/1/content/rules/0/o in `t`, row 1, `o`: ZEN rounds to 28 digits, this engine to 34: results may differ after the 28th digit',
    ],
  ],
  [
    'len(s)',
    [
      'warning text-length /nodes/1/content/rules/0/o in `t`, row 1, `o`: ZEN measures texts in bytes, this engine in UTF-16 units: lengths differ for non-ASCII texts',
    ],
  ],
  [
    "matches(s, 'a')",
    [
      'warning unicode-classes /nodes/1/content/rules/0/o in `t`, row 1, `o`: classes such as `\\d` and `\\w` match Unicode in ZEN and ASCII here',
    ],
  ],
  [
    'keys(o)',
    ['warning key-order /nodes/1/content/rules/0/o in `t`, row 1, `o`: the order of keys is arbitrary in ZEN'],
  ],
  [
    'values(o)',
    ['warning key-order /nodes/1/content/rules/0/o in `t`, row 1, `o`: the order of keys is arbitrary in ZEN'],
  ],
  [
    'd().year()',
    [
      'warning dates /nodes/1/content/rules/0/o in `t`, row 1, `o`: a date is a text here, of whole seconds where it is stored: a text that is not a date fails, where ZEN has `Invalid date`; ZEN has it for 29 February in another year and for the bounds of some quarters too, and counts months from the last days of a month otherwise',
    ],
  ],
  [
    'n ^ 0.5',
    ['warning powers /nodes/1/content/rules/0/o in `t`, row 1, `o`: ZEN approximates powers with fractional exponents'],
  ],
  [
    'n ^ 123',
    [
      'warning decimals /nodes/1/content/rules/0/o in `t`, row 1, `o`: ZEN rounds to 28 digits, this engine to 34: results may differ after the 28th digit',
    ],
  ],
  [
    'm == n',
    [
      'warning comparison /nodes/1/content/rules/0/o in `t`, row 1, `o`: a comparison of values of unknown types: here texts have an order and lists may be equal, unlike in ZEN',
    ],
  ],
  [
    'm < n',
    [
      'warning comparison /nodes/1/content/rules/0/o in `t`, row 1, `o`: a comparison of values of unknown types: here texts have an order and lists may be equal, unlike in ZEN',
      'warning row /nodes/1/content/rules/0/o in `t`, row 1, `o`: a row whose output compares null, or uses it as a condition, does not match in ZEN; here the comparison is false and the row matches',
    ],
  ],
  [
    'm > 1',
    [
      'warning row /nodes/1/content/rules/0/o in `t`, row 1, `o`: a row whose output compares null, or uses it as a condition, does not match in ZEN; here the comparison is false and the row matches',
    ],
  ],
])('the output %s of a row is warned of', (value, lost) => {
  expect(lossLines(fromJdm(documentOf([table('t', 'k', value)], ['in t', 't out'])).lost)).toEqual(lost)
})

test.each([
  [
    'some(l, # > 1)',
    [
      'warning failure /nodes/1/content/statements/0/condition in `s`, branch 1: an element for which the test fails makes the whole condition fail in ZEN, and counts as no match here',
    ],
  ],
  [
    'n in l',
    [
      'warning comparison /nodes/1/content/statements/0/condition in `s`, branch 1: a comparison of values of unknown types: here texts have an order and lists may be equal, unlike in ZEN',
    ],
  ],
  [
    'n / 3 > 1',
    [
      'warning decimals /nodes/1/content/statements/0/condition in `s`, branch 1: ZEN rounds to 28 digits, this engine to 34: results may differ after the 28th digit',
    ],
  ],
  ['m and n', []],
  [
    'm == n',
    [
      'warning comparison /nodes/1/content/statements/0/condition in `s`, branch 1: a comparison of values of unknown types: here texts have an order and lists may be equal, unlike in ZEN',
    ],
  ],
])('the condition %s of a switch is warned of', (value, lost) => {
  const nodes = [switchOn('s', value), set('a', 'k', '1', alone)]
  expect(lossLines(fromJdm(documentOf(nodes, ['in s', 's yes a', 'a out'])).lost)).toEqual(lost)
})

test('the limits of nodes, edges and tests are read to the last', () => {
  const nodes = Array.from({ length: 1999 }, (_, at) => set(`a${at}`, 'k', '1'))
  const edges = Array.from({ length: 10_000 }, () => 'in a0')
  const tests = Array.from({ length: 10_000 }, () => ({ output: {} }))
  const { rulesets, lost } = fromJdm(documentOf(nodes, edges, { tests }))
  expect(rulesets[0]?.cases?.length).toBe(10_000)
  expect(lost.filter(({ code }) => code === 'too-many')).toEqual([])
})

const passing = set('a', 'k', 'n + 1')
const repeated = (rest: object, options = {}) => {
  const { rulesets, lost } = fromJdm(documentOf([passing], ['in a', 'a out'], rest), 'd', options)
  const last = rulesets[0]?.ruleset.steps.at(-1)
  return { output: last?.type === 'terminal' ? last.output?.map(({ name, value }) => `${name} = ${value}`) : [], lost }
}

test.each<readonly [string, object, readonly string[]]>([
  ['read by the steps', {}, ['k = $k', 'n = n']],
  [
    'of tests',
    { tests: [{ input: { m: 1, n: 2, k: 3, if: 4, 'a b': 5, '': 6 }, output: {} }, 5, { input: [], output: {} }] },
    ['k = $k', 'n = n', 'm = m', 'if = $.if', 'a b = $["a b"]'],
  ],
  ['of tests that are no list', { tests: { input: { m: 1 } } }, ['k = $k', 'n = n']],
])('a result with the input has the fields %s', (_, rest, output) => {
  expect(repeated(rest).output).toEqual(output)
})

test('a result with the input has the fields of the schema of the input node', () => {
  for (const [schema, names] of [
    ['{"properties": {"m": {}, "__proto__": {}}}', ['k', 'n', 'm']],
    ['{"properties": {"m": 1}, "properties": {"o": 1}}', ['k', 'n', 'o']],
    ['{"properties": []}', ['k', 'n']],
    ['[1]', ['k', 'n']],
    ['{', ['k', 'n']],
    [5, ['k', 'n']],
  ] as const) {
    const { nodes, edges } = documentOf([passing], ['in a', 'a out']) as { nodes: { id: string }[]; edges: Value }
    const given = nodes.map((node) => ({
      ...node,
      ...(node.id !== 'a' && { content: { schema: node.id === 'in' ? schema : '{"properties": {"z": {}}}' } }),
    }))
    const last = fromJdm({ nodes: given, edges }).rulesets[0]?.ruleset.steps.at(-1)
    expect(last?.type === 'terminal' && last.output?.map(({ name }) => name)).toEqual(names)
  }
})

test('a result with the input has at most 1000 fields of it', () => {
  const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, at]))
  const outputs = [999, 1000].map((count) => repeated({ tests: [{ input: fields(count), output: {} }] }).output?.length)
  expect(outputs).toEqual([1001, 1001])
})

test('a result without the input is an option', () => {
  const { output, lost } = repeated({ tests: [{ input: { m: 1 }, output: {} }] }, { repeatInput: false })
  expect(output).toEqual(['k = $k'])
  expect(lossLines(lost)).toEqual([
    'info input /nodes/2 in `out`: the result includes the whole input in ZEN; here it has the computed members alone',
  ])
})

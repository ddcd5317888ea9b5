import type { BadRequest } from './bad-input.testing.ts'

/** Documents of other formats that must be refused: data for bad-input.test.ts. */

const IMPORTS = 'POST /api/v1/projects/{project}/imports'
const to = (format: string, more = '&apply=true') => `${IMPORTS}?format=${format}${more}`
const EXPORT = 'GET /api/v1/projects/{project}/rulesets/rule/export'

const input = { id: 'in', type: 'inputNode', name: 'Request', content: {} }
const output = { id: 'out', type: 'outputNode', name: 'Response', content: {} }
const edge = (sourceId: string, targetId: string, more = {}) => ({
  id: `${sourceId}-${targetId}`,
  type: 'edge',
  sourceId,
  targetId,
  ...more,
})
/** A decision of one node between its ends. */
const around = (node: object, id = 'n') => ({
  nodes: [input, { id, name: 'Node', ...node }, output],
  edges: [edge('in', id), edge(id, 'out')],
})
const expression = (value: unknown) =>
  around({ type: 'expressionNode', content: { expressions: [{ id: 'e', key: 'k', value }] } })
const table = (content: object) =>
  around({
    type: 'decisionTableNode',
    content: {
      hitPolicy: 'first',
      inputs: [{ id: 'i', name: 'A', field: 'a' }],
      outputs: [{ id: 'o', name: 'K', field: 'k' }],
      rules: [{ _id: 'r', i: '> 1', o: '1' }],
      ...content,
    },
  })
const rule = (condition: unknown, more: object = {}) => ({
  conditions: { all: [condition] },
  event: { type: 'done' },
  ...more,
})
const NODES_0 = '/nodes/1/content'

/** JSON of a list that repeats an item. */
const manyOf = (item: string, count: number) => `[${Array.from({ length: count }, () => item).join(',')}]`
const deep = (depth: number, open: string, core: string, close: string) =>
  JSON.parse(open.repeat(depth) + core + close.repeat(depth)) as unknown

const requests: readonly BadRequest[] = [
  { title: 'without a format', route: IMPORTS, body: {}, status: 400, says: 'format' },
  { title: 'of an unknown format', route: to('yaml'), body: {}, status: 400, says: 'must be one of' },
  { title: 'with the format of the prototype', route: to('__proto__'), body: {}, status: 400, says: 'format' },
  { title: 'with an unknown parameter', route: to('jdm', '&dry_run=true'), body: {}, status: 400, says: 'dry_run' },
  {
    title: 'with `apply` that is not a flag',
    route: to('jdm', '&apply=yes'),
    body: expression('1'),
    status: 400,
    says: 'apply',
  },
  {
    title: 'with an invalid name',
    route: to('jdm', '&name=a%2Fb'),
    body: expression('1'),
    status: 400,
    says: 'name',
  },
  {
    title: 'with the name of a candidate',
    route: to('jdm', '&apply=true&name=a.r1'),
    body: expression('1'),
    status: 400,
    kind: 'bad-name',
  },
  { title: 'with a decision of no model', route: to('jdm', '&decision=a'), body: {}, status: 400, says: 'decision' },
  {
    title: 'with the option of another format',
    route: to('json-rules-engine', '&repeat_input=true'),
    body: {},
    status: 400,
    says: 'repeat_input',
  },
  {
    title: 'with an option that is not a flag',
    route: to('jdm', '&repeat_input=1'),
    body: {},
    status: 400,
    says: 'repeat_input',
  },
  { title: 'as JSON where CSV is meant', route: to('csv'), body: {}, status: 415, says: 'text/csv' },
  {
    title: 'as CSV where JSON is meant',
    route: to('jdm'),
    body: 'a,b',
    headers: { 'content-type': 'text/csv' },
    status: 415,
  },
  {
    title: 'of an unknown content type',
    route: to('dmn'),
    body: '<a/>',
    headers: { 'content-type': 'image/png' },
    status: 415,
  },
  { title: 'that is not JSON', route: to('jdm'), body: '{"nodes":[', status: 400 },
  { title: 'that has a member twice', route: to('jdm'), body: '{"nodes":[],"nodes":[],"edges":[]}', status: 400 },
  { title: 'nested 5,000 levels deep', route: to('jdm'), body: '{"nodes":'.repeat(5000), status: 400 },
  { title: 'to an invalid format', route: `${EXPORT}?format=xlsx`, status: 400, says: 'format' },
  { title: 'to no format', route: EXPORT, status: 400, says: 'format' },
  { title: 'of an engine ruleset without steps', route: to('engine'), body: { config: { name: 'a' } }, status: 400 },
]

const jdm: readonly BadRequest[] = [
  { title: 'a list', route: to('jdm'), body: [], status: 400, at: '', kind: 'wrong-type' },
  { title: 'no nodes', route: to('jdm'), body: { edges: [] }, status: 400, at: '/nodes', kind: 'wrong-type' },
  { title: 'edges that are a text', route: to('jdm'), body: { nodes: [], edges: 'x' }, status: 400, at: '/edges' },
  { title: 'no input node', route: to('jdm'), body: { nodes: [output], edges: [] }, status: 400, kind: 'input-nodes' },
  {
    title: 'two input nodes',
    route: to('jdm'),
    body: { nodes: [input, { ...input, id: 'x' }, output], edges: [edge('in', 'out')] },
    status: 400,
    at: '/nodes/1',
    kind: 'input-nodes',
  },
  {
    title: 'a cycle',
    route: to('jdm'),
    body: {
      nodes: [input, { id: 'a', type: 'expressionNode' }, { id: 'b', type: 'expressionNode' }, output],
      edges: [edge('in', 'a'), edge('a', 'b'), edge('b', 'a'), edge('b', 'out')],
    },
    status: 400,
    at: '/nodes/1',
    kind: 'cycle',
  },
  {
    title: 'a node that leads to itself',
    route: to('jdm'),
    body: { nodes: [input, { id: 'a', type: 'expressionNode' }, output], edges: [edge('a', 'a'), edge('a', 'out')] },
    status: 400,
    kind: 'cycle',
  },
  {
    title: 'a node that is a text',
    route: to('jdm'),
    body: { nodes: [input, 'x', output], edges: [] },
    status: 400,
    at: '/nodes/1',
  },
  {
    title: 'a node without a type',
    route: to('jdm'),
    body: { nodes: [input, { id: 'x' }, output], edges: [] },
    status: 400,
    at: '/nodes/1/type',
  },
  {
    title: 'two nodes of one id',
    route: to('jdm'),
    body: { nodes: [input, output, { ...output }], edges: [edge('in', 'out')] },
    status: 400,
    at: '/nodes/2/id',
    kind: 'duplicate-id',
  },
  {
    title: 'a function node',
    route: to('jdm'),
    body: around({ type: 'functionNode', content: { source: 'x' } }),
    status: 400,
    at: '/nodes/1',
    kind: 'no-counterpart',
  },
  {
    title: 'a decision in another document',
    route: to('jdm'),
    body: around({ type: 'decisionNode', content: { key: 'x' } }),
    status: 400,
    kind: 'no-counterpart',
  },
  {
    title: 'a node of the type `__proto__`',
    route: to('jdm'),
    body: around({ type: '__proto__' }),
    status: 400,
    kind: 'no-counterpart',
  },
  {
    title: 'an expression that is a number',
    route: to('jdm'),
    body: expression(7),
    status: 400,
    at: `${NODES_0}/expressions/0/value`,
    kind: 'wrong-type',
  },
  {
    title: 'an expression that ends early',
    route: to('jdm'),
    body: expression('a +'),
    status: 400,
    at: `${NODES_0}/expressions/0/value`,
    kind: 'syntax',
  },
  {
    title: 'an expression with a character of no meaning',
    route: to('jdm'),
    body: expression('a & b'),
    status: 400,
    kind: 'syntax',
    says: 'character 3',
  },
  {
    title: 'a fuzzy match',
    route: to('jdm'),
    body: expression("fuzzyMatch('a', 'b')"),
    status: 400,
    kind: 'no-counterpart',
  },
  { title: 'a random number', route: to('jdm'), body: expression('rand(5)'), status: 400, kind: 'no-counterpart' },
  {
    title: 'a function named `constructor`',
    route: to('jdm'),
    body: expression('constructor(1)'),
    status: 400,
    kind: 'no-counterpart',
  },
  {
    title: 'an expression nested 300 levels deep',
    route: to('jdm'),
    body: expression(`${'('.repeat(300)}1${')'.repeat(300)}`),
    status: 400,
    kind: 'syntax',
  },
  {
    title: 'a chain of 300 signs',
    route: to('jdm'),
    body: expression(`${'-'.repeat(300)}1`),
    status: 400,
    kind: 'syntax',
  },
  {
    title: 'an expression of 70,000 characters',
    route: to('jdm'),
    body: expression(`1${' + 1'.repeat(20_000)}`),
    status: 400,
    kind: 'syntax',
  },
  {
    title: 'a condition that would grow without bound',
    route: to('jdm'),
    body: table({ rules: [{ i: `c and ${'not (a > 1 or ('.repeat(40)}b${') and c)'.repeat(40)}`, o: '1' }] }),
    status: 400,
    at: `${NODES_0}/rules/0/i`,
  },
  {
    title: 'a table with an unknown hit policy',
    route: to('jdm'),
    body: table({ hitPolicy: 'any' }),
    status: 400,
    kind: 'no-counterpart',
  },
  {
    title: 'a table whose rules are an object',
    route: to('jdm'),
    body: table({ rules: {} }),
    status: 400,
    at: `${NODES_0}/rules`,
    kind: 'wrong-type',
  },
  {
    title: 'a table of more rules than are read',
    route: to('jdm'),
    body: table({ rules: Array.from({ length: 100_001 }, () => ({ i: '1', o: '1' })) }),
    status: 413,
  },
  {
    title: 'a cell that is a number',
    route: to('jdm'),
    body: table({ rules: [{ i: 5, o: '1' }] }),
    status: 400,
    at: `${NODES_0}/rules/0/i`,
  },
  {
    title: 'a cell that no test is',
    route: to('jdm'),
    body: table({ rules: [{ i: '1 +', o: '1' }] }),
    status: 400,
    at: `${NODES_0}/rules/0/i`,
  },
  {
    title: 'a column without an id',
    route: to('jdm'),
    body: table({ inputs: [{ field: 'a' }] }),
    status: 400,
    at: `${NODES_0}/inputs/0/id`,
  },
  {
    title: 'a flag that is a text',
    route: to('jdm'),
    body: table({ passThrough: 'yes' }),
    status: 400,
    at: `${NODES_0}/passThrough`,
  },
  {
    title: '10,000 nodes',
    route: to('jdm'),
    body: `{"nodes":${manyOf('{"id":"a","type":"x"}', 10_000)},"edges":[]}`,
    status: 400,
    at: '/nodes',
    kind: 'too-many',
  },
  {
    title: '1,000,000 nodes',
    route: to('jdm'),
    body: `{"nodes":${manyOf('1', 1_000_000)},"edges":[]}`,
    status: 413,
    kind: 'too-many-values',
  },
  {
    title: '100,000 edges',
    route: to('jdm'),
    body: `{"nodes":[],"edges":${manyOf('{}', 100_000)}}`,
    status: 400,
    at: '/edges',
    kind: 'too-many',
  },
  {
    title: 'switches with more ways than steps',
    route: to('jdm'),
    body: {
      nodes: [
        input,
        ...Array.from({ length: 13 }, (_, index) => ({
          id: `s${index}`,
          type: 'switchNode',
          content: { hitPolicy: 'first', statements: [{ id: `t${index}`, condition: `a > ${index}` }] },
        })),
        ...Array.from({ length: 13 }, (_, index) => ({
          id: `e${index}`,
          type: 'expressionNode',
          content: { expressions: [{ id: 'x', key: `k${index}`, value: '1' }] },
        })),
        output,
      ],
      edges: Array.from({ length: 13 }, (_, index) => [
        edge('in', `s${index}`),
        edge(`s${index}`, `e${index}`, { sourceHandle: `t${index}` }),
        edge(`e${index}`, 'out'),
      ]).flat(),
    },
    status: 400,
    at: '/nodes',
    kind: 'too-many',
  },
]

const FIRST = '/conditions/all/0'
const rules: readonly BadRequest[] = [
  { title: 'a number', route: to('json-rules-engine'), body: '7', status: 400, at: '', kind: 'wrong-type' },
  { title: 'an empty list', route: to('json-rules-engine'), body: [], status: 400, kind: 'no-rules' },
  {
    title: 'a rule without conditions',
    route: to('json-rules-engine'),
    body: { event: { type: 'a' } },
    status: 400,
    at: '/conditions',
  },
  {
    title: 'a rule without an event',
    route: to('json-rules-engine'),
    body: { conditions: { all: [] } },
    status: 400,
    at: '/event',
  },
  {
    title: 'an event without a type',
    route: to('json-rules-engine'),
    body: { conditions: { all: [] }, event: {} },
    status: 400,
    at: '/event/type',
  },
  { title: 'a rule that is null', route: to('json-rules-engine'), body: [null], status: 400, at: '/0' },
  {
    title: 'a priority of 0',
    route: to('json-rules-engine'),
    body: rule({ all: [] }, { priority: 0 }),
    status: 400,
    at: '/priority',
  },
  { title: 'conditions that are a text', route: to('json-rules-engine'), body: rule('x'), status: 400, at: FIRST },
  {
    title: '`any` that is an object',
    route: to('json-rules-engine'),
    body: rule({ any: {} }),
    status: 400,
    at: `${FIRST}/any`,
  },
  {
    title: 'an unknown operator',
    route: to('json-rules-engine'),
    body: rule({ fact: 'a', operator: 'startsWith', value: 'x' }),
    status: 400,
    at: `${FIRST}/operator`,
    kind: 'unknown-operator',
  },
  {
    title: 'the operator `__proto__`',
    route: to('json-rules-engine'),
    body: rule({ fact: 'a', operator: '__proto__', value: 'x' }),
    status: 400,
    kind: 'unknown-operator',
  },
  {
    title: 'a condition without a fact',
    route: to('json-rules-engine'),
    body: rule({ operator: 'equal', value: 1 }),
    status: 400,
    at: `${FIRST}/fact`,
  },
  {
    title: 'a fact with parameters',
    route: to('json-rules-engine'),
    body: rule({ fact: 'a', params: {}, operator: 'equal', value: 1 }),
    status: 400,
    at: `${FIRST}/params`,
  },
  {
    title: 'a path with a wildcard',
    route: to('json-rules-engine'),
    body: rule({ fact: 'a', path: '$.b[*].c', operator: 'equal', value: 1 }),
    status: 400,
    at: `${FIRST}/path`,
  },
  {
    title: 'a path with a script',
    route: to('json-rules-engine'),
    body: rule({ fact: 'a', path: '$[?(@.b)]', operator: 'equal', value: 1 }),
    status: 400,
    at: `${FIRST}/path`,
  },
  {
    title: 'no value',
    route: to('json-rules-engine'),
    body: rule({ fact: 'a', operator: 'equal' }),
    status: 400,
    at: `${FIRST}/value`,
  },
  {
    title: 'equality with a list',
    route: to('json-rules-engine'),
    body: rule({ fact: 'a', operator: 'equal', value: [1] }),
    status: 400,
    at: `${FIRST}/value`,
  },
  {
    title: 'an order of texts',
    route: to('json-rules-engine'),
    body: rule({ fact: 'a', operator: 'lessThan', value: '5' }),
    status: 400,
    at: `${FIRST}/value`,
  },
  {
    title: 'a condition that is named and missing',
    route: to('json-rules-engine'),
    body: { rules: [rule({ condition: 'x' })], conditions: {} },
    status: 400,
    at: '/rules/0/conditions/all/0/condition',
    kind: 'unknown-condition',
  },
  {
    title: 'a condition that names itself',
    route: to('json-rules-engine'),
    body: { rules: [rule({ condition: 'x' })], conditions: { x: { any: [{ condition: 'x' }] } } },
    status: 400,
    kind: 'nested-too-deeply',
  },
  {
    title: 'named conditions that double',
    route: to('json-rules-engine'),
    body: {
      rules: [rule({ condition: 'c0' })],
      conditions: Object.fromEntries(
        Array.from({ length: 25 }, (_, index) => [
          `c${index}`,
          index === 24
            ? { all: [{ fact: 'a', operator: 'equal', value: 1 }] }
            : { all: [{ condition: `c${index + 1}` }, { condition: `c${index + 1}` }] },
        ]),
      ),
    },
    status: 400,
    kind: 'too-many',
  },
  {
    title: 'conditions 90 levels deep',
    route: to('json-rules-engine'),
    body: rule(deep(50, '{"not":', '{"all":[{"fact":1}]}', '}')),
    status: 400,
  },
  { title: '10,000 rules', route: to('json-rules-engine'), body: manyOf('{}', 10_000), status: 400, kind: 'too-many' },
]

const sheets: readonly BadRequest[] = [
  {
    title: 'a workbook that is not an archive',
    route: to('xlsx'),
    body: 'PK no',
    headers: { 'content-type': 'application/octet-stream' },
    status: 400,
  },
  {
    title: 'a text without a header',
    route: to('csv'),
    body: 'a,b\n1,2',
    headers: { 'content-type': 'text/csv' },
    status: 400,
  },
  {
    title: 'XML that is not a model',
    route: to('dmn'),
    body: '<a/>',
    headers: { 'content-type': 'application/xml' },
    status: 400,
  },
  {
    title: 'text that is not UTF-8 as XML',
    route: to('dmn'),
    body: '<a',
    headers: { 'content-type': 'text/xml; charset=utf-8' },
    status: 400,
  },
]

export const BAD_IMPORTS: readonly (readonly [string, readonly BadRequest[]])[] = [
  ['an import or export', requests],
  ['an import of JDM', jdm],
  ['an import of json-rules-engine', rules],
  ['an import of a sheet or model', sheets],
]

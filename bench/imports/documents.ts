import { BAD_INPUT } from '../../packages/interchange/src/bad-input.testing.ts'

/** A document that costs much for its size, and where it is sent. */
export interface ImportRow {
  readonly name: string
  /** Behind the address of the project. */
  readonly path: string
  readonly type: string
  /** Made when its turn comes: large ones are not kept. */
  readonly document: () => string | Uint8Array
}

const TYPES = {
  csv: 'text/csv',
  xlsx: 'application/octet-stream',
  dmn: 'application/xml',
  jdm: 'application/json',
  'json-rules-engine': 'application/json',
  engine: 'application/json',
} as const

type Format = keyof typeof TYPES

const to = (format: Format, title: string, document: ImportRow['document']): ImportRow => ({
  name: `${format}: ${title}`,
  path: `/imports?format=${format}`,
  type: TYPES[format],
  document,
})

/** Rows of the tests of bad input that are refused for their size. */
const TESTED = [
  'csv: 10^6 rows',
  'csv: 40 MiB of quotes',
  'xlsx: a sheet of 200 MiB in 200 KiB',
  'xlsx: a sheet of 200 MiB that states 20 KiB',
  'xlsx: 10^6 rows',
  'xlsx: a text of 30,000 characters in 100,000 cells',
  'xlsx: a billion laughs',
  'dmn: 2,000,000 elements',
  'dmn: a ring of 10,000 decisions',
  'dmn: 10^5 rules and one',
  'dmn: an entry of a million characters',
  'dmn: a billion laughs',
]

const repeated = (count: number, piece: (index: number) => string, separator = ',') =>
  Array.from({ length: count }, (_, index) => piece(index)).join(separator)

/** As many copies of a text as fit into the largest body. */
const filled = (piece: string) => piece.repeat(Math.floor(49_000_000 / piece.length))

const dmnTable = (rules: number, test: (index: number) => string) =>
  `<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" name="m" namespace="n"><decision id="d" name="d"><decisionTable id="t">` +
  `<input id="i"><inputExpression id="e" typeRef="number"><text>x</text></inputExpression></input><output id="o" name="o"/>` +
  repeated(
    rules,
    (index) =>
      `<rule id="r${index}"><inputEntry><text>${test(index)}</text></inputEntry><outputEntry><text>1</text></outputEntry></rule>`,
    '',
  ) +
  `</decisionTable></decision></definitions>`

const node = (id: string, type: string, content: string) =>
  `{"id":"${id}","type":"${type}","name":"${id}","content":${content}}`
const edge = (source: string, target: string, handle?: string) =>
  `{"id":"${source}-${target}-${handle}","sourceId":"${source}","targetId":"${target}"${handle === undefined ? '' : `,"sourceHandle":"${handle}"`}}`
const jdm = (nodes: string, edges: string) =>
  `{"nodes":[${node('in', 'inputNode', '{}')},${nodes},${node('out', 'outputNode', '{}')}],"edges":[${edges}]}`

/** Nodes that all join what several before them pass on. */
const joins = (count: number, width: number) =>
  jdm(
    repeated(count, (index) =>
      node(
        `n${index}`,
        'expressionNode',
        `{"passThrough":true,"expressions":[{"id":"a","key":"o.p${index % 9}","value":"k"},{"id":"b","key":"k","value":"o"}]}`,
      ),
    ),
    [
      edge('in', 'n0'),
      ...Array.from({ length: count - 1 }, (_, index) =>
        Array.from({ length: Math.min(width, index + 1) }, (_unused, back) =>
          edge(`n${index - back}`, `n${index + 1}`),
        ).join(','),
      ),
      edge(`n${count - 1}`, 'out'),
    ].join(','),
  )

/** Switches of which each doubles the ways. */
const switches = (count: number) =>
  jdm(
    repeated(count, (index) =>
      [
        node(
          `s${index}`,
          'switchNode',
          `{"hitPolicy":"first","statements":[{"id":"y","condition":"a > ${index}"},{"id":"n","condition":""}]}`,
        ),
        node(
          `n${index}`,
          'expressionNode',
          `{"passThrough":true,"expressions":[{"id":"e","key":"k${index}","value":"1"}]}`,
        ),
        node(`j${index}`, 'expressionNode', `{"passThrough":true,"expressions":[]}`),
      ].join(','),
    ),
    repeated(count, (index) =>
      [
        edge(index === 0 ? 'in' : `j${index - 1}`, `s${index}`),
        edge(`s${index}`, `n${index}`, 'y'),
        edge(`s${index}`, `j${index}`, 'n'),
        edge(`n${index}`, `j${index}`),
      ].join(','),
    ) + `,${edge(`j${count - 1}`, 'out')}`,
  )

const jdmTable = (rules: number, cell: string) =>
  jdm(
    node(
      't',
      'decisionTableNode',
      `{"hitPolicy":"first","inputs":[{"id":"i","field":"a"}],"outputs":[{"id":"o","field":"k"}],"rules":[${repeated(rules, (index) => `{"_id":"r${index}","i":"${cell}","o":"1"}`)}]}`,
    ),
    `${edge('in', 't')},${edge('t', 'out')}`,
  )

const branches = (count: number) =>
  `{"config":{"name":"e","entry_step":"d"},"steps":{"d":{"id":"d","type":"decision","branches":[${repeated(count, (index) => `{"condition":"a == ${index} && b in [1, 2, 3]","next_step":"z"}`)}],"default_next":"z"},"z":{"id":"z","type":"terminal","result":{"code":"Z","message":""}}}}`

const rules = (count: number, conditions: number) =>
  `[${repeated(count, (index) => `{"event":{"type":"t${index}"},"conditions":{"any":[${repeated(conditions, (at) => `{"fact":"f${at}","operator":"equal","value":${index}}`)}]}}`)}]`

const OWN: readonly ImportRow[] = [
  to(
    'csv',
    'the largest table that is read',
    () => `in:a,in:b,out:c\n${repeated(100_000, (at) => `>= ${at},"in [""a"", ""b""]",${at}`, '\n')}`,
  ),
  to('csv', '50 MB of cells that are no values', () => `in:a,out:b\n${filled('a b,c d\n')}`),
  to('csv', '50 MB in one cell', () => `in:a,out:b\n"${filled('x')}",1\n`),
  to('csv', '50 MB of line ends', () => filled('\n')),
  to('dmn', 'the largest table that is read', () => dmnTable(100_000, (at) => `[${at}..${at + 1}]`)),
  to('dmn', 'entries that are no unary tests', () => dmnTable(100_000, () => 'some(x)')),
  to('dmn', '50 MB of text', () => `<a>${filled('x')}</a>`),
  to('dmn', '50 MB of elements without an end', () => filled('<a>')),
  to('jdm', '2,000 nodes that join 5 each', () => joins(1990, 5)),
  to('jdm', '200 nodes that join 50 each', () => joins(200, 50)),
  to('jdm', '600 switches, of which each doubles the ways', () => switches(600)),
  to('jdm', '15 switches, of which each doubles the ways', () => switches(15)),
  to('jdm', 'a table of 500,000 rules', () => jdmTable(500_000, '> 1, 2, [3..4]')),
  to('jdm', 'the largest table that is read', () => jdmTable(100_000, '> 1, 2, [3..4]')),
  to('jdm', 'a table of 100,000 cells that are no tests', () => jdmTable(100_000, '> >')),
  to('jdm', '50 MB of numbers', () => `{"nodes":[${filled('1,')}1],"edges":[]}`),
  to('jdm', '50 MB of brackets', () => filled('[')),
  to('json-rules-engine', '200,000 conditions', () => rules(4999, 40)),
  to('json-rules-engine', '50 MB of rules', () => `[${filled('{},')}{}]`),
  to('engine', '20,000 branches', () => branches(20_000)),
  to('engine', '50 MB of branches', () => branches(800_000)),
  {
    name: 'project: 500,000 files',
    path: '/import?dry_run=true',
    type: 'application/json',
    document: () => `{"files":[${repeated(500_000, (at) => `{"path":"facts/f${at}.json","text":"{}"}`)}]}`,
  },
  {
    name: 'tests: CSV of 10 MB of cells',
    path: '/rulesets/few/tests/import',
    type: 'text/csv',
    document: () => `name,input,expect\n${'a,{},{}\n'.repeat(1_200_000)}`,
  },
  {
    name: 'tests: CSV of four suites of 5,000 cases',
    path: '/rulesets/few/tests/import',
    type: 'text/csv',
    document: () =>
      `suite,name,input,expect\n${repeated(20_000, (at) => `s${at % 4},c${at},{},"{""code"":""A""}"`, '\n')}\n`,
  },
  {
    name: 'tests: aliases of YAML',
    path: '/rulesets/few/tests/import',
    type: 'application/yaml',
    document: () =>
      `a0: &a0 [x]\n${repeated(30, (at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}, *a${at}]`, '\n')}\n`,
  },
]

const tested = TESTED.map((name) => {
  const row = BAD_INPUT.find(({ format, title }) => `${format}: ${title}` === name)
  if (row === undefined) throw new Error(`the tests have no row \`${name}\``)
  return to(row.format, row.title, row.document)
})

export const IMPORTS: readonly ImportRow[] = [...tested, ...OWN].toSorted((left, right) =>
  left.name.localeCompare(right.name),
)

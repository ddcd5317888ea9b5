import { expect, test } from 'vitest'
import { Losses } from '../losses.ts'
import { readTree } from '../xml/tree.ts'
import { DmnReport, readDefinitions } from './definitions.ts'
import { DMN_13 } from './namespace.ts'

function read(content: string) {
  const text = `<definitions xmlns="${DMN_13}" namespace="own">\n${content}</definitions>`
  const report = new DmnReport(text, new Losses())
  const root = readTree(text, 10_000)
  return { ...readDefinitions({ root, prefixes: new Map(), imported: new Set() }, report), lost: report.losses.lost }
}

test.each([
  ['<decision id="i" name="n"><variable name=" v "/></decision>', ['i', 'v']],
  ['<decision id="i" name=" n "><variable/></decision>', ['i', 'n']],
  ['<decision id="i" name="n"/>', ['i', 'n']],
  ['<decision id="i"/>', ['i', 'i']],
  ['<decision name="n"/>', ['n', 'n']],
  ['<decision/>', ['', '']],
])('%s has the id and the name %j', (content, expected) => {
  const { decisions, lost } = read(content)
  expect(lost).toEqual([])
  expect(Array.from(decisions.values(), ({ id, name }) => [id, name])).toEqual([expected])
})

test.each([
  ['href="#a"', 'a'],
  ['href=" #a "', 'a'],
  ['href="own#a"', 'a'],
  ['href="other#a"', 'other#a'],
  ['href="a"', 'a'],
  ['', ''],
])('a reference with `%s` is one to `%s`', (href, id) => {
  const { decisions } = read(
    `<decision id="d"><informationRequirement><requiredDecision ${href}/></informationRequirement></decision>`,
  )
  expect(decisions.get('d')?.decisions).toEqual([{ id, prefix: '' }])
})

test.each([
  'description',
  'extensionElements',
  'itemDefinition',
  'businessKnowledgeModel',
  'knowledgeSource',
  'performanceIndicator',
  'organizationUnit',
  'textAnnotation',
  'association',
  'elementCollection',
  'group',
])('`%s` makes no loss', (element) => {
  expect(read(`<${element} id="x" name="x"/>`).lost).toEqual([])
})

test.each([
  ['<other id="x"/>', { path: '/x', code: 'not-carried-over', severity: 'warning' }],
  ['<DMNDI id="x"/>', { path: '/x', code: 'not-carried-over', severity: 'warning' }],
  ['<other xmlns="x" id="x"/>', { path: '', code: 'not-of-the-model', severity: 'warning' }],
  ['<decision xmlns="x" id="x"/>', { path: '', code: 'not-of-the-model', severity: 'warning' }],
  ['<decision id="x"/><decision id="x"/>', { path: '/x', code: 'repeated-id', column: 19 }],
  ['<inputData id="x"/><decision id="x"/>', { path: '/x', code: 'repeated-id', column: 20 }],
  ['<decisionService id="x"/><inputData id="x"/>', { path: '/x', code: 'repeated-id', column: 26 }],
])('%s is reported at its place', (content, loss) => {
  expect(read(content).lost).toEqual([expect.objectContaining({ line: 2, column: 1, length: 1, ...loss })])
})

test('names of the outputs of tables and of the components of types are members of values', () => {
  const { members } = read(
    '<itemDefinition name="t"><itemComponent name="part"/></itemDefinition>' +
      '<decision id="d"><decisionTable><output name="fee"/><output/></decisionTable></decision>' +
      '<decision id="e"><literalExpression/></decision>',
  )
  expect([...members]).toEqual(['part', 'fee', ''])
})

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runTool } from './programs.testing.ts'

/** `engine import --from`: documents of other rule engines to rule files, with one report. */

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'engine-import-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const run = (...args: string[]) => runTool('engine', ['import', ...args], folder)
const write = (name: string, content: unknown) => {
  mkdirSync(join(folder, name, '..'), { recursive: true })
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
}
const read = (name: string) => readFileSync(join(folder, name), 'utf8')

const decision = (value: string, tests: readonly object[] = [], schema = '') => ({
  tests,
  nodes: [
    { id: 'in', type: 'inputNode', name: 'in', content: { schema } },
    {
      id: 'a',
      type: 'expressionNode',
      name: 'a',
      content: { passThrough: true, expressions: [{ id: 'e', key: 'y', value }] },
    },
  ],
  edges: [{ id: 'e1', sourceId: 'in', targetId: 'a', type: 'edge' }],
})
const SCHEMA = '{"properties":{"x":{"type":"number"}},"required":["x"]}'
const tested = decision('x + 1', [{ input: { x: 1 }, output: { x: 1, y: 2 } }], SCHEMA)

test('decisions of a folder become rule files with cases and contracts, which `engine check` runs', async () => {
  write('old/fees.json', tested)
  write('old/.hidden.json', '{')
  write('old/node_modules/a.json', '{')
  const { code, stdout, stderr } = await run('--from', 'gorules', 'old', '-o', 'rules')
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain('✓ old/fees.json: ready, 1 of 1 case passed\n')
  expect(stdout).toContain(
    'info input, 1 place\n  old/fees.json: `/nodes/1` in `a`: the result includes the whole input',
  )
  expect(stdout).toMatch(/\n✓ 1 document: 1 ready, 0 to review, 0 refused; 1 case, none failed\n$/)
  expect(readdirSync(join(folder, 'rules')).sort()).toEqual(['fees.cases.json', 'fees.contract.json', 'fees.json'])
  expect(JSON.parse(read('rules/fees.contract.json'))).toMatchObject({
    name: 'fees',
    input: { fields: [{ name: 'x' }] },
  })
  const checked = await runTool('engine', ['check', 'rules'], folder)
  expect([checked.code, checked.stdout]).toEqual([0, expect.stringContaining('1 ruleset, 1 case, none failed')])
})

test('the others are written where a document is refused, and the exit code is 1', async () => {
  write('old/a.json', decision('1'))
  write('old/b.json', decision('rand(1)'))
  write('old/c.json', '{')
  write('old/d.json', Buffer.from([0xff]).toString('latin1'))
  const { code, stdout } = await run('--from', 'gorules', 'old', '-o', 'rules')
  expect(code).toBe(1)
  expect(stdout).toContain('✗ old/b.json: refused')
  expect(stdout).toContain('error no-counterpart, 1 place')
  expect(stdout).toContain('old/c.json:1:2: it is not JSON')
  expect(readdirSync(join(folder, 'rules'))).toEqual(['a.json'])
})

const model = (name: string, imported: string, content: string) =>
  `<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" name="${name}" namespace="https://example.com/${name}">${imported && `<import name="${imported}" namespace="https://example.com/${imported}" importType="https://www.omg.org/spec/DMN/20191111/MODEL/"/>`}${content}</definitions>`
const RATES = model(
  'rates',
  '',
  '<businessKnowledgeModel id="vat" name="vat"><variable name="vat"/><encapsulatedLogic><formalParameter name="net" typeRef="number"/><literalExpression><text>net * 0.19</text></literalExpression></encapsulatedLogic></businessKnowledgeModel>',
)
const FEES = model(
  'fees',
  'rates',
  '<inputData id="n" name="n"><variable name="n" typeRef="number"/></inputData><decision id="Fee" name="Fee"><variable name="Fee"/><informationRequirement><requiredInput href="#n"/></informationRequirement><knowledgeRequirement><requiredKnowledge href="https://example.com/rates#vat"/></knowledgeRequirement><literalExpression><text>rates.vat(n)</text></literalExpression></decision>',
)

test.each([
  ['in a folder', ['old'], '✓ old/rates.dmn: ready, 0 rulesets'],
  ['beside the one that is named', ['./old/fees.dmn'], '✓ 1 document: 0 ready, 1 to review, 0 refused'],
])('a decision model imports a model %s', async (_, paths, shown) => {
  write('old/fees.dmn', FEES)
  write('old/rates.dmn', RATES)
  const { code, stdout, stderr } = await run('--from', 'dmn', ...paths, '-o', 'rules')
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain(shown)
  expect(readdirSync(join(folder, 'rules'))).toEqual(['Fee.json'])
})

test('a decision model without the model that it imports is refused', async () => {
  write('fees.dmn', FEES)
  const { code, stdout } = await run('--from', 'dmn', 'fees.dmn')
  expect(code).toBe(1)
  expect(stdout).toContain('error missing-model, 1 place')
})

test('a case that fails is named, and the exit code is 1', async () => {
  write('a.json', decision('x + 1', [{ input: { x: 1 }, output: { y: 3 } }]))
  const { code, stdout } = await run('--from', 'gorules', 'a.json')
  expect([code, stdout]).toEqual([1, expect.stringMatching(/0 of 1 case passed\n {2}✗ test 1\n {6}output: expected/)])
  expect(readdirSync(folder)).toEqual(['a.json'])
})

test('documents of one name in two folders get two names', async () => {
  write('old/1/a.json', decision('1', [], SCHEMA))
  write('old/2/a.json', decision('2', [], SCHEMA))
  expect((await run('--from', 'gorules', 'old', '-o', 'rules')).code).toBe(0)
  expect(JSON.parse(read('rules/a-2.json'))).toMatchObject({ config: { name: 'a-2' } })
  expect(JSON.parse(read('rules/a-2.contract.json'))).toMatchObject({ name: 'a-2' })
})

test('a file is never replaced', async () => {
  write('a.json', decision('1'))
  write('b.json', decision('1'))
  write('rules/b.json', 'mine')
  const { code, stderr } = await run('--from', 'gorules', 'a.json', 'b.json', '-o', 'rules')
  expect([code, stderr]).toEqual([1, expect.stringContaining('rules/b.json exists already')])
  expect([readdirSync(join(folder, 'rules')), read('rules/b.json')]).toEqual([['b.json'], 'mine'])
})

const MODEL = `<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" name="m" namespace="n">
<inputData id="i" name="x"><variable name="x" typeRef="number"/></inputData>
<decision id="d" name="Two"><informationRequirement><requiredInput href="#i"/></informationRequirement>
<literalExpression><text>if x > 1 then "a" else "b"</text></literalExpression></decision>
<decision id="e" name="Other"><informationRequirement><requiredInput href="#i"/></informationRequirement>
<literalExpression><text>unknown thing(x)</text></literalExpression></decision></definitions>`
const RULE = { conditions: { all: [{ fact: 'age', operator: 'lessThan', value: 18 }] }, event: { type: 'minor' } }

describe('each format', () => {
  test.each([
    ['dmn', 'm.dmn', MODEL, ['--decision', 'Two'], 'm'],
    ['json-rules-engine', 'r.json', RULE, [], 'r'],
    ['sheet', 's.csv', 'in:age:number,out:limit\n>= 18,500\n,100\n', [], 's'],
  ])('%s', async (from, file, content, more, name) => {
    write(`old/${file}`, content)
    write('old/readme.txt', 'no document')
    const { code, stdout } = await run('--from', from, 'old', '-o', 'rules', ...more)
    expect([code, stdout]).toEqual([0, expect.stringContaining(`old/${file}: `)])
    expect(readdirSync(join(folder, 'rules'))).toEqual([`${name}.json`])
  })

  test('a decision that is refused is named by its line', async () => {
    write('m.dmn', MODEL)
    const { code, stdout } = await run('--from', 'dmn', 'm.dmn')
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining('m.dmn:6:1: `/e` in `Other`: `unknown thing(x)` could not be'),
    ])
  })
})

test('without the repeated input a result has only the computed members', async () => {
  write('a.json', tested)
  await run('--from', 'gorules', 'a.json', '-o', 'rules', '--no-repeat-input')
  expect(read('rules/a.json')).not.toContain('"x": "x"')
  expect(JSON.parse(read('rules/a.json'))).toMatchObject({ steps: {} })
})

test('reports for programs: JSON and JUnit', async () => {
  write('a.json', decision('x + 1', [{ input: { x: 1 }, output: { y: 3 } }]))
  write('b.json', decision('rand(1)'))
  const json = JSON.parse((await run('--from', 'gorules', '--json')).stdout) as object
  expect(json).toMatchObject({
    summary: { documents: 2, ready: 0, review: 1, refused: 1, cases: 1, failed: 1 },
    documents: [
      { document: 'a.json', verdict: 'review' },
      { document: 'b.json', verdict: 'refused' },
    ],
    reasons: [
      { severity: 'error', code: 'no-counterpart', count: 1, places: [{ document: 'b.json' }] },
      { severity: 'warning', code: 'join' },
      { severity: 'info', code: 'input', count: 2 },
    ],
  })
  const junit = (await run('--from', 'gorules', '--format', 'junit')).stdout
  expect(junit).toContain('is imported')
  expect(junit.match(/<failure/g)?.length).toBe(2)
})

test.each([
  [['--from', 'drools'], 2, 'drools'],
  [['--from', 'gorules', '--decision', 'a'], 1, '`--decision` requires `--from dmn`'],
  [['--from', 'dmn', '--no-repeat-input'], 1, '`--no-repeat-input` requires `--from gorules`'],
  [['--from', 'dmn', '.'], 1, 'there are no .dmn files here'],
  [['--from', 'dmn', 'none.dmn'], 1, 'none.dmn: cannot be read: it does not exist'],
])('%j is refused', async (args, exit, message) => {
  const { code, stderr } = await run(...args)
  expect([code, stderr]).toEqual([exit, expect.stringContaining(message)])
})

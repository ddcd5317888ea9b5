import { Command } from 'commander'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { toXlsx } from '@engine/interchange'
import { minimal } from '../../../../tests/minimal-ruleset.testing.ts'
import { ToolError } from '../tool.ts'
import { defineImport } from './command.ts'

/** The command within this process; `tests/import.test.ts` starts the program. */

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'import-command-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

interface Done {
  readonly code: number
  readonly text: string
}

/** Runs the command; paths within the folder are written `@/…`. */
async function run(...args: readonly string[]): Promise<Done> {
  const written: string[] = []
  const output = vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  const before = process.exitCode
  process.exitCode = 0
  try {
    const command = new Command('import').exitOverride().configureOutput({ writeErr: () => undefined })
    defineImport(command)
    await command.parseAsync(
      args.map((one) => one.replace(/^@/, folder)),
      { from: 'user' },
    )
    return { code: process.exitCode, text: written.join('').replaceAll(`${folder}/`, '') }
  } finally {
    process.exitCode = before
    output.mockRestore()
  }
}

function write(name: string, content: unknown): void {
  mkdirSync(join(folder, name, '..'), { recursive: true })
  writeFileSync(
    join(folder, name),
    typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content),
  )
}
const names = (name: string) => readdirSync(join(folder, name)).sort()
const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'))

const decision = (value: string, tests: readonly object[] = [], passThrough = false, schema = '') => ({
  tests,
  nodes: [
    { id: 'in', type: 'inputNode', name: 'in', content: { schema } },
    {
      id: 'a',
      type: 'expressionNode',
      name: 'a',
      content: { passThrough, expressions: [{ id: 'e', key: 'y', value }] },
    },
  ],
  edges: [{ id: 'e1', sourceId: 'in', targetId: 'a' }],
})
const SCHEMA = '{"properties":{"x":{"type":"number"}}}'
const passing = { name: 'one', input: { x: 1 }, output: { y: 2 } }
const failing = { name: 'two', input: { x: 1 }, output: { y: 3 } }

test('a document that is ready', async () => {
  write('fees.json', decision('x + 1', [passing]))
  expect(await run('--from', 'gorules', '@/fees.json')).toEqual({
    code: 0,
    text: '✓ fees.json: ready, 1 of 1 case passed\n\n✓ 1 document: 1 ready, 0 to review, 0 refused; 1 case, none failed\n',
  })
  expect(names('.')).toEqual(['fees.json'])
})

test('documents to review and refused ones, with their reasons by kind', async () => {
  write('a.json', decision('x + 1', [passing, failing]))
  write('b.json', decision('rand(x)'))
  write('c.json', '{\n  "nodes": x')
  write('d.json', Buffer.from([0xff]))
  write('e.json', decision('x / 3'))
  expect(await run('--from', 'gorules', '@/.')).toEqual({
    code: 1,
    text: `! a.json: review, 1 of 2 cases passed
  ✗ two
      output: expected {"y":3}, found {"y":2}
✗ b.json: refused
✗ c.json: refused, 0 rulesets
✗ d.json: refused, 0 rulesets
! e.json: review

error unreadable, 2 places
  c.json:2:12: it is not JSON: expected a value, found \`x\`: texts need double quotes
  d.json: it is not text in UTF-8

error no-counterpart, 1 place
  b.json: \`/nodes/1/content/expressions/0/value\` in \`a\`, \`y\`: the function \`rand\` cannot be converted

warning decimals, 1 place
  e.json: \`/nodes/1/content/expressions/0/value\` in \`a\`, \`y\`: ZEN rounds to 28 digits, this engine to 34: results may differ after the 28th digit

✗ 5 documents: 0 ready, 2 to review, 3 refused; 2 cases, 1 failed
`,
  })
})

test('as many refused documents as failed cases', async () => {
  write('a.json', decision('rand(x)'))
  write('b.json', decision('x + 1', [failing]))
  expect((await run('--from', 'gorules', '@/.')).text).toContain(
    '\n✗ 2 documents: 0 ready, 1 to review, 1 refused; 1 case, 1 failed\n',
  )
})

test('of one kind ten places are shown', async () => {
  for (let count = 1; count <= 10; count++) write(`${count}.json`, '{')
  expect((await run('--from', 'gorules', '@/.')).text).not.toContain('more')
  for (let count = 11; count <= 13; count++) write(`${count}.json`, '{')
  const { text } = await run('--from', 'gorules', '@/.')
  expect(text).toContain('error unreadable, 13 places\n')
  expect(text.match(/it is not JSON/g)).toHaveLength(10)
  expect(text).toContain('\n  and 3 more\n')
})

test.each([
  ['only refused documents', [decision('rand(1)')], 1],
  ['a failed case', [decision('x + 1', [failing])], 1],
  ['warnings alone', [decision('x / 3')], 0],
])('the exit code of %s', async (_, [content], code) => {
  write('a.json', content)
  expect((await run('--from', 'gorules', '@/a.json')).code).toBe(code)
})

test('documents of folders: those with the ending, by name, apart from hidden files and packages', async () => {
  for (const name of [
    'm.json',
    'z.json',
    'b/z.json',
    'q.json',
    'a.json',
    'c.txt',
    '.d.json',
    '.e/f.json',
    'node_modules/g.json',
    'b/a.JSON',
  ])
    write(name, decision('1'))
  const { text } = await run('--from', 'gorules', '@/.', '@/c.txt')
  expect(Array.from(text.matchAll(/^✓ (\S+):/gm), ([, name]) => name)).toEqual([
    'a.json',
    'b/z.json',
    'm.json',
    'q.json',
    'z.json',
    'c.txt',
  ])
})

const RULE = { conditions: { all: [{ fact: 'age', operator: 'lessThan', value: 18 }] }, event: { type: 'minor' } }

test('files of a project in a folder are skipped and named, and one that is given is read', async () => {
  write('a.json', decision('1'))
  write('package.json', '{"name": "pricing", "dependencies": {}}')
  write('app/tsconfig.build.json', '{ /* a comment */ "compilerOptions": {} }')
  const { code, text } = await run('--from', 'gorules', '@/.')
  expect([code, text]).toEqual([
    0,
    `✓ a.json: ready
- app/tsconfig.build.json: skipped, it is a file of the project
- package.json: skipped, it is a file of the project

✓ 1 document: 1 ready, 0 to review, 0 refused; no cases
`,
  ])
  expect(JSON.parse((await run('--from', 'gorules', '@/.', '--json')).text)).toMatchObject({
    summary: { documents: 1, refused: 0 },
    skipped: ['app/tsconfig.build.json', 'package.json'],
  })
  await expect(run('--from', 'gorules', '@/app')).rejects.toThrow(
    new ToolError(`there are no .json files here, apart from files of the project: ${folder}/app/tsconfig.build.json`),
  )
  expect((await run('--from', 'gorules', '@/package.json')).text).toContain('✗ package.json: refused')
  for (const name of ['nx', 'package']) write(`tools/${name}.json`, '{}')
  await expect(run('--from', 'gorules', '@/tools')).rejects.toThrow(
    `apart from files of the project: ${folder}/tools/nx.json, ${folder}/tools/package.json`,
  )
})

test.each<readonly [from: string, file: string, content: object]>([
  ['gorules', 'package.json', decision('1')],
  ['json-rules-engine', 'deno.json', RULE],
  ['json-rules-engine', 'nx.json', [RULE]],
  ['json-rules-engine', 'composer.json', { rules: [RULE] }],
])('a document of %s is read, although it has the name %s', async (from, file, content) => {
  write(file, content)
  expect(await run('--from', from, '@/.')).toMatchObject({ code: 0, text: expect.stringContaining(`✓ ${file}: ready`) })
})

test.each(['data.json', 'my-package.json', 'package.json.json', 'tsconfig.d/x.json'])(
  'the file %s of an unknown kind is refused',
  async (file) => {
    write(file, '{"name": "pricing"}')
    expect(await run('--from', 'gorules', '@/.')).toMatchObject({ code: 1, text: expect.stringContaining(`✗ ${file}`) })
  },
)

test('the files of each ruleset: rules, cases, contract', async () => {
  write('fees.json', decision('x + 1', [passing], false, SCHEMA))
  write('old/fees.json', decision('2', [], false, SCHEMA))
  write('old/plain.json', decision('3'))
  write('old/refused.json', decision('rand(3)'))
  expect((await run('--from', 'gorules', '@/.', '-o', '@/rules')).code).toBe(1)
  expect(names('rules')).toEqual([
    'fees-2.contract.json',
    'fees-2.json',
    'fees.cases.json',
    'fees.contract.json',
    'fees.json',
    'plain.json',
  ])
  expect(read('rules/fees-2.json')).toMatchObject({ config: { name: 'fees-2', numbers: 'decimal' } })
  expect(read('rules/fees-2.contract.json')).toMatchObject({ name: 'fees-2' })
  expect(read('rules/fees.cases.json')).toMatchObject([{ name: 'one', input: { x: 1 } }])
  expect(read('rules/fees.contract.json')).toMatchObject({ name: 'fees', input: { fields: [{ name: 'x' }] } })
})

test('files that exist are not replaced, and then none is written', async () => {
  write('a.json', decision('1'))
  write('b.json', decision('1'))
  write('rules/b.json', 'mine')
  await expect(run('--from', 'gorules', '@/a.json', '@/b.json', '-o', '@/rules')).rejects.toThrow(
    new ToolError(`${folder}/rules/b.json exists already: choose another folder, or delete it`),
  )
  expect([names('rules'), readFileSync(join(folder, 'rules/b.json'), 'utf8')]).toEqual([['b.json'], 'mine'])
})

test.each([
  ['a folder that is a file', '@/a.json/rules'],
  ['a folder that is a file itself', '@/a.json'],
])('%s is named', async (_, output) => {
  write('a.json', decision('1'))
  await expect(run('--from', 'gorules', '@/a.json', '-o', output)).rejects.toThrow(
    expect.objectContaining({ name: 'ToolError', message: expect.stringContaining(join(folder, 'a.json')) }),
  )
})

test.each([
  ['Fees of 2026.json', 'Fees-of-2026'],
  ['ä.json', 'ruleset'],
  ['--a..b-.json', 'a.b'],
  [`${'n'.repeat(120)}.json`, 'n'.repeat(100)],
  ['a.b.json', 'a.b'],
])('the file %s makes the ruleset %s', async (file, name) => {
  write(`in/${file}`, decision('1'))
  await run('--from', 'gorules', '@/in', '-o', '@/rules')
  expect(names('rules')).toEqual([`${name}.json`])
})

const dmn = (content: string, name = 'm') =>
  `<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" name="${name}" namespace="https://example.com/${name}">${content}</definitions>`
const literal = (name: string, text: string, requires = '') =>
  `<decision id="${name}" name="${name}"><variable name="${name}"/>${requires}<literalExpression><text>${text}</text></literalExpression></decision>`
const CSV = 'in:age:number,out:limit\n>= 18,500\n,100\n'
const WORKBOOK = Buffer.from(
  toXlsx('w', [
    ['in:age:number', 'out:limit'],
    ['>= 18', '500'],
    ['', '100'],
  ]),
)

describe('each format', () => {
  test.each<readonly [from: string, file: string, content: unknown, ruleset: string]>([
    ['dmn', 'm.dmn', dmn(literal('Fee', '1')), 'Fee'],
    ['json-rules-engine', 'r.json', RULE, 'r'],
    ['sheet', 's.csv', CSV, 's'],
    ['sheet', 'w.xlsx', WORKBOOK, 'w'],
  ])('%s: %s', async (from, file, content, ruleset) => {
    write(`in/${file}`, content)
    write('in/other.txt', 'no document')
    expect((await run('--from', from, '@/in', '-o', '@/rules')).text).toContain(`in/${file}: `)
    expect(names('rules')).toEqual([`${ruleset}.json`])
  })

  test.each([
    ['dmn', 'm.dmn'],
    ['json-rules-engine', 'r.json'],
    ['sheet', 's.csv'],
  ])('%s: bytes that are no text', async (from, file) => {
    write(file, Buffer.from([0xff, 0xfe]))
    const { code, text } = await run('--from', from, `@/${file}`)
    expect([code, text]).toEqual([1, expect.stringContaining(`\n  ${file}: it is not text in UTF-8\n`)])
  })

  test('a JSON object that has a member twice', async () => {
    write('a.json', '{"nodes": [], "nodes": [], "edges": []}')
    const { code, text } = await run('--from', 'gorules', '@/a.json')
    expect([code, text]).toEqual([1, expect.stringMatching(/a\.json:1:\d+: it is not JSON: .*nodes/)])
  })

  test('a document that is too large', async () => {
    write('s.csv', `in:a,out:b\n${'1,2\n'.repeat(100_001)}`)
    const { code, text } = await run('--from', 'sheet', '@/s.csv')
    expect([code, text]).toEqual([
      1,
      expect.stringMatching(/✗ s\.csv: refused.*\n\nerror unreadable, 1 place\n {2}s\.csv: .*100,?000/),
    ])
  })
})

test('a decision of a model by its name, which the file gives to the ruleset', async () => {
  write('m.dmn', dmn(literal('One', '1') + literal('Two', '2')))
  await run('--from', 'dmn', '@/m.dmn', '-o', '@/all')
  await run('--from', 'dmn', '@/m.dmn', '--decision', 'Two', '-o', '@/two')
  expect([names('all'), names('two')]).toEqual([['One.json', 'Two.json'], ['m.json']])
  expect((await run('--from', 'dmn', '@/m.dmn')).text).toContain('m.dmn: ready, 2 rulesets\n')
})

test('models that a model imports are looked for beside it and among those given, not elsewhere', async () => {
  const imports =
    '<import name="b" namespace="https://example.com/base" importType="https://www.omg.org/spec/DMN/20191111/MODEL/"/>'
  const needs = '<informationRequirement><requiredDecision href="https://example.com/base#E"/></informationRequirement>'
  write('one/main.dmn', dmn(imports + literal('D', 'b.E', needs), 'main'))
  write('two/base.dmn', dmn(literal('E', '1'), 'base'))
  write('one/base.txt', dmn(literal('E', '1'), 'base'))
  expect((await run('--from', 'dmn', '@/one/main.dmn')).text).toContain('error missing-model, 1 place')
  expect((await run('--from', 'dmn', '@/one/main.dmn', '@/two/base.dmn')).code).toBe(0)
  write('one/base.dmn', dmn(literal('E', '1'), 'base'))
  expect((await run('--from', 'dmn', '@/one/main.dmn')).code).toBe(0)
})

test('the input in a result, and without it', async () => {
  write('a.json', decision('x + 1', [], true))
  expect((await run('--from', 'gorules', '@/a.json', '-o', '@/with')).text).toContain('info input, 1 place')
  await run('--from', 'gorules', '@/a.json', '--no-repeat-input', '-o', '@/without')
  const outputs = ['with', 'without'].map((one) => JSON.stringify(read(`${one}/a.json`)).includes('["x","x"]'))
  expect(outputs).toEqual([true, false])
})

test('the report as JSON and for build servers', async () => {
  write('a.json', decision('x + 1', [passing, failing]))
  write('b.json', decision('rand(1)'))
  expect(JSON.parse((await run('--from', 'gorules', '@/.', '--json')).text)).toEqual({
    summary: { documents: 2, ready: 0, review: 1, refused: 1, cases: 2, failed: 1 },
    documents: [
      {
        document: 'a.json',
        verdict: 'review',
        rulesets: ['a'],
        cases: [
          { ruleset: 'a', name: 'one', passed: true, failures: [] },
          { ruleset: 'a', name: 'two', passed: false, failures: ['output: expected {"y":3}, found {"y":2}'] },
        ],
      },
      { document: 'b.json', verdict: 'refused', rulesets: ['b'], cases: [] },
    ],
    skipped: [],
    reasons: [
      {
        severity: 'error',
        code: 'no-counterpart',
        count: 1,
        places: [
          {
            document: 'b.json',
            path: '/nodes/1/content/expressions/0/value',
            message: 'in `a`, `y`: the function `rand` cannot be converted',
          },
        ],
      },
    ],
  })
  const { text, code } = await run('--from', 'gorules', '@/.', '--format', 'junit')
  expect(code).toBe(1)
  expect(Array.from(text.matchAll(/<testcase[^>]* name="([^"]*)"/g), ([, name]) => name)).toEqual([
    'is imported',
    'one',
    'two',
    'is imported',
  ])
  expect(text.match(/<failure/g)).toHaveLength(2)
})

test('a refused document of which no reason is listed fails for build servers', async () => {
  for (let count = 1; count <= 101; count++) write(`${count}.json`, '{')
  const { text } = await run('--from', 'gorules', '@/.', '--format', 'junit')
  expect(text.match(/<failure/g)).toHaveLength(101)
  expect(text.match(/message="refused"/g)).toHaveLength(1)
})

test.each([
  [['--from', 'gorules', '--decision', 'a'], '`--decision` requires `--from dmn`'],
  [['--from', 'dmn', '--no-repeat-input'], '`--no-repeat-input` requires `--from gorules`'],
  [['--decision', 'a'], '`--decision` requires `--from dmn`'],
  [['--from', 'dmn', '@/.'], 'there are no .dmn files here'],
  [['--from', 'sheet', '@/.'], 'there are no .csv or .xlsx files here'],
  [['@/.'], 'there are no rule files here'],
  [['@/fees.dmn'], '@/fees.dmn: for documents of this kind, give `--from dmn`'],
  [['@/.', '@/fees.xlsx'], '@/fees.xlsx: for documents of this kind, give `--from sheet`'],
])('%j is refused', async (args, message) => {
  const expected = { name: 'ToolError', message: message.replace(/^@/, folder) }
  await expect(run(...args)).rejects.toThrow(expect.objectContaining(expected))
})

test.each([
  ['gorules', decision('x + 1')],
  ['json-rules-engine', { conditions: { all: [] }, event: { type: 'a' } }],
  ['json-rules-engine', { rules: [{ conditions: { all: [] }, event: { type: 'a' } }] }],
])('a document of %s without its format is named with it', async (format, document) => {
  write('a.json', document)
  const { text, code } = await run('@/a.json')
  expect(code).toBe(1)
  expect(text).toContain(`a.json: it is a document of another rule engine: give \`--from ${format}\``)
  expect(text).not.toContain('/config')
})

test('rulesets of the original service: the report, and in a file', async () => {
  write('a.json', minimal('a'))
  const { text, code } = await run('@/a.json')
  expect([code, text]).toEqual([0, expect.stringContaining('a.json')])
  await run('@/a.json', '-o', '@/report.txt')
  expect(readFileSync(join(folder, 'report.txt'), 'utf8').replaceAll(`${folder}/`, '')).toBe(text)
})

test('the help names each argument, option and exit code', async () => {
  const written: string[] = []
  const command = new Command('import').exitOverride().configureOutput({ writeOut: (text) => written.push(text) })
  defineImport(command)
  await expect(command.parseAsync(['--help'], { from: 'user' })).rejects.toThrow(
    expect.objectContaining({ code: 'commander.helpDisplayed' }),
  )
  const help = written.join('').replaceAll(/\s+/g, ' ')
  for (const part of [
    'Arguments: paths documents, or folders with documents (default: this folder)',
    "--from <format> of the documents; `origin`: rulesets of the specification's original service",
    '(choices: "origin", "gorules", "dmn", "json-rules-engine", "sheet", default: "origin")',
    '-o, --output <path> write the rule files and their cases to a folder; with `origin` the report to a file',
    '--decision <name> convert only this decision or decision service (`dmn`)',
    '--no-repeat-input omit the input from results that include it (`gorules`)',
    'Exit codes: 0 all is converted and no case failed; 1 something is refused or a case failed',
  ])
    expect(help).toContain(part)
})

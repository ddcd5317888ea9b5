import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parse } from '@engine/expression'
import { parseType } from '@engine/ruleset'
import { doublePlaces } from '../apps/engine-tools/src/numbers/double-places.ts'
import { runTool } from './programs.testing.ts'

const PAGE = new URL('../docs/numbers.md', import.meta.url)

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'engine-numbers-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

const give = (file: string, content: unknown) =>
  writeFileSync(join(directory, file), typeof content === 'string' ? content : JSON.stringify(content))
const given = (file: string) => readFileSync(join(directory, file), 'utf8')
const checkNumbers = (...args: string[]) => runTool('engine', ['check', 'numbers', ...args], directory)

const invoice = (total: string, config: object = {}) => ({
  config: { name: 'invoice', entry_step: 'total', ...config },
  steps: {
    total: { id: 'total', type: 'terminal', result: { code: 'OK', message: '', output: [['total', total]] } },
  },
})

describe('the places that compute fractions', () => {
  const types = new Map(
    Object.entries({ pieces: 'integer', counts: 'array<integer>', title: 'string', price: 'decimal' }).flatMap(
      ([name, type]) => {
        const parsed = parseType(type)
        return parsed === undefined ? [] : [[name, parsed] as const]
      },
    ),
  )

  test.each<[expression: string, places: readonly string[]]>([
    ['0.1 + 0.2 == total', ['0.1 + 0.2: `0.1` has a fraction']],
    ['price * pieces', ['price * pieces: `price` can have a fraction']],
    [
      'price * pieces * 0.19 > 5 && amount - 1 > 2',
      ['price * pieces * 0.19: `price` can have a fraction', 'amount - 1: `amount` can have a fraction'],
    ],
    ['pieces * 2 + 1', []],
    ['pieces / 2', ['pieces / 2: a quotient can have a fraction']],
    ['floor(price * 2)', ['price * 2: `price` can have a fraction']],
    ['round(price)', []],
    ['round(price, 2)', ['round(price, 2): `price` can have a fraction']],
    ['round(price, -2)', []],
    ['round(pieces, 2)', []],
    ['sum(counts)', []],
    ['sum(amounts)', ['sum(amounts): `amounts` can have a fraction']],
    ['sum(items, i => i.price)', ['sum(items, i => i.price): `i` can have a fraction']],
    ['sum(items, i => 1)', []],
    ['avg(counts)', ['avg(counts): a mean can have a fraction']],
    ['pow(pieces, 2)', []],
    ['pow(pieces, -2)', ['pow(pieces, -2): a power can have a fraction']],
    ['sqrt(pieces)', ['sqrt(pieces): a root can have a fraction']],
    ['$tax + 1', ['$tax + 1: `$tax` can have a fraction']],
    ['to_number(title) + 1', ['to_number(title) + 1: `to_number` can give a fraction']],
    ['len(title) + 1', []],
    ['title + "x"', []],
    ['upper(other) + title', []],
    ['price > 0.5', []],
    ['max(price, 1)', []],
    ['max(price, 1) * 2', ['max(price, 1) * 2: `price` can have a fraction']],
    ['(if pieces > 1 then 1 else 0.5) * pieces', ['(if pieces > 1 then 1 else 0.5) * pieces: `0.5` has a fraction']],
  ])('%s', (text, places) => {
    const parsed = parse(text)
    if (parsed.kind !== 'parsed') throw new Error(text)
    const found = doublePlaces({ path: '', role: 'value', expression: parsed.expression, text, isText: true }, types)
    expect(found.map(({ node: { span }, why }) => `${text.slice(span.start, span.end)}: ${why}`)).toEqual(places)
  })
})

test('places, cases and recordings are shown, and nothing is written', async () => {
  give('invoice.json', JSON.stringify(invoice('net * 1.1'), undefined, 2))
  give('invoice.cases.json', [
    { name: 'as doubles compute', input: { net: 3 }, expect: { output: { total: 3.3000000000000003 } } },
    { name: 'whole', input: { net: 10 }, expect: { output: { total: 11 } } },
  ])
  give(
    'recorded.jsonl',
    '{"input": {"net": 3}, "now": 5}\n\n{"input": {"net": "x"}}\n{"input": {"net": 0.1000000000000000055}}\n',
  )
  const before = given('invoice.json')
  const { code, stdout, stderr } = await checkNumbers('invoice.json', 'recorded.jsonl')
  expect([code, stderr]).toEqual([1, ''])
  expect(stdout).toContain('3 of 5 inputs decide differently with decimals')
  // The page shows this report.
  expect(readFileSync(PAGE, 'utf8')).toContain(`$ engine check numbers invoice.json recorded.jsonl\n${stdout}\`\`\``)
  expect(given('invoice.json')).toBe(before)
})

test('--write moves a JSON file with all digits of its text, and ends its signature', async () => {
  const defaults = '"field_missing": "default", "defaults": {"net": 0.1000000000000000055}'
  const text = JSON.stringify({ ...invoice('net * 1'), _signature: { alg: 'x' } })
  give('invoice.json', text.replace('"config":{', `"config":{${defaults},`))
  const { code, stdout } = await checkNumbers('invoice.json', '--write', '--json')
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ numbers: 'double', written: true, signed: true, problems: [] })
  expect(given('invoice.json')).toContain('0.1000000000000000055')
  const moved = JSON.parse(given('invoice.json'))
  expect([moved.config.numbers, Object.keys(moved)]).toEqual(['decimal', ['config', 'steps']])
  expect(await checkNumbers('invoice.json')).toEqual({
    code: 0,
    stdout: '✓ invoice.json computes with decimals\n',
    stderr: '',
  })
})

test('--write keeps the comments of a YAML file', async () => {
  give(
    'a.yaml',
    `# Prices
config:
  name: a
  entry_step: e # the only one
steps:
  e: { id: e, type: terminal, result: { code: A, message: "", output: [[x, "a / 3"]] } }
`,
  )
  const { code, stdout } = await checkNumbers('a.yaml', '--write')
  expect(stdout).toContain('✓ a.yaml now computes with decimals\n')
  expect(stdout).toMatch(/^warning: with decimals: a\.yaml: .*`round\(…, 2\)`/m)
  expect(code).toBe(0)
  expect(given('a.yaml')).toMatch(/^# Prices\n[^]*# the only one\n {2}numbers: decimal\n/)
})

test('a ruleset that an engine would refuse with decimals is not moved', async () => {
  const digits = `0.${'1'.repeat(40)}`
  give('a.json', invoice(`net * ${digits}`))
  const { code, stdout } = await checkNumbers('a.json', '--write')
  expect(stdout).toMatch(/^✗ with decimals an engine would refuse it: a\.json:1:7: .* has more than 34 digits/m)
  expect(code).toBe(1)
  expect(given('a.json')).not.toContain('decimal')
})

test.each<[title: string, files: Readonly<Record<string, unknown>>, args: readonly string[], message: RegExp]>([
  ['a compiled file', {}, ['a.engine'], /^a\.engine: expected a rule file in JSON or YAML/],
  ['a file that does not exist', {}, ['a.json'], /^a\.json: cannot be read: it does not exist/],
  ['a file that is not a ruleset', { 'a.json': '{}' }, ['a.json'], /^a\.json:1:1: /],
  ['cases with mistakes', { 'a.json': invoice('1'), 'a.cases.json': '{}' }, ['a.json'], /^a\.cases\.json: /],
  [
    'a recording without an input',
    { 'a.json': invoice('1'), r: '{}\n' },
    ['a.json', 'r'],
    /^r:1: `input` must be an object/,
  ],
  [
    'an invalid time',
    { 'a.json': invoice('1'), r: '{"input":{},"now":1e300}' },
    ['a.json', 'r'],
    /^r:1: `now` must be/,
  ],
])('%s is refused', async (_title, files, args, message) => {
  for (const [file, content] of Object.entries(files)) give(file, content)
  const { code, stdout, stderr } = await checkNumbers(...args)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(message)
})

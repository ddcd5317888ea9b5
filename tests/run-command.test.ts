import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { differences } from '../examples/flights/check.ts'
import type { Result } from '../examples/flights/flight.ts'
import { readFlights } from '../examples/flights/flight.ts'
import { spawned } from './engine-server.testing.ts'
import { adultCheck } from './http/server.testing.ts'
import { runTool } from './programs.testing.ts'

const ENGINE = join(import.meta.dirname, '../node_modules/.bin/engine')

/** Ends a test that hangs. */
const WAITING = { timeout: 60_000, interval: 20 }

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'engine-run-'))
  give('adult-check.json', JSON.stringify(adultCheck()))
})
afterEach(() => rmSync(directory, { recursive: true }))

const give = (file: string, content: string | Uint8Array) => writeFileSync(join(directory, file), content)
const run = (...args: string[]) => runTool('engine', ['run', ...args], directory)
const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

/** A ruleset that copies its input to its output. */
const echo = (fields: readonly string[], config = {}) =>
  JSON.stringify({
    config: { name: 'echo', entry_step: 'end', ...config },
    steps: {
      end: {
        id: 'end',
        type: 'terminal',
        result: { code: 'OK', message: '', output: fields.map((field) => [field.replaceAll('.', '_'), field]) },
      },
    },
  })

describe('one input', () => {
  test('is decided as a server decides it', async () => {
    give('in.json', '{"age": 21}')
    const { code, stdout, stderr } = await run('adult-check.json', '--input', 'in.json')
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toEqual({ code: 'ADULT', message: 'may order', output: { limit: 100 } })
    expect(stdout).toContain('\n  "code"')
  })

  test('has a trace on request, and one line with --json', async () => {
    give('in.json', '{"age": 3}')
    const { stdout } = await run('adult-check.json', '--input', 'in.json', '--trace', '--json')
    expect(linesOf(stdout)).toEqual([
      expect.objectContaining({ code: 'MINOR', trace: expect.objectContaining({ path: 'check -> no' }) }),
    ])
  })

  test('that fails gives exit code 1 and the reason with its step', async () => {
    give('in.json', '{"age": "x"}')
    const { code, stdout } = await run('adult-check.json', '--input', 'in.json')
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ code: 'error', error: expect.stringMatching(/^[^(]*\(step `check`\)$/) })
  })

  test('of a decimal ruleset keeps its digits', async () => {
    give('echo.json', echo(['price'], { numbers: 'decimal' }))
    give('in.json', '{"price": 0.1000000000000000055511151231257827}')
    expect((await run('echo.json', '--input', 'in.json')).stdout).toContain('0.1000000000000000055511151231257827')
  })

  test('breaks a contract: every place is named', async () => {
    const contract = {
      name: 'c',
      version: '1.0.0',
      input: { fields: [{ name: 'age', type: 'number', required: true }] },
    }
    give('echo.json', echo(['age'], { contract: { mode: 'enforce', contract } }))
    give('in.json', '{}')
    const { code, stdout } = await run('echo.json', '--input', 'in.json')
    expect([code, stdout]).toEqual([1, expect.stringContaining('age')])
  })
})

describe('many inputs', () => {
  test('of NDJSON: lines with their number, blank ones counted, failed ones with the reason', async () => {
    give('in.ndjson', '\uFEFF{"age": 20}\n\n{"age": 3}\r\n{"age":\n{"age": "x"}')
    const { code, stdout, stderr } = await run('adult-check.json', '--input', 'in.ndjson')
    expect(code).toBe(1)
    expect(linesOf(stdout)).toMatchObject([
      { line: 1, code: 'ADULT' },
      { line: 3, code: 'MINOR' },
      { line: 4, code: 'error', output: null, error: expect.stringContaining('column') },
      { line: 5, code: 'error', error: expect.stringContaining('not defined') },
    ])
    expect(stderr).toMatch(/^4 inputs in \d+\.\d\d s \([\d,]+\/s\), 2 failed\n {10}1 {2}ADULT\n {10}1 {2}MINOR\n$/)
  })

  test('of one line', async () => {
    give('one.ndjson', '{"age": 20}')
    const { code, stderr } = await run('adult-check.json', '--input', 'one.ndjson')
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^1 input in .*, none failed\n {10}1 {2}ADULT\n$/)])
  })

  test('of a JSON list: its items are numbered', async () => {
    give('in.json', '[{"age": 20}, {"age": 3}]')
    const { code, stdout, stderr } = await run('adult-check.json', '--input', 'in.json', '--json')
    expect(code).toBe(0)
    expect(linesOf(stdout)).toMatchObject([
      { item: 1, code: 'ADULT' },
      { item: 2, code: 'MINOR' },
    ])
    expect(linesOf(stderr)).toMatchObject([{ inputs: 2, failed: 0, codes: { ADULT: 1, MINOR: 1 } }])
  })

  test.each([
    ['12', 12],
    ['-1.5e3', -1500],
    ['007', '007'],
    ['+1', '+1'],
    ['1,5', undefined],
    ['.5', '.5'],
    ['"12"', '12'],
    ['true', true],
    ['"true"', 'true'],
    ['DE', 'DE'],
    ['9007199254740993', 9007199254740993n],
    ['1e400', '1e400'],
    ['"a ""b"", c"', 'a "b", c'],
    ['NaN', 'NaN'],
    ['', undefined],
  ])('of CSV: the cell %s is %s', async (cell, value) => {
    give('echo.json', echo(['x', 'is_text']).replace('"is_text"]', '"is_string(x)"]'))
    give('in.csv', `x,y\n${cell},1\n`)
    const { stdout } = await run('echo.json', '--input', 'in.csv')
    const shown = typeof value === 'bigint' ? String(value) : JSON.stringify(value ?? null)
    if (cell === '1,5') expect(stdout).toContain('the line has 3 cells, the header 2')
    else expect(stdout).toContain(`{"x":${shown},"is_text":${typeof value === 'string'}}`)
  })

  test('of CSV: paths are members, semicolons separate, the mark at the beginning is skipped', async () => {
    give('echo.json', echo(['order.total', 'order.tax.rate', 'name']))
    give('in.csv', '\uFEFForder.total;name;order.tax.rate\n1;"a;b";0.5\n\n;c;\n')
    const { code, stdout } = await run('echo.json', '--input', 'in.csv')
    expect(code).toBe(0)
    expect(linesOf(stdout)).toMatchObject([
      { line: 2, output: { order_total: 1, order_tax_rate: 0.5, name: 'a;b' } },
      { line: 4, output: { order_total: null, order_tax_rate: null, name: 'c' } },
    ])
  })

  test.each([
    ['a,a\n1,2\n', 'the header names `a` twice'],
    ['a,a.b\n1,2\n', 'contradict each other'],
    ['a,\n1,2\n', 'column 2 of the header names no field'],
    [`${'a.'.repeat(5000)}a\n1\n`, 'column 1 of the header is nested more than 128 levels deep'],
    ['', 'it has no header'],
    ['a\n"1\n', 'it is not CSV: '],
    ['a\n1"2\n', 'it is not CSV: '],
  ])('of CSV that is none, %.20j: %s', async (text, message) => {
    give('in.csv', text)
    const { code, stderr } = await run('adult-check.json', '--input', 'in.csv')
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^in\.csv: /)])
    expect(stderr).toContain(message)
  })

  test('from standard input, in the format that is named', () => {
    const piped = (input: string, ...args: string[]) =>
      spawnSync(ENGINE, ['run', 'adult-check.json', '--input', '-', ...args], {
        cwd: directory,
        input,
        encoding: 'utf8',
      })
    expect(piped('{"age": 20}').stdout).toContain('"ADULT"')
    expect(linesOf(piped('age\n20\n3\n', '--input-format', 'csv').stdout)).toMatchObject([
      { line: 2, code: 'ADULT' },
      { line: 3, code: 'MINOR' },
    ])
    const twice = piped('{"age": 20}\n{"age": 3}\n')
    expect([twice.status, twice.stderr]).toEqual([1, expect.stringContaining('standard input: ')])
  })

  test('show their progress on a terminal only', async () => {
    give('in.ndjson', '{"age": 20}\n'.repeat(400_000))
    const command = `${ENGINE} run adult-check.json --input in.ndjson > /dev/null`
    const one = spawned('script', ['-qefc', `cd ${directory} && ${command}`, '/dev/null'], { TERM: 'xterm-256color' })
    expect(await one.ended).toBe(0)
    expect(one.stdout()).toMatch(/[\d,]+ inputs, [\d,]+\/s/)
    expect(one.stdout()).toContain('400,000 inputs in ')
  })
})

test('the 231,083 flights from CSV are decided as the second implementation decides', () => {
  const flights = readFlights()
  give(
    'flights.csv',
    `delay,distance,time\n${flights.map((one) => `${one.delay},${one.distance},${one.time}`).join('\n')}\n`,
  )
  const out = openSync(join(directory, 'out.ndjson'), 'w')
  const rules = join(import.meta.dirname, '../examples/flight-compensation/ruleset.json')
  const { status, stderr } = spawnSync(ENGINE, ['run', rules, '--input', 'flights.csv', '--json'], {
    cwd: directory,
    stdio: ['ignore', out, 'pipe'],
    encoding: 'utf8',
  })
  closeSync(out)
  expect(status).toBe(0)
  expect(linesOf(stderr)).toMatchObject([{ inputs: 231_083, failed: 0 }])
  const results = linesOf(readFileSync(join(directory, 'out.ndjson'), 'utf8')) as unknown as Result[]
  expect(differences(flights, results)).toEqual([])
})

test('rulesets that are called are those of the same folder', async () => {
  const call = { action: 'call_ruleset', ruleset_name: 'adult-check', result_variable: 'inner' }
  give(
    'outer.yaml',
    JSON.stringify({
      config: { name: 'outer', entry_step: 'call' },
      steps: {
        call: { id: 'call', type: 'action', actions: [call], next_step: 'end' },
        end: { id: 'end', type: 'terminal', result: { code: 'DONE', message: '', output: [['inner', '$inner.code']] } },
      },
    }),
  )
  give('in.json', '{"age": 40}')
  expect(JSON.parse((await run('outer.yaml', '--input', 'in.json')).stdout)).toMatchObject({
    output: { inner: 'ADULT' },
  })
})

test('a draft of the editor is decided like its ruleset', async () => {
  const draft = {
    config: { name: 'fee' },
    startStepId: 't',
    steps: [
      {
        id: 't',
        type: 'table',
        hitPolicy: 'first',
        columns: [
          { id: 'c1', kind: 'input', field: 'country', type: 'string' },
          { id: 'c2', kind: 'output', field: 'fee' },
        ],
        rows: [{ id: 'r1', cells: { c1: '"DE"', c2: '5' } }],
        nextStepId: 'done',
        defaultNextStepId: 'none',
      },
      { id: 'done', type: 'terminal', code: 'DONE', output: [{ name: 'fee', value: '$fee' }] },
      { id: 'none', type: 'terminal', code: 'NONE' },
    ],
  }
  give('fee.json', JSON.stringify(draft))
  give('in.ndjson', '{"country": "DE"}\n{"country": "FR"}\n')
  expect(linesOf((await run('fee.json', '--input', 'in.ndjson')).stdout)).toMatchObject([
    { code: 'DONE', output: { fee: 5 } },
    { code: 'NONE' },
  ])
})

test('--watch decides again after a change, also of a file that was faulty', async () => {
  give('in.json', '{"age": 20}')
  const one = spawned(ENGINE, [
    'run',
    join(directory, 'adult-check.json'),
    '--input',
    join(directory, 'in.json'),
    '--watch',
    '--json',
  ])
  const reports = (pattern: RegExp) => vi.waitFor(() => expect(one.stderr()).toMatch(pattern), WAITING)
  await reports(/watching/)
  expect(one.stdout()).toContain('"ADULT"')
  give('in.json', '{"age": ')
  await reports(/in\.json: .*column/)
  give('in.json', '{"age": 2}')
  await one.says(/"MINOR"/)
  one.process.kill('SIGTERM')
  expect(await one.ended).toBe(0)
})

test.each([
  [['adult-check.json'], 2, 'required option'],
  [['adult-check.json', '--input', 'in.txt'], 2, 'add --input-format json|ndjson|csv'],
  [['adult-check.json', '--input', '-', '--watch'], 2, '--watch needs a file'],
  [['adult-check.json', '--input', 'no.json'], 1, 'no.json: cannot be read: it does not exist'],
  [['adult-check.json', '--input', 'no.csv'], 1, 'no.csv: cannot be read: it does not exist'],
  [['adult-check.json', '--input', '/', '--input-format', 'ndjson'], 1, '/: cannot be read: it is a folder'],
  [['no.json', '--input', 'no.json'], 1, 'no.json: cannot be read: it does not exist'],
  [['in.json', '--input', 'in.json'], 1, 'in.json'],
])('%j ends with %i: %s', async (args, code, message) => {
  give('in.json', '{"age": 20}')
  expect(await run(...args)).toMatchObject({ code, stderr: expect.stringContaining(message) })
})

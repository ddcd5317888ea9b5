import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { adultCheck } from './http/server.testing.ts'
import { runTool } from './programs.testing.ts'

let directory: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'engine-check-'))
})

afterEach(() => rmSync(directory, { recursive: true }))

const give = (file: string, content: unknown) => {
  mkdirSync(dirname(join(directory, file)), { recursive: true })
  writeFileSync(join(directory, file), typeof content === 'string' ? content : JSON.stringify(content))
}

const check = (...args: string[]) => runTool('engine-check', args, directory)

const GOOD = [
  { name: 'of age', input: { age: 18 }, expect: { code: 'ADULT', message: 'may order', output: { limit: 100 } } },
  { name: 'too young', input: { age: 17 }, expect: { code: 'MINOR' } },
]

describe('engine test', () => {
  const runTest = (...args: string[]) => runTool('engine', ['test', ...args], directory)

  test.each([
    [[], 1, '✗ 1 ruleset, 2 cases, 1 failed'],
    [['--filter', 'of age'], 0, '✓ 1 ruleset, 1 case, none failed'],
    [['--filter', 'too young'], 1, '✗ too young'],
  ])('%j ends with %i', async (args, code, text) => {
    give('adult-check.json', { $schema: './ruleset.schema.json', ...adultCheck() })
    give('without-cases.json', adultCheck({ config: { name: 'without-cases' } }))
    give('adult-check.cases.json', [GOOD[0], { name: 'too young', input: { age: 17 }, expect: { code: 'ADULT' } }])
    const ended = await runTest(...args)
    expect(ended).toMatchObject({ code, stdout: expect.stringContaining(text), stderr: '' })
    expect(ended.stdout).not.toMatch(/without-cases|\$schema/)
  })

  test('fails when there are no cases', async () => {
    give('adult-check.json', adultCheck())
    expect(await runTest()).toMatchObject({ code: 1, stderr: 'there are no cases here\n' })
    give('adult-check.cases.json', GOOD)
    expect(await runTest('--filter', 'x!')).toMatchObject({ code: 1, stderr: 'no case has a name with `x!`\n' })
  })
})

describe('a check', () => {
  test('of good rules and cases succeeds, with the coverage', async () => {
    give('rules/adult-check.json', adultCheck())
    give('rules/adult-check.cases.json', GOOD)
    expect(await check()).toEqual({
      code: 0,
      stdout:
        '✓ rules/adult-check.json: 2 cases, steps 3/3 (100 %), branches 2/2 (100 %)\n\n✓ 1 ruleset, 2 cases, none failed\n',
      stderr: '',
    })
  })

  test('reports which cases failed and how, and the uncovered branches', async () => {
    give('adult-check.json', adultCheck())
    give('adult-check.cases.json', [
      { name: 'wrong', input: { age: 18 }, expect: { code: 'MINOR', output: { limit: 5 } } },
      { name: 'fails', input: { age: 'x' }, expect: { code: 'MINOR' } },
      { name: 'should fail', input: { age: 20 }, expect: { error: 'nope' } },
      { name: 'fails as it should', input: { age: 'x' }, expect: { error: '`>=` is not defined' } },
    ])
    const { code, stdout } = await check('adult-check.json')
    expect([code, stdout.split('\n')]).toEqual([
      1,
      [
        '✗ adult-check.json: 4 cases, steps 2/3 (66 %), branches 1/2 (50 %)',
        '  ✗ wrong',
        '      code: expected "MINOR", found "ADULT"',
        '      output: expected {"limit":5}, found {"limit":100}',
        '  ✗ fails',
        '      it failed: `>=` is not defined for string and number (step `check`)',
        '  ✗ should fail',
        '      expected a failure with `nope`, found "ADULT"',
        '  no case comes to the default of `check`',
        '  no case comes to step `no`',
        '',
        '✗ 1 ruleset, 4 cases, 3 failed',
        '',
      ],
    ])
  })

  test('reports errors of a file with their position, of every form, and continues', async () => {
    give('a.json', '{\n  "config": {"name": "a", "entry_step": "nope"},\n  "steps": {"end": {"id": "end"}}\n}')
    give('b.yaml', 'config: {name: b\n')
    give('c.engine', 'ENGR')
    give(
      'good.yaml',
      'config: {name: d, entry_step: e}\nsteps: {e: {id: e, type: terminal, result: {code: A, message: ""}}}\n',
    )
    const { code, stdout } = await check()
    expect(code).toBe(1)
    expect(stdout).toMatch(/✗ a\.json\n {2}a\.json:2:\d+: `\/config\/entry_step` .*\n/)
    expect(stdout).toMatch(/✗ b\.yaml\n {2}b\.yaml:2:1: .+/)
    expect(stdout).toContain('✗ c.engine\n  c.engine: it ends within its header, after 4 bytes\n')
    expect(stdout).toContain('✓ good.yaml\n')
    expect(stdout).toContain('✗ 4 rulesets (3 invalid), 0 cases, none failed')
  })

  test('skips other files in a folder, and refuses them by name', async () => {
    give('adult-check.json', adultCheck())
    give('package.json', { name: 'x' })
    give('limit.contract.json', { name: 'x', input: {} })
    give('node_modules/x/rule.json', { steps: 1 })
    give('.hidden/rule.json', { steps: 1 })
    give('notes.txt', 'hello')
    expect((await check()).stdout).toContain('✓ 1 ruleset, 0 cases')
    expect(await check('package.json')).toMatchObject({ code: 1, stdout: expect.stringContaining('✗ package.json') })
    expect((await check('notes.txt')).stdout).toContain('notes.txt: expected a name that ends in .json')
  })

  test.each([
    ['{', 'line 1, column 2'],
    ['{}', '`cases` is missing: the list of cases'],
    ['[1]', '`/0` must be an object, found number'],
    ['[{"name": "a", "expect": {"code": "A"}}, {"name": "a", "expect": {"code": "A"}}]', '`/1/name` is a duplicate: a'],
    ['[{"name": "a"}]', '`/0/expect` must be an object such as {"code": "OK"}'],
    [
      '[{"name": "a", "expect": {}}]',
      '`/0/expect` is empty: expect at least one of code, message, output, path or error',
    ],
    [
      '[{"name": "a", "expect": {"cod": "A"}}]',
      '`/0/expect/cod` is unknown: expected code, message, output, exact, path, tolerance, error',
    ],
    ['[{"name": "a", "expected": {"code": "A"}}]', '`/0/expected` is unknown: expected name, input, expect'],
    ['[{"name": "a", "expect": {"code": 1}}]', '`/0/expect/code` must be a text'],
    ['[{"name": "a", "now": "soon", "expect": {"code": "A"}}]', '`/0/now` must be a time such as'],
  ])('of invalid cases, %s: %s', async (cases, message) => {
    give('adult-check.json', adultCheck())
    give('adult-check.cases.json', cases)
    const { code, stdout } = await check()
    expect([code, stdout]).toEqual([1, expect.stringContaining(`adult-check.cases.json: `)])
    expect(stdout).toContain(message)
  })

  test('requires cases and coverage by option', async () => {
    give('adult-check.json', adultCheck())
    expect(await check('--require-cases')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('  there are no cases: expected adult-check.cases.json\n'),
    })
    give('adult-check.cases.json', GOOD.slice(0, 1))
    expect((await check('--min-coverage', '50')).code).toBe(0)
    expect(await check('--min-coverage', '51')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('  the cases take 50 % of the branches, but 51 % are required\n'),
    })
  })

  test('makes no external calls: stubs answer, the clock is given, rulesets in its folder are found', async () => {
    const ask = { action: 'external_call', service: 'network.http', method: 'get', params: [['url', '"http://x/"']] }
    give('asks.json', {
      config: { name: 'asks', entry_step: 'ask' },
      steps: {
        ask: {
          id: 'ask',
          type: 'action',
          actions: [
            { ...ask, result_variable: 'r' },
            { action: 'call_ruleset', ruleset_name: 'adult-check', result_variable: 'a' },
          ],
          next_step: 'end',
        },
        end: {
          id: 'end',
          type: 'terminal',
          result: {
            code: 'DONE',
            message: '',
            output: [
              ['score', '$r.payload.score'],
              ['adult', '$a.code'],
              ['year', 'year(now())'],
            ],
          },
        },
      },
    })
    give('adult-check.json', adultCheck())
    give('asks.cases.json', [
      {
        name: 'stubbed',
        input: { age: 30 },
        now: '1999-12-31T00:00:00Z',
        stubs: { 'network.http.get': { score: 7 } },
        expect: { code: 'DONE', output: { score: 7, adult: 'ADULT', year: 1999 } },
      },
      { name: 'without a stub', input: { age: 30 }, expect: { error: '`network.http.get` failed' } },
    ])
    const { code, stdout } = await check()
    expect([code, stdout]).toEqual([0, expect.stringContaining('✓ 2 rulesets, 2 cases, none failed')])
  })

  test('reports as JSON', async () => {
    give('adult-check.json', adultCheck())
    give('adult-check.cases.json', [...GOOD, { name: 'bad', expect: { code: 'X' } }])
    const { code, stdout } = await check('--format', 'json')
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      summary: { files: 1, cases: 3, failed: 1, isGood: false },
      rulesets: [
        {
          file: 'adult-check.json',
          name: 'adult-check',
          cases: [
            { name: 'of age', passed: true, path: ['check', 'yes'] },
            { name: 'too young', passed: true },
            { name: 'bad', passed: false, failures: ['code: expected "X", found "MINOR"'] },
          ],
          coverage: { branches: { covered: 2, total: 2, missing: [] } },
        },
      ],
    })
  })

  test('reports as JUnit, whatever names hold', async () => {
    give('adult-check.json', adultCheck())
    give('adult-check.cases.json', [GOOD[0], { name: '<&"\u0001\ud800', input: {}, expect: { code: '"<' } }])
    const { code } = await check('-f', 'junit', '-o', 'report.xml')
    expect(code).toBe(1)
    const xml = readFileSync(join(directory, 'report.xml'), 'utf8').replaceAll(/time="[\d.]+"/g, 'time="T"')
    expect(xml).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="adult-check.json" tests="3" failures="1">
    <testcase classname="adult-check.json" name="is a ruleset" time="T"/>
    <testcase classname="adult-check.json" name="of age" time="T"/>
    <testcase classname="adult-check.json" name="&lt;&amp;&quot;\uFFFD\uFFFD" time="T">
      <failure message="code: expected &quot;\\&quot;&lt;&quot;, found &quot;MINOR&quot;">code: expected &quot;\\&quot;&lt;&quot;, found &quot;MINOR&quot;</failure>
    </testcase>
  </testsuite>
</testsuites>
`)
  })

  test.each<[string[], number, RegExp]>([
    [['--format', 'xml'], 2, /argument 'xml' is invalid. Allowed choices are text, json, junit/],
    [['--min-coverage', 'much'], 2, /expected 0 to 100/],
    [['nowhere'], 1, /nowhere: cannot be read: it does not exist/],
    [['.'], 1, /there are no rule files here/],
    [['typegen'], 2, /missing required argument 'contract'/],
  ])('called with %j ends with %d', async (args, code, message) => {
    expect(await check(...args)).toEqual({ code, stdout: '', stderr: expect.stringMatching(message) })
  })
})

describe('typegen', () => {
  test('writes the file that the tests of the client are compiled with', async () => {
    const folder = join(import.meta.dirname, 'client')
    const { code } = await check('typegen', join(folder, 'credit-limit.contract.json'), '-o', 'made.ts')
    expect(code).toBe(0)
    expect(readFileSync(join(directory, 'made.ts'), 'utf8')).toBe(
      readFileSync(join(folder, 'credit-limit.contract.ts'), 'utf8'),
    )
  })

  const contract = (fields: unknown, outputs: unknown = []) => ({
    name: 'x',
    version: '1.0.0',
    input: { fields },
    outputs,
  })
  test.each<[unknown, string]>([
    ['{', 'line 1, column 2'],
    [[], '`` must be an object'],
    [{ name: 'x' }, '`/version` must be a text'],
    [{ name: 'x', version: '1' }, '`/input` must be an object'],
    [contract([{ name: 'a b', type: 'string' }]), '`/input/fields/0/name` must be a dotted path'],
    [contract([{ name: 'a', type: 'money' }]), '`a`: the type `money` is not known: expected string, number'],
    [
      contract([
        { name: 'a', type: 'string' },
        { name: 'a.b', type: 'string' },
      ]),
      '`a.b`: `a` is not an object',
    ],
    [
      contract([
        { name: 'a', type: 'string' },
        { name: 'a', type: 'string' },
      ]),
      '`a` is given twice',
    ],
    [contract([], [{ fields: [] }]), '`/outputs/0/code` must be a text'],
  ])('of %j is refused: %s', async (content, message) => {
    give('contract.json', content)
    const { code, stdout, stderr } = await check('typegen', 'contract.json')
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(`contract.json: `)])
    expect(stderr).toContain(message)
  })
})

describe('a fault inside an expression has its line and column in the file', () => {
  const terminal = { id: 'end', type: 'terminal', result: { code: 'A', message: '' } }
  test.each([
    [
      'JSON',
      'a.json',
      `{"config": {"name": "a", "entry_step": "s"},
 "steps": {
  "s": {"id": "s", "type": "decision", "branches": [
    {"next_step": "end",
     "condition": "name == \\"\\u00e4\\" &&\\n start_with(name, 1)"}]},
  "end": ${JSON.stringify(terminal)}}}`,
    ],
    [
      'a plain text in YAML',
      'a.yaml',
      `config: {name: a, entry_step: s}
steps:
  s:
    id: s
    type: decision
    branches:
      - condition: age > 3 && start_with(name, 1)
        next_step: end
  end: ${JSON.stringify(terminal)}
`,
    ],
    [
      'a literal block in YAML',
      'a.yaml',
      `config: {name: a, entry_step: s}
steps:
  s:
    id: s
    type: decision
    branches:
      - condition: |
          age > 3 &&
            start_with(name, 1)
        next_step: end
  end: ${JSON.stringify(terminal)}
`,
    ],
    [
      'a quoted text in YAML',
      'a.yaml',
      `config: {name: a, entry_step: s}
steps:
  s: {id: s, type: decision, branches: [{condition: 'name == "it''s" && start_with(name, 1)', next_step: end}]}
  end: ${JSON.stringify(terminal)}
`,
    ],
    [
      'the JSON form',
      'a.json',
      `{"config": {"name": "a", "entry_step": "s"},
 "steps": {
  "s": {"id": "s", "type": "decision", "branches": [
    {"next_step": "end",
     "condition": {"Binary": {"op": "And", "left": "b", "right": "a && start_with("}}}]},
  "end": ${JSON.stringify(terminal)}}}`,
      'Binary/right` expected an operand, found the end of the expression',
      /^"}}}/,
    ],
  ])(
    'in %s',
    async (
      _form,
      file,
      text,
      message = 'condition` there is no function `start_with`',
      found = /^(\\n )?start_with/,
    ) => {
      give(file, text)
      const { code, stdout } = await check(file)
      expect(code).toBe(1)
      const [, line = '', column = ''] = /:(\d+):(\d+): `\/steps\/s\/branches\/0\/condition/.exec(stdout) ?? []
      expect(text.split('\n')[Number(line) - 1]?.slice(Number(column) - 1), stdout).toMatch(found)
      // The position in the file states the place.
      expect(stdout).toMatch(new RegExp(`${RegExp.escape(message)}( \\(did you mean|$)`, 'm'))
    },
  )
})

describe('SARIF', () => {
  test('has problems, warnings, failed cases and requirements with their places', async () => {
    give('good.json', { ...adultCheck({ config: { name: 'good', colour: 1 } }) })
    give('good.cases.json', [{ name: 'wrong', input: { age: 1 }, expect: { code: 'ADULT' } }])
    give('bad.json', '{\n "config": {"name": "bad"},\n "steps": {}}')
    const { code, stdout } = await check('--format', 'sarif', '--min-coverage', '90')
    expect(code).toBe(1)
    const log = JSON.parse(stdout) as { runs: { tool: unknown; results: { ruleId: string; locations: unknown }[] }[] }
    const results = log.runs[0]?.results ?? []
    expect(results.map(({ ruleId }) => ruleId).sort()).toEqual(
      expect.arrayContaining(['failed-case', 'invalid', 'requirement', 'warning']),
    )
    expect(results.find(({ ruleId }) => ruleId === 'invalid')?.locations).toEqual([
      expect.objectContaining({
        physicalLocation: { artifactLocation: { uri: 'bad.json' }, region: { startLine: 2, startColumn: 2 } },
      }),
    ])
  })
})

describe('--rules-dir judges a folder as an engine loads it', () => {
  beforeEach(() => give('rules/adult-check.json', adultCheck()))
  const judged = () => check('--rules-dir', 'rules')

  test('a ruleset in the file of its name is good; hidden files, cases and contracts are none', async () => {
    give('rules/.versions/x.json', '{')
    give('rules/adult-check.cases.json', GOOD)
    give('rules/adult-check.contract.json', { name: 'x', input: {} })
    expect(await judged()).toMatchObject({ code: 0, stdout: expect.stringContaining('✓ 1 ruleset, 2 cases') })
  })

  test.each([
    [
      'other.json',
      adultCheck(),
      'other.json: not served: the file must be called like the ruleset in it, `adult-check`',
    ],
    [
      'adult-check.yaml',
      JSON.stringify(adultCheck()),
      'adult-check.yaml: not served: `adult-check.json` holds the ruleset',
    ],
    [
      'sub/fee.json',
      adultCheck({ config: { name: 'fee' } }),
      'sub/fee.json: not served: an engine without tenants reads no sub-folders',
    ],
    ['data.json', { rates: [1] }, 'data.json'],
  ])('%s is not served', async (file, content, message) => {
    give(`rules/${file}`, content)
    expect(await judged()).toMatchObject({ code: 1, stdout: expect.stringContaining(message) })
  })

  test('sub-folders are those of tenants where there is a file of tenants', async () => {
    give('rules/tenants.json', {})
    give('rules/acme/adult-check.json', adultCheck())
    expect(await judged()).toMatchObject({ code: 0, stdout: expect.stringContaining('✓ 2 rulesets') })
  })

  test('takes no paths', async () => {
    expect(await check('--rules-dir', 'rules', 'x')).toMatchObject({ code: 2 })
  })
})

test('a folder may name the files to skip in it', async () => {
  give('old/a.json', '{"steps": ')
  give('drafts-1.json', '{"steps": ')
  give('adult-check.json', adultCheck())
  expect(await check()).toMatchObject({ code: 1 })
  give('.engineignore', '# as they were stored\n\nold\ndrafts-*.json\n')
  expect(await check()).toMatchObject({ code: 0, stdout: expect.stringContaining('✓ 1 ruleset') })
})

test('without a rules directory names and folders are free', async () => {
  give('sub/other.json', adultCheck())
  expect(await check()).toMatchObject({ code: 0 })
})

test('drafts of the editor are checked, with faults at their place in the file', async () => {
  const terminal = { id: 'end', type: 'terminal', code: 'A' }
  const step = { id: 's', type: 'decision', branches: [{ id: 'b', condition: 'start_with(a)', nextStepId: 'end' }] }
  give('good.json', { config: { name: 'good' }, startStepId: 'end', steps: [terminal] })
  give('bad.json', JSON.stringify({ config: { name: 'bad' }, startStepId: 's', steps: [step, terminal] }, null, 1))
  const { code, stdout } = await check()
  expect([code, stdout]).toEqual([1, expect.stringContaining('✓ good.json')])
  expect(await runTool('engine', ['compile', '-i', 'good.json', '-o', 'rules/good.json'], directory)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('cannot be written: its folder does not exist'),
  })
  expect(await runTool('engine', ['compile', '-i', 'good.json', '-o', 'compiled.json'], directory)).toMatchObject({
    code: 0,
  })
  expect(JSON.parse(readFileSync(join(directory, 'compiled.json'), 'utf8'))).toMatchObject({
    config: { name: 'good', entry_step: 'end' },
  })
  expect(stdout).toMatch(/bad\.json:13:20: `\/steps\/0\/branches\/0\/condition` there is no function/)
})

test('the check of this repository is green', async () => {
  const { code, stdout } = await runTool('engine', ['check'], join(import.meta.dirname, '..'))
  expect(stdout.split('\n').filter((line) => line.startsWith('✗'))).toEqual([])
  expect(code).toBe(0)
})

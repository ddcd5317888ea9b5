import { Budget, EvaluationError, interpret, LENIENT, parseJson, read, type Value } from '@engine/expression'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { differencesIn, type Mode } from '../apps/engine-tools/src/migrate/expression-differences.ts'
import { partsOf, type Role } from '../apps/engine-tools/src/migrate/expressions.ts'
import { conditionWithout, fieldsRead } from '../apps/engine-tools/src/migrate/missing-fields.ts'
import { randomExpressions } from '../packages/ruleset/src/expression-text.testing.ts'
import { seededRandom } from '../packages/ruleset/src/random.testing.ts'
import { casesOf, printSeed, SEED } from './cases.testing.ts'
import { runTool } from './programs.testing.ts'

/** `code place text-after-migration` of an expression. */
function found(text: string, role: Role = 'condition', mode: Mode = 'lenient'): string[] {
  const parsed = read(text)
  if ('problems' in parsed) throw new Error(text)
  const { expression } = parsed
  return differencesIn({ path: '', role, expression, text, isText: true }, mode).map(
    ({ node, difference: { code, effect, write } }) =>
      `${code}${effect === 'fails' ? '!' : ''} ${text.slice(node.span.start, node.span.end)} -> ${write}`,
  )
}

describe('a missing field in a condition', () => {
  test.each<[condition: string, fields: string[]]>([
    ['a > 1', []],
    ['a == "x" && b', []],
    ['b || a == 1', ['b']],
    ['exists(b) && b || a == 1', []],
    ['a in [1, 2]', []],
    ['starts_with(a, "x")', []],
    ['exists(a) && a != 1', []],
    ['coalesce(a, 1) == 1', []],
    ['exists(a) || b == 1', []],
    ['a == null', ['a']],
    ['!a', ['a']],
    ['is_null(a)', ['a']],
    ['a != 1', ['a']],
    ['a not in [1]', ['a']],
    ['a == 1 || b == 1', ['a']],
    ['a == 1 || !(b == 1)', ['a', 'b']],
    ['!(a > 1 && b > 1)', ['a', 'b']],
    ['a.b == 1 || a.c == null', ['a.b', 'a.c']],
    ['if a then b else c', ['a']],
    ['a + 1 > 2', ['a!']],
    ['len(a) > 2', ['a!']],
    ['b && a + 1 > 2', ['a!']],
    ['a + 1 > 2 || b', ['a!']],
    ['coalesce(a, 1) == 1 || b != 2', ['b']],
    ['any(list, x => x.n != a)', ['list!', 'a']],
  ])('%s', (condition, fields) => {
    const reported = found(condition)
      .filter((line) => line.startsWith('missing-in-condition'))
      .map((line) => line.replace(/^missing-in-condition(!?) (\S+) -> .*$/, '$2$1'))
    expect(reported).toEqual(fields)
  })

  test('is reported in no other mode, where the origin fails as well', () => {
    expect(found('a == null', 'condition', 'strict')).toEqual([])
    expect(found('is_null(a)', 'condition', 'strict')).toEqual([
      'missing-in-test is_null(a) -> exists(a) && is_null(a)',
    ])
  })
})

const CONDITIONS = casesOf(20_000)

/**
 * The origin's meaning of a missing field in a condition, by our own strict mode: what stops there at a missing field is
 * false. Wherever that differs from the lenient mode, the field has been named.
 */
test(`${CONDITIONS} random conditions: every field whose absence decides otherwise is named`, () => {
  printSeed(CONDITIONS)
  const random = seededRandom(SEED)
  const texts = randomExpressions(random, [])
  let differing = 0
  for (let count = 0; count < CONDITIONS; count++) {
    const text = texts.condition()
    // The origin has no functions over items.
    if (text.includes('=>')) continue
    const parsed = read(text)
    if ('problems' in parsed) continue
    const { expression } = parsed
    const fields = [...fieldsRead(expression)]
    const [path, field] = fields[Math.floor(random() * fields.length)] ?? []
    const [first] = field?.path ?? []
    if (path === undefined || field === undefined || first?.kind !== 'name' || field.path.length > 1) continue
    const input: { [key: string]: Value } = {}
    for (const other of texts.fields) {
      const [head = '', tail] = other.startsWith('[') ? ['weird key'] : other.split('.')
      if (head === first.name) continue
      const value = texts.value()
      if (tail === undefined) input[head] = value
      else input[head] = { name: texts.value(), score: texts.value(), total: texts.value() }
    }
    const here = truth(expression, input, 'lenient')
    const there = truth(expression, input, 'strict')
    // An error here may come of the other fields, whose types are any.
    if (there === 'error' || here === 'error' || here === (there === 'missing' ? false : there)) continue
    differing++
    expect(conditionWithout(expression, field), `${text} without ${path}: ${JSON.stringify(input)}`).not.toBe('same')
  }
  expect(differing).toBeGreaterThan(CONDITIONS / 100)
})

function truth(expression: Parameters<typeof interpret>[0], input: Value, mode: 'lenient' | 'strict') {
  try {
    const runtime = { now: 0, budget: Budget.endless() }
    const value = interpret(expression, { input, variables: new Map(), policy: { ...LENIENT, mode }, runtime })
    return value !== null && value !== false && value !== 0 && value !== '' && !isEmpty(value)
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error
    return error.code.startsWith('missing') ? 'missing' : 'error'
  }
}

function isEmpty(value: Value): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

describe('other changes of meaning', () => {
  test.each<[expression: string, found: string[]]>([
    ['1 / 2', ['integer-division 1 / 2 -> to_int(1 / 2)']],
    ['6 / 2', []],
    ['[1.5 / 2, 3 / 2.0, 3 / 1e0]', []],
    ['1 + 2 * 3 - 4 % 2', []],
    ['1.0 == 2', ['float-equality 1.0 == 2 -> nothing, if the value is meant']],
    ['1.5 == 2', []],
    ['now()', ['now now() -> to_int(now_millis() / 1000)']],
    ['now_millis()', []],
    [
      'date_add(60, 1, "days")',
      ['seconds date_add(60, 1, "days") -> parse_time(date_add((60) * 1000, 1, "days"), "%FT%T.%fZ")'],
    ],
    ['day_of_week(60)', ['seconds day_of_week(60) -> day_of_week((60) * 1000)']],
    ['[time_of_day(60), time_diff(60, 0, "s"), format_time(60, "%F")]', []],
    ['to_string(1)', ['to-string to_string(1) -> json_marshal(1)']],
    ['type(1)', ['type-names type(1) -> `is_number`, `is_bool` and the like, or the names of here']],
    ['avg([1])', ['empty-average avg([1]) -> coalesce(avg([1]), 0)']],
    ['[min([1]), max(1, 2)]', ['one-argument min([1]) -> [1]']],
    ['len("ä")', ['text-units len("ä") -> nothing, if the text is ASCII']],
    ['substring("abc", -1)', ['negative-position substring("abc", -1) -> a position that is not negative']],
    ['slice([1, 2], 0, -1)', ['negative-position slice([1, 2], 0, -1) -> a position that is not negative']],
    ['slice([1, 2], 0)', []],
    ['split("ab", "")', ['empty-separator split("ab", "") -> array_concat([""], split("ab", ""), [""])']],
    ['split("a,b", ",")', []],
    [
      'coalesce(len(q), 0)',
      [
        'coalesce-of-expression! coalesce(len(q), 0) -> if exists(q) then len(q) else …',
        'text-units len(q) -> nothing, if the text is ASCII',
      ],
    ],
    ['coalesce(data.x, 0)', ['data-prefix data.x -> x']],
    ['x + 1', []],
    ['[x]', ['missing-in-value x -> a decision on `exists(x)` before this step, or `"field_missing": "strict"`']],
  ])('%s', (expression, differences) => expect(found(expression, 'value')).toEqual(differences))

  test('each proposal has the meaning of the origin', () => {
    const value = (text: string) => {
      const parsed = read(text)
      if ('problems' in parsed) throw new Error(text)
      const runtime = { now: 1_795_169_100_999, budget: Budget.endless() }
      return interpret(parsed.expression, { input: {}, variables: new Map(), policy: LENIENT, runtime })
    }
    const proposal = (text: string) => value(found(text, 'value')[0]?.split(' -> ')[1] ?? '')
    expect(proposal('-7 / 2')).toBe(-3)
    expect(proposal('now()')).toBe(1_795_169_100)
    expect(proposal('date_add(60, 1, "days")')).toBe(86_460)
    expect(proposal('day_of_week(1795169100)')).toBe(5)
    expect(proposal('to_string("a")')).toBe('"a"')
    expect(proposal('avg([])')).toBe(0)
    expect(proposal('split("ab", "")')).toEqual(['', 'a', 'b', ''])
  })
})

test('every part of a document that holds an expression, an action or a result is looked at', () => {
  const document = {
    steps: {
      'a/b': {
        branches: [{ condition: 'c1', actions: [{ action: 'metric', value: 'v1' }] }],
        actions: [
          { action: 'set_variable', value: { Field: 'v2' } },
          { action: 'external_call', params: [['p', 'v3']] },
          { action: 'call_ruleset', input_mapping: 'v4' },
        ],
        result: { output: [['o', 'v5'], 7, ['x', '(']], extra: 1 },
      },
      broken: 1,
    },
    sub_rules: { 's~': { steps: { u: { bindings: [['x', 'v6']], branches: 'none' } } }, broken: 1 },
  } satisfies Value
  const parts = partsOf(document)
  expect(parts.expressions.map(({ path, text, role }) => `${path} ${role} ${text}`)).toEqual([
    '/steps/a~1b/branches/0/condition condition c1',
    '/steps/a~1b/branches/0/actions/0/value value v1',
    '/steps/a~1b/actions/0/value value v2',
    '/steps/a~1b/actions/1/params/0/1 value v3',
    '/steps/a~1b/actions/2/input_mapping value v4',
    '/steps/a~1b/result/output/0/1 value v5',
    '/sub_rules/s~0/steps/u/bindings/0/1 binding v6',
  ])
  expect(parts.actions).toHaveLength(4)
  expect(parts.terminals).toHaveLength(1)
  expect(partsOf([])).toEqual({ expressions: [], actions: [], terminals: [] })
})

describe('engine-check migrate', () => {
  let directory: string

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'engine-migrate-'))
  })

  afterEach(() => rmSync(directory, { recursive: true }))

  const give = (file: string, content: string) => writeFileSync(join(directory, file), content)
  const migrate = (...args: string[]) => runTool('engine-check', ['migrate', ...args], directory)

  const RULESET = `{
  "config": { "name": "a", "entry_step": "s", "field_missing": "default" },
  "steps": {
    "s": { "id": "s", "type": "action", "next_step": "d", "actions": [
      { "action": "external_call", "service": "network.http", "method": "get", "params": [["url", "\\"http://x\\""]] } ] },
    "d": { "id": "d", "type": "decision", "default_next": "s", "branches": [
      { "condition": "n > 1 && data.n / 2 > 1", "next_step": "e" } ] },
    "e": { "id": "e", "type": "terminal", "result": { "code": "A", "message": "", "data": {"a": 1}, "more": 2 } }
  }
}
`

  test.each(['inputSchema', 'input_schema'])(
    'names an input contract of the origin, which would not be enforced: %s',
    async (member) => {
      const config = { name: 'a', entry_step: 'e', [member]: [{ name: 'age', type: 'number', required: true }] }
      const steps = { e: { id: 'e', type: 'terminal', result: { code: 'A' } } }
      give('a.json', JSON.stringify({ config, steps }))
      const { code, stdout } = await migrate()
      expect([code, stdout]).toEqual([1, expect.stringContaining(`\`/config/${member}\` input-schema`)])
    },
  )

  test('names each place, with its position and what to write, and ends with 1', async () => {
    give('a.json', RULESET)
    const { code, stdout, stderr } = await migrate()
    expect([code, stderr]).toEqual([1, ''])
    expect(stdout.split('\n')).toEqual([
      '✗ a.json',
      '  a.json:2:47: `/config/field_missing` default-mode',
      '    there  as `strict`: a condition over a missing field is an execution error',
      '    here   a missing field has its value in `config.defaults`, else null',
      '    write  `"field_missing": "strict"`',
      '  a.json:2:3: `/config` max-depth',
      '    there  an execution fails at step 101',
      '    here   an execution fails at step 1001',
      '    write  `"max_depth": 100`',
      '  a.json:5:7: `/steps/s/actions/0` call-without-variable',
      '    there  the rules wait for the call, and the execution fails when it fails',
      '    here   the rules continue, and a failure is logged and counted',
      '    write  a `result_variable`',
      '  a.json:8:83: `/steps/e/result/data` result-data',
      '    there  its members go to the output, and win over `output`',
      '    here   it goes to the output under its name',
      '    write  its members in `output`, as pairs of a name and `{"Literal": …}`',
      '  a.json:8:101: `/steps/e/result/more` result-field',
      '    there  a field that is not known is left out',
      '    here   it goes to the output under its name',
      '    write  nothing, or leave the field out',
      '  a.json:7:9: `/steps/d/branches/0/condition` missing-in-condition (an error here)',
      '    in     `n > 1 && data.n / 2 > 1`, column 10',
      '    there  the whole condition is false when `data.n` is missing',
      '    here   a missing `data.n` is null, and the execution fails',
      '    write  exists(data.n) && (n > 1 && data.n / 2 > 1)',
      '  a.json:7:9: `/steps/d/branches/0/condition` integer-division',
      '    in     `n > 1 && data.n / 2 > 1`, column 10',
      '    there  of two integers the quotient is cut to an integer: `7 / 2` is 3',
      '    here   a quotient keeps its fraction: `7 / 2` is 3.5',
      '    write  to_int(data.n / 2)',
      '  a.json:7:9: `/steps/d/branches/0/condition` data-prefix',
      '    in     `n > 1 && data.n / 2 > 1`, column 10',
      '    there  `data` is the input itself: `n`',
      '    here   a field of the input that is called `data`',
      '    write  n',
      '',
      '✗ 1 ruleset, 8 places differ',
      '',
    ])
  })

  test('shows characters that a terminal would obey by their code points', async () => {
    give('a.json', RULESET.replace('n > 1 &&', String.raw`'\u001b[2J\u202e' == n && n != 1 ||`))
    const { stdout } = await migrate('a.json')
    // oxlint-disable-next-line no-control-regex -- the characters that must be absent
    expect(stdout).not.toMatch(/[\u001b\u202e]/)
    expect(stdout).toContain("write  exists(data.n) && ('U+001B[2JU+202E' == n")
  })

  test('a ruleset that means the same ends with 0, in YAML too', async () => {
    give(
      'a.yaml',
      'config: {name: a, entry_step: e}\nsteps: {e: {id: e, type: terminal, result: {code: A, message: ""}}}\n',
    )
    expect(await migrate('a.yaml')).toEqual({
      code: 0,
      stdout: '✓ a.yaml\n\n✓ 1 ruleset, no place differs\n',
      stderr: '',
    })
  })

  test('a file that an engine would not take ends with 1, and what can be read of it is compared', async () => {
    give('a.json', RULESET.replace('n > 1 &&', 'uuid_v4() == u &&'))
    const { code, stdout } = await migrate('--format', 'json', 'a.json')
    const { summary, files } = (parseJson(stdout, { duplicateKeys: 'refuse' }) as { value: unknown }).value as Report
    expect(code).toBe(1)
    expect(files[0]?.name).toBeUndefined()
    expect(files[0]?.problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('there is no function `uuid_v4`'),
    ])
    expect(summary.codes['no-such-function']).toBe(1)
  })

  test('writes reports for programs and build servers, also to a file', async () => {
    give('a.json', RULESET)
    expect(await migrate('--format', 'json', '--output', 'report.json', 'a.json')).toEqual({
      code: 1,
      stdout: '',
      stderr: '',
    })
    const text = readFileSync(join(directory, 'report.json'), 'utf8')
    const { summary, files } = (parseJson(text, { duplicateKeys: 'refuse' }) as { value: unknown }).value as Report
    expect(summary).toMatchObject({
      files: 1,
      findings: 8,
      codes: { 'integer-division': 1, 'missing-in-condition': 1 },
    })
    expect(files[0]?.findings.find(({ code }) => code === 'data-prefix')).toEqual({
      code: 'data-prefix',
      effect: 'silent',
      path: '/steps/d/branches/0/condition',
      line: 7,
      column: 9,
      expression: 'n > 1 && data.n / 2 > 1',
      at: { line: 1, column: 10 },
      there: '`data` is the input itself: `n`',
      here: 'a field of the input that is called `data`',
      write: 'n',
    })
    const { stdout } = await migrate('--format', 'junit', 'a.json')
    expect(stdout).toContain('<testsuite name="a.json" tests="1" failures="1">')
    expect(stdout).toContain('write  to_int(data.n / 2)')
  })

  test('a wrong call ends with 2, and a folder without rules with 1', async () => {
    expect(await migrate('--format', 'xml')).toMatchObject({ code: 2 })
    expect(await migrate()).toMatchObject({ code: 1, stderr: 'there are no rule files here\n' })
  })
})

interface Report {
  readonly summary: { readonly codes: Readonly<Record<string, number>> }
  readonly files: readonly {
    readonly name?: string
    readonly problems: readonly { readonly message: string }[]
    readonly findings: readonly { readonly code: string }[]
  }[]
}

test('docs/migrating.md names every code', () => {
  const page = readFileSync(join(import.meta.dirname, '../docs/migrating.md'), 'utf8')
  const sources = ['expression-differences.ts', 'ruleset-differences.ts']
    .map((file) => readFileSync(join(import.meta.dirname, '../apps/engine-tools/src/migrate', file), 'utf8'))
    .join('')
  const codes = new Set(Array.from(sources.matchAll(/code: '([a-z-]+)'/g), ([, code]) => code))
  const named = Array.from(page.matchAll(/^\| (`[^|]+`) \|/gm), ([, cell = '']) =>
    Array.from(cell.matchAll(/`([a-z-]+)`/g), ([, code]) => code),
  ).flat()
  expect(new Set(named.filter((code) => code !== 'code'))).toEqual(codes)
})

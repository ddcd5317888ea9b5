import type { Problem } from '@engine/authoring'
import { describe, expect, test } from 'vitest'
import type { Outcome } from '../../compute/compute.ts'
import type { CaseOutcome, Results } from '../../compute/tasks.ts'
import type { TestRun } from './model.ts'
import { json } from '../../http/json-response.ts'
import { runAnswer, testRun } from './runs.ts'

type CasesOutcome = Outcome<Results['cases']>

const covered = (total: number, ...missing: readonly string[]) => ({ covered: total - missing.length, total, missing })
const COVERAGE = { steps: covered(4, 'a'), branches: covered(3, 'b', 'c'), rows: covered(200) }
const NOTHING = { steps: covered(0), branches: covered(0), rows: covered(0) }

const SUITES = [
  { name: 'first', cases: [{ id: '1', name: 'one', input: {}, expect: {} }] },
  {
    name: 'second',
    cases: [
      { id: '2', name: 'two', input: {}, expect: {} },
      { id: '3', name: 'three', input: {}, expect: {} },
    ],
  },
]
const outcome = (code: string, ...messages: readonly string[]): CaseOutcome => ({
  passed: messages.length === 0,
  failures: messages.map((message) => ({ kind: 'code', message })),
  actual: { code, message: '', output: {}, path: ['start', 'end'] },
  duration_us: code.length * 1500,
})
const done = (...outcomes: readonly CaseOutcome[]): CasesOutcome => ({
  kind: 'done',
  result: { kind: 'run', outcomes, coverage: COVERAGE },
})
const RUN = testRun(SUITES, done(outcome('A'), outcome('BB', 'is wrong'), outcome('CCC')))

describe('a run', () => {
  test('has the outcome of each case, with its suite, and the counts', () => {
    expect(RUN).toMatchObject({ total: 3, passed: 2, failed: 1, coverage: COVERAGE })
    expect(
      RUN.results.map(({ suite, case_id: id, name, passed, actual, duration_us }) => [
        suite,
        id,
        name,
        passed,
        actual.code,
        duration_us,
      ]),
    ).toEqual([
      ['first', '1', 'one', true, 'A', 1500],
      ['second', '2', 'two', false, 'BB', 3000],
      ['second', '3', 'three', true, 'CCC', 4500],
    ])
    expect(RUN.results[1]?.failures).toEqual([{ kind: 'code', message: 'is wrong' }])
    expect(RUN.results[1]?.actual.path).toEqual(['start', 'end'])
  })

  test('of no cases has none', () => {
    expect(testRun([], done())).toEqual({ total: 0, passed: 0, failed: 0, results: [], coverage: COVERAGE })
  })

  test('lists the first hundred parts of each kind that no case reached', () => {
    const names = (kind: string) => Array.from({ length: 101 }, (_, index) => `${kind} ${index}`)
    const coverage = {
      steps: covered(200, ...names('step')),
      branches: covered(300, ...names('branch')),
      rows: covered(400, ...names('row').slice(0, 100)),
    }
    const run = testRun([], { kind: 'done', result: { kind: 'run', outcomes: [], coverage } })
    expect(run.coverage).toEqual({
      steps: { covered: 99, total: 200, missing: names('step').slice(0, 100) },
      branches: { covered: 199, total: 300, missing: names('branch').slice(0, 100) },
      rows: { covered: 300, total: 400, missing: names('row').slice(0, 100) },
    })
  })

  const problem = (severity: Problem['severity'], path: string, message: string) =>
    ({ severity, path, message, code: 'x' }) as Problem
  test.each<readonly [string, CasesOutcome, string]>([
    ['was ended', { kind: 'over', message: 'it took more than 10 s' }, 'the run was ended: it took more than 10 s'],
    [
      'has a ruleset with errors',
      {
        kind: 'done',
        result: {
          kind: 'problems',
          problems: [
            problem('warning', '/steps/0', 'is not used'),
            problem('error', '/steps/1', 'is unknown'),
            problem('error', '/steps/2', 'is missing'),
          ],
        },
      },
      'the ruleset has errors: `/steps/1`: is unknown',
    ],
  ])('that %s fails every case with the reason', (_case, ended, message) => {
    const run = testRun(SUITES, ended)
    expect(run).toMatchObject({ total: 3, passed: 0, failed: 3, coverage: NOTHING })
    for (const result of run.results)
      expect(result).toMatchObject({
        passed: false,
        failures: [{ kind: 'ruleset', message }],
        actual: { code: null, output: null, path: [], error: message },
        duration_us: 0,
      })
  })
})

describe('the answer of a run', () => {
  const junit = (run: Parameters<typeof runAnswer>[1]) =>
    String(runAnswer({ headers: { accept: 'application/xml' } }, run, 'limits').body)

  test.each([
    [undefined, 'json'],
    ['*/*', 'json'],
    ['text/html', 'json'],
    ['application/json', 'json'],
    ['application/xml', 'xml'],
    ['Application/XML; q=0.9', 'xml'],
    ['text/x-tap', 'tap'],
    ['application/json, application/xml', 'json'],
    ['text/html, text/x-tap ,application/xml', 'tap'],
    ['application/xml,application/json', 'xml'],
  ] as const)('for `accept: %s` is %s', (accept, form) => {
    const found = runAnswer({ headers: { accept } }, RUN, 'limits')
    const start = { xml: '<?xml ', tap: 'TAP version 14' }
    const type = { xml: 'application/xml; charset=utf-8', tap: 'text/x-tap; charset=utf-8' }
    if (form === 'json') expect(found).toEqual(json(200, RUN))
    else expect(found).toEqual({ status: 200, type: type[form], body: expect.stringContaining(start[form]) })
  })

  test('as JUnit has the ruleset, the suite of each case, its failures and its time in seconds', () => {
    const text = junit(RUN)
    expect(text).toContain('<testsuite name="limits" tests="3" failures="1"')
    expect(text).toContain('second: two')
    expect(text).toContain('is wrong')
    expect(text).toContain('time="0.003000"')
  })

  test('of a project has each of its rulesets', () => {
    const one: TestRun = { ...RUN, results: RUN.results.slice(0, 1) }
    const run = {
      total: 4,
      passed: 3,
      failed: 1,
      rulesets: [
        { name: 'a', ...RUN },
        { name: 'b', ...one },
      ],
    }
    const text = junit(run)
    expect([...text.matchAll(/<testsuite name="(\w+)" tests="(\d)"/g)].map(([, ...found]) => found)).toEqual([
      ['a', '3'],
      ['b', '1'],
    ])
  })
})

import { describe, expect, test } from 'vitest'
import type { Compute, Outcome } from '../../compute/compute.ts'
import type { CaseOutcome, Results } from '../../compute/tasks.ts'
import { runAttached } from './attached-tests.ts'
import type { Copy } from './snapshot.ts'

type Ran = Outcome<Results['cases']>

const part = (covered: number, total: number, missing: readonly string[] = []) => ({ covered, total, missing })
const outcome = (passed: boolean): CaseOutcome => ({
  passed,
  failures: passed ? [] : [{ kind: 'code', message: 'another code' }],
  actual: { code: 'OK', message: '', output: {}, path: ['end'] },
  duration_us: 5,
})

const ran = (...passed: readonly boolean[]): Ran => ({
  kind: 'done',
  result: {
    kind: 'run',
    outcomes: passed.map(outcome),
    coverage: { steps: part(1, 2, ['s']), branches: part(2, 3, ['b']), rows: part(3, 4, ['r']) },
  },
})

/** A copy with suites, whose cases have their number as id and name. */
const copy = (name: string, suites: Readonly<Record<string, number>>): Copy =>
  ({
    name,
    subject: { name },
    suites: Object.entries(suites).map(([suite, count]) => ({
      id: suite,
      name: suite,
      cases: Array.from({ length: count }, (_, index) => ({ id: `${index}`, name: `${suite} ${index}` })),
    })),
  }) as unknown as Copy

/** Runs the suites of copies, whose runs end like this in turn. */
async function attached(copies: readonly Copy[], ...ends: readonly Ran[]) {
  const asked: number[] = []
  const left = [...ends]
  const compute = {
    async run({ cases }: { readonly cases: readonly unknown[] }) {
      asked.push(cases.length)
      return left.shift()
    },
  } as unknown as Compute
  return { run: await runAttached(compute, copies), asked }
}

describe('the tests of a release', () => {
  test('are those of all suites of all rulesets, which count together', async () => {
    const copies = [copy('fee', { a: 1, b: 1 }), copy('toll', { a: 2 })]
    const { run, asked } = await attached(copies, ran(true, false), ran(true, true))
    expect(asked).toEqual([2, 2])
    expect(run).toMatchObject({ total: 4, passed: 3, failed: 1 })
    expect(run.coverage).toEqual({
      steps: part(2, 4, ['s', 's']),
      branches: part(4, 6, ['b', 'b']),
      rows: part(6, 8, ['r', 'r']),
    })
  })

  test('list failed cases first, with the names of their rulesets where there are several', async () => {
    const copies = [copy('fee', { a: 1, b: 1 }), copy('toll', { a: 1 })]
    const { run } = await attached(copies, ran(true, false), ran(false))
    const shown = run.results.map(({ suite, name, passed, failures }) => [suite, name, passed, failures.length])
    expect(shown).toEqual([
      ['fee/b', 'b 0', false, 1],
      ['toll/a', 'a 0', false, 1],
      ['fee/a', 'a 0', true, 0],
    ])
    const { run: alone } = await attached([copy('fee', { a: 1 })], ran(true))
    expect(alone.results).toMatchObject([{ suite: 'a', case_id: '0', actual: { code: 'OK', path: ['end'] } }])
  })

  test('are not run for a ruleset without cases', async () => {
    const { run, asked } = await attached([copy('fee', {}), copy('toll', { a: 0 })])
    expect([asked, run.total, run.failed, run.results]).toEqual([[], 0, 0, []])
  })

  test.each<readonly [string, Ran, string]>([
    ['cannot be executed in time', { kind: 'over', message: 'too long' }, 'the run was ended: too long'],
    [
      'are of a ruleset with errors',
      {
        kind: 'done',
        result: {
          kind: 'problems',
          problems: [
            { path: '/w', code: 'w', message: 'a warning', severity: 'warning' },
            { path: '/e', code: 'e', message: 'an error', severity: 'error' },
          ],
        },
      },
      'the ruleset has errors: `/e`: an error',
    ],
  ])('that %s have failed', async (_, end, message) => {
    const { run } = await attached([copy('fee', { a: 2 })], end)
    expect(run).toMatchObject({ total: 2, passed: 0, failed: 2, coverage: { steps: { covered: 0, total: 0 } } })
    expect(run.results.map(({ failures, actual }) => [failures, actual.error])).toEqual([
      [[{ kind: 'ruleset', message }], message],
      [[{ kind: 'ruleset', message }], message],
    ])
  })

  test('keep all failures among the first two hundred results, and count the others', async () => {
    const passed = [...Array.from({ length: 250 }, () => true), false]
    const { run } = await attached([copy('fee', { a: 251 })], ran(...passed))
    expect([run.total, run.failed, run.results.length, run.results[0]?.passed]).toEqual([251, 1, 200, false])
  })
})

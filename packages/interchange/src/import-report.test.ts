import type { Case, DraftRuleset } from '@engine/authoring'
import { makeFunction } from '@engine/expression'
import { expect, test } from 'vitest'
import type { Loss } from './conversion-result.ts'
import { importReport } from './import-report.ts'

const HOST = { now: () => 0, monotonic: () => 0, makeFunction }

const ruleset = (value: string): DraftRuleset => ({
  config: { name: 'a', numbers: 'decimal' },
  startStepId: 'end',
  steps: [{ id: 'end', type: 'terminal', code: 'A', output: [{ name: 'y', value }] }],
})
const expected = (name: string, y: number): Case => ({ name, input: { x: 1 }, expect: { output: { y } } })
const problem = (severity: Loss['severity'], code: string, path = ''): Loss => ({
  path,
  code,
  message: `${code} at ${path}`,
  severity,
})
const report = (lost: readonly Loss[], cases: readonly Case[] = [], value = 'x + 1') =>
  importReport([{ document: 'd', imported: { rulesets: [{ name: 'a', ruleset: ruleset(value), cases }], lost } }], HOST)

test.each([
  ['exact, without cases', [], [], 'ready'],
  ['exact, with a case that passes', [], [expected('one', 2)], 'ready'],
  ['exact, with a case that fails', [], [expected('one', 3)], 'review'],
  ['with information alone', [problem('info', 'i')], [], 'ready'],
  ['with a warning', [problem('warning', 'w')], [], 'review'],
  ['with an error', [problem('warning', 'w'), problem('error', 'e')], [], 'refused'],
] as const)('a document that is %s', async (_, lost, cases, verdict) => {
  const { documents, summary } = await report(lost, cases)
  expect(documents[0]?.verdict).toBe(verdict)
  expect(summary).toMatchObject({ documents: 1, ready: 0, review: 0, refused: 0, [verdict]: 1 })
})

test('a document without a ruleset is refused', async () => {
  const { documents } = await importReport([{ document: 'd', imported: { rulesets: [], lost: [] } }], HOST)
  expect(documents).toEqual([{ document: 'd', verdict: 'refused', rulesets: [], cases: [] }])
})

test('cases are executed with the ruleset', async () => {
  const { documents, summary } = await report([], [expected('one', 2), expected('two', 3)])
  expect(documents[0]?.cases).toEqual([
    { ruleset: 'a', name: 'one', passed: true, failures: [] },
    { ruleset: 'a', name: 'two', passed: false, failures: ['output: expected {"y":3}, found {"y":2}'] },
  ])
  expect([summary.cases, summary.failed]).toEqual([2, 1])
})

test('cases of a refused document are not run', async () => {
  expect((await report([problem('error', 'e')], [expected('one', 2)])).documents[0]?.cases).toEqual([])
})

test('a case of a ruleset that cannot be executed fails with its problem', async () => {
  const { documents } = await report([], [expected('one', 2)], 'no_such_function(x)')
  expect(documents[0]?.cases[0]).toMatchObject({ passed: false, failures: [expect.stringContaining('not run: ')] })
})

test('reasons are grouped by kind, errors first and information last, then by count', async () => {
  const lost = [
    problem('info', 'i', '/0'),
    problem('info', 'i', '/0'),
    problem('info', 'i', '/0'),
    problem('warning', 'w', '/1'),
    problem('warning', 'v', '/2'),
    problem('warning', 'v', '/3'),
    { ...problem('error', 'v', '/4'), line: 2, column: 5 },
  ]
  expect((await report(lost)).reasons).toEqual([
    {
      severity: 'error',
      code: 'v',
      count: 1,
      places: [{ document: 'd', path: '/4', message: 'v at /4', line: 2, column: 5 }],
    },
    {
      severity: 'warning',
      code: 'v',
      count: 2,
      places: [
        { document: 'd', path: '/2', message: 'v at /2' },
        { document: 'd', path: '/3', message: 'v at /3' },
      ],
    },
    { severity: 'warning', code: 'w', count: 1, places: [{ document: 'd', path: '/1', message: 'w at /1' }] },
    {
      severity: 'info',
      code: 'i',
      count: 3,
      places: [0, 0, 0].map((at) => ({ document: 'd', path: `/${at}`, message: `i at /${at}` })),
    },
  ])
})

test('of one kind the first 100 places are listed, and all are counted', async () => {
  const lost = Array.from({ length: 101 }, (_, index) => problem('warning', 'w', `/${index}`))
  const [reason] = (await report(lost)).reasons
  expect([reason?.count, reason?.places.length]).toEqual([101, 100])
})

test('a document of information alone, without a ruleset, is ready', async () => {
  const imported = (severity: Loss['severity']) => ({ rulesets: [], lost: [problem(severity, 'x')] })
  const verdicts = (['info', 'warning', 'error'] as const).map(async (severity) => {
    const { documents } = await importReport([{ document: 'd', imported: imported(severity) }], HOST)
    return documents[0]?.verdict
  })
  expect(await Promise.all(verdicts)).toEqual(['ready', 'refused', 'refused'])
})

test('documents are counted by their verdicts, and cases of all of them', async () => {
  const document = (lost: readonly Loss[], cases: readonly Case[]) => ({
    document: 'd',
    imported: { rulesets: [{ name: 'a', ruleset: ruleset('x + 1'), cases }], lost },
  })
  const all = [
    document([], [expected('one', 2), expected('two', 2)]),
    document([problem('warning', 'w')], [expected('one', 3)]),
    document([problem('error', 'e')], [expected('one', 2)]),
    document([], []),
  ]
  const { summary } = await importReport(all, HOST)
  expect(summary).toEqual({ documents: 4, ready: 2, review: 1, refused: 1, cases: 3, failed: 1 })
})

test('a case of a ruleset that cannot be executed names the first error of the draft', async () => {
  const { documents } = await report([], [expected('one', 2)], 'x +')
  expect(documents[0]?.cases[0]?.failures).toEqual([expect.stringMatching(/^not run: [^.]*(?:expression|found|ends)/)])
})

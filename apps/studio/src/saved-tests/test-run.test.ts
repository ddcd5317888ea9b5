import { expect, test } from 'vitest'
import { type ShownRun, withResults } from './test-run.ts'

const result = (id: string, passed: boolean) => ({ case_id: id, passed }) as ShownRun['results'][number]
const none = { covered: 0, total: 0, missing: [] }
const coverage = { steps: { covered: 3, total: 4, missing: ['`ask`'] }, branches: none, rows: none }
const known: ShownRun = { results: [result('a', true), result('b', false), result('c', true)], coverage }

test.each([
  { title: 'replaces a result in its place', known, ran: [result('b', true)], shown: 'a+ b+ c+' },
  { title: 'adds a test that had not run', known, ran: [result('d', false)], shown: 'a+ b- c+ d-' },
  { title: 'takes several in any order', known, ran: [result('c', false), result('a', false)], shown: 'a- b- c-' },
  { title: 'begins without results', known: undefined, ran: [result('b', false)], shown: 'b-' },
])('a run of some tests $title', ({ known: before, ran, shown }) => {
  const { results, coverage: reached } = withResults(before, { results: ran })
  expect(results.map(({ case_id: id, passed }) => `${id}${passed ? '+' : '-'}`).join(' ')).toBe(shown)
  expect(reached).toBe(before?.coverage)
})

import type { DraftRuleset } from '@engine/authoring'
import { expect, test } from 'vitest'
import { errorsOf } from './draft-errors.ts'
import { action, end, table } from './steps.testing.ts'

const rows = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `r${index}`, cells: { i: '1', o: '2' } }))
const draft = (...counts: readonly number[]): DraftRuleset => ({
  config: { name: 'd' },
  startStepId: 'a',
  steps: [
    ...counts.map((count, index) => table({}, { id: index === 0 ? 'a' : `t${index}`, rows: rows(count) })),
    ...(counts.length === 0 ? [action('1 +')] : []),
    end,
  ],
})

test('a draft is checked up to 20,000 rows', () => {
  expect(errorsOf(draft(20_000))?.filter(({ code }) => code === 'syntax')).toEqual([])
  expect(errorsOf(draft(12_000, 8001))).toBeUndefined()
  expect(errorsOf(draft(20_001))).toBeUndefined()
})

test('the errors of a draft are those of its conversion', () => {
  expect(errorsOf(draft())?.map(({ path, severity }) => [path, severity])).toEqual([
    ['/steps/0/assignments/0/value', 'error'],
  ])
})

import '../api/loaded-client.testing.ts'
import { expect, test } from 'vitest'
import { countsIn } from './last-hour.ts'

const of = (name: string, ...values: readonly number[]) => ({ name, points: values.map((value) => ({ value })) })

test.each([
  [[], { decisions: 0, errors: 0 }],
  [[of('executions', 1, 2), of('errors', 4), of('executions', 8)], { decisions: 11, errors: 4 }],
  [[of('executions'), of('memory', 9)], { decisions: 0, errors: 0 }],
])('the series %j count %j', (series, counts) => {
  expect(countsIn(series)).toEqual(counts)
})

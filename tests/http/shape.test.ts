import { EvalRequest, FilterRequest } from '@engine/api'
import { expect, test } from 'vitest'
import { shapeFaults } from '@engine/http-api'

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`c${index}`, index]))
const items = Array.from({ length: 10_001 }, (_, index) => index)

test.each<[name: string, part: unknown, noun: string]>([
  ['columns', many(10_001), 'members'],
  ['field_mapping', many(10_001), 'members'],
  ['target_results', items, 'items'],
  ['not_null', items, 'items'],
])('too many %s are told by their number, before each is looked at', (name, part, noun) => {
  const request = { known_input: {}, target_results: ['YES'], [name]: part }
  expect(shapeFaults(FilterRequest, request)).toEqual([
    { path: `/${name}`, message: `must have at most 10000 ${noun}, found 10001` },
  ])
})

test('what was given in the place of a missing member is looked for among the first hundred', () => {
  const [near] = shapeFaults(EvalRequest, { expresion: '1', ...many(10) })
  expect(near).toMatchObject({ path: '/expression', suggestion: 'expression' })
  const [far] = shapeFaults(EvalRequest, { ...many(50_000), expresion: '1' })
  expect(far).toEqual({ path: '/expression', message: 'is missing' })
})

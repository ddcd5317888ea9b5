import { expect, test } from 'vitest'
import { DIALECTS } from './dialect.ts'
import { SqlParameters } from './sql-parameters.ts'

test('placeholders are numbered, and each has its value', () => {
  const parameters = new SqlParameters(DIALECTS.postgres)
  const text = `a = ${parameters.text('x')} AND b > ${parameters.number(2.5)}`
  expect(parameters.render(text)).toEqual({ text: 'a = $1 AND b > CAST($2 AS numeric)', params: ['x', 2.5] })
})

test.each<[lost: string, write: (one: string, other: string) => string, message: string]>([
  ['one is left out', (one) => one, '1 placeholders for 2 values'],
  ['the first is left out', (_one, other) => other, 'placeholder 1 of a filter would get the value of placeholder 2'],
  ['one is repeated', (one, other) => one + one + other, 'placeholder 2 of a filter'],
  ['they change places', (one, other) => other + one, 'placeholder 1 of a filter'],
])('a condition in which %s is an error', (_lost, write, message) => {
  const parameters = new SqlParameters(DIALECTS.mysql)
  const [one, other] = [parameters.text('a'), parameters.text('b')]
  expect(() => parameters.render(write(one, other))).toThrow(message)
})

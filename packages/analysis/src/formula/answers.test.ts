import { type Expression, parse, parsePath, print } from '@engine/expression'
import { expect, test } from 'vitest'
import { answerMember, answerOf, mayBeEqual, partOfAnswer } from './answers.ts'

function read(text: string): Expression {
  const parsed = parse(text)
  if (parsed.kind === 'failed') throw new Error(text)
  return parsed.expression
}

test.each<[one: string, other: string, may: boolean]>([
  ['{}', '{}', true],
  ['{"k": 1}', '{"k": 1}', true],
  ['{"k": 1}', '{"k": 1.0}', true],
  ['{"k": 1}', '{"k": 2}', false],
  ['{"k": 1}', '{}', false],
  ['{}', '{"k": 1}', false],
  ['{"k": 1}', '{"l": 1}', false],
  ['{"k": "a"}', '{"k": "a"}', true],
  ['{"k": "a"}', '{"k": "b"}', false],
  ['{"k": "1"}', '{"k": 1}', false],
  ['{"k": null}', '{"k": false}', false],
  ['{"k": n}', '{"k": 1}', true],
  ['{"k": 1}', '{"k": n}', true],
  ['{"k": n, "l": 1}', '{"k": 1, "l": 2}', false],
  ['{"l": 1, "k": n}', '{"k": m, "l": 1}', true],
  // Numbers inside of lists have several texts.
  ['{"k": [1]}', '{"k": [1.0]}', true],
  ['{"k": [1]}', '{"k": 1}', true],
  ['$unknown', '{"k": 1}', true],
  ['{"k": 1}', '$unknown', true],
])('whether %s and %s may ask the same: %s', (one, other, may) => {
  expect(mayBeEqual(read(one), read(other))).toBe(may)
})

test.each<[path: string, part: string | undefined]>([
  ['payload', '$["answer of s.m #1"].payload'],
  ['payload.score', '$["answer of s.m #1"].payload.score'],
  ['metadata.status', '$["answer of s.m #1"].metadata.status'],
  ['capability', '"s"'],
  ['operation', '"m"'],
  ['capability.x', undefined],
  ['other', undefined],
])('the part of an answer at %s', (text, part) => {
  const parsed = parsePath(text)
  if (parsed.kind === 'failed' || parsed.expression.kind !== 'field') throw new Error(text)
  const { path } = parsed.expression
  const call = { service: 's', method: 'm' }
  const found = partOfAnswer(answerOf(call, answerMember(call, '#1')), path)
  expect(found && print(found)).toBe(part)
  expect(partOfAnswer(read('{"payload": n, "metadata": 1, "other": 2}'), path)).toBeUndefined()
})

import type { Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { CaseAnswers, caseStubs } from './case-answers.ts'

const CALL = { service: 's', method: 'get', parameters: { k: 1 } }

test.each<[title: string, stubs: Readonly<Record<string, Value>>, payload: Value | undefined]>([
  ['is answered', { 's.get': 7 }, 7],
  ['is answered by null', { 's.get': null }, null],
  ['is answered by an object with an error and more', { 's.get': { error: 'x', more: 1 } }, { error: 'x', more: 1 }],
  ['is answered by an object whose error is no text', { 's.get': { error: 1 } }, { error: 1 }],
  ['fails', { 's.get': { error: 'x' } }, undefined],
  ['fails without an answer', { 's.put': 7 }, undefined],
])('a call %s', (_title, stubs, payload) => {
  const answer = payload === undefined ? {} : { answer: { payload, metadata: { stub: 'true' } } }
  expect(new CaseAnswers(stubs).take('s', 'get', { k: 1 })).toStrictEqual({ ...CALL, ...answer })
})

test('the stubs of a case are the first answers of each method', () => {
  const answer = (payload: Value) => ({ ...CALL, answer: { payload } })
  expect(
    caseStubs([
      answer(1),
      answer(2),
      { ...CALL, method: 'put', error: 'x' },
      { ...CALL, service: 't', answer: {} },
      { ...CALL, method: 'post' },
    ]),
  ).toEqual({ 's.get': 1, 's.put': { error: 'x' }, 't.get': null, 's.post': { error: 'failed' } })
})

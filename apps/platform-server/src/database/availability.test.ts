import { describe, expect, test } from 'vitest'
import {
  CommitOutcomeUnknown,
  failedCommit,
  hasLostRace,
  hasNoConnectionLeft,
  isUnavailable,
  isUncommitted,
} from './availability.ts'

const coded = (code: string) => Object.assign(new Error('failed'), { code })

describe('a database is unavailable by', () => {
  test.each<[string, unknown]>([
    ...[
      'ECONNREFUSED',
      'ECONNRESET',
      'EPIPE',
      'ENOTFOUND',
      'EAI_AGAIN',
      'ETIMEDOUT',
      'EHOSTUNREACH',
      'ENETUNREACH',
    ].map((code): [string, unknown] => [`the network error ${code}`, coded(code)]),
    ...['57P01', '57P02', '57P03', '53300', '25006', '25P03', '57014', '08000', '08006', '08P01'].map(
      (state): [string, unknown] => [`the SQLSTATE ${state}`, coded(state)],
    ),
    ...[
      'Connection terminated unexpectedly',
      'timeout exceeded when trying to connect',
      'Client has encountered a connection error and is not queryable',
      'Query read timeout',
      'the embedded database has ended',
    ].map((message): [string, unknown] => [`the message "${message}"`, new Error(message)]),
    ['one of several addresses', new AggregateError([new Error('other'), coded('ECONNREFUSED')])],
    ['a commit without an answer', new CommitOutcomeUnknown(new Error('gone'))],
  ])('%s', (_title, error) => {
    expect(isUnavailable(error)).toBe(true)
  })

  test.each<[string, unknown]>([
    ['a constraint', coded('23505')],
    ['a syntax error', coded('42601')],
    ['a race', coded('40001')],
    ['another system error', coded('ENOENT')],
    ['another message', new Error('a Query read timeout')],
    ['several others', new AggregateError([new Error('other'), coded('23505')])],
    ['no error', { code: 'ECONNREFUSED' }],
  ])('but not %s', (_title, error) => {
    expect([isUnavailable(error), isUncommitted(error)]).toEqual([false, false])
  })
})

test('a transaction may be repeated if it failed before its commit', () => {
  expect(isUncommitted(coded('ECONNRESET'))).toBe(true)
  expect(isUncommitted(failedCommit(coded('ECONNRESET')))).toBe(false)
})

test('a commit that the database refused has a known outcome', () => {
  const [broken, refused] = [coded('ECONNRESET'), coded('23505')]
  expect(failedCommit(broken)).toMatchObject({ name: 'CommitOutcomeUnknown', cause: broken })
  expect(failedCommit(refused)).toBe(refused)
})

test.each<[string, boolean, boolean]>([
  ['40001', true, false],
  ['40P01', true, false],
  ['53300', false, true],
  ['23505', false, false],
])('SQLSTATE %s: a lost race %s, no connection left %s', (state, isRace, isFull) => {
  expect([hasLostRace(coded(state)), hasNoConnectionLeft(coded(state))]).toEqual([isRace, isFull])
})

import { StartError } from '@engine/process'
import { describe, expect, test } from 'vitest'
import {
  caseConflict,
  causeText,
  diskFailure,
  errorCode,
  isDiskFailure,
  noTurn,
  notOurDirectory,
  notWritable,
  slowDisk,
  unsettled,
} from './errors.ts'
import { StoreError } from './store.ts'

const system = (code: unknown) => Object.assign(new Error('/secret/path'), { code })

describe('the cause of a failed operation', () => {
  test.each<[cause: unknown, code: string, isDisk: boolean, text: string]>([
    [system('ENOSPC'), 'ENOSPC', true, 'the disk that holds the rules directory is full'],
    [system('EIO'), 'EIO', true, 'the disk that holds the rules directory reports an input/output error'],
    [system('EROFS'), 'EROFS', true, 'the rules directory is on a read-only file system'],
    [system('EOTHER'), 'EOTHER', true, 'the rules directory cannot be used (EOTHER)'],
    [
      system('ERR_INVALID_ARG_TYPE'),
      'ERR_INVALID_ARG_TYPE',
      false,
      'the rules directory cannot be used (ERR_INVALID_ARG_TYPE)',
    ],
    [system(5), 'unknown error', false, 'the rules directory cannot be used (unknown error)'],
    [new TypeError('a defect'), 'unknown error', false, 'the rules directory cannot be used (unknown error)'],
    ['thrown', 'unknown error', false, 'the rules directory cannot be used (unknown error)'],
    [new StoreError('conflict', 'is taken'), 'conflict', true, 'is taken'],
  ])('%s', (cause, code, isDisk, text) => {
    expect([errorCode(cause), isDiskFailure(cause), causeText(cause)]).toEqual([code, isDisk, text])
  })

  test('of a start is its message', () => {
    expect(causeText(new StartError('--rules-dir: no'))).toBe('--rules-dir: no')
  })

  test('shows no path', () => {
    for (const code of ['ENOENT', 'EACCES', 'EXDEV', 'EOTHER']) expect(causeText(system(code))).not.toContain('secret')
  })
})

test('errors name the ruleset, and what became of it', () => {
  const full = system('ENOSPC')
  expect(
    [caseConflict('Fee', 'fee'), diskFailure('fee', 'stored', full), unsettled('fee', 'stored', full)].map(
      ({ code, message }) => [code, message],
    ),
  ).toEqual([
    ['conflict', '`Fee` differs only by case from the stored ruleset `fee`'],
    ['disk', '`fee` was not stored: the disk that holds the rules directory is full'],
    ['disk', '`fee` was stored, but a power failure may undo that: the disk that holds the rules directory is full'],
  ])
  expect([notOurDirectory('`.versions`', 'link').message, notOurDirectory('`.versions`', 'file').message]).toEqual([
    '`.versions` is a symbolic link, and those are not followed',
    '`.versions` is no directory',
  ])
})

test('a probe says which check has failed', () => {
  expect([noTurn(5), slowDisk(5), notWritable(system('EROFS'))]).toEqual([
    { ok: false, check: 'store_lock', reason: 'the store gave no turn within 5 ms' },
    { ok: false, check: 'disk_writable', reason: 'the disk did not answer within 5 ms' },
    { ok: false, check: 'disk_writable', reason: 'the rules directory is on a read-only file system' },
  ])
})

import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { StartError, starting, systemReason } from './start-error.ts'

test('an error of the system names the option, the value and the reason', async () => {
  const work = starting('--http-tls-key', '/nowhere/key.pem', () => readFile('/nowhere/key.pem'))
  await expect(work).rejects.toThrow(
    new StartError('--http-tls-key: cannot use `/nowhere/key.pem`: no such file or directory'),
  )
})

test('a defect passes as it is', async () => {
  const defect = new TypeError('x is not a function')
  await expect(starting('--rules-dir', 'r', () => Promise.reject(defect))).rejects.toBe(defect)
})

test('a result passes as it is', async () => {
  expect(await starting('--rules-dir', 'r', () => 42)).toBe(42)
})

test.each([
  [Object.assign(new Error('x'), { code: 'EADDRINUSE' }), 'it is in use'],
  [Object.assign(new Error('x'), { code: 'EXOTIC' }), 'EXOTIC'],
  [Object.assign(new Error('x'), { code: 'ERR_INVALID_ARG_TYPE' }), undefined],
  [new Error('x'), undefined],
  ['EACCES', undefined],
])('the reason of %o is %j', (error, reason) => {
  expect(systemReason(error)).toBe(reason)
})

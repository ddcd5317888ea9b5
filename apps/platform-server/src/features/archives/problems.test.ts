import { HttpError } from '@engine/http-server'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { failures, PlatformError } from '../../errors.ts'
import { ImportProblems, refusal, RefusedImport } from './problems.ts'

const FILE = 'facts/age.json'
const attempt = async (error: Error) => {
  const problems = new ImportProblems()
  const isDone = await problems.attempt(FILE, () => Promise.reject(error))
  return [isDone, problems.found.map(({ path, code, message }) => `${path} ${code} ${message}`)]
}

test.each<[title: string, error: Error, expected: readonly string[]]>([
  ['an invalid document', failures.invalid('/type', 'is unknown', 'unknown-type'), ['/type unknown-type is unknown']],
  ['a detail without a code', failures.invalid('/type', 'is unknown'), ['/type refused is unknown']],
  ['a refusal without details', new HttpError('invalid-request', 'too many'), [' refused too many']],
  ['a conflict', failures.conflict('name_taken', 'is taken'), [' name_taken is taken']],
])('%s is a problem of its file, and the import continues', async (_title, error, expected) => {
  expect(await attempt(error)).toEqual([false, expected])
})

test.each<[title: string, error: Error]>([
  ['a missing right', failures.forbidden('you may not', 'fact.edit')],
  ['a defect', new Error('a defect')],
  ['an outage', new PlatformError('unavailable', 'the database is away')],
  ['an unknown resource', failures.notFound('fact', 'age')],
])('%s ends the import', async (_title, error) => {
  await expect(attempt(error)).rejects.toBe(error)
})

test('a step without an error is done', async () => {
  const problems = new ImportProblems()
  expect(await problems.attempt(FILE, () => Promise.resolve())).toBe(true)
  problems.refuse()
  expect(problems.found).toEqual([])
})

test('an import with problems is refused with all of them, at most a thousand', () => {
  const problems = new ImportProblems()
  for (let count = 0; count < 1001; count++) problems.add(FILE, `/${count}`, 'c', 'm')
  expect(problems.found).toHaveLength(1000)
  expect(problems.found.at(-1)).toEqual({ file: FILE, path: '/999', code: 'c', message: 'm', severity: 'error' })
  expect(() => problems.refuse()).toThrow(RefusedImport)
})

test('a document of another shape is a problem at each fault', () => {
  const problems = new ImportProblems()
  const schema = Type.Object({ a: Type.Integer(), b: Type.Integer() })
  expect(problems.isWithin(FILE, schema, { a: 1, b: 2 })).toBe(true)
  expect(problems.isWithin(FILE, schema, { a: '1', b: '2' })).toBe(false)
  expect(problems.found.map(({ file, path, severity }) => [file, path, severity])).toEqual([
    [FILE, '/a', 'error'],
    [FILE, '/b', 'error'],
  ])
})

test('the answer names the file and the place of each error, and no warning', () => {
  const error = { file: FILE, path: '/type', code: 'c', message: 'is unknown', severity: 'error' } as const
  const { details, message } = refusal([
    { ...error, severity: 'warning', path: '/warned' },
    error,
    { ...error, path: '', line: 3, column: 4, suggestion: 'number' },
  ])
  expect(message).toBe('facts/age.json#/type: is unknown, and 1 more')
  expect(details).toEqual([
    { path: 'facts/age.json#/type', message: 'is unknown', code: 'c' },
    { path: 'facts/age.json#', message: 'is unknown', code: 'c', line: 3, column: 4, suggestion: 'number' },
  ])
})

import { describe, expect, test } from 'vitest'
import type { Compute } from '../../compute/compute.ts'
import { MAX_IN_FILE } from './model.ts'
import { suiteFile, suiteFileReaders } from './suite-file.ts'

/** A worker that answers every task with this outcome, and the tasks that it got. */
function answering(outcome: object) {
  const tasks: unknown[] = []
  const run = async (task: object) => {
    tasks.push(task)
    return outcome
  }
  return { compute: { run } as unknown as Compute, tasks }
}
const result = (of: object) => ({ kind: 'done', result: of })
const error = (code: string, message: string, details?: readonly object[]) =>
  expect.objectContaining({
    name: 'HttpError',
    code,
    message: expect.stringContaining(message),
    ...(details !== undefined && { details }),
  })

describe('a suite file is read', () => {
  const bytes = Buffer.from('x')
  const read = (outcome: object, type: 'application/yaml' | 'text/csv' = 'application/yaml') => {
    const { compute, tasks } = answering(outcome)
    return { document: suiteFileReaders(compute)[type](bytes), tasks }
  }

  test.each([
    ['application/yaml', 'yaml'],
    ['text/csv', 'csv'],
  ] as const)('of %s as %s, with the cases that it may have', async (type, format) => {
    const document = { cases: [] }
    const { document: found, tasks } = read(result({ kind: 'read', document }), type)
    expect(await found).toEqual(document)
    expect(tasks).toEqual([{ kind: 'suite-file', format, bytes, most: MAX_IN_FILE }])
  })

  test.each([
    ['that takes too long', { kind: 'over', message: 'more than 10 s' }, 'invalid-request', 'is too large to be read'],
    ['that is not text', result({ kind: 'not-text' }), 'invalid-request', 'not valid UTF-8'],
    ['of another shape', result({ kind: 'read', document: { extra: 1 } }), 'invalid-request', 'cases'],
    ['with too much', result({ kind: 'refused', reason: 'it is', isTooLarge: true }), 'payload-too-large', 'it is'],
  ])('but not one %s', async (_case, outcome, code, message) => {
    await expect(read(outcome).document).rejects.toEqual(error(code, message))
  })

  test.each([
    [{ line: 3 }, { line: 3 }],
    [{}, {}],
  ])('and a mistake has its place: %j', async (place, expected) => {
    const { document } = read(result({ kind: 'refused', reason: 'a quote is open', ...place }), 'text/csv')
    const message = 'cannot be read as CSV: a quote is open'
    await expect(document).rejects.toEqual(
      error('invalid-request', `the body ${message}`, [{ path: '', message, code: 'bad-csv', ...expected }]),
    )
  })
})

describe('a suite file is written', () => {
  test.each([
    ['yaml', 'application/yaml; charset=utf-8'],
    ['csv', 'text/csv; charset=utf-8'],
  ] as const)('as %s', async (format, type) => {
    const { compute, tasks } = answering(result({ bytes: new Uint8Array(Buffer.from('-text-')).subarray(1, 5) }))
    expect(await suiteFile(compute, 'limits', [], format)).toEqual({
      status: 200,
      headers: { 'content-disposition': `attachment; filename="limits.cases.${format}"` },
      body: Buffer.from('text'),
      type,
    })
    expect(tasks).toEqual([{ kind: 'write-suites', format, ruleset: 'limits', suites: [] }])
  })

  test('unless that takes too long', async () => {
    const { compute } = answering({ kind: 'over', message: 'more than 10 s' })
    await expect(suiteFile(compute, 'limits', [], 'csv')).rejects.toEqual(
      error('invalid-request', 'the suites are too large for one file: more than 10 s'),
    )
  })
})

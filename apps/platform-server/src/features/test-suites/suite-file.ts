import { refuseFaults, shapeFaults } from '@engine/http-api'
import { casesToCsv } from '@engine/authoring'
import type { Value } from '@engine/expression'
import { writeRuleFile } from '@engine/rule-file'
import { type Answer, HttpError, httpErrors } from '@engine/http-server'
import type { Compute } from '../../compute/compute.ts'
import type { SuiteFileResult } from '../../compute/tasks.ts'
import { failures } from '../../errors.ts'
import { ImportRequest, MAX_IN_FILE } from './model.ts'
import { casesOf, type SuiteRow } from './suites.ts'

/** The suites of a ruleset as one document, which `engine check` reads as well. */
export function suiteFile(ruleset: string, suites: readonly SuiteRow[], format: 'yaml' | 'csv'): Answer {
  const cases = suites.flatMap((suite) => casesOf(suite).map(({ id: _id, ...one }) => ({ suite: suite.name, ...one })))
  const headers = { 'content-disposition': `attachment; filename="${ruleset}.cases.${format}"` }
  if (format === 'csv') return { status: 200, headers, body: casesToCsv(cases), type: 'text/csv; charset=utf-8' }
  const document = { ruleset, cases: cases as unknown as Value }
  const text = Buffer.from(writeRuleFile('.yaml', document))
  return { status: 200, headers, body: text, type: 'application/yaml; charset=utf-8' }
}

/** Reads files of suites, by their content types. */
export function suiteFileReaders(compute: Compute) {
  const read = (format: 'yaml' | 'csv') => async (bytes: Buffer) => {
    const outcome = await compute.run({ kind: 'suite-file', format, bytes, most: MAX_IN_FILE })
    if (outcome.kind === 'over') throw failures.invalid('', `is too large to be read: ${outcome.message}`, 'too-large')
    const { result } = outcome
    if (result.kind === 'not-text') throw httpErrors.notText()
    if (result.kind === 'refused') throw unreadable(format, result)
    const { document } = result
    refuseFaults(shapeFaults(ImportRequest, document))
    return document
  }
  return { 'application/yaml': read('yaml'), 'text/csv': read('csv') }
}

function unreadable(
  format: string,
  { reason, line, isTooLarge }: Extract<SuiteFileResult, { readonly kind: 'refused' }>,
): HttpError {
  const message = `cannot be read as ${format.toUpperCase()}: it ${reason}`
  return new HttpError(isTooLarge === true ? 'payload-too-large' : 'invalid-request', `the body ${message}`, {
    details: [{ path: '', message, code: `bad-${format}`, ...(line !== undefined && { line }) }],
  })
}

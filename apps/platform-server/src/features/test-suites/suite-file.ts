import { refuseFaults, shapeFaults } from '@engine/http-api'
import { type Answer, HttpError, httpErrors } from '@engine/http-server'
import type { Compute } from '../../compute/compute.ts'
import type { StoredSuite, SuiteFileResult } from '../../compute/tasks.ts'
import { failures } from '../../errors.ts'
import { ImportRequest, MAX_IN_FILE } from './model.ts'

/**
 * The suites of a ruleset as one document, which `engine check` reads as well. A thread writes it, since that can take
 * seconds.
 */
export async function suiteFile(
  compute: Compute,
  ruleset: string,
  suites: readonly StoredSuite[],
  format: 'yaml' | 'csv',
): Promise<Answer> {
  const outcome = await compute.run({ kind: 'write-suites', format, ruleset, suites })
  if (outcome.kind === 'over')
    throw failures.refused(`the suites are too large for one file: ${outcome.message}`, 'too-large')
  const { bytes } = outcome.result
  return {
    status: 200,
    headers: { 'content-disposition': `attachment; filename="${ruleset}.cases.${format}"` },
    body: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    type: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/yaml; charset=utf-8',
  }
}

/** Body parsers for suite files, by content type. */
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
  const message = `cannot be read as ${format.toUpperCase()}: ${reason}`
  return new HttpError(isTooLarge === true ? 'payload-too-large' : 'invalid-request', `the body ${message}`, {
    details: [{ path: '', message, code: `bad-${format}`, ...(line !== undefined && { line }) }],
  })
}

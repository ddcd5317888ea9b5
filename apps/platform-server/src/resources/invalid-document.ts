import type { Problem } from '@engine/authoring'
import type { Loss } from '@engine/interchange'
import { HttpError } from '@engine/http-server'

/** Maximum number of details of one refusal; further ones are only counted. */
const MAX_DETAILS = 100

/**
 * 400 for a document with problems of severity `error`, which names each with its location.
 *
 * @param path JSON pointer of the document in the body; empty if it is the body
 */
export function invalidDocument(problems: readonly (Problem | Loss)[], path = ''): HttpError {
  const errors = problems.filter(({ severity }) => severity === 'error')
  const details = errors.slice(0, MAX_DETAILS).map(({ severity: _, ...detail }) => ({
    ...detail,
    path: path + detail.path,
  }))
  const [first] = details
  const more = errors.length > 1 ? `, and ${errors.length - 1} more` : ''
  const place = first === undefined || first.path === '' ? 'the body' : `\`${first.path}\``
  return new HttpError('invalid-request', `${place}: ${first?.message ?? 'is wrong'}${more}`, { details })
}

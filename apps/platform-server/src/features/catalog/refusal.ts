import type { Decoded, Problem } from '@engine/authoring'
import { HttpError } from '@engine/http-server'

/** Details that one refusal has; further ones are only counted. */
const MOST_DETAILS = 100

/** What a document says. Throws 400 that names every problem with its place in the body. */
export function valueOf<Result>({ value, problems }: Decoded<Result>): Result {
  if (value === undefined) throw refused(problems)
  return value
}

/** 400 for a document with problems. */
export function refused(problems: readonly Problem[]): HttpError {
  const errors = problems.filter(({ severity }) => severity === 'error')
  const details = errors.slice(0, MOST_DETAILS).map(({ severity: _severity, ...detail }) => detail)
  const [first] = details
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  const place = first === undefined || first.path === '' ? 'the body' : `\`${first.path}\``
  return new HttpError('invalid-request', `${place}: ${first?.message ?? 'is wrong'}${more}`, { details })
}

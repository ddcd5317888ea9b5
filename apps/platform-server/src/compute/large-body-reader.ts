import { isObject, type Value } from '@engine/expression'
import { HttpError, httpErrors } from '@engine/http-server'
import { failures } from '../errors.ts'
import type { Compute } from './compute.ts'
import { LargeDraft } from './large-draft.ts'
import type { ReadTask } from './tasks.ts'

/**
 * Parses the text of a body on a thread. Its draft becomes a `LargeDraft`; the other members become values.
 *
 * Rejects with the error that parsing it here would throw: for invalid JSON, or for a text that cannot be stored.
 */
export function readLargeBody(compute: Compute) {
  return async (text: string, member: ReadTask['draft']): Promise<Value> => {
    const outcome = await compute.run({ kind: 'read', text, draft: member })
    if (outcome.kind === 'over')
      throw new HttpError('invalid-request', `the body is too large to be read: ${outcome.message}`)
    const { result } = outcome
    switch (result.kind) {
      case 'not-json':
        throw httpErrors.notJson(result.problem)
      case 'unstorable':
        throw failures.invalid(result.path, result.message)
      case 'read': {
        const { body, draft } = result
        if (draft === undefined || !isObject(body)) return body
        // An instance of a class, which JSON cannot express: no sent value can pass for it.
        const large = new LargeDraft(draft.read, draft.problems)
        return { ...body, [member.name]: large as unknown as Value }
      }
    }
  }
}

import type { Value } from '@engine/expression'
import { decodeDraft } from '../draft/decode.ts'
import type { Problem } from '../problem.ts'
import { convertDraft } from './convert.ts'

/**
 * Converts the JSON of a draft to the engine's document; the result has one exactly if there are no errors. Linear in
 * the size of the document, except that tables with the hit policy `unique` are quadratic in their rows, up to their
 * limit.
 */
export function convertDraftDocument(document: Value): {
  readonly ruleset?: Value
  readonly problems: readonly Problem[]
} {
  const { draft, problems: shape } = decodeDraft(document)
  const converted = draft && convertDraft(draft)
  const problems = [...shape, ...(converted?.problems ?? [])]
  const ruleset = converted?.ruleset
  if (ruleset === undefined || problems.some(({ severity }) => severity === 'error')) return { problems }
  return { ruleset, problems }
}

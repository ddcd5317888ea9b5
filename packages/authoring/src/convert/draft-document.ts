import type { Value } from '@engine/expression'
import { decodeDraft } from '../draft/decode.ts'
import type { Problem } from '../problem.ts'
import { convertDraft } from './convert.ts'

/**
 * The engine's document of the JSON of a draft, exactly when it has no errors. Linear in the size of the document, and in the
 * rows of tables with the hit policy `unique` quadratic up to their limit.
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

import type { Decoded } from '@engine/authoring'
import { invalidDocument } from '../../resources/invalid-document.ts'

/** What a document says. Throws 400 that names every problem with its place in the body. */
export function valueOf<Result>({ value, problems }: Decoded<Result>): Result {
  if (value === undefined) throw invalidDocument(problems)
  return value
}

import type { Decoded } from '@engine/authoring'
import { invalidDocument } from '../../resources/invalid-document.ts'

/** The decoded value. Throws 400 that lists each problem with its path in the body. */
export function valueOf<Result>({ value, problems }: Decoded<Result>): Result {
  if (value === undefined) throw invalidDocument(problems)
  return value
}

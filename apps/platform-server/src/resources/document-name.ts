import { failures } from '../errors.ts'

/** Expressions and types refer to documents by name, so a document cannot be renamed. Throws 400. */
export function refuseRenaming(name: string, given: string | undefined): void {
  if (given !== undefined && given !== name)
    throw failures.invalid('/name', `must be left out, or be the name in the path: a name is not changed`, 'renamed')
}

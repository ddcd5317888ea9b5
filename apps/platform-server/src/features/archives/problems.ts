import type { FileProblem } from '@engine/authoring'
import { bodyFaults } from '@engine/http-api'
import { HttpError } from '@engine/http-server'
import type { TSchema } from 'typebox'
import { PlatformError } from '../../errors.ts'

/** Maximum number of listed problems of an import; further ones are only counted. */
const MAX_COUNT = 1000

/** A rejected import: nothing of it is stored. */
export class RefusedImport extends Error {
  readonly problems: readonly FileProblem[]

  constructor(problems: readonly FileProblem[]) {
    super('the import was refused')
    this.problems = problems
  }
}

/** Collects problems while the files of an archive are applied in turn. */
export class ImportProblems {
  readonly found: FileProblem[] = []

  /** Run a step of the import. A refusal becomes a problem of the file, and the import continues. */
  async attempt(file: string, step: () => Promise<unknown>): Promise<boolean> {
    try {
      await step()
      return true
    } catch (error) {
      const isRefusal =
        (error instanceof HttpError && error.code === 'invalid-request') ||
        (error instanceof PlatformError && error.code === 'conflict')
      if (!isRefusal) throw error
      const { details = [] } = error
      if (details.length === 0) this.add(file, '', 'refused', error.message)
      for (const { path, message, code = 'refused' } of details) this.add(file, path, code, message)
      return false
    }
  }

  /** Whether a document matches the schema of the API. */
  isWithin(file: string, schema: TSchema, value: unknown): boolean {
    const faults = bodyFaults(schema, value)
    for (const { path, message, code = 'wrong-shape' } of faults) this.add(file, path, code, message)
    return faults.length === 0
  }

  add(file: string, path: string, code: string, message: string): void {
    if (this.found.length < MAX_COUNT) this.found.push({ file, path, code, message, severity: 'error' })
  }

  /** Throws `RefusedImport` if there are problems. */
  refuse(): void {
    if (this.found.length > 0) throw new RefusedImport(this.found)
  }
}

/** A 400 for an import with problems: `path` is the file and the JSON pointer within it, such as `facts/age.json#/type`. */
export function refusal(problems: readonly FileProblem[]): HttpError {
  const errors = problems.filter(({ severity }) => severity === 'error').slice(0, MAX_COUNT)
  const details = errors.map(({ file, path, message, code, line, column, suggestion }) => ({
    path: `${file}#${path}`,
    message,
    code,
    ...(line !== undefined && { line }),
    ...(column !== undefined && { column }),
    ...(suggestion !== undefined && { suggestion }),
  }))
  const [first] = details
  const more = errors.length > 1 ? `, and ${errors.length - 1} more` : ''
  return new HttpError('invalid-request', `${first?.path ?? 'the archive'}: ${first?.message ?? 'is wrong'}${more}`, {
    details,
  })
}

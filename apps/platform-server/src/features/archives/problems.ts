import type { FileProblem } from '@engine/authoring'
import { shapeFaults, strangerFaults } from '@engine/http-api'
import { HttpError } from '@engine/http-server'
import type { TSchema } from 'typebox'
import { PlatformError } from '../../errors.ts'

/** Problems of an import that are shown; further ones are counted. */
const MAX_COUNT = 1000

/** An import that is not made: nothing of it is stored. */
export class RefusedImport extends Error {
  readonly problems: readonly FileProblem[]

  constructor(problems: readonly FileProblem[]) {
    super('the import was refused')
    this.problems = problems
  }
}

/** Collects what is wrong while the files of an archive are applied one after the other. */
export class ImportProblems {
  readonly found: FileProblem[] = []

  /** Run a step of the import. What its feature refuses becomes a problem of the file, and the import goes on. */
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

  /** Whether a document is within the limits of the interface. */
  isWithin(file: string, schema: TSchema, value: unknown): boolean {
    const faults = [...strangerFaults(schema, value), ...shapeFaults(schema, value)]
    for (const { path, message, code = 'wrong-shape' } of faults) this.add(file, path, code, message)
    return faults.length === 0
  }

  add(file: string, path: string, code: string, message: string): void {
    if (this.found.length < MAX_COUNT) this.found.push({ file, path, code, message, severity: 'error' })
  }

  /** Throws `RefusedImport` when anything is wrong. */
  refuse(): void {
    if (this.found.length > 0) throw new RefusedImport(this.found)
  }
}

/** 400 for an import with problems: `path` is the file and the JSON pointer in it, as `facts/age.json#/type`. */
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

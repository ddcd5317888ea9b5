import { locate } from '../source.ts'

/** Why a text is not valid JSON, and where. */
export interface JsonProblem {
  /** `malformed-json`, `duplicate-key`, `nested-too-deeply`, `too-many-members`, `too-many-values` or `number-out-of-range`. */
  readonly code: string
  /** Lower-case sentence without a final period; includes position and remedy. */
  readonly message: string
  /** `message` without the position: for readers of lines, which know the number of the line. */
  readonly reason: string
  /** UTF-16 units from the start. */
  readonly offset: number
  /** One-based. */
  readonly line: number
  /** One-based, in UTF-16 units. */
  readonly column: number
}

export class JsonFailure extends Error {
  readonly problem: JsonProblem
  constructor(problem: JsonProblem) {
    super(problem.message)
    this.problem = problem
  }
}

/** The failure of a text at an offset. */
export function jsonFailure(text: string, code: string, reason: string, offset: number): JsonFailure {
  const { line, column } = locate(text, offset)
  const place = `(line ${line}, column ${column})`
  return new JsonFailure({ code, message: `${reason} ${place}`, reason, offset, line, column })
}

import { FALSE, type Literal, type Solver } from '../search/solver.ts'
import { FAILS, HOLDS } from './evaluate.ts'

/** When a condition is true, false, or ends in an error, by the error's code. Exactly one of them is true. */
export interface Truth {
  readonly holds: Literal
  readonly fails: Literal
  readonly errors: ReadonlyMap<string, Literal>
}

/** An error whose code the analysis does not know. */
export const UNKNOWN_ERROR = '?'

export const NO_ERRORS: ReadonlyMap<string, Literal> = new Map()

/** Errors of a part, and those of a second part that is evaluated under a condition. */
export function joinErrors(
  solver: Solver,
  first: ReadonlyMap<string, Literal>,
  second: ReadonlyMap<string, Literal>,
  when: Literal,
): ReadonlyMap<string, Literal> {
  if (second.size === 0) return first
  const joined = new Map(first)
  for (const [code, literal] of second) {
    const found = solver.or([joined.get(code) ?? FALSE, solver.and([when, literal])])
    if (found !== FALSE) joined.set(code, found)
  }
  return joined
}

/** Errors of a test, and those of its operand. */
export function uniteErrors(
  solver: Solver,
  own: ReadonlyMap<string, Literal>,
  ofOperand: ReadonlyMap<string, Literal>,
): ReadonlyMap<string, Literal> {
  const errors = new Map(own)
  for (const [code, literal] of ofOperand) errors.set(code, solver.or([errors.get(code) ?? FALSE, literal]))
  return errors
}

/** The truth of a condition from its outcome in each cell of its values. */
export function truthOfCells(solver: Solver, cells: ReadonlyMap<string, readonly Literal[]>): Truth {
  const errors = new Map<string, Literal>()
  for (const [outcome, literals] of cells)
    if (outcome !== HOLDS && outcome !== FAILS) errors.set(outcome, solver.or(literals))
  return { holds: solver.or(cells.get(HOLDS) ?? []), fails: solver.or(cells.get(FAILS) ?? []), errors }
}

import { describe, expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../../tests/cases.testing.ts'
import { seeded } from '../../../expression/src/random.testing.ts'
import { type Literal, negated, Solver } from './solver.ts'

const BUDGET = 1_000_000

/** A solver with variables, and the literal of each sign. */
function solverOf(variables: number) {
  const solver = new Solver()
  const literals = Array.from({ length: variables }, () => solver.createVariable())
  return { solver, literals }
}

describe('assumptions are contradictory at first sight', () => {
  test('when they contradict each other, or a chain of clauses leads from one to the opposite of another', () => {
    const { solver, literals } = solverOf(4)
    const [a = 0, b = 0, c = 0, d = 0] = literals
    solver.addClause([negated(a), b])
    solver.addClause([negated(b), c])
    expect(solver.areContradictory([a, negated(a)])).toBe(true)
    expect(solver.areContradictory([a, negated(c)])).toBe(true)
    expect(solver.areContradictory([negated(c), a])).toBe(true)
    expect(solver.areContradictory([a, c, d])).toBe(false)
    expect(solver.areContradictory([])).toBe(false)
    expect(solver.solve([a, d], BUDGET)).toBe('satisfiable')
  })

  test('not where only a search shows it', () => {
    const { solver, literals } = solverOf(3)
    const [a = 0, b = 0, c = 0] = literals
    const pairs = [b, negated(b)].flatMap((one) => [c, negated(c)].map((other) => solver.or([one, other])))
    const all = solver.and([a, ...pairs])
    expect(solver.areContradictory([all])).toBe(false)
    expect(solver.solve([all], BUDGET)).toBe('unsatisfiable')
  })

  test('all of them once the clauses contradict each other', () => {
    const { solver, literals } = solverOf(1)
    const [a = 0] = literals
    solver.addClause([a])
    solver.addClause([negated(a)])
    expect(solver.solve([], BUDGET)).toBe('unsatisfiable')
  })
})

test('a quick look is never wrong, and changes no later answer', () => {
  printSeed(casesOf(400))
  const random = seeded(SEED)
  let contradictory = 0
  for (let round = 0; round < casesOf(400); round++) {
    const { solver, literals } = solverOf(8)
    const literal = (): Literal => {
      const one = random.pick(literals)
      return random.chance(0.5) ? one : negated(one)
    }
    const clauses: Literal[][] = []
    for (let step = 0; step < 24; step++) {
      if (random.chance(0.5)) clauses.push(Array.from({ length: 1 + random.below(3) }, literal))
      const assumed = Array.from({ length: random.below(4) }, literal)
      const assumptions = [...assumed, ...clauses.map((clause) => solver.or(clause))]
      const isPossible = isSatisfied([...clauses, ...assumed.map((one) => [one])], literals)
      if (solver.areContradictory(assumptions)) {
        contradictory++
        expect(isPossible).toBe(false)
      }
      expect(solver.solve(assumptions, BUDGET)).toBe(isPossible ? 'satisfiable' : 'unsatisfiable')
    }
  }
  expect(contradictory).toBeGreaterThan(casesOf(400))
})

/** Whether some assignment of the variables satisfies all clauses: by trying each. */
function isSatisfied(clauses: readonly (readonly Literal[])[], variables: readonly Literal[]): boolean {
  return Array.from({ length: 2 ** variables.length }, (_, bits) => bits).some((bits) => {
    const values = new Map(
      variables.flatMap((one, index) => {
        const value = ((bits >> index) & 1) === 1
        return [
          [one, value],
          [negated(one), !value],
        ] as const
      }),
    )
    return clauses.every((clause) => clause.some((one) => values.get(one) === true))
  })
}

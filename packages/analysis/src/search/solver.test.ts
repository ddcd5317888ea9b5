import { describe, expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../../tests/cases.testing.ts'
import { seeded } from '../../../expression/src/random.testing.ts'
import { type Answer, type Check, FALSE, type Literal, negated, Solver, TRUE } from './solver.ts'

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

  test('when clauses contradict each other under them', () => {
    const { solver, literals } = solverOf(4)
    const [a = 0, b = 0, c = 0] = literals
    solver.addClause([negated(a), b, c])
    solver.addClause([negated(a), b, negated(c)])
    expect(solver.areContradictory([a, negated(b)])).toBe(true)
    expect(solver.areContradictory([a])).toBe(false)
    expect(solver.areContradictory([a, negated(b)])).toBe(true)
    expect(solver.solve([a, b], BUDGET)).toBe('satisfiable')
    expect(solver.solve([negated(b)], BUDGET)).toBe('satisfiable')
    expect(solver.valueOf(a)).not.toBe(true)
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

describe('gates', () => {
  const { solver, literals } = solverOf(3)
  const [a = 0, b = 0, c = 0] = literals

  test.each<[title: string, one: Literal, other: Literal]>([
    ['an AND of nothing is true', solver.and([]), TRUE],
    ['an OR of nothing is false', solver.or([]), FALSE],
    ['an AND of one is it', solver.and([a]), a],
    ['an OR of one is it', solver.or([a]), a],
    ['an AND with TRUE is without it', solver.and([a, TRUE]), a],
    ['an AND with FALSE is false', solver.and([a, FALSE]), FALSE],
    ['an OR with TRUE is true', solver.or([a, TRUE]), TRUE],
    ['an OR with FALSE is without it', solver.or([FALSE, a]), a],
    ['an AND with an opposite is false', solver.and([a, b, negated(a)]), FALSE],
    ['an OR with an opposite is true', solver.or([a, negated(a)]), TRUE],
    ['an AND of the same is it', solver.and([a, a]), a],
    ['an AND has no order', solver.and([c, a, b]), solver.and([b, c, a])],
    ['an OR is no AND', solver.or([negated(a), negated(b)]), negated(solver.and([a, b]))],
  ])('%s', (_title, one, other) => expect(one).toBe(other))

  test('different ones differ', () => {
    expect(new Set([solver.and([a, b]), solver.and([a, c]), solver.or([a, b]), solver.and([a, b, c])]).size).toBe(4)
  })

  test('have the truth of their parts', () => {
    for (const [left, right] of [
      [a, b],
      [a, negated(b)],
      [negated(a), b],
      [negated(a), negated(b)],
    ] as const) {
      const [both, either] = [solver.and([a, b]), solver.or([a, b])]
      const areBoth = left === a && right === b
      const isEither = left === a || right === b
      expect(solver.solve([left, right, both], BUDGET)).toBe(areBoth ? 'satisfiable' : 'unsatisfiable')
      expect(solver.solve([left, right, negated(both)], BUDGET)).toBe(areBoth ? 'unsatisfiable' : 'satisfiable')
      expect(solver.solve([left, right, either], BUDGET)).toBe(isEither ? 'satisfiable' : 'unsatisfiable')
    }
  })
})

describe('values after a search', () => {
  test('are those of the assumptions and of what follows', () => {
    const { solver, literals } = solverOf(4)
    const [a = 0, b = 0, c = 0, d = 0] = literals
    solver.addClause([negated(a), b])
    expect(solver.solve([a, negated(c)], BUDGET)).toBe('satisfiable')
    expect([a, b, c, d].map((one) => solver.valueOf(one))).toEqual([true, true, false, undefined])
    expect(solver.valueOf(negated(a))).toBe(false)
    expect([TRUE, FALSE].map((one) => solver.valueOf(one))).toEqual([true, false])
  })

  test('are enough to make a gate true', () => {
    const { solver, literals } = solverOf(3)
    const [a = 0, b = 0, c = 0] = literals
    const either = solver.or([a, solver.and([b, c])])
    expect(solver.solve([either], BUDGET)).toBe('satisfiable')
    expect(solver.valueOf(a) === true || (solver.valueOf(b) === true && solver.valueOf(c) === true)).toBe(true)
  })
})

describe('the core of a contradiction', () => {
  const chain = () => {
    const { solver, literals } = solverOf(6)
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = literals
    solver.addClause([negated(a), negated(b), c])
    solver.addClause([negated(c), d])
    return { solver, a, b, c, d, e, f }
  }

  test('has the assumptions that lead to it alone', () => {
    const { solver, a, b, d, e, f } = chain()
    expect(solver.solve([e, a, f, b, negated(d)], BUDGET)).toBe('unsatisfiable')
    expect([...solver.core].sort((left, right) => left - right)).toEqual(
      [a, b, negated(d)].sort((left, right) => left - right),
    )
  })

  test('has an assumption and its opposite', () => {
    const { solver, a, e } = chain()
    expect(solver.solve([e, a, negated(a)], BUDGET)).toBe('unsatisfiable')
    expect(solver.core).toEqual([negated(a)])
  })

  test('is empty after another answer', () => {
    const { solver, a, b, d } = chain()
    solver.solve([a, b, negated(d)], BUDGET)
    expect(solver.solve([a], BUDGET)).toBe('satisfiable')
    expect(solver.core).toEqual([])
  })

  test('has no assumption where the clauses contradict each other', () => {
    const { solver, a } = chain()
    solver.addClause([a])
    solver.addClause([negated(a)])
    expect(solver.solve([a], BUDGET)).toBe('unsatisfiable')
    expect(solver.core).toEqual([])
  })

  test('leaves out what holds without assumptions', () => {
    const { solver, a, b, d, e } = chain()
    solver.addClause([a])
    expect(solver.solve([e, a, b, negated(d)], BUDGET)).toBe('unsatisfiable')
    expect([...solver.core].sort((left, right) => left - right)).toEqual(
      [b, negated(d)].sort((left, right) => left - right),
    )
  })
})

test('the core of a contradiction is contradictory, and a part of the assumptions', () => {
  printSeed(casesOf(400))
  const random = seeded(SEED)
  for (let round = 0; round < casesOf(400); round++) {
    const { solver, literals } = solverOf(8)
    const literal = (): Literal => (random.chance(0.5) ? random.pick(literals) : negated(random.pick(literals)))
    const clauses = Array.from({ length: 14 }, () => Array.from({ length: 2 + random.below(2) }, literal))
    for (const clause of clauses) solver.addClause(clause)
    const assumptions = Array.from({ length: 5 }, literal)
    if (solver.solve(assumptions, BUDGET) !== 'unsatisfiable') continue
    const core = [...solver.core]
    for (const one of core) expect(assumptions.includes(one)).toBe(true)
    // An assumption of which the opposite is one as well is its own core.
    if (!core.some((one) => assumptions.includes(negated(one))))
      expect(isSatisfied([...clauses, ...core.map((one) => [one])], literals)).toBe(false)
  }
})

describe('a theory', () => {
  test('refuses assignments until one is consistent', () => {
    const { solver, literals } = solverOf(4)
    const one = solver.or(literals)
    let refused = 0
    const check = (): Check => {
      const clause = literals
        .slice(0, 3)
        .filter((literal) => solver.valueOf(literal) === true)
        .map(negated)
      if (clause.length === 0) return { kind: 'consistent' }
      refused++
      return { kind: 'conflict', clause }
    }
    expect(solver.solve([one], BUDGET, check)).toBe('satisfiable')
    expect(literals.map((literal) => solver.valueOf(literal)).at(-1)).toBe(true)
    expect(refused).toBeLessThanOrEqual(3)
    expect(solver.solve([one, negated(literals[3] ?? 0)], BUDGET, check)).toBe('unsatisfiable')
  })

  test('refuses assignments for two reasons at once', () => {
    const { solver, literals } = solverOf(4)
    const [a = 0, b = 0, c = 0, d = 0] = literals
    const question = solver.and([solver.or([a, b]), solver.or([c, d])])
    const check = (): Check => {
      for (const [left, right] of [
        [a, c],
        [a, d],
        [b, c],
      ] as const)
        if (solver.valueOf(left) === true && solver.valueOf(right) === true)
          return { kind: 'conflict', clause: [negated(left), negated(right)] }
      return { kind: 'consistent' }
    }
    expect(solver.solve([question], BUDGET, check)).toBe('satisfiable')
    expect([b, d].map((one) => solver.valueOf(one))).toEqual([true, true])
    expect(solver.solve([question, negated(d)], BUDGET, check)).toBe('unsatisfiable')
  })

  test('that refuses without a reason refuses everything', () => {
    const { solver, literals } = solverOf(1)
    const check = (): Check => ({ kind: 'conflict', clause: [] })
    expect(solver.solve(literals, BUDGET, check)).toBe('unsatisfiable')
    expect(solver.solve([], BUDGET)).toBe('unsatisfiable')
  })

  test('decides questions', () => {
    const { solver, literals } = solverOf(2)
    const [a = 0, b = 0] = literals
    const check = (): Check =>
      solver.valueOf(b) === undefined ? { kind: 'decide', literal: negated(b) } : { kind: 'consistent' }
    expect(solver.solve([a], BUDGET, check)).toBe('satisfiable')
    expect(solver.valueOf(b)).toBe(false)
  })

  test.each<[kind: string, answer: (added: Literal) => Check]>([
    ['nothing', () => ({ kind: 'consistent' })],
    ['a question', (added) => ({ kind: 'decide', literal: added })],
    ['a conflict', (added) => ({ kind: 'conflict', clause: [added] })],
  ])('adds variables and clauses with %s, and is asked again under the same assumptions', (_kind, answer) => {
    const { solver, literals } = solverOf(2)
    const [a = 0, b = 0] = literals
    let added: Literal | undefined
    const check = (): Check => {
      if (added !== undefined) return { kind: 'consistent' }
      added = solver.createVariable()
      solver.addClause([negated(added), negated(b)])
      return answer(added)
    }
    expect(solver.solve([a, b], BUDGET, check)).toBe('satisfiable')
    expect([a, b, added ?? FALSE].map((one) => solver.valueOf(one))).toEqual([true, true, false])
    expect(solver.solve([a, added ?? FALSE], BUDGET, check)).toBe('satisfiable')
    expect(solver.solve([a, negated(added ?? FALSE)], BUDGET, check)).toBe('satisfiable')
  })
})

describe('work', () => {
  test('is counted in assignments', () => {
    const { solver, literals } = solverOf(3)
    const { work } = solver
    solver.solve(literals, BUDGET)
    expect(solver.work - work).toBe(3)
    solver.charge(7)
    expect(solver.work - work).toBe(10)
  })

  test('of the same first assumptions is shared', () => {
    const { solver, literals } = solverOf(4)
    const [a = 0, b = 0, c = 0, d = 0] = literals
    solver.solve([a, b, c], BUDGET)
    const { work } = solver
    solver.solve([a, b, d], BUDGET)
    expect(solver.work - work).toBe(1)
    solver.solve([d, a], BUDGET)
    expect(solver.work - work).toBe(3)
  })

  test('of questions of a theory costs more', () => {
    const { solver, literals } = solverOf(2)
    const [a = 0, b = 0] = literals
    let isAsked = false
    const ask = (answer: Check) => (): Check => {
      if (isAsked) return { kind: 'consistent' }
      isAsked = true
      return answer
    }
    const start = solver.work
    solver.solve([a], BUDGET, ask({ kind: 'decide', literal: b }))
    expect(solver.work - start).toBe(102)
  })

  test('of clauses that a theory adds costs more', () => {
    const { solver, literals } = solverOf(2)
    const [a = 0, b = 0] = literals
    let isAsked = false
    const start = solver.work
    solver.solve([a], BUDGET, () => {
      if (!isAsked) solver.addClause([a, b])
      isAsked = true
      return { kind: 'consistent' }
    })
    expect(solver.work - start).toBe(1002)
  })

  test('beyond the budget ends a question', () => {
    const solver = new Solver()
    const pigeons = Array.from({ length: 8 }, () => Array.from({ length: 7 }, () => solver.createVariable()))
    for (const holes of pigeons) solver.addClause(holes)
    for (const [index, one] of pigeons.entries())
      for (const other of pigeons.slice(index + 1))
        for (const [hole, literal] of one.entries()) solver.addClause([negated(literal), negated(other[hole] ?? 0)])
    const all = solver.and(pigeons.map((holes) => solver.or(holes)))
    expect(solver.solve([all], 500)).toBe('budget')
    const { work } = solver
    expect(solver.solve([all], 500)).toBe('budget')
    expect(solver.work - work).toBeLessThan(2000)
    expect(solver.solve([all], 10_000_000)).toBe('unsatisfiable')
  })
})

test('the size counts variables and entries of clauses', () => {
  const solver = new Solver()
  const { size } = solver
  const [a, b, c] = [solver.createVariable(), solver.createVariable(), solver.createVariable()]
  expect(solver.size - size).toBe(3)
  solver.addClause([a, b])
  expect(solver.size - size).toBe(3 + 5)
  solver.addClause([a, b, c])
  expect(solver.size - size).toBe(3 + 5 + 6)
  // True clauses and those of one literal are not kept.
  solver.addClause([a, negated(a)])
  solver.addClause([TRUE, b])
  solver.addClause([a, a])
  expect(solver.size - size).toBe(3 + 5 + 6)
  expect(solver.valueOf(a)).toBe(true)
})

test('an answer rests on the variables that justify the assumptions', () => {
  const { solver, literals } = solverOf(4)
  const [a = 0, b = 0, c = 0, d = 0] = literals
  const question = solver.or([solver.and([a, b]), c])
  expect(solver.solve([a, question, d, negated(c)], BUDGET)).toBe('satisfiable')
  const sorted = (found: readonly Literal[]) => [...found].sort((left, right) => left - right)
  expect(sorted(solver.justification([question]))).toEqual(sorted([a, b]))
  expect(sorted(solver.justification([negated(c), d]))).toEqual(sorted([negated(c), d]))
  expect(solver.justification([TRUE])).toEqual([])
})

test('thousands of variables and clauses are kept', () => {
  const { solver, literals } = solverOf(5000)
  for (const [index, one] of literals.entries()) {
    const next = literals[index + 1]
    if (next !== undefined) solver.addClause([negated(one), next])
  }
  expect(solver.solve([literals[0] ?? 0], BUDGET)).toBe('satisfiable')
  expect(literals.every((one) => solver.valueOf(one) === true)).toBe(true)
  expect(solver.solve([literals[0] ?? 0, negated(literals.at(-1) ?? 0)], BUDGET)).toBe('unsatisfiable')
  expect(solver.core).toHaveLength(2)
})

test('answers of many variables are those of trying each assignment', () => {
  printSeed(casesOf(40))
  const random = seeded(SEED)
  for (let round = 0; round < casesOf(40); round++) {
    // The variables that matter come after arrays have grown.
    const { solver, literals: all } = solverOf(1500 + random.below(1500))
    const literals = all.slice(-9)
    const literal = (): Literal => (random.chance(0.5) ? random.pick(literals) : negated(random.pick(literals)))
    const clauses = Array.from({ length: 30 }, () => [literal(), literal(), literal()])
    const gates = clauses.map((clause) => solver.or(clause))
    const isPossible = isSatisfied(clauses, literals)
    expect(solver.solve(gates, BUDGET)).toBe(isPossible ? 'satisfiable' : 'unsatisfiable')
    // A clause with a literal and its opposite is true without a value.
    const isTrue = (clause: readonly Literal[]) =>
      clause.some((one) => solver.valueOf(one) === true || clause.includes(negated(one)))
    if (isPossible) expect(clauses.every(isTrue)).toBe(true)
    expect(solver.solve([solver.and(gates), literals[0] ?? 0], BUDGET)).toBe(
      isSatisfied([...clauses, [literals[0] ?? 0]], literals) ? 'satisfiable' : 'unsatisfiable',
    )
  }
})

test('a theory that refuses combinations leaves those that it allows', () => {
  printSeed(casesOf(100))
  const random = seeded(SEED)
  for (let round = 0; round < casesOf(100); round++) {
    const { solver, literals } = solverOf(6)
    const literal = (): Literal => (random.chance(0.5) ? random.pick(literals) : negated(random.pick(literals)))
    const clauses = Array.from({ length: 6 }, () => [literal(), literal()])
    const refused = Array.from({ length: 6 }, () => Array.from({ length: 1 + random.below(3) }, literal))
    const check = (): Check => {
      const clause = refused.find((one) => one.every((part) => solver.valueOf(part) === false))
      if (clause !== undefined) return { kind: 'conflict', clause: [...new Set(clause)] }
      const open = literals.find((one) => solver.valueOf(one) === undefined)
      return open === undefined ? { kind: 'consistent' } : { kind: 'decide', literal: open }
    }
    for (const assumed of [[], [literal()], [literal(), literal()]]) {
      const isPossible = isSatisfied([...clauses, ...refused, ...assumed.map((one) => [one])], literals)
      const questions = [...assumed, ...clauses.map((clause) => solver.or(clause))]
      expect(solver.solve(questions, BUDGET, check)).toBe(isPossible ? 'satisfiable' : 'unsatisfiable')
    }
  }
})

describe('the effort of questions that need many conflicts', () => {
  /** Random clauses of three literals, about as many as can just be satisfied. */
  function random(variables: number, seed: number) {
    const { solver, literals } = solverOf(variables)
    const { chance, pick } = seeded(seed)
    const literal = (): Literal => (chance(0.5) ? pick(literals) : negated(pick(literals)))
    const clauses = Array.from({ length: Math.round(variables * 4.3) }, () => [literal(), literal(), literal()])
    return { solver, question: clauses.map((clause) => solver.or(clause)) }
  }

  /** One pigeon more than there are holes. */
  function pigeons(count: number) {
    const solver = new Solver()
    const pigeonsIn = Array.from({ length: count }, () =>
      Array.from({ length: count - 1 }, () => solver.createVariable()),
    )
    for (const [index, one] of pigeonsIn.entries())
      for (const other of pigeonsIn.slice(index + 1))
        for (const [hole, literal] of one.entries()) solver.addClause([negated(literal), negated(other[hole] ?? 0)])
    return { solver, question: pigeonsIn.map((holes) => solver.or(holes)) }
  }

  /** The parity of variables in their order and in the opposite one. */
  function parities(variables: number) {
    const { solver, literals } = solverOf(variables)
    const differ = (one: Literal, other: Literal) =>
      solver.or([solver.and([one, negated(other)]), solver.and([negated(one), other])])
    return { solver, question: [literals.reduce(differ), negated(literals.toReversed().reduce(differ))] }
  }

  test.each<
    [
      title: string,
      make: () => { solver: Solver; question: readonly Literal[] },
      answer: Answer,
      work: number,
      size: number,
    ]
  >([
    ['40 variables, 1', () => random(40, 1), 'satisfiable', 677, 674],
    ['40 variables, 2', () => random(40, 2), 'satisfiable', 468, 394],
    ['40 variables, 3', () => random(40, 3), 'unsatisfiable', 559, 551],
    ['40 variables, 4', () => random(40, 4), 'satisfiable', 423, 324],
    ['60 variables, 1', () => random(60, 1), 'satisfiable', 527, 245],
    ['60 variables, 2', () => random(60, 2), 'unsatisfiable', 1315, 1616],
    ['60 variables, 3', () => random(60, 3), 'satisfiable', 2038, 2888],
    ['60 variables, 4', () => random(60, 4), 'unsatisfiable', 3281, 4669],
    ['80 variables, 1', () => random(80, 1), 'satisfiable', 10277, 20372],
    ['80 variables, 2', () => random(80, 2), 'satisfiable', 3625, 6243],
    ['80 variables, 3', () => random(80, 3), 'unsatisfiable', 7279, 14198],
    ['80 variables, 4', () => random(80, 4), 'unsatisfiable', 7651, 13636],
    ['100 variables, 4', () => random(100, 4), 'unsatisfiable', 19925, 36100],
    ['120 variables, 1', () => random(120, 1), 'satisfiable', 6080, 8953],
    ['5 pigeons', () => pigeons(5), 'unsatisfiable', 223, 172],
    ['6 pigeons', () => pigeons(6), 'unsatisfiable', 810, 605],
    ['7 pigeons', () => pigeons(7), 'unsatisfiable', 2759, 1966],
    ['8 pigeons', () => pigeons(8), 'unsatisfiable', 8746, 5999],
    ['9 pigeons', () => pigeons(9), 'unsatisfiable', 26098, 17424],
    ['parities of 8', () => parities(8), 'unsatisfiable', 391, 89],
    ['parities of 20', () => parities(20), 'unsatisfiable', 2659, 245],
    ['parities of 40', () => parities(40), 'unsatisfiable', 10958, 505],
  ])('%s', (_title, make, answer, mostWork, mostGrowth) => {
    const { solver, question } = make()
    const { work, size } = solver
    expect(solver.solve(question, BUDGET)).toBe(answer)
    expect(solver.work - work).toBeLessThanOrEqual(mostWork)
    expect(solver.size - size).toBeLessThanOrEqual(mostGrowth)
  })
})

describe('clauses that contradict each other', () => {
  test('by a single literal', () => {
    const { solver, literals } = solverOf(2)
    const [a = 0, b = 0] = literals
    solver.addClause([negated(a), b])
    solver.addClause([negated(a), negated(b)])
    expect(solver.solve([], BUDGET)).toBe('satisfiable')
    solver.addClause([a])
    expect(solver.solve([], BUDGET)).toBe('unsatisfiable')
  })

  test('after a search, for all later questions', () => {
    const { solver, literals } = solverOf(3)
    const [a = 0, b = 0, c = 0] = literals
    for (const one of [a, negated(a)]) for (const other of [b, negated(b)]) solver.addClause([one, other])
    expect(solver.solve([a], BUDGET)).toBe('unsatisfiable')
    expect(solver.solve([], BUDGET)).toBe('unsatisfiable')
    expect(solver.solve([c], BUDGET)).toBe('unsatisfiable')
    expect(solver.areContradictory([])).toBe(true)
  })

  test('under assumptions, and again for those with which these begin', () => {
    const { solver, literals } = solverOf(4)
    const [a = 0, b = 0, c = 0, d = 0] = literals
    solver.addClause([negated(a), b])
    solver.addClause([negated(a), negated(b)])
    solver.addClause([negated(c), negated(d), b])
    solver.addClause([negated(c), negated(d), negated(b)])
    expect(solver.areContradictory([a])).toBe(true)
    expect(solver.areContradictory([a, c])).toBe(true)
    expect(solver.solve([a], BUDGET)).toBe('unsatisfiable')
    expect(solver.areContradictory([c, d])).toBe(true)
    expect(solver.solve([c, d, b], BUDGET)).toBe('unsatisfiable')
    expect(solver.solve([c], BUDGET)).toBe('satisfiable')
  })
})

describe('the justification of an answer', () => {
  const given = () => {
    const { solver, literals } = solverOf(5)
    const [a = 0, b = 0, c = 0, d = 0, e = 0] = literals
    return { solver, a, b, c, d, e }
  }

  test('has each variable once', () => {
    const { solver, a, b, c } = given()
    const question = [solver.and([a, b]), solver.and([a, c]), a, solver.or([a, b])]
    expect(solver.solve(question, BUDGET)).toBe('satisfiable')
    expect(solver.justification(question).toSorted((left, right) => left - right)).toEqual([a, b, c])
  })

  test('has each gate once', () => {
    const { solver, a, b, c } = given()
    const either = solver.or([a, b])
    const question = [solver.and([either, c]), solver.or([either, c]), either]
    expect(solver.solve([...question, a, negated(b)], BUDGET)).toBe('satisfiable')
    expect(solver.justification(question).toSorted((left, right) => left - right)).toEqual([a, c])
  })

  test('rests on a variable rather than on a gate', () => {
    const { solver, a, b, c } = given()
    const both = solver.and([a, b])
    expect(solver.solve([a, b, c, solver.or([both, c])], BUDGET)).toBe('satisfiable')
    expect(solver.justification([solver.or([both, c])])).toEqual([c])
  })

  test('rests on what it rests on already', () => {
    const { solver, a, b, c, d } = given()
    const [one, other] = [solver.and([a, b]), solver.and([c, d])]
    expect(solver.solve([one, other], BUDGET)).toBe('satisfiable')
    for (const [first, second, both] of [
      [one, other, [a, b]],
      [other, one, [c, d]],
    ] as const)
      for (const either of [solver.or([first, second]), solver.or([second, first])])
        expect(solver.justification([either, first]).toSorted((left, right) => left - right)).toEqual(both)
  })
})

test.each([511, 512, 513, 1023, 1024, 1025])('the last of %d variables are like the first', (count) => {
  const { chance, pick } = seeded(count)
  for (let round = 0; round < 4; round++) {
    // The variable that is always true is one more.
    const { solver, literals: all } = solverOf(count - 1)
    const literals = all.slice(-6)
    const literal = (): Literal => (chance(0.5) ? pick(literals) : negated(pick(literals)))
    const clauses = Array.from({ length: 20 }, () => [literal(), literal(), literal()])
    for (const clause of clauses) solver.addClause(clause)
    const assumed = [literal(), literal()]
    const isPossible = isSatisfied([...clauses, ...assumed.map((one) => [one])], literals)
    expect(solver.solve(assumed, BUDGET)).toBe(isPossible ? 'satisfiable' : 'unsatisfiable')
  }
})

test('the end of a budget leaves the next question right', () => {
  const { chance, pick } = seeded(5)
  const answers = new Set<Answer>()
  for (let budget = 0; budget < 60; budget++) {
    const { solver, literals } = solverOf(6)
    const literal = (): Literal => (chance(0.5) ? pick(literals) : negated(pick(literals)))
    const clauses = Array.from({ length: 26 }, () => [literal(), literal(), literal()])
    const question = clauses.map((clause) => solver.or(clause))
    const isPossible = isSatisfied(clauses, literals)
    const first = solver.solve(question, budget)
    answers.add(first)
    if (first !== 'budget') expect(first).toBe(isPossible ? 'satisfiable' : 'unsatisfiable')
    if (solver.areContradictory(question)) expect(isPossible).toBe(false)
    expect(solver.solve(question, BUDGET)).toBe(isPossible ? 'satisfiable' : 'unsatisfiable')
  }
  expect(answers.size).toBe(3)
})

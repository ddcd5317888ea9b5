import { describe, expect, test } from 'vitest'
import { Budget, BudgetError, type BudgetLimits, MAX_TURN, MAX_CREATED } from './budget.ts'

/** A budget on clocks that the test advances. */
function started(limits: Partial<BudgetLimits> = {}) {
  const time = { monotonic: 1000, processor: 50 }
  const clocks = { monotonic: () => time.monotonic, processor: () => time.processor }
  const budget = new Budget(clocks, { deadlineMs: 0, ...limits })
  budget.begin()
  return { budget, time }
}

const reasonOf = (work: () => void): string => {
  try {
    work()
    return 'none'
  } catch (error) {
    return (error as BudgetError).reason
  }
}

const MUCH = 1_000_000

describe('a budget ends work', () => {
  test('at its deadline, and at every later charge', () => {
    const { budget, time } = started({ deadlineMs: 30 })
    time.monotonic += 30
    expect(reasonOf(() => budget.spend(MUCH))).toBe('none')
    time.monotonic += 1
    expect(reasonOf(() => budget.spend(MUCH))).toBe('deadline')
    expect(reasonOf(() => budget.spend(1))).toBe('deadline')
  })

  test('when it has kept the processor too long, however long the clock says', () => {
    const { budget, time } = started()
    time.monotonic += 1e6
    time.processor += MAX_TURN
    expect(reasonOf(() => budget.spend(MUCH))).toBe('none')
    expect(budget.wantsPause).toBe(true)
    time.processor += 1
    expect(reasonOf(() => budget.spend(MUCH))).toBe('turn')
  })

  test('not because of time that passed between checks: garbage collection, a busy machine', () => {
    const { budget, time } = started()
    for (let turn = 0; turn < 10; turn++) {
      time.processor += 10 * MAX_TURN
      expect(reasonOf(() => budget.spend(MUCH))).toBe('none')
      expect(budget.wantsPause).toBe(true)
      budget.resumed()
    }
  })

  test('not when it pauses in between', () => {
    const { budget, time } = started()
    for (let turn = 0; turn < 10; turn++) {
      time.processor += MAX_TURN - 1
      budget.spend(MUCH)
      expect(budget.wantsPause).toBe(true)
      budget.resumed()
      expect(budget.wantsPause).toBe(false)
    }
  })

  test('when it has created too much', () => {
    const { budget } = started()
    budget.create(MAX_CREATED)
    expect(reasonOf(() => budget.create(1))).toBe('memory')
    expect(budget.created).toBe(MAX_CREATED)
  })
})

test('the clock is read every so many units, not at every charge', () => {
  let looks = 0
  const budget = new Budget({ monotonic: () => ++looks, processor: () => 0 }, { deadlineMs: 0 })
  for (let index = 0; index < 100_000; index++) budget.spend(1)
  expect(looks).toBeGreaterThanOrEqual(4)
  expect(looks).toBeLessThan(20)
})

test('a deadline that passed during a pause ends the work at its next charge', () => {
  const { budget, time } = started({ deadlineMs: 30 })
  time.monotonic += 31
  budget.resumed()
  expect(reasonOf(() => budget.spend(1))).toBe('deadline')
})

describe('a part with a deadline of its own', () => {
  test('ends at it; afterwards that of the whole holds again', () => {
    const { budget, time } = started({ deadlineMs: 100 })
    const end = budget.within(20)
    expect(budget.deadlineMs).toBe(20)
    expect(budget.remaining).toBe(20)
    time.monotonic += 21
    expect(reasonOf(() => budget.spend(MUCH))).toBe('deadline')
    end()
    expect(budget.remaining).toBe(79)
    expect(reasonOf(() => budget.spend(MUCH))).toBe('none')
  })

  test('never has more time than the whole', () => {
    const { budget, time } = started({ deadlineMs: 100 })
    budget.within(5000)
    expect(budget.deadlineMs).toBe(100)
    time.monotonic += 101
    expect(reasonOf(() => budget.spend(MUCH))).toBe('deadline')
  })
})

test('a reused budget starts over', () => {
  const { budget, time } = started({ deadlineMs: 30 })
  budget.create(MAX_CREATED)
  time.monotonic += 31
  expect(reasonOf(() => budget.spend(MUCH))).toBe('deadline')
  budget.reset(30)
  expect(budget.created).toBe(0)
  expect(reasonOf(() => budget.spend(MUCH))).toBe('none')
  expect(budget.remaining).toBe(30)
})

test('a budget of some thousand units ends at the same point on every machine', () => {
  const budget = Budget.ofThousands(200, 1000)
  let spent = 0
  expect(
    reasonOf(() => {
      for (;;) {
        budget.spend(1000)
        spent += 1000
      }
    }),
  ).toBe('deadline')
  expect(spent).toBeGreaterThan(100_000)
  expect(spent).toBeLessThan(300_000)
  expect(reasonOf(() => budget.spend(1))).toBe('deadline')
  expect(reasonOf(() => budget.create(1001))).toBe('memory')
})

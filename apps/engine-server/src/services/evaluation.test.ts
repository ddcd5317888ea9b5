import { type BudgetError, CountedBudget } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { EngineError } from '../errors.ts'
import { createEvaluationService, overBudget, parsed } from './evaluation.ts'

const service = createEvaluationService({ evaluated: () => undefined }, { now: () => 0, requestMs: 30_000 })

async function failure(expression: string, context = {}): Promise<EngineError> {
  try {
    await service.evaluate(expression, context)
  } catch (error) {
    if (error instanceof EngineError) return error
    throw error
  }
  throw new Error('it was evaluated')
}

test('an expression gives its value and its canonical form', () =>
  expect(service.evaluate('a + 1', { a: 2 })).resolves.toEqual({ resultJson: '3', parsed: '(a + 1)' }))

test('an unreached division by a constant 0 is not an error', () =>
  expect(service.evaluate('no && 1 / 0', { no: false })).resolves.toMatchObject({ resultJson: 'false' }))

describe('an expression that would take too long ends with `timeout`', () => {
  test.each([
    'any(range(0, 1000000), i => any(range(0, 1000000), j => j < 0))',
    'any([pad_left("", 1000000)], s => any(range(0, 1000000), i => sha256(s) == ""))',
    'len(distinct(map(range(0, 1000000), x => x + 0.5))) + len(sort(map(range(0, 1000000), x => -x)))',
  ])('%s', (expression) =>
    expect(failure(expression)).resolves.toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('45 ms of processor time'),
    }),
  )

  test('also when only its patterns would take long', async () => {
    const patterns = Array.from({ length: 100 }, (_, index) => `matches(s, "(a?){700}z${index}")`)
    expect(await failure(patterns.join(' || '))).toMatchObject({ code: 'timeout' })
  })
})

describe('results beyond the limits are refused', () => {
  test.each([
    ['[s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s]', 'value-too-large'],
    ['len(map(range(0, 200), i => pad_left("", 1000000)))', 'execution-too-large'],
  ])('%s', async (expression, code) => {
    const { details } = await failure(expression, { s: 'x'.repeat(1_000_000) })
    expect(details).toMatchObject([{ path: '/expression', code }])
  })
})

test.each(['@', '§\n', 'lenn(1) + ', '("a" - 1) + '])(
  'a hundred of thousands of mistakes such as %j are reported',
  (mistake) => {
    // Counted, since a busy machine takes longer for them than one expression may.
    const found = thrown(() => parsed(`${mistake.repeat(4000)}1`, new CountedBudget(1e9)))
    expect(found).toBeInstanceOf(EngineError)
    expect(found).toMatchObject({ message: expect.stringContaining('; and 999 more') })
    expect((found as EngineError).details).toHaveLength(100)
  },
)

function thrown(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}

describe('an evaluation', () => {
  const told: [milliseconds: number, outcome: string][] = []
  const own = createEvaluationService(
    { evaluated: (seconds, outcome) => told.push([seconds * 1000, outcome]) },
    { now: () => Date.UTC(2026, 0, 1), requestMs: 30_000 },
  )

  test('is counted by its outcome, with its seconds', async () => {
    told.length = 0
    const start = performance.now()
    await own.evaluate('1 + 1', {})
    await own.evaluate('1 / 0', {}).catch(() => {})
    const most = performance.now() - start
    expect(told.map(([, outcome]) => outcome)).toEqual(['success', 'error'])
    expect(told.every(([milliseconds]) => milliseconds > 0 && milliseconds <= most)).toBe(true)
  })

  test.each([
    ['now()', undefined, '"2026-01-01T00:00:00.000Z"'],
    ['0.1 + 0.2', undefined, '0.30000000000000004'],
    ['0.1 + 0.2', 'decimal', '0.3'],
    ['a.b', undefined, 'null'],
  ] as const)('of %s with numbers as %s', async (expression, numbers, resultJson) => {
    expect((await own.evaluate(expression, {}, numbers)).resultJson).toBe(resultJson)
  })

  test('names each problem at its line and column, and counts them in the message', async () => {
    const { message, details } = await failure('lenn(1) +\n  lne(2)')
    expect(details).toMatchObject([
      {
        path: '/expression',
        line: 1,
        column: 1,
        excerpt: expect.stringContaining('lenn') as string,
        suggestion: 'len',
      },
      { path: '/expression', line: 2, column: 3, suggestion: 'len' },
    ])
    expect(message).toBe(`${details?.[0]?.message} (line 1, column 1); and 1 more`)
    const [long] = (await failure(`lenn("${'x'.repeat(1000)}")`)).details ?? []
    expect(long?.excerpt?.length).toBeLessThan(200)
    const one = await failure('lenn(1)')
    expect(one.message).toBe(`${one.details?.[0]?.message} (line 1, column 1)`)
  })
})

test.each<[reason: BudgetError['reason'], code: string, message: string]>([
  ['deadline', 'timeout', 'the expression was not evaluated within 50 ms (--request-timeout-secs)'],
  [
    'turn',
    'timeout',
    'the expression computed for more than 50 ms of processor time, which is the limit of one expression',
  ],
  ['memory', 'invalid-expression', 'the expression created more than 50 bytes of values'],
])('an expression over its limit of %s', (reason, code, message) => {
  expect(overBudget({ reason, limit: 50 } as BudgetError)).toMatchObject({ code, message })
})

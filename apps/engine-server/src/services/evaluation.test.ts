import { CountedBudget } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { EngineError } from '../errors.ts'
import { createEvaluationService, parsed } from './evaluation.ts'

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

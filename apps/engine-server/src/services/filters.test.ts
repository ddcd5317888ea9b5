import { BudgetError } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { EngineError } from '../errors.ts'
import { createFilterService } from './filters.ts'
import { executionOf } from './services.testing.ts'

const { programs } = await executionOf([
  { name: 'limit', condition: 'amount > 5 && until > now()' },
  { name: 'odd', condition: 'len(split(a, ",")) > 2' },
])
const service = createFilterService(programs, { now: () => Date.UTC(2026, 0, 1), requestMs: 30_000 })
const ASKED = { known_input: {}, target_results: ['PERMIT'] }

const failureOf = async (run: Promise<unknown>) => {
  const error = await run.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(EngineError)
  const { code, message, details } = error as EngineError
  return { code, message, details }
}

test('a filter and a query read the time of the service', async () => {
  const time = "'2026-01-01T00:00:00.000Z'"
  expect((await service.filter('limit', ASKED)).filter).toBe(`(amount > 5 AND until > ${time})`)
  expect((await service.sql('limit', { dialect: 'duckdb' })).sql).toContain(`until > ${time}`)
})

describe('a request is refused', () => {
  test.each(['filter', 'sql'] as const)('for an unknown ruleset: %s', async (way) => {
    const run = way === 'filter' ? service.filter('none', ASKED) : service.sql('none', { dialect: 'duckdb' })
    expect(await failureOf(run)).toMatchObject({ code: 'not-found', message: 'ruleset `none` not found' })
  })

  test('for a fault of its own, at its place', async () => {
    const message = '`target_results` must name at least one result code'
    expect(await failureOf(service.filter('limit', { ...ASKED, target_results: [] }))).toEqual({
      code: 'invalid-request',
      message,
      details: [{ path: '/target_results', message }],
    })
  })

  test('for rules without a form: as a filter by the server, as a query with the place in the ruleset', async () => {
    expect(await failureOf(service.filter('odd', ASKED))).toMatchObject({ code: 'filter-failed', details: undefined })
    const message = expect.stringContaining('cannot be written in SQL') as string
    expect(await failureOf(service.sql('odd', { dialect: 'duckdb' }))).toEqual({
      code: 'untranslatable',
      message,
      details: [
        {
          path: '/steps/first/branches/0/condition',
          message,
          construct: expect.stringContaining('split(a, ",")') as string,
        },
      ],
    })
  })

  test.each<[field_mapping: object, code: string]>([[{ amount: '' }, 'invalid-request']])(
    'as a query for the mapping %j',
    async (field_mapping, code) => {
      const run = service.sql('limit', {
        dialect: 'duckdb',
        field_mapping: field_mapping as { [path: string]: string },
      })
      expect(await failureOf(run)).toMatchObject({ code, details: [{ path: '/field_mapping' }] })
    },
  )
})

test.each<[reason: BudgetError['reason'], code: string, message: string]>([
  ['deadline', 'timeout', 'within 30 s '],
  ['turn', 'filter-failed', 'no filter was made: one part of it takes too much time'],
  ['memory', 'filter-failed', 'no filter was made: it takes too much memory'],
])('rules over their limit of %s have no filter', async (reason, code, message) => {
  const costly = {
    get ruleset(): never {
      throw new BudgetError(reason, 5)
    },
  }
  const limited = createFilterService({ get: () => costly } as never, { now: () => 0, requestMs: 30_000 })
  expect(await failureOf(limited.filter('a', ASKED))).toMatchObject({
    code,
    message: expect.stringContaining(message) as string,
  })
})

import { describe, expect, test } from 'vitest'
import { asRequest, type RequestMemory } from '../memory/memory-budget.ts'
import { jsonOfColumn, LongJsonReader, storedJson } from './long-json.ts'

/** JSON text of this length. */
const textOf = (length: number) => JSON.stringify('x'.repeat(length - 2))
const [SHORT, LONG] = [32 * 1024, 32 * 1024 + 1]

/** Rows as a query returns them, and the memory that they reserve. */
async function read(...rows: readonly Readonly<Record<string, unknown>>[]) {
  let held = 0
  const memory = { hold: (bytes: number) => void (held = bytes) } as unknown as RequestMemory
  const result = { rows: rows.map((row) => ({ ...row })) }
  const reader = new LongJsonReader()
  await asRequest(memory, () => reader.transformResult({ result, queryId: { queryId: 'q' } }))
  return { rows: result.rows, held }
}

describe('a JSON column', () => {
  test.each([
    ['of the greatest length', SHORT, false],
    ['of one character more', LONG, true],
  ])('%s is parsed later: %s characters, %s', (_title, length, isLater) => {
    expect(typeof jsonOfColumn(textOf(length)) === 'object').toBe(isLater)
  })

  test('has its value in the rows of a query', async () => {
    const { rows } = await read({ a: jsonOfColumn(textOf(LONG)), b: jsonOfColumn('[1]'), c: 'text' })
    expect(rows).toEqual([{ a: JSON.parse(textOf(LONG)), b: [1], c: 'text' }])
  })

  test('keeps the last of equal names, and long numbers exactly', async () => {
    expect(await storedJson('{"a":1,"a":2}')).toEqual({ a: 2 })
    expect(await storedJson('9007199254740993')).toBe(9007199254740993n)
    await expect(storedJson('{')).rejects.toThrow('stored JSON cannot be read')
  })
})

describe('the memory of a read', () => {
  test.each<[string, readonly Readonly<Record<string, unknown>>[], number]>([
    ['is that of long texts', [{ a: 'x'.repeat(LONG), b: 'x'.repeat(SHORT) }], LONG],
    ['is that of long JSON', [{ a: jsonOfColumn(textOf(LONG)) }], LONG],
    [
      'adds up over rows and columns',
      [{ a: 'x'.repeat(LONG), b: jsonOfColumn(textOf(LONG)) }, { a: 'x'.repeat(LONG) }],
      3 * LONG,
    ],
    ['is none of other values', [{ a: 1, b: null, c: 'x' }], 0],
  ])('%s, eight bytes for each character', async (_title, rows, characters) => {
    expect((await read(...rows)).held).toBe(8 * characters)
  })
})

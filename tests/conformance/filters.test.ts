import { stringifyJson } from '@engine/expression'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../cases.testing.ts'
import { type Rows, sqlite } from '../filter/databases.testing.ts'
import { randomDocument, randomKnown, randomRow, STATED } from '../filter/rulesets.testing.ts'
import { choices, drawingFrom } from './choices.testing.ts'
import { byReference, filterOf, isAsClaimed, selectedByTree, type Wanted } from './filters.testing.ts'

/** The seed of the runs that are the same everywhere. */
const FIXED_SEED = 20_261_127
const FILTERS = casesOf(2000)
const ROWS = 12

let database: Rows
beforeAll(() => {
  database = sqlite()
})
afterAll(() => database.close())

test.each([
  ['a fixed seed', FIXED_SEED],
  ['a random seed', SEED],
])(
  'filters select the rows that the documents say: %s',
  async (_, seed) => {
    printSeed(FILTERS)
    console.log(`fast-check seed ${seed}`)
    const seen = { silent: 0, exact: 0, selected: 0, rows: 0 }
    const property = fc.asyncProperty(choices, fc.boolean(), async (drawn, mixes) => {
      const random = drawingFrom(drawn)
      const known_input = randomKnown(random)
      const ruleset = randomDocument(random, { computes: false, hasOutputs: false, mixes })
      const rows = Array.from({ length: ROWS }, () => randomRow(random, mixes ? 0.2 : 0))
      const wanted: Wanted = { ruleset, known_input, target_results: ['YES'], ...(mixes && { columns: STATED }) }
      const expected = byReference(wanted, rows)
      if (expected === undefined) return void seen.silent++
      seen.rows += rows.length
      seen.selected += expected.length
      const holdTo = (
        format: string,
        exactness: NonNullable<ReturnType<typeof filterOf>>['exactness'],
        found: readonly number[],
      ) => {
        seen.exact += exactness === 'exact' ? 1 : 0
        if (!isAsClaimed(exactness, found, expected))
          throw new Error(`${format}, ${exactness}: ${stringifyJson({ found, expected, ruleset, known_input, rows })}`)
      }
      const tree = filterOf(wanted, 'json')
      if (tree !== undefined) holdTo('json', tree.exactness, selectedByTree(tree.filter, rows))
      const sql = filterOf(wanted, 'sql')
      if (sql === undefined) return
      await database.load(rows)
      holdTo('sql', sql.exactness, sql.filter === null ? [] : await database.select(sql.filter as string))
    })
    await fc.assert(property, { seed, numRuns: FILTERS })
    expect(seen.exact).toBeGreaterThan(FILTERS / 4)
    expect(Math.min(seen.selected, seen.rows - seen.selected)).toBeGreaterThan(seen.rows / 50)
    expect(seen.silent).toBeLessThan(FILTERS / 4)
  },
  600_000,
)

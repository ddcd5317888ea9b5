import { stringifyJson, type Value } from '@engine/expression'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { randomDraft, randomInput } from '../../packages/authoring/src/random.testing.ts'
import { casesOf, printSeed, SEED } from '../cases.testing.ts'
import { choices, drawing } from './choices.testing.ts'
import { draftOfTable } from './draft-of-table.testing.ts'
import { byReference, largeTable, TABLE_INPUTS } from './drafts.testing.ts'
import { programsOfDraft } from './product.testing.ts'

/** The seed of the runs that are the same everywhere. */
const FIXED_SEED = 20_261_127
const SEEDS = [
  ['a fixed seed', FIXED_SEED],
  ['a random seed', SEED],
] as const
const DRAFTS = casesOf(4000)
const TABLES = casesOf(60)
const INPUTS = 4

interface Seen {
  decisions: number
  errors: number
  silent: number
  refused: number
}

function holds(draft: Value, inputs: readonly Value[], seen: Seen): void {
  const ways = programsOfDraft(draft)
  if (ways === undefined) return void seen.refused++
  for (const input of inputs) {
    const expected = byReference(draft, input)
    if (expected === undefined) {
      seen.silent++
      continue
    }
    seen[expected === 'error' ? 'errors' : 'decisions']++
    for (const [way, decide] of ways) {
      const found = decide(input)
      if (found !== expected)
        throw new Error(`${way}: ${found}, and by the documents ${expected}, of ${stringifyJson({ input, draft })}`)
    }
  }
}

test.each(SEEDS)(
  'drafts decide as the documents say: %s',
  (_, seed) => {
    printSeed(DRAFTS)
    console.log(`fast-check seed ${seed}`)
    const seen: Seen = { decisions: 0, errors: 0, silent: 0, refused: 0 }
    const property = fc.property(choices, (drawn) => {
      const random = drawing(drawn)
      // Inputs are drawn first, so that a large draft leaves them their choices.
      const inputs = Array.from({ length: INPUTS }, () => randomInput(random))
      holds(randomDraft(random), inputs, seen)
    })
    fc.assert(property, { seed, numRuns: DRAFTS })
    expect(Math.min(seen.decisions, seen.errors)).toBeGreaterThan(DRAFTS / 4)
    expect(seen.silent + seen.refused).toBeLessThan(DRAFTS)
  },
  600_000,
)

test.each(SEEDS)(
  'so do tables of many rows: %s',
  (_, seed) => {
    const seen: Seen = { decisions: 0, errors: 0, silent: 0, refused: 0 }
    const property = fc.property(choices, (drawn) =>
      holds(draftOfTable(largeTable(drawing(drawn))), TABLE_INPUTS, seen),
    )
    fc.assert(property, { seed, numRuns: TABLES })
    expect(Math.min(seen.decisions, seen.errors)).toBeGreaterThan(TABLES / 4)
    expect([seen.silent, seen.refused]).toEqual([0, 0])
  },
  600_000,
)

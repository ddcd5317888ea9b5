import { stringifyJson, type Value } from '@engine/expression'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../cases.testing.ts'
import { setting } from './expressions.testing.ts'
import { byReference, OTHER, ruleset } from './rulesets.testing.ts'
import { programsOf } from './product.testing.ts'

/** The seed of the runs that are the same everywhere. */
const FIXED_SEED = 20_261_127
const RULESETS = casesOf(4000)
const OTHERS: ReadonlyMap<string, Value> = new Map([['other', OTHER]])

test.each([
  ['a fixed seed', FIXED_SEED],
  ['a random seed', SEED],
])(
  'rulesets decide as the documents say: %s',
  (_, seed) => {
    printSeed(RULESETS)
    console.log(`fast-check seed ${seed}`)
    const seen = { decisions: 0, errors: 0, silent: 0, refused: 0 }
    const inputs = fc.array(setting, { minLength: 3, maxLength: 3 })
    const property = fc.property(ruleset, inputs, (document, settings) => {
      const ways = programsOf(document, OTHERS)
      if (ways === undefined) return void seen.refused++
      for (const { input } of settings) {
        const expected = byReference(document, input, OTHERS)
        if (expected === undefined) {
          seen.silent++
          continue
        }
        seen[expected === 'error' ? 'errors' : 'decisions']++
        for (const [way, decide] of ways) {
          const found = decide(input)
          if (found !== expected)
            throw new Error(`${way}: ${found}, and by the documents ${expected}, of ${stringifyJson(input)}`)
        }
      }
    })
    fc.assert(property, { seed, numRuns: RULESETS })
    expect(Math.min(seen.decisions, seen.errors)).toBeGreaterThan(RULESETS / 4)
    expect(seen.silent).toBeLessThan(RULESETS)
    expect(seen.refused).toBeLessThan(RULESETS / 2)
  },
  600_000,
)

import { diff, type Region, RegionMatch } from '@engine/analysis'
import { stringifyJson } from '@engine/expression'
import type { Ruleset } from '@engine/ruleset'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { areSame, Follower, type Side } from '../../packages/analysis/src/witness/trail.ts'
import { seededRandom } from '../../packages/ruleset/src/random.testing.ts'
import { casesOf, limitOf, printSeed, SEED } from '../cases.testing.ts'
import { mutatedRuleset } from './pairs.testing.ts'
import { combination, countOf, decoded, smallRuleset, valuesOf } from './soundness.testing.ts'

const PAIRS = casesOf(300, 15)

/** Whether an input changes like a region. Outputs are computed here, so that the codes count where there are some. */
function isOf({ before, after }: Region, sides: readonly [Side, Side]): boolean {
  const isComputed = [before, after].some((side) => !('error' in side) && Object.keys(side.output).length > 0)
  const codeOf = (side: Side) => ('error' in side ? `error ${side.error.code}` : side.code)
  const isAlike = (side: Side, shown: Side) => (isComputed ? codeOf(side) === codeOf(shown) : areSame(side, shown))
  return isAlike(sides[0], before) && isAlike(sides[1], after)
}

test(
  `conditions of complete regions hold for all inputs that change, and no others: ${PAIRS} pairs by enumeration`,
  { timeout: limitOf(PAIRS, 6000) },
  () => {
    printSeed(PAIRS)
    const random = seededRandom(SEED)
    const counts = { complete: 0, all: 0 }
    for (let count = 0; count < PAIRS; count++) {
      const before = smallRuleset(random)
      const after = mutatedRuleset(random, before)
      const { regions } = diff(decoded(before), decoded(after))
      const complete = regions.filter((region) => region.complete)
      counts.all += regions.length
      counts.complete += complete.length
      const wrong = complete.length === 0 ? undefined : wrongInput(complete, decoded(before), decoded(after))
      if (wrong !== undefined) expect.fail(`${wrong}: ${stringifyJson({ before, after })}`)
    }
    console.log(counts)
    // A third of the regions of many pairs.
    if (PAIRS >= 20) expect(counts.complete).toBeGreaterThan(0)
    if (PAIRS >= 100) expect(counts.complete / counts.all).toBeGreaterThan(0.2)
  },
)

/** An input for which a condition holds that does not change like this, or the other way round. */
function wrongInput(regions: readonly Region[], before: Ruleset, after: Ruleset): string | undefined {
  const values = valuesOf(before)
  const [old, young] = [new Follower(before), new Follower(after)]
  const matches = regions.map(({ condition }) => new RegionMatch([condition], before.config.numbers))
  for (let number = 0; number < countOf(values); number++) {
    const input = combination(number, values)
    const [first, second] = [old.follow(input).side, young.follow(input).side]
    if (first === undefined || second === undefined) continue
    const isChanged = !areSame(first, second)
    const wrong = regions.find((region, index) => {
      const holds = matches[index]?.regionOf(input) !== undefined
      return holds !== (isChanged && isOf(region, [first, second]))
    })
    if (wrong !== undefined)
      return `${stringifyJson(input)} gives ${inspect([first, second], { depth: null })}, not of ${inspect(wrong, { depth: null })}`
  }
  return undefined
}

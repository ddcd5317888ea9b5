import { analyze, type Report } from '@engine/analysis'
import { stringifyJson } from '@engine/expression'
import { expect, test } from 'vitest'
import { Follower } from '../../packages/analysis/src/witness/trail.ts'
import { seededRandom } from '../../packages/ruleset/src/random.testing.ts'
import { randomRuleset, randomRulesetInput } from '../../packages/ruleset/src/ruleset.testing.ts'
import { casesOf, limitOf, printSeed, SEED } from '../cases.testing.ts'
import { combination, contradiction, countOf, decoded, smallRuleset, unshown, valuesOf } from './soundness.testing.ts'

const RULESETS = casesOf(300)
const LARGER = casesOf(200)

/**
 * A proof holds for every enumerated input: all combinations in a full run, else a part of them. Some of
 * the values lie off those that the analysis picks for its classes.
 */
test(`no input contradicts the proofs about ${RULESETS} small rulesets`, { timeout: limitOf(RULESETS, 4000) }, () => {
  printSeed(RULESETS)
  const random = seededRandom(SEED)
  const questions = { proved: 0, refuted: 0, unknown: 0 }
  for (let count = 0; count < RULESETS; count++) {
    const document = smallRuleset(random)
    const ruleset = decoded(document)
    const report = analyze(ruleset)
    add(questions, report)
    expect(unshown(report, ruleset), stringifyJson(document)).toBeUndefined()
    const follower = new Follower(ruleset)
    const values = valuesOf(ruleset)
    for (let index = 0; index < 400; index++) {
      const input = combination(Math.floor(random() * countOf(values)), values)
      const found = contradiction(report, follower.follow(input))
      if (found !== undefined) expect.fail(`${found}: ${stringifyJson(input)} in ${stringifyJson(document)}`)
    }
  }
  console.log(questions)
  expect(questions.proved).toBeGreaterThan(RULESETS)
})

test('no input contradicts the proofs about rulesets with every construct', { timeout: limitOf(LARGER, 4000) }, () => {
  printSeed(LARGER)
  const random = seededRandom(SEED)
  const questions = { proved: 0, refuted: 0, unknown: 0 }
  for (let count = 0; count < LARGER; count++) {
    const document = randomRuleset(random, { mostBranches: 8, mostSteps: 5 })
    const ruleset = decoded(document)
    const report = analyze(ruleset, { budget: 2_000_000 })
    add(questions, report)
    const follower = new Follower(ruleset)
    for (let index = 0; index < 60; index++) {
      const input = randomRulesetInput(random, document)
      const found = plain(report) && contradiction(report, follower.follow(input))
      if (typeof found === 'string') expect.fail(`${found}: ${stringifyJson(input)} in ${stringifyJson(document)}`)
    }
  }
  console.log(questions)
  expect(questions.proved).toBeGreaterThan(0)
})

function add(to: { proved: number; refuted: number; unknown: number }, { questions }: Report): void {
  to.proved += questions.proved
  to.refuted += questions.refuted
  to.unknown += questions.unknown
}

/** Places and claims are compared as texts: ids that hold what parts them are left to the table of places. */
function plain({ findings }: Report): boolean {
  return findings.every(({ place }) => /^\/steps\/[a-z0-9]+(\/branches\/\d+)?$/i.test(place))
}

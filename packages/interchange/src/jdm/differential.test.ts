import { isObject, type Value } from '@engine/expression'
import { ZenEngine } from '@gorules/zen-engine'
import { expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../../tests/cases.testing.ts'
import { seededRandom } from '../../../ruleset/src/random.testing.ts'
import type { Loss } from '../conversion-result.ts'
import { executableOrNot } from '../execute.testing.ts'
import { fromJdm } from './from-jdm.ts'
import { randomDecision, randomInput } from './random-jdm.testing.ts'
import { isSameResult } from './same-result.testing.ts'

const DOCUMENTS = casesOf(3000)
const INPUTS_EACH = 10

const WARNINGS = 'decimals text-length comparison failure row join members input dates powers unicode-classes'.split(
  ' ',
)

/** Decisions that may be refused, in parts of all: most fail in the engine of GoRules as well, since a node lacks its input. */
const MAX_REFUSED = 0.2

test(`${DOCUMENTS} random decisions give what the engine of GoRules gives, where it gives a result`, async () => {
  printSeed(DOCUMENTS)
  const random = seededRandom(SEED)
  const engine = new ZenEngine()
  const seen = { compared: 0, warned: 0, members: 0, same: 0, failed: 0, other: 0, mistyped: 0, refused: 0, lost: 0 }
  for (let count = 0; count < DOCUMENTS; count++) {
    const document = randomDecision(random)
    const { rulesets, lost } = fromJdm(document)
    const [imported] = rulesets
    if (imported === undefined) throw new Error(JSON.stringify({ lost, document }, undefined, 1))
    if (lost.some(({ severity }) => severity === 'error')) {
      for (const { code } of lost)
        expect(['no-counterpart', 'no-effect', 'several-results', ...WARNINGS]).toContain(code)
      seen.lost++
      continue
    }
    const decide = executableOrNot(imported.ruleset)
    if (decide === undefined) {
      seen.refused++
      continue
    }
    seen.compared++
    if (lost.some(({ code }) => code === 'join' || code === 'row' || code === 'members')) seen.warned++
    if (lost.some(({ code }) => code === 'members')) seen.members++
    const isOutside = outsideOf(lost)
    const decision = engine.createDecision(document as object)
    for (let round = 0; round < INPUTS_EACH; round++) {
      const input = randomInput(random)
      const answer = await decision.safeEvaluate(input)
      if (!answer.success) {
        seen.failed++
        continue
      }
      const decided = decide(input)
      const result = answer.data.result as Value
      if (isSameResult(result, decided, input)) seen.same++
      else if (isOutside(input)) seen.other++
      // A wrong type in a cell is an error here, and a row without a match in ZEN: docs/platform/imports.md.
      else if (decided.kind === 'failed') seen.mistyped++
      else
        throw new Error(
          JSON.stringify({ result, decided, input, document, lost, draft: imported.ruleset }, undefined, 1),
        )
    }
  }
  console.log(JSON.stringify(seen))
  expect(seen.same).toBeGreaterThan((DOCUMENTS * INPUTS_EACH) / 8)
  // Compared with all converted decisions, few inputs are covered by a warning.
  expect(seen.other).toBeLessThan(1 + (DOCUMENTS * INPUTS_EACH) / 50)
  expect((seen.lost + seen.refused) / DOCUMENTS).toBeLessThan(DOCUMENTS < 500 ? 2 * MAX_REFUSED : MAX_REFUSED)
  expect(seen.mistyped).toBeLessThan(1 + (DOCUMENTS * INPUTS_EACH) / 100)
}, 7_200_000)

/** Whether a warning of the document covers an input, so that the results may differ. */
function outsideOf(lost: readonly Loss[]): (input: { readonly [name: string]: Value }) => boolean {
  const codes = new Set(lost.map(({ code }) => code))
  return (input) => {
    return (
      codes.has('members') ||
      (codes.has('join') && Object.values(input).some((value) => isObject(value))) ||
      // In these documents only a quotient can be null in an output.
      (codes.has('row') && input['n2'] === 0)
    )
  }
}

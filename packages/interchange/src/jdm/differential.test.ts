import { isObject, type Value } from '@engine/expression'
import { ZenEngine } from '@gorules/zen-engine'
import { expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../../tests/cases.testing.ts'
import { seededRandom } from '../../../ruleset/src/random.testing.ts'
import { type Decided, executableOrNot } from '../execute.testing.ts'
import { isAlike as isAlikeValue } from './alike.testing.ts'
import { fromJdm } from './from-jdm.ts'
import { randomDecision, randomInput } from './random-jdm.testing.ts'

const DOCUMENTS = casesOf(10_000)
const INPUTS_EACH = 10

const WARNINGS = ['decimals', 'text-length', 'comparison', 'failure', 'row', 'join', 'input']

test(`${DOCUMENTS} random decisions give what the engine of GoRules gives, where it gives a result`, async () => {
  printSeed(DOCUMENTS)
  const random = seededRandom(SEED)
  const engine = new ZenEngine()
  const seen = { same: 0, failed: 0, named: 0, mistyped: 0, refused: 0, lost: 0 }
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
    // What is joined, and rows whose outputs fail, may decide otherwise and are named; all others give the same.
    if (lost.some(({ code }) => code === 'join' || code === 'row')) {
      seen.named++
      continue
    }
    const decide = executableOrNot(imported.ruleset)
    if (decide === undefined) {
      seen.refused++
      continue
    }
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
      if (isSame(result, decided, input)) seen.same++
      // A wrong type in a cell is an error here, and a row that does not fit there: docs/platform/imports.md.
      else if (decided.kind === 'failed') seen.mistyped++
      else
        throw new Error(
          JSON.stringify({ result, decided, input, document, lost, draft: imported.ruleset }, undefined, 1),
        )
    }
  }
  console.log(JSON.stringify(seen))
  expect(seen.same).toBeGreaterThan((DOCUMENTS * INPUTS_EACH) / 8)
  expect(seen.mistyped).toBeLessThan(1 + (DOCUMENTS * INPUTS_EACH) / 100)
}, 1_800_000)

/** The same result, apart from members of the input that are repeated there. */
function isSame(result: Value, decided: Decided, input: { readonly [name: string]: Value }): boolean {
  if (decided.kind === 'failed') return false
  if (Array.isArray(result)) return isAlike(result, decided.output['result'] ?? null)
  if (!isObject(result)) return false
  const keys = new Set([...Object.keys(result), ...Object.keys(decided.output)])
  return [...keys].every((key) =>
    Object.hasOwn(decided.output, key)
      ? isAlike(result[key] ?? null, decided.output[key] ?? null)
      : isAlike(result[key] ?? null, input[key] ?? null),
  )
}

/** Objects of nothing else than null are absent too. */
const isAlike = (left: Value, right: Value): boolean =>
  isAlikeValue(left, right, (one, other) => one === other || (isNothing(one) && isNothing(other)))

/** A member of which nothing was set: `{"o": {"p": null}}` is `{}` there. */
function isNothing(value: Value): boolean {
  return value === null || (isObject(value) && Object.values(value).every(isNothing))
}

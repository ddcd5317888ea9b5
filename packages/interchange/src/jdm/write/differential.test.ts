import { decodeDraft, type DraftRuleset } from '@engine/authoring'
import { isObject, type Value } from '@engine/expression'
import { ZenEngine } from '@gorules/zen-engine'
import { expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../../../tests/cases.testing.ts'
import { randomDraft, randomInput } from '../../../../authoring/src/random.testing.ts'
import { seededRandom } from '../../../../ruleset/src/random.testing.ts'
import { type Decided, executable, executableOrNot } from '../../execute.testing.ts'
import { isAlike } from '../value-equivalence.testing.ts'
import { fromJdm } from '../from-jdm.ts'
import { randomExpressionInput, randomExpressionsDraft } from './random-expressions.testing.ts'
import { toJdm } from './to-jdm.ts'

const DRAFTS = casesOf(500)
const INPUTS_EACH = 10

const GENERATORS = [
  ['steps, tables and sub-rules', randomDraft, randomInput],
  ['expressions', randomExpressionsDraft, randomExpressionInput],
] as const

test.each(GENERATORS)(
  `${DRAFTS} random drafts of %s decide in the engine of GoRules as here, and so do they when they are read again`,
  async (_title, draftOf, inputOf) => {
    printSeed(DRAFTS)
    const random = seededRandom(SEED)
    const engine = new ZenEngine()
    const seen = { drafts: 0, lost: 0, warned: 0, same: 0, failed: 0, other: 0, again: 0, failedAgain: 0, lostAgain: 0 }
    const codes: Record<string, number> = {}
    for (let count = 0; count < DRAFTS; count++) {
      const draft = decoded(draftOf(random))
      const { document, lost } = toJdm(draft)
      for (const { code, severity } of lost) codes[`${severity} ${code}`] = (codes[`${severity} ${code}`] ?? 0) + 1
      if (document === undefined || lost.some(({ severity }) => severity === 'error')) {
        seen.lost++
        continue
      }
      seen.drafts++
      if (lost.length > 0) seen.warned++
      const decide = executable(draft)
      const decision = engine.createDecision(document as object)
      const again = readAgain(document)
      if (again === undefined) seen.lostAgain++
      for (let round = 0; round < INPUTS_EACH; round++) {
        const input = inputOf(random)
        const expected = decide(input)
        // Where an execution fails here, ZEN may give a result: docs/platform/imports.md.
        if (expected.kind === 'failed') {
          seen.failed++
          continue
        }
        const answer = await decision.safeEvaluate(input)
        const result = answer.success ? (answer.data.result as Value) : null
        if (!isSame(expected, resultOf(result))) {
          // Covered by the warning.
          if (lost.some(({ code }) => code === 'truth' || code === 'defaults')) {
            seen.other++
            continue
          }
          throw new Error(JSON.stringify({ expected, result, input, lost, draft, document, answer }, undefined, 1))
        }
        seen.same++
        if (again === undefined) continue
        const found = again(input)
        // A comparison with a value of another type is false in ZEN, and fails here where the type is not known.
        if (found.kind === 'failed') {
          seen.failedAgain++
          continue
        }
        if (!isSame(expected, found))
          throw new Error(
            JSON.stringify({ expected, found, input, lost, draft, document, again: fromJdm(document) }, undefined, 1),
          )
        seen.again++
      }
    }
    console.log(JSON.stringify(seen), JSON.stringify(codes))
    expect(seen.drafts).toBeGreaterThan(DRAFTS / 4)
    expect(seen.same).toBeGreaterThan(DRAFTS)
    expect(seen.again).toBeGreaterThan(DRAFTS)
    expect(seen.failedAgain).toBeLessThan(seen.again / 100)
  },
  1_800_000,
)

function decoded(document: Value): DraftRuleset {
  const { draft, problems } = decodeDraft(document)
  if (draft === undefined) throw new Error(JSON.stringify({ problems, document }, undefined, 1))
  return draft
}

/** The executable read back from an exported document; undefined when parts are lost. */
function readAgain(document: Value): ((input: Value) => Decided) | undefined {
  const { rulesets, lost } = fromJdm(document)
  if (rulesets[0] === undefined || lost.some(({ severity }) => severity === 'error')) return undefined
  return executableOrNot(rulesets[0].ruleset)
}

/** The ZEN result as a decision: `{code, message, output}`. */
function resultOf(result: Value): Decided {
  if (!isObject(result)) return { kind: 'failed', message: JSON.stringify(result) }
  const { code, message, output } = result
  return {
    kind: 'decided',
    code: textOf(code),
    message: textOf(message),
    output: isObject(output ?? null) ? (output as { readonly [name: string]: Value }) : {},
  }
}

const textOf = (value: Value | undefined) => (typeof value === 'string' ? value : '')

function isSame(expected: Decided, found: Decided): boolean {
  if (expected.kind === 'failed' || found.kind === 'failed') return false
  return expected.code === found.code && expected.message === found.message && isAlike(expected.output, found.output)
}

import { stringifyJson, type Value } from '@engine/expression'
import { createProgram, decodeRuleset, ExecutionError, type RulesetDocument } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../tests/cases.testing.ts'
import { testHost } from '../../ruleset/src/host.testing.ts'
import { seededRandom } from '../../ruleset/src/random.testing.ts'
import { convertDraft } from './convert/convert.ts'
import { decodeDraft } from './draft/decode.ts'
import type { DraftRuleset } from './draft/model.ts'
import { draftOf } from './from-engine/from-engine.ts'
import { interpretDraft } from './interpret.testing.ts'
import { randomDraft, randomInput } from './random.testing.ts'

const DRAFTS = casesOf(4000, 12)
const INPUTS_EACH = 4

test(`${DRAFTS} random drafts decide in the engine as the editor's format defines, also after a round trip`, () => {
  printSeed(DRAFTS)
  const random = seededRandom(SEED)
  const seen = { decisions: 0, errors: 0 }
  for (let count = 0; count < DRAFTS; count++) {
    const document = randomDraft(random)
    const { draft, converted } = conversion(document)
    const programs = [converted, again(converted)].map((one) => createProgram(ruleset(one), testHost()))
    for (let round = 0; round < INPUTS_EACH; round++) {
      const input = randomInput(random)
      const expected = outcome(() => interpretDraft(draft, input))
      const found = programs.map((program) => outcome(() => program.decide(input)))
      if (found.some((result) => result !== expected))
        throw new Error(JSON.stringify({ expected, found, input, document, converted }, undefined, 1))
      seen[expected === 'error' ? 'errors' : 'decisions']++
    }
  }
  expect(Math.min(seen.decisions, seen.errors)).toBeGreaterThan((DRAFTS * INPUTS_EACH) / 20)
}, 1_200_000)

function conversion(document: Value): { draft: DraftRuleset; converted: RulesetDocument } {
  const { draft, problems } = decodeDraft(document)
  if (draft === undefined) throw new Error(JSON.stringify({ problems, document }, undefined, 1))
  const converted = convertDraft(draft)
  if (converted.ruleset === undefined) throw new Error(JSON.stringify({ ...converted, document }, undefined, 1))
  return { draft, converted: converted.ruleset }
}

/** A converted ruleset after a round trip through the editor's format, which may turn decisions into tables. */
function again(document: RulesetDocument): RulesetDocument {
  const { draft, problems } = draftOf(document)
  if (draft === undefined) throw new Error(JSON.stringify({ problems, document }, undefined, 1))
  const back = convertDraft(draft)
  if (back.ruleset === undefined) throw new Error(JSON.stringify({ ...back, document }, undefined, 1))
  return back.ruleset
}

function ruleset(document: RulesetDocument) {
  const { ruleset: decoded, problems } = decodeRuleset(document)
  if (decoded === undefined) throw new Error(JSON.stringify({ problems, document }, undefined, 1))
  return decoded
}

/** Only the fact of an error is compared: the test's interpreter has no messages. */
function outcome(run: () => unknown): string {
  try {
    const { code, message, output } = run() as { code: string; message: string; output: Value }
    return stringifyJson({ code, message, output })
  } catch (error) {
    if (error instanceof ExecutionError || error instanceof Error) return 'error'
    throw error
  }
}

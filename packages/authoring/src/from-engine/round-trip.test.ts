import { stringifyJson, type Value } from '@engine/expression'
import { createProgram, decodeRuleset, ExecutionError, type RulesetDocument } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../../tests/cases.testing.ts'
import { testHost } from '../../../ruleset/src/host.testing.ts'
import { chance, inRange, pick, type Random, seededRandom } from '../../../ruleset/src/random.testing.ts'
import { randomRuleset, randomRulesetInput } from '../../../ruleset/src/ruleset.testing.ts'
import { convertDraft } from '../convert/convert.ts'
import { draftOf } from './from-engine.ts'

const RULESETS = casesOf(4000, 12)
const INPUTS_EACH = 3

test(`${RULESETS} random rulesets decide the same after conversion to the editor's format and back`, () => {
  printSeed(RULESETS)
  const random = seededRandom(SEED)
  const seen = { compared: 0, refused: 0, tables: 0, errors: 0 }
  for (let count = 0; count < RULESETS; count++) {
    const document = count % 4 === 0 ? tableRuleset(random) : withoutStepLimit(randomRuleset(random, { loops: false }))
    const { draft, problems } = draftOf(document)
    if (draft === undefined) {
      seen.refused++
      expect(problems.map(({ code }) => code)).toContain('not-convertible')
      continue
    }
    if (draft.steps.some(({ type }) => type === 'table')) seen.tables++
    const back = convertDraft(draft)
    if (back.ruleset === undefined) throw new Error(JSON.stringify({ ...back, draft, document }, undefined, 1))
    const [before, after] = [executed(document), executed(back.ruleset)]
    for (let round = 0; round < INPUTS_EACH; round++) {
      const input = randomRulesetInput(random, document)
      const [expected, found] = [before(input), after(input)]
      if (found !== expected)
        throw new Error(JSON.stringify({ expected, found, input, document, draft, back: back.ruleset }, undefined, 1))
      seen.compared++
      if (expected.startsWith('error')) seen.errors++
    }
  }
  expect(Math.min(seen.refused, seen.tables)).toBeGreaterThan(0)
  expect(Math.min(seen.compared - seen.errors, seen.errors)).toBeGreaterThan(RULESETS / 20)
}, 1_200_000)

const FIELDS = ['age', 'country', 'user.score'] as const
const TESTS = [
  '== 18',
  '>= 18',
  '< 65',
  '!= "DE"',
  '== "FR"',
  'in [1, "DE", null]',
  'not in [18, 65]',
  '== -1',
  '<= 2.5',
]

/** A decision of comparisons with literals in a fixed field order: it converts to a table. */
function tableRuleset(random: Random): RulesetDocument {
  const branches = Array.from({ length: inRange(random, 4, 9) }, (_, index): Value => {
    const comparison = (field: string) => {
      const found = pick(random, TESTS)
      return found === 'RANGE' ? `${field} >= ${inRange(random, -2, 18)} && ${field} < 65` : `${field} ${found}`
    }
    const tests = FIELDS.filter(() => chance(random, 0.6)).map((field) => comparison(field))
    return {
      condition: tests.length === 0 ? 'age == 0' : tests.join(' && '),
      next_step: pick(random, ['a', 'b']),
      ...(chance(random, 0.5) && { actions: [{ action: 'set_variable', name: 'x', value: `age + ${index}` }] }),
    }
  })
  const terminal = (id: string) => ({ id, type: 'terminal', result: { code: id, message: '', output: [['x', '$x']] } })
  return {
    config: { name: 'table', entry_step: 's' },
    steps: { s: { id: 's', type: 'decision', branches, default_next: 'b' }, a: terminal('a'), b: terminal('b') },
  }
}

/** Actions of a branch become a separate step, so the number of steps is not preserved. */
function withoutStepLimit(document: RulesetDocument): RulesetDocument {
  const { max_depth: _limit, ...config } = document['config'] as { readonly [key: string]: Value }
  return { ...document, config }
}

function executed(document: RulesetDocument): (input: Value) => string {
  const { ruleset, problems } = decodeRuleset(document)
  if (ruleset === undefined) throw new Error(JSON.stringify({ problems, document }, undefined, 1))
  const host = testHost()
  const program = createProgram(ruleset, host)
  return (input) => {
    host.effects.length = 0
    const result = outcome(() => program.decide(input))
    const logs = host.effects.map((effect) => stringifyJson((effect as { 1: { message: string } })[1].message))
    return `${result} ${logs.join(' ')}`
  }
}

function outcome(run: () => unknown): string {
  try {
    const { code, message, output } = run() as { code: string; message: string; output: Value }
    return stringifyJson({ code, message, output })
  } catch (error) {
    if (error instanceof ExecutionError) return `error ${error.code}`
    throw error
  }
}

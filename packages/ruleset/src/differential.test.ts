import { stringifyJson, type Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../tests/cases.testing.ts'
import { createProgram } from './create-program.ts'
import { decodeRuleset } from './decode.ts'
import { BranchCounts } from './execute/branch-counts.ts'
import { testHost } from './host.testing.ts'
import type { Ruleset, RulesetDocument } from './model.ts'
import { type ExecuteOptions, ExecutionError, type Program, type Trace } from './program.ts'
import { seededRandom } from './random.testing.ts'
import { randomRuleset, randomRulesetInput } from './ruleset.testing.ts'

const RULESETS = casesOf(3000, 9)
const INPUTS_EACH = 3

/**
 * Five ways of execution with one meaning: the interpreter, generated code, generated code without the branch index,
 * traced code, and traces with values. Result, error, all effects, the path, the branches taken and their counts must be
 * identical.
 */
test(`${RULESETS} random rulesets decide the same in every way to execute them`, () => {
  printSeed(RULESETS)
  const random = seededRandom(SEED)
  const seen = { decisions: 0, errors: 0 }
  for (let count = 0; count < RULESETS; count++) {
    const document = randomRuleset(random)
    const ruleset = decoded(document)
    const compare = comparison(ruleset, document)
    for (let round = 0; round < INPUTS_EACH; round++) seen[compare(randomRulesetInput(random, document))]++
  }
  expect(Math.min(seen.decisions, seen.errors)).toBeGreaterThan((RULESETS * INPUTS_EACH) / 20)
}, 1_200_000)

function decoded(document: RulesetDocument): Ruleset {
  const { ruleset, problems } = decodeRuleset(document)
  if (ruleset === undefined) throw new Error(`${stringifyJson(document)}\n${JSON.stringify(problems, undefined, 1)}`)
  return ruleset
}

function comparison(ruleset: Ruleset, document: RulesetDocument): (input: Value) => 'decisions' | 'errors' {
  const interpreted = way(ruleset, { makeFunction: undefined }, {})
  const ways = {
    compiled: way(ruleset, {}, {}),
    'compiled without dispatch': way(ruleset, {}, { dispatch: false }),
    traced: way(ruleset, {}, {}, { trace: true }),
    'traced with values': way(ruleset, {}, {}, { trace: true, traceValues: true }),
  }
  return (input) => {
    const expected = interpreted(input)
    for (const [name, run] of Object.entries(ways)) {
      const answer = run(input)
      if (answer.result !== expected.result || answer.path !== expected.path || answer.counts !== expected.counts) {
        const { result, counts } = answer
        throw new Error(
          stringifyJson({
            way: name,
            expected: expected.result,
            expectedCounts: expected.counts,
            result,
            counts,
            input,
            document,
          }),
        )
      }
    }
    return expected.result.startsWith('error') ? 'errors' : 'decisions'
  }
}

interface Answer {
  readonly result: string
  /** Entered steps and taken branches; only for ways that trace. */
  readonly path: string | undefined
  /** Branches taken by one execution. */
  readonly counts: string
}

function way(
  ruleset: Ruleset,
  overrides: object,
  options: object,
  traces?: { readonly trace: true; readonly traceValues?: true },
): (input: Value) => Answer {
  const host = testHost(overrides)
  const branchCounts = new BranchCounts(ruleset)
  const program = createProgram(ruleset, host, { ...options, branchCounts })
  const interpreted = traces ? createProgram(ruleset, testHost({ makeFunction: undefined })) : undefined
  return (input) => {
    host.effects.length = 0
    branchCounts.counters.fill(0)
    const result = outcome(() => (traces ? program.execute(input, traces) : program.decide(input)))
    const counts = JSON.stringify(branchCounts.bySteps())
    const effects = stringifyJson(host.effects.slice(0, 200) as unknown as Value).slice(0, 20_000)
    const differs =
      traces !== undefined &&
      interpreted !== undefined &&
      wayOf(interpreted, input, { trace: true }) !== wayOf(program, input, traces)
    return { result: `${result} ${effects}`, path: differs ? 'a path of its own' : undefined, counts }
  }
}

/** The path of an execution with the branches taken; undefined where it fails. */
function wayOf(program: Program, input: Value, options: ExecuteOptions): string | undefined {
  const result = safely(() => program.execute(input, options)) as { trace: Trace } | undefined
  const branches = result?.trace.steps.map(({ id, branch, condition }) => [id, branch, condition])
  return result === undefined ? undefined : JSON.stringify([result.trace.path, branches])
}

function outcome(run: () => unknown): string {
  try {
    const { code, message, output } = run() as { code: string; message: string; output: Value }
    return stringifyJson({ code, message, output })
  } catch (error) {
    if (error instanceof ExecutionError) return `error ${error.code} ${error.step} ${error.message}`
    throw error
  }
}

function safely(run: () => unknown): unknown {
  try {
    return run()
  } catch {
    return undefined
  }
}

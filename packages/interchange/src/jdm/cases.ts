import type { Case, DraftRuleset, Expectation } from '@engine/authoring'
import { isList, type Value } from '@engine/expression'
import { at, type Fields, isFields, member } from '@engine/ruleset'
import { unusedName } from '../names.ts'
import type { Losses } from '../losses.ts'

/** Maximum number of tests of one document. */
const MAX_TESTS = 10_000

/** Published results are rounded, and were computed with fewer digits. */
const TOLERANCE = 1e-8

/** The suite of imported cases. */
const SUITE = 'imported'

/** The `tests` of a document as cases of its ruleset. Linear in their size. */
export function casesOf(given: Value | undefined, { steps }: DraftRuleset, losses: Losses): readonly Case[] {
  const tests = given ?? []
  const place = at(undefined, 'tests')
  if (!isList(tests)) {
    losses.warn(place, { code: 'test', message: 'must be a list of tests: it was omitted' })
    return []
  }
  const codes = new Set(steps.flatMap((step) => (step.type === 'terminal' ? [step.code] : [])))
  const names = new Set<string>()
  if (tests.length > MAX_TESTS)
    losses.warn(place, { code: 'too-many', message: `only the first ${MAX_TESTS} tests were imported` })
  return tests.slice(0, MAX_TESTS).flatMap((test, index): Case[] => {
    const fields = isFields(test) ? test : {}
    const input = member(fields, 'input') ?? {}
    const output = member(fields, 'output')
    if (!isFields(input) || output === undefined) {
      losses.warn(at(place, index), {
        code: 'test',
        message: 'must have the objects `input` and `output`: it was omitted',
      })
      return []
    }
    const name = member(fields, 'name')
    const wanted = typeof name === 'string' && name !== '' ? name : `test ${index + 1}`
    return [{ name: unusedName(wanted, names), suite: SUITE, input, expect: expectationOf(output, codes) }]
  })
}

/** A result in the exported format of terminals is an expected terminal; any other result is an expected output. */
function expectationOf(output: Value, codes: ReadonlySet<string | undefined>): Expectation {
  if (!isFields(output)) return { output: { result: output }, tolerance: TOLERANCE }
  const { code, message, output: own } = output
  const isTerminal = Object.keys(output).every((key) => ['code', 'message', 'output'].includes(key))
  if (isTerminal && typeof code === 'string' && codes.has(code))
    return {
      code,
      ...(typeof message === 'string' && { message }),
      ...(isFields(own) && { output: withoutNull(own) }),
      tolerance: TOLERANCE,
    }
  return { output: withoutNull(output), tolerance: TOLERANCE }
}

/** A null member and an absent one are equal in a result. */
const withoutNull = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))

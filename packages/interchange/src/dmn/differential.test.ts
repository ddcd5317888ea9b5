import { stringifyJson, type Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../../tests/cases.testing.ts'
import { chance, type Random, seededRandom } from '../../../ruleset/src/random.testing.ts'
import { fromDmn } from './from-dmn.ts'
import { decide, dmnText, type WrittenTable } from './model.testing.ts'
import { contextOf, decideTable } from './oracle.testing.ts'
import { INPUTS, randomInput, randomTable } from './random-table.testing.ts'

const MODELS = casesOf(2500)
const INPUTS_EACH = 4

test(`${MODELS} random decision tables decide as another implementation of FEEL and the standard's hit policies`, () => {
  printSeed(MODELS)
  const random = seededRandom(SEED)
  const seen = { decisions: 0, errors: 0, matches: 0 }
  for (let count = 0; count < MODELS; count++) {
    const hasNulls = chance(random, 0.5)
    const { grade, result } = tablesOf(random, hasNulls)
    const names = INPUTS.map(([name]) => name)
    const document = dmnText(
      [
        { name: 'Result', table: result, requires: [...names, ...(grade ? ['Grade'] : [])] },
        ...(grade ? [{ name: 'Grade', table: grade, requires: names }] : []),
      ],
      INPUTS,
    )
    const { rulesets, lost } = fromDmn(document)
    const errors = lost.filter(({ severity }) => severity === 'error')
    if (rulesets[0] === undefined || errors.length > 0) throw new Error(JSON.stringify({ errors, document }))
    const run = decide(rulesets[0].ruleset)
    for (let round = 0; round < INPUTS_EACH; round++) {
      const input = randomInput(random, hasNulls)
      const expected = expectedOf(grade, result, input)
      const found = run(input)
      const isError = expected === undefined
      if (isError ? typeof found !== 'object' || !Object.hasOwn(found ?? {}, 'error') : !same(found, expected))
        throw new Error(`expected ${shown(expected)}, found ${shown(found)} of ${shown(input)} in ${document}`)
      seen[isError ? 'errors' : 'decisions']++
      if (!isError && shown(expected) !== '{"Result":null}') seen.matches++
    }
  }
  expect(seen.errors).toBeGreaterThan(MODELS / 50)
  expect(seen.matches).toBeGreaterThan(MODELS)
}, 1_200_000)

const shown = (value: Value | undefined) => (value === undefined ? 'an error' : stringifyJson(value))
const same = (left: Value, right: Value) => shown(sorted(left)) === shown(sorted(right))

/** Recursively sorts object keys. */
function sorted(value: Value): Value {
  if (Array.isArray(value)) return value.map((item) => sorted(item as Value))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value as { readonly [key: string]: Value })
  return Object.fromEntries(
    entries.toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([key, inner]) => [key, sorted(inner)]),
  )
}

/** A table, sometimes preceded by one whose result it tests. */
function tablesOf(random: Random, hasNulls: boolean): { grade: WrittenTable | undefined; result: WrittenTable } {
  if (chance(random, 0.6)) return { grade: undefined, result: randomTable(random, { hasNulls }) }
  const grade: WrittenTable = {
    ...randomTable(random, { hasNulls }),
    hitPolicy: 'FIRST',
    outputs: [{ name: 'Grade', type: 'string' }],
  }
  const { aggregation: _, ...plain } = grade
  const inputs = grade.inputs.length
  const rules = grade.rules.map((rule, index) => [...rule.slice(0, inputs), ['"a"', '"b"', '"c"'][index % 3] ?? ''])
  return {
    grade: { ...plain, rules },
    result: randomTable(random, { hasNulls: true, further: [['Grade', 'string']] }),
  }
}

function expectedOf(
  grade: WrittenTable | undefined,
  result: WrittenTable,
  input: { readonly [name: string]: Value },
): Value | undefined {
  const context = contextOf(input)
  const value = decideTable(result, grade === undefined ? context : { ...context, Grade: decideTable(grade, context) })
  if (value === undefined) return undefined
  const isContext = result.outputs.length > 1 && !/ORDER|COLLECT/.test(result.hitPolicy ?? '')
  if (!isContext) return { Result: value }
  // The entries of the context are the output; without a context, each is null.
  const entries = (value ?? {}) as { readonly [key: string]: Value }
  return Object.fromEntries(result.outputs.map(({ name = '' }) => [name, entries[name] ?? null]))
}

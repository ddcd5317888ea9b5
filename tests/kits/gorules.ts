import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, parseJson, stringifyJson, type Value } from '@engine/expression'
import { fromJdm } from '@engine/interchange'
import { type Decided, executable } from '../../packages/interchange/src/execute.testing.ts'
import { isSameValue, withoutTime } from './compare.ts'
import type { KitCase, KitResult } from './tally.ts'

/**
 * The decisions of GoRules in a folder, as `test-data/graphs` of gorules/zen has them: JSON Decision Models with
 * `tests: [{input, output}]`. Documents without tests are omitted.
 */
export function gorulesCases(folder: string): readonly KitCase[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'))
  return files.sort().flatMap((file) => {
    const parsed = parseJson(readFileSync(join(folder, file), 'utf8'), { duplicateKeys: 'last', numbers: 'decimal' })
    if (parsed.kind === 'failed' || !isObject(parsed.value)) return []
    const tests = parsed.value['tests']
    if (!Array.isArray(tests) || tests.length === 0) return []
    return [{ level: 'gorules', name: file, results: resultsOf(parsed.value, tests) }]
  })
}

function resultsOf(document: Value, tests: readonly Value[]): readonly KitResult[] {
  const { rulesets, lost } = fromJdm(document)
  const errors = lost.filter(({ severity }) => severity === 'error')
  const [imported] = rulesets
  if (imported === undefined || errors.length > 0)
    return tests.map(() => ({ outcome: 'refused', reason: errors.map(({ message }) => message).join('; ') }))
  const decide: ((input: Value) => Decided)[] = []
  try {
    for (const now of TIMES) decide.push(executable(imported.ruleset, now))
  } catch (error) {
    return tests.map(() => ({ outcome: 'refused', reason: error instanceof Error ? error.message : String(error) }))
  }
  const isWarned = lost.some(({ severity }) => severity === 'warning')
  return tests.map((test) => resultOf(test, decide, isWarned))
}

/** Times of execution: parts of a published result that depend on the time are not compared. */
const TIMES = [1_763_600_000_000, 1_763_700_000_000]

function resultOf(test: Value, decide: readonly ((input: Value) => Decided)[], isWarned: boolean): KitResult {
  if (!isObject(test)) return { outcome: 'refused', reason: 'the test is not an object' }
  const published = test['output'] ?? null
  const results: Value[] = []
  for (const one of decide) {
    const decided = one(test['input'] ?? null)
    if (decided.kind === 'failed') return { outcome: 'failed', reason: decided.message }
    results.push(Array.isArray(published) ? (decided.output['result'] ?? null) : decided.output)
  }
  const [found = null, later = null] = results
  const expected = withoutTime(published, found, later)
  if (isSameValue(expected, found)) return { outcome: 'right', reason: '' }
  return {
    outcome: isWarned ? 'warned' : 'different',
    reason: `expected ${stringifyJson(expected)}, found ${stringifyJson(found)}`,
  }
}

import { stringifyJson, type Value } from '@engine/expression'
import fc from 'fast-check'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { byProduct, byReference, deepText, expressionText, setting } from './expressions.testing.ts'
import * as rulesets from './rulesets.testing.ts'

/*
 * Writes `conformance/*.json`: generated expressions and rulesets with their outcomes by the second implementation. Run it after
 * a change of the documents: `node tests/conformance/make-cases.ts`.
 */

const SEED = 20_261_127
const FOLDER = join(import.meta.dirname, '../../conformance')
/** Characters of one case: longer ones are hard to read. */
const MAX_LENGTH = 600

function write(name: string, about: string, cases: readonly string[]): void {
  const text = `{\n"about": ${JSON.stringify(about)},\n"cases": [\n${cases.join(',\n')}\n]\n}\n`
  writeFileSync(join(FOLDER, `${name}.json`), text)
  console.log(`${name}: ${cases.length} cases`)
}

/** So many different cases of those that are drawn. */
function gathered<Drawn>(
  drawn: readonly Drawn[],
  most: number,
  caseOf: (one: Drawn) => string | undefined,
): readonly string[] {
  const found = new Set<string>()
  for (const one of drawn) {
    const text = found.size < most ? caseOf(one) : undefined
    if (text !== undefined && text.length <= MAX_LENGTH) found.add(text)
  }
  return [...found]
}

const outcome = (found: string) => (found.startsWith('error') ? `"error": "${found.slice(6)}"` : `"value": ${found}`)

const drawnExpressions = [
  ...fc.sample(fc.tuple(expressionText, setting), { seed: SEED, numRuns: 9000 }),
  ...fc.sample(fc.tuple(deepText, setting), { seed: SEED, numRuns: 600 }),
]
write(
  'expressions',
  'An expression, its input, variables and mode of missing fields; and its value, or the code of its error ("*": any).',
  gathered(drawnExpressions, 1700, ([text, given]) => {
    const found = byReference(text, given)
    // A refusal before the evaluation shows nothing of its meaning.
    if (found === undefined || byProduct(text, given).length === 1) return undefined
    const { input, variables, missing, defaults } = given
    const own = missing === 'default' ? `, "defaults": ${stringifyJson(defaults)}` : ''
    const place = `"input": ${stringifyJson(input)}, "variables": ${stringifyJson(variables)}, "field_missing": "${missing}"${own}`
    return `{"expression": ${JSON.stringify(text)}, ${place}, ${outcome(found)}}`
  }),
)

const drawnRulesets = fc.sample(fc.tuple(rulesets.ruleset, fc.array(setting, { minLength: 4, maxLength: 4 })), {
  seed: SEED,
  numRuns: 700,
})
const others: ReadonlyMap<string, Value> = new Map([['other', rulesets.OTHER]])
/** A ruleset with the decisions of the second implementation; nothing where it has none, or the ruleset is refused. */
function rulesetCase(document: Value, inputs: readonly Value[]): readonly string[] {
  if (rulesets.programsOf(document, others) === undefined) return []
  const cases = inputs.flatMap((input) => {
    const found = rulesets.byReference(document, input, others)
    if (found === undefined) return []
    return [`{"input": ${stringifyJson(input)}, ${found === 'error' ? '"error": true' : `"decision": ${found}`}}`]
  })
  const distinct = [...new Set(cases)]
  const text = `{"ruleset": ${stringifyJson(document)}, "inputs": [${distinct.join(', ')}]}`
  return distinct.length === 0 || text.length > 8000 ? [] : [text]
}

const rulesetCases = drawnRulesets.flatMap(([document, settings]) =>
  rulesetCase(
    document,
    settings.map(({ input }) => input),
  ),
)
write('rulesets', 'A ruleset, and what it decides for inputs; "error": its execution fails.', [
  ...rulesets.FIXED.flatMap(([document, inputs]) => rulesetCase(document, inputs)),
  ...rulesetCases.slice(0, 200),
])

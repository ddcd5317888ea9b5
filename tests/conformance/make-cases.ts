import { stringifyJson, type Value } from '@engine/expression'
import fc from 'fast-check'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomDraft, randomInput } from '../../packages/authoring/src/random.testing.ts'
import { randomDocument, randomKnown, randomRow, STATED } from '../filter/rulesets.testing.ts'
import { choices, drawing, drawingFrom } from './choices.testing.ts'
import { draftOfTable } from './draft-of-table.testing.ts'
import * as drafts from './drafts.testing.ts'
import { byReference, deepText, expressionText, setting } from './expressions.testing.ts'
import * as filters from './filters.testing.ts'
import * as rulesets from './rulesets.testing.ts'
import { byProduct, programsOf, programsOfDraft } from './product.testing.ts'

/*
 * Writes the generated files of `conformance/`, with the outcomes of the second implementation. Run it after
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
  if (programsOf(document, others) === undefined) return []
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

/** A draft with its decisions; nothing where it is refused, or the documents leave all of them open. */
function draftCase(name: string, document: Value, inputs: readonly Value[], shown = document): readonly string[] {
  if (programsOfDraft(document) === undefined) return []
  const cases = inputs.flatMap((input) => {
    const found = drafts.byReference(document, input)
    if (found === undefined) return []
    return [`{"input": ${stringifyJson(input)}, ${found === 'error' ? '"error": true' : `"decision": ${found}`}}`]
  })
  const text = `{"${name}": ${stringifyJson(shown)}, "inputs": [${[...new Set(cases)].join(', ')}]}`
  return cases.length === 0 || text.length > 6000 ? [] : [text]
}

const drawn = fc.sample(choices, { seed: SEED, numRuns: 200 })
write(
  'draft',
  'A ruleset of the editor, and what it decides for inputs; "error": its execution fails.',
  drawn
    .flatMap((from) => {
      const random = drawing(from)
      const inputs = Array.from({ length: 4 }, () => randomInput(random))
      return draftCase('draft', randomDraft(random), inputs)
    })
    .slice(0, 100),
)
write(
  'table',
  'A table of the editor, and what it decides for inputs: its outputs, null where they are not set, and the code DONE or NO_MATCH; "error": its execution fails.',
  drafts.TABLES.flatMap((table) => draftCase('table', draftOfTable(table), drafts.TABLE_INPUTS, table)),
)
write(
  'filter',
  'A ruleset, what is known, the results that count, the types of columns where the rules mix them, rows, and the numbers of the rows that a filter with `nulls: match_rules` selects.',
  drawn
    .flatMap((from, index) => {
      const random = drawingFrom(from)
      const mixes = index % 2 === 1
      const known_input = randomKnown(random)
      const ruleset = randomDocument(random, { computes: false, hasOutputs: false, mixes })
      const rows = Array.from({ length: 8 }, () => randomRow(random, mixes ? 0.2 : 0))
      const wanted = { ruleset, known_input, target_results: ['YES'], ...(mixes && { columns: STATED }) }
      const selected = filters.byReference(wanted, rows)
      if (selected === undefined || filters.filterOf(wanted, 'json') === undefined) return []
      const text = stringifyJson({ ...wanted, rows, selected })
      return text.length > 4000 ? [] : [text]
    })
    .slice(0, 120),
)

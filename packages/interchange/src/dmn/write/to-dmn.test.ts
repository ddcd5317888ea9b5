import type { DraftRuleset, DraftStep } from '@engine/authoring'
import { stringifyJson, type Value } from '@engine/expression'
import { DmnModdle } from 'dmn-moddle'
import { expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../../../tests/cases.testing.ts'
import { chance, pick, seededRandom } from '../../../../ruleset/src/random.testing.ts'
import { fromCsv } from '../../csv/from-csv.ts'
import { fromDmn } from '../from-dmn.ts'
import { decide, dmnText } from '../model.testing.ts'
import { INPUTS, randomInput, randomTable } from '../random-table.testing.ts'
import { STANDARD } from '../standard.testing.ts'
import { action, end as terminal, table } from '../../steps.testing.ts'
import { toDmn } from './to-dmn.ts'

const MODELS = casesOf(400)

/** The draft read back from an exported draft; fails on losses. */
async function again(draft: DraftRuleset): Promise<DraftRuleset> {
  const { document = '', lost } = toDmn(draft)
  expect(lost.filter(({ severity }) => severity === 'error')).toEqual([])
  const { warnings } = await new DmnModdle().fromXML(document, 'dmn:Definitions')
  expect(warnings, document).toEqual([])
  const imported = fromDmn(document, draft.config.name)
  expect(
    imported.lost.filter(({ severity }) => severity === 'error'),
    document,
  ).toEqual([])
  const [ruleset, ...others] = imported.rulesets
  expect(others, document).toEqual([])
  if (ruleset === undefined) throw new Error(document)
  return ruleset.ruleset
}

function draftIn(document: string): DraftRuleset {
  const [only] = fromDmn(document, 'model').rulesets
  if (only === undefined) throw new Error(`nothing was read of ${document}`)
  return only.ruleset
}

test.each(STANDARD)(
  'an imported model is written so that it decides the same: $title',
  async ({ document, results }) => {
    const run = decide(await again(draftIn(document)))
    for (const [input, output] of results) expect(withoutNames(run(input))).toEqual(withoutNames(output))
  },
)

/** Error messages contain step names, which have changed. */
const withoutNames = (output: Value): Value =>
  typeof output === 'object' && output !== null && Object.hasOwn(output, 'error') ? 'error' : output

test(`${MODELS} random models decide the same after being written and read`, async () => {
  printSeed(MODELS)
  const random = seededRandom(SEED)
  const names = INPUTS.map(([name]) => name)
  for (let count = 0; count < MODELS; count++) {
    const hasNulls = chance(random, 0.5)
    const first = randomTable(random, { hasNulls })
    const last = randomTable(random, { hasNulls: true, further: [['First', 'string']] })
    const isChain = chance(random, 0.4) && last.inputs.some(([name]) => name === 'First')
    const requires = [...names, ...(isChain ? ['First'] : [])]
    const decisions = [
      { name: 'Result', table: last, requires },
      ...(isChain ? [{ name: 'First', table: first, requires: names }] : []),
    ]
    const document = dmnText(decisions, INPUTS)
    const draft = draftIn(document)
    const [run, runAgain] = [decide(draft), decide(await again(draft))]
    const input = randomInput(random, hasNulls)
    const [expected, found] = [run(input), runAgain(input)].map((one) => stringifyJson(withoutNames(one)))
    expect(found, `${document}\n${toDmn(draft).document}`).toBe(expected)
  }
}, 1_200_000)

test('a table of a spreadsheet is written, without its codes', async () => {
  const { rulesets } = fromCsv(
    'in:age:integer,in:age:number,out:age,out:note\n> 18,,age * 2,"""<b> & \\u0001"""\n,? age != 3,1,\n',
    'age',
  )
  const draft = rulesets[0]?.ruleset ?? { config: { name: '' }, steps: [] }
  const { document, lost } = toDmn(draft)
  expect(lost).toMatchObject([
    { path: '/steps/1/code', code: 'codes', severity: 'error' },
    { path: '/steps/0', code: 'arithmetic', severity: 'warning' },
    { path: '/steps/1/code', code: 'code', severity: 'warning' },
  ])
  const [model] = fromDmn(document ?? '').rulesets
  const run = decide(model?.ruleset ?? draft)
  expect(run({ age: 20 })).toEqual({ age: 40, note: '<b> & \u0001' })
  expect(run({ age: 2 })).toEqual({ age: 1, note: null })
})

const decision: DraftStep = { id: 'a', type: 'decision', branches: [], defaultNextStepId: 'end' }
const other: DraftStep = { id: 'other', type: 'terminal', code: 'OTHER' }

test.each<readonly [string, readonly DraftStep[], string, string]>([
  ['branches', [decision, terminal], 'step', '/steps/0'],
  [
    'a sub-rule',
    [{ id: 'a', type: 'sub_rule', bindings: [], outputs: [], nextStepId: 'end' }, terminal],
    'step',
    '/steps/0',
  ],
  ['a loop', [action('1', { nextStepId: 'a' }), terminal], 'no-order', '/steps'],
  ['a step that leads nowhere', [action('1', { nextStepId: 'none' }), terminal], 'no-order', '/steps'],
  [
    'an external call',
    [action('1', { externalCalls: [{ type: 'http' }] }), terminal],
    'external-calls',
    '/steps/0/externalCalls',
  ],
  ['a function', [action('sha256("a")'), terminal], 'no-feel', '/steps/0/assignments/0/value'],
  ['a count by a test', [action('count([1], y => y > 1)'), terminal], 'no-feel', '/steps/0/assignments/0/value'],
  ['the least of several', [action('min(n, 2)'), terminal], 'no-feel', '/steps/0/assignments/0/value'],
  ['a lambda', [action('map([1], y => y)'), terminal], 'no-feel', '/steps/0/assignments/0/value'],
  ['the truth of a number', [action('if n then 1 else 2'), terminal], 'no-feel', '/steps/0/assignments/0/value'],
  [
    'it negates an expression that may be null',
    [action('!(n < 1)'), terminal],
    'no-feel',
    '/steps/0/assignments/0/value',
  ],
  ['an index', [action('n[0]'), terminal], 'no-feel', '/steps/0/assignments/0/value'],
  ['a name with a sign', [action('$["a+b"]'), terminal], 'no-feel', '/steps/0/assignments/0/value'],
  [
    'rows that lead to different steps',
    [table({}, { rows: [{ id: 'r', cells: {}, nextStepId: 'other' }] }), terminal, other],
    'routes',
    '/steps/0/rows',
  ],
  [
    'another step without a match',
    [table({}, { defaultNextStepId: 'other' }), terminal, other],
    'routes',
    '/steps/0/defaultNextStepId',
  ],
  ['a table without outputs', [table({}, { columns: [] }), terminal], 'no-outputs', '/steps/0/columns'],
  [
    'an empty output of a list',
    [table({ o: '' }, { hitPolicy: 'collect' }), terminal],
    'empty-output',
    '/steps/0/rows',
  ],
  ['a condition of another field', [table({ i: '? m > 1' }), terminal], 'no-feel', '/steps/0/rows/0/cells/i'],
  ['a cell with a list', [table({ i: '[1, 2]' }), terminal], 'no-feel', '/steps/0/rows/0/cells/i'],
])('%s has no form in a decision model', (_title, steps, code, path) => {
  const { lost } = toDmn({ config: { name: 'd' }, startStepId: 'a', steps: [...steps] })
  expect(lost.filter(({ severity }) => severity === 'error')).toMatchObject([{ code, path }])
  expect(pick(() => 0, lost).message.length).toBeGreaterThan(10)
})

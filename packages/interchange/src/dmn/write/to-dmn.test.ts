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
import { xmlText } from './xml-text.ts'

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
  ['the whole input', [action('$'), terminal], 'no-feel', '/steps/0/assignments/0/value'],
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

/** The names of the decisions that are written for steps which set these variables. */
function decisionsOf(step: DraftStep, variables: readonly string[]): readonly (string | undefined)[] {
  const end = { ...terminal, output: variables.map((name, index) => ({ name: `o${index}`, value: `$${name}` })) }
  const { document = '', lost } = toDmn({ config: { name: 'd' }, startStepId: 'a', steps: [step, end] })
  expect(lost.filter(({ severity }) => severity === 'error')).toEqual([])
  const names = Array.from(document.matchAll(/<decision [^>]*name="([^"]*)"/g), ([, name]) => name)
  return names.filter((name) => name !== 'output')
}

test.each<readonly [string, readonly string[], readonly string[]]>([
  ['as they are', ['x', 'Größe'], ['x', 'Größe']],
  ['with a prefix where FEEL has a keyword', ['for', 'if'], ['result_for', 'result_if']],
  ['with a number where an input has them', ['n', 'x'], ['n_2', 'x']],
  ['with a number where another decision has them', ['for', 'result_for'], ['result_for', 'result_for_2']],
])('variables are decisions that are named %s', (_title, names, decisions) => {
  const step = action('', { assignments: names.map((name) => ({ name, value: 'n + 1' })) })
  expect(decisionsOf(step, names)).toEqual(decisions)
})

test.each([
  ['Rates', 'Rates'],
  ['Rates & limits', 'result_Rates_limits'],
  [undefined, 'a'],
])('a table of two outputs is a decision with the name of its step: %s', (name, expected) => {
  const columns = ['x', 'y'].map((field) => ({ id: field, kind: 'output' as const, field }))
  const rows = [{ id: 'r', cells: { i: '1', x: '2', y: '3' } }]
  const step = table({}, { name, columns: [{ id: 'i', kind: 'input', field: 'n' }, ...columns], rows })
  expect(decisionsOf(step, ['x', 'y'])).toEqual([expected])
})

test.each([
  ['1.5', '1.5'],
  ['true', 'true'],
  ['null', 'null'],
  ['"a\\"b\\\\c\\n"', '"a\\"b\\\\c\\n"'],
  ['"\u0001"', '"\\u0001"'],
])('the literal %s is %s in FEEL', (value, text) => {
  const { document = '' } = toDmn({ config: { name: 'd' }, startStepId: 'a', steps: [action(value), terminal] })
  const [, written = ''] = /<literalExpression[^>]*><text>([^<]*)</.exec(document) ?? []
  expect(written.replaceAll('&#34;', '"')).toBe(text)
})

test.each(['1e21', '1e-7', '1e30 + 1'])('the number %s has no form in FEEL without an exponent', (value) => {
  const { lost } = toDmn({ config: { name: 'd' }, startStepId: 'a', steps: [action(value), terminal] })
  expect(lost.find(({ severity }) => severity === 'error')?.message).toContain('one of its numbers needs an exponent')
})

/** The step that sets an output where no row matches. */
const missing = (assignments: readonly object[], nextStepId = 'end') =>
  action('', { id: 'missing', assignments, nextStepId })

test.each<readonly [string, DraftStep, string | undefined]>([
  ['the output of the table', missing([{ name: 'x', value: '7' }]), '7'],
  ['another variable', missing([{ name: 'y', value: '7' }]), undefined],
  [
    'two variables',
    missing([
      { name: 'x', value: '7' },
      { name: 'y', value: '8' },
    ]),
    undefined,
  ],
  ['the output, and goes elsewhere', missing([{ name: 'x', value: '7' }], 'other'), undefined],
])('a step without a match that sets %s is the default: %#', (_title, step, byDefault) => {
  const steps = [table({}, { defaultNextStepId: 'missing' }), step, terminal, other]
  const { document = '', lost } = toDmn({ config: { name: 'd' }, startStepId: 'a', steps })
  const [, written] = /<defaultOutputEntry[^>]*><text>([^<]*)</.exec(document) ?? []
  expect([written, lost.some(({ code }) => code === 'routes')]).toEqual([byDefault, byDefault === undefined])
})

test('a loss quotes the cell that has no form', () => {
  const { lost } = toDmn({ config: { name: 'd' }, startStepId: 'a', steps: [table({ i: '[1, 2]' }), terminal] })
  expect(lost.find(({ severity }) => severity === 'error')?.message).toMatch(/^`\[1, 2\]` cannot be expressed in FEEL/)
})

test.each([
  ['ANY', undefined, 0],
  ['ANY', '7', 1],
  ['COLLECT', undefined, 0],
  ['COLLECT', '7', 1],
])('the policy %s with the default %s writes %i default outputs', (hitPolicy, byDefault, count) => {
  const aggregation = hitPolicy === 'COLLECT' ? { aggregation: 'SUM' } : {}
  const outputs = [{ type: 'number', ...(byDefault !== undefined && { byDefault }) }]
  const written = { hitPolicy, ...aggregation, inputs: [['x', 'number']] as const, outputs, rules: [['> 3', '1']] }
  const { rulesets } = fromDmn(dmnText([{ name: 'D', table: written, requires: ['x'] }], [['x', 'number']]))
  const { document } = toDmn(rulesets[0]?.ruleset ?? { config: { name: '' }, steps: [] })
  expect([...(document ?? '').matchAll(/<defaultOutputEntry>/g)].length).toBe(count)
})

test.each([
  ['a<b> & "c"', 'a&#60;b&#62; &#38; &#34;c&#34;'],
  ['\t\r\n', '&#9;&#13;&#10;'],
  ['\u0001\u001f\ufffe\uffff\ud800', '\ufffd'.repeat(5)],
  ['\u007f\u009f😀', '\u007f\u009f😀'],
])('the text %j in XML', (text, expected) => {
  expect(xmlText(text)).toBe(expected)
})

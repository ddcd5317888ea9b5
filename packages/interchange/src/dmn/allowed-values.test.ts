import { expect, test } from 'vitest'
import { fromDmn } from './from-dmn.ts'
import { dmnText, type WrittenDecision, type WrittenTable } from './model.testing.ts'

const item = (name: string, content: string, attributes = '') =>
  `<itemDefinition name="${name}"${attributes}>${content}</itemDefinition>`
const of = (type: string) => `<typeRef>${type}</typeRef>`
const allowed = (tests: string, tag = 'allowedValues') => `<${tag}><text>${tests}</text></${tag}>`
const component = (name: string, content: string) => `<itemComponent name="${name}">${content}</itemComponent>`
const LIST = ' isCollection="true"'
const TYPES =
  item('tFree', of('string')) +
  item('tRisk', of('string') + allowed('"low", "high"')) +
  item('tOwnRisk', of(' tRisk ')) +
  item('tLow', of('tRisk') + allowed('"low"')) +
  item('tRisks', of('tRisk'), LIST) +
  item('tParty', component('name', of('string')) + component('risk', of('tRisk'))) +
  item('tBound', component('n', of('number') + allowed('&lt; 5'))) +
  item('tParties', of('tParty'), LIST) +
  item('tSmall', of('number') + allowed('[1..9]')) +
  item('tUnder', of('number') + allowed('&lt; 5')) +
  item('tConstrained', of('number') + allowed('&lt; 5', 'typeConstraint')) +
  item('tLoop', of('tLoop2') + allowed('1')) +
  item('tLoop2', of('tLoop'))

const literal = (text: string, type = '') =>
  `<literalExpression${type && ` typeRef="${type}"`}><text>${text}</text></literalExpression>`

/** The types of which the allowed values are reported as unchecked, by decisions. */
function unchecked(decision: Omit<WrittenDecision, 'name'>, extra = ''): readonly string[] {
  const document = dmnText(
    [{ name: 'D', requires: ['n', 's', 'x'], ...decision }],
    [['n', 'number'], ['s', 'string'], ['x']],
    { extra: TYPES + extra },
  )
  return fromDmn(document)
    .lost.filter(({ code }) => code === 'allowed-values')
    .map(({ path, message }) => `${path} ${/type `(.*?)`/.exec(message)?.[1]}`)
}

test.each([
  ['tFree', false],
  ['string', false],
  ['tNone', false],
  ['tRisk', true],
  ['m:tRisk', true],
  ['tOwnRisk', true],
  ['tRisks', true],
  ['tParty', true],
  ['tBound', true],
  ['tParties', true],
  ['tConstrained', true],
  ['tLoop', true],
  ['tLoop2', true],
])('an expression of the type `%s` is one with allowed values: %s', (type, is) => {
  expect(unchecked({ type, expression: 'x' })).toEqual(is ? [`/_D ${type}`] : [])
  const xml = `<conditional><if>${literal('n &gt; 1')}</if><then>${literal('x')}</then><else>${literal('x')}</else></conditional>`
  expect(unchecked({ type, xml })).toEqual(is ? [`/_D ${type}`] : [])
})

test.each([
  ['tRisk', '"low"'],
  ['tConstrained', '3'],
  ['tRisk', '"none"'],
])('a constant of the type `%s` is checked at import: %s', (type, expression) => {
  expect(unchecked({ type, expression })).toEqual(type === 'tConstrained' ? ['/_D tConstrained'] : [])
})

const table = (outputs: readonly string[], rest: Partial<WrittenTable> = {}): WrittenTable => ({
  hitPolicy: 'FIRST',
  inputs: [['n', 'number']],
  outputs: [{}],
  rules: outputs.map((output, index) => [`> ${9 - index}`, output]),
  ...rest,
})

test.each<readonly [title: string, type: string, table: WrittenTable, isChecked: boolean]>([
  ['allowed outputs', 'tRisk', table(['"low"', '"high"']), true],
  ['an empty output', 'tRisk', table(['"low"', '']), true],
  ['an output that is not allowed', 'tRisk', table(['"low"', '"none"']), false],
  ['a computed output', 'tRisk', table(['"low"', 's']), false],
  ['an allowed default', 'tRisk', table(['"low"'], { outputs: [{ byDefault: '"high"' }] }), true],
  ['a default that is not allowed', 'tRisk', table(['"low"'], { outputs: [{ byDefault: '"none"' }] }), false],
  ['outputs of a type of another', 'tOwnRisk', table(['"high"']), true],
  ['outputs that only one of two types allows', 'tLow', table(['"high"']), false],
  ['outputs that both types allow', 'tLow', table(['"low"']), true],
  ['a list of allowed outputs', 'tRisks', table(['"low"', '"high"'], { hitPolicy: 'COLLECT' }), true],
  ['a list with an output that is not allowed', 'tRisks', table(['"none"'], { hitPolicy: 'COLLECT' }), false],
  ['outputs in a range, which are not compared', 'tSmall', table(['5']), false],
  ['outputs with a limit, which are not compared', 'tUnder', table(['5']), false],
  [
    'two outputs that are allowed alone',
    'tRisk',
    table([], { outputs: [{ name: 'a' }, { name: 'b' }], rules: [['-', '"low"', '"high"']] }),
    false,
  ],
  ['a sum of outputs', 'tSmall', table(['1', '2'], { hitPolicy: 'COLLECT', aggregation: 'SUM' }), false],
  [
    'two outputs',
    'tParty',
    table([], { outputs: [{ name: 'name' }, { name: 'risk' }], rules: [['-', '"a"', '"low"']] }),
    false,
  ],
])('a table with %s', (_, type, written, isChecked) => {
  expect(unchecked({ type, table: written })).toEqual(isChecked ? [] : [`/_D ${type}`])
})

const KNOWS = '<knowledgeRequirement><requiredKnowledge href="#f"/></knowledgeRequirement>'
const knowledge = (type: string, parameter: string, text: string) =>
  `<businessKnowledgeModel id="f" name="f"><variable name="f" typeRef="${type}"/><encapsulatedLogic><formalParameter name="p" typeRef="${parameter}"/>${literal(text)}</encapsulatedLogic></businessKnowledgeModel>`

test.each([
  ['a parameter', KNOWS + literal('f(s)'), knowledge('', 'tRisk', 'p + "!"'), ['/_D tRisk']],
  ['a result', KNOWS + literal('f(s)'), knowledge('tRisk', 'string', 'p + "!"'), ['/_D tRisk']],
  ['neither', KNOWS + literal('f(s)'), knowledge('string', 'string', 'p + "!"'), []],
  [
    'an entry of a context',
    `<context><contextEntry><variable name="a" typeRef="tRisk"/>${literal('s')}</contextEntry></context>`,
    '',
    ['/_D tRisk'],
  ],
])('a function with allowed values of %s', (_, xml, extra, found) => {
  expect(unchecked({ xml }, extra)).toEqual(found)
})

test('a decision does not report the types of another', () => {
  const decisions = [
    { name: 'D', requires: ['E', 'n'], expression: 'E + n' },
    { name: 'E', requires: ['n'], xml: KNOWS + literal('f(n)') },
  ]
  const document = dmnText(decisions, [['n', 'number']], { extra: TYPES + knowledge('tSmall', 'number', 'p + 1') })
  const places = fromDmn(document).lost.filter(({ code }) => code === 'allowed-values')
  expect(places.map(({ path }) => path)).toEqual(['/_E'])
})

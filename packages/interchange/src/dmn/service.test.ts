import { expect, test } from 'vitest'
import { fromDmn } from './from-dmn.ts'
import { decide, dmnText } from './model.testing.ts'

const service = (name: string, parts: string, type = '') =>
  `<decisionService id="_${name}" name="${name}"><variable name="${name}"${type && ` typeRef="${type}"`}/>${parts}</decisionService>`
const output = (id: string) => `<outputDecision href="#${id}"/>`
const given = (id: string) => `<inputDecision href="#${id}"/>`
const data = (id: string) => `<inputData href="#${id}"/>`

const DECISIONS = [
  { name: 'Base', type: 'number', requires: ['a'], expression: 'a * 2' },
  { name: 'Price', type: 'number', requires: ['Base', 'a'], expression: 'Base + a' },
  { name: 'Label', type: 'string', requires: ['word'], expression: '"of " + word' },
  { name: 'Echo', requires: ['word'], expression: 'word' },
]
const INPUTS = [
  ['a', 'number'],
  ['word', 'string'],
] as const

const read = (extra: string, decision?: string) =>
  fromDmn(dmnText(DECISIONS, INPUTS, { extra }), undefined, { decision })
const errorsOf = ({ lost }: ReturnType<typeof read>) => lost.filter(({ severity }) => severity === 'error')

/** Executes the only ruleset of a document. */
function run(extra: string, decision: string) {
  const found = read(extra, decision)
  expect(errorsOf(found)).toEqual([])
  expect(found.rulesets.length).toBe(1)
  return decide(found.rulesets[0]?.ruleset ?? { config: { name: '' }, steps: [] })
}

test('a decision service is a ruleset of its own, beside the decisions that no other requires', () => {
  const { rulesets } = read(service('quote', output('_Price') + data('_a')))
  expect(rulesets.map(({ name }) => name)).toEqual(['Price', 'Label', 'Echo', 'quote'])
})

test.each([
  ['one output', output('_Price') + data('_a'), { a: 5 }, { Price: 15 }],
  [
    'several outputs',
    output('_Price') + output('_Label') + data('_a'),
    { a: 5, word: 'x' },
    { Price: 15, Label: 'of x' },
  ],
  ['a given result', output('_Price') + given('_Base') + data('_a'), { a: 5, Base: 1 }, { Price: 6 }],
  ['an input of another type', output('_Echo') + data('_word'), { word: 1 }, { Echo: null }],
  ['an input in a list', output('_Echo') + data('_word'), { word: ['x'] }, { Echo: 'x' }],
  ['a given result in a list', output('_Price') + given('_Base') + data('_a'), { a: 5, Base: [1] }, { Price: 6 }],
  ['a missing text', output('_Label') + data('_word'), {}, { Label: null }],
  ['a number instead of a text', output('_Label') + data('_word'), { word: 1 }, { Label: null }],
])('a service with %s', (_, parts, input, expected) => {
  expect(run(service('quote', parts), 'quote')(input)).toEqual(expected)
})

test('the id of a service names it too', () => {
  expect(run(service('quote', output('_Price') + data('_a')), '_quote')({ a: 5 })).toEqual({ Price: 15 })
})

test('a given result of another type is null', () => {
  const passed = { name: 'Passed', requires: ['Label'], expression: 'Label' }
  const extra = service('quote', output('_Passed') + given('_Label'))
  const { rulesets } = fromDmn(dmnText([...DECISIONS, passed], INPUTS, { extra }), undefined, { decision: 'quote' })
  const decided = decide(rulesets[0]?.ruleset ?? { config: { name: '' }, steps: [] })
  expect([decided({ Label: 1 }), decided({ Label: 'x' }), decided({})]).toEqual([
    { Passed: null },
    { Passed: 'x' },
    { Passed: null },
  ])
})

test('a given result takes the place of one that is known at import', () => {
  const known = [
    { name: 'Rate', type: 'number', expression: '7' },
    { name: 'Fee', type: 'number', requires: ['Rate'], expression: 'Rate + 1' },
  ]
  const extra = service('quote', output('_Fee') + given('_Rate'))
  const { rulesets } = fromDmn(dmnText(known, [], { extra }))
  const results = rulesets.map(({ name, ruleset }) => [name, decide(ruleset)({ Rate: 1 })])
  expect(results).toEqual([
    ['Fee', { Fee: 8 }],
    ['quote', { Fee: 2 }],
  ])
})

test('an expression may call a service with constants', () => {
  const called = {
    name: 'Called',
    xml:
      '<knowledgeRequirement><requiredKnowledge href="#_quote"/></knowledgeRequirement>' +
      '<literalExpression><text>[quote(1, 10), quote(Base: 1, a: 2)]</text></literalExpression>',
  }
  const extra = service('quote', output('_Price') + given('_Base') + data('_a'))
  const { rulesets, lost } = fromDmn(dmnText([...DECISIONS, called], INPUTS, { extra }), undefined, {
    decision: 'Called',
  })
  expect(lost).toEqual([])
  // Input data come first, then input decisions.
  expect(decide(rulesets[0]?.ruleset ?? { config: { name: '' }, steps: [] })({})).toEqual({ Called: [11, 3] })
})

test.each([
  ['a missing decision', output('_None'), '', 'unknown-requirement'],
  ['a declared type that the result may not have', output('_Price'), 'string', 'result-type'],
])('a service with %s is refused', (_, parts, type, code) => {
  expect(errorsOf(read(service('quote', parts, type)))).toMatchObject([{ path: '/_quote', code }])
})

test('a service that calls itself is refused', () => {
  const called = {
    name: 'Called',
    xml:
      '<knowledgeRequirement><requiredKnowledge href="#_loop"/></knowledgeRequirement>' +
      '<literalExpression><text>loop()</text></literalExpression>',
  }
  const { lost } = fromDmn(dmnText([called], [], { extra: service('loop', output('_Called')) }), undefined, {
    decision: 'Called',
  })
  expect(lost).toMatchObject([{ path: '/_Called', severity: 'error', code: 'feel' }])
})

test('references with the namespace of their own model are local', () => {
  const document = dmnText(DECISIONS, INPUTS).replaceAll('href="#', 'href="https://example.com/model#')
  expect(fromDmn(document).lost).toEqual(
    fromDmn(dmnText(DECISIONS, INPUTS)).lost.map((loss) => expect.objectContaining({ code: loss.code })),
  )
  const foreign = fromDmn(
    dmnText(DECISIONS, INPUTS).replaceAll('href="#_Base', 'href="https://example.com/other#_Base'),
  )
  expect(foreign.lost.filter(({ severity }) => severity === 'error')).toMatchObject([{ code: 'unknown-requirement' }])
})

test.each([
  ['one output', output('_Price') + data('_a'), 'quote(n + 1)', { D: 9 }],
  ['a given result', output('_Price') + given('_Base') + data('_a'), 'quote(1, n)', { D: 3 }],
  ['several outputs', output('_Price') + output('_Base') + data('_a'), 'quote(n).Price + quote(n).Base', { D: 10 }],
  ['named arguments', output('_Price') + given('_Base') + data('_a'), 'quote(Base: 1, a: n)', { D: 3 }],
])('a decision calls a service with %s for its inputs', (_, parts, expression, expected) => {
  const calling = {
    name: 'D',
    requires: ['n'],
    xml: `<knowledgeRequirement><requiredKnowledge href="#_quote"/></knowledgeRequirement><literalExpression><text>${expression}</text></literalExpression>`,
  }
  const document = dmnText([...DECISIONS, calling], [...INPUTS, ['n', 'number']], { extra: service('quote', parts) })
  const found = fromDmn(document, undefined, { decision: 'D' })
  expect(errorsOf(found)).toEqual([])
  expect(decide(found.rulesets[0]?.ruleset ?? { config: { name: '' }, steps: [] })({ n: 2 })).toEqual(expected)
})

test.each([
  ['an argument of another type', output('_Price') + data('_a'), 'quote(word)', /has the type `number` is not known/],
  ['input data that it is not given', output('_Price'), 'quote()', /`a`/],
])('a call of a service with %s is refused', (_, parts, expression, reason) => {
  const calling = {
    name: 'D',
    requires: ['word'],
    xml: `<knowledgeRequirement><requiredKnowledge href="#_quote"/></knowledgeRequirement><literalExpression><text>${expression}</text></literalExpression>`,
  }
  const document = dmnText([...DECISIONS, calling], INPUTS, { extra: service('quote', parts) })
  expect(errorsOf(fromDmn(document, undefined, { decision: 'D' }))[0]?.message).toMatch(reason)
})

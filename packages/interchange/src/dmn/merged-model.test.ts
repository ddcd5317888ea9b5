import type { Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { fromDmn } from './from-dmn.ts'
import { decide, modelText } from './model.testing.ts'
import { DocumentPositions } from './merged-model.ts'
import { ModelLibrary } from './model-library.ts'

/** The namespace of models of DMN 1.2. */
const DMN_12 = 'http://www.omg.org/spec/DMN/20180521/MODEL/'

const requires = (kind: string, href: string) =>
  `<${kind === 'Knowledge' ? 'knowledge' : 'information'}Requirement><required${kind} href="${href}"/></${kind === 'Knowledge' ? 'knowledge' : 'information'}Requirement>`
const literal = (text: string) => `<literalExpression><text>${text}</text></literalExpression>`
const decision = (name: string, type: string, text: string, needs: string) =>
  `<decision id="_${name}" name="${name}"><variable name="${name}" typeRef="${type}"/>${needs}${literal(text)}</decision>`
const data = (name: string, type: string) =>
  `<inputData id="_${name}" name="${name}"><variable name="${name}" typeRef="${type}"/></inputData>`
const item = (name: string, type: string) =>
  `<itemDefinition name="${name}"><typeRef>${type}</typeRef></itemDefinition>`
const knowledge = (name: string, type: string, text: string, needs = '') =>
  `<businessKnowledgeModel id="_${name}" name="${name}"><variable name="${name}"/><encapsulatedLogic><formalParameter name="p" typeRef="${type}"/>${literal(text)}</encapsulatedLogic>${needs}</businessKnowledgeModel>`
const service = (name: string, output: string, input: string, given = '') =>
  `<decisionService id="_${name}" name="${name}"><outputDecision href="#_${output}"/>${given && `<inputDecision href="#_${given}"/>`}<inputData href="#_${input}"/></decisionService>`

const imports = (models: readonly string[]) => ({
  library: new ModelLibrary(models.map((text, index) => [`${index}.dmn`, text])),
})

/** Executes the only ruleset of a model that imports others. */
function run(main: string, ...models: readonly string[]): (input: Value) => Value {
  const { rulesets, lost } = fromDmn(main, undefined, imports(models))
  expect(lost.filter(({ severity }) => severity === 'error')).toEqual([])
  const [only] = rulesets
  if (only === undefined || rulesets.length > 1) throw new Error(`${rulesets.length} rulesets`)
  return decide(only.ruleset)
}

const BASE = modelText(
  'base',
  {},
  item('tAmount', 'number') +
    data('Amount', 'tAmount') +
    decision('Double', 'tAmount', 'Amount * 2', requires('Input', '#_Amount')) +
    decision('Unused', 'tAmount', 'Amount * 3', requires('Input', '#_Amount')) +
    knowledge('increased', 'tAmount', 'p + 1') +
    knowledge('increased twice', 'tAmount', 'increased(increased(p))', requires('Knowledge', '#_increased')) +
    service('doubled', 'Double', 'Amount'),
)

test.each([
  ['a decision', 'base lib.Double + 1', requires('Decision', 'base#_Double'), { D: 11 }],
  ['an input', 'base lib.Amount + 1', requires('Input', 'base#_Amount'), { D: 6 }],
  [
    'a business knowledge model that calls another',
    'base lib.increased twice(base lib.Amount)',
    requires('Input', 'base#_Amount') + requires('Knowledge', 'base#_increased twice'),
    { D: 7 },
  ],
  [
    'a decision service',
    'base lib.doubled(base lib.Amount + 1)',
    requires('Input', 'base#_Amount') + requires('Knowledge', 'base#_doubled'),
    { D: 12 },
  ],
  ['a constant call', 'base lib.increased(1)', requires('Knowledge', 'base#_increased'), { D: 2 }],
])('%s of another model', (_, text, needs, expected) => {
  const main = modelText('main', { 'base lib': 'base' }, decision('D', 'number', text, needs))
  expect(run(main, BASE)({ Amount: 5 })).toEqual(expected)
})

test('types, versions of DMN and ids of each model are its own', () => {
  const main = modelText(
    'main',
    { first: 'one', two: 'two' },
    item('tX', 'string') +
      data('X', ' first.tX ') +
      decision(
        'D',
        'tX',
        'string(first.D) + two.D + string(X + 1)',
        requires('Decision', ' one#_D ') + requires('Decision', 'two#_D') + requires('Input', '#_X'),
      ),
  )
  const one = modelText(
    'one',
    {},
    item('tX', 'number') + data('N', 'tX') + decision('D', 'tX', 'N + 1', requires('Input', '#_N')),
    DMN_12,
  )
  const two = modelText(
    'two',
    {},
    item('tX', 'string') + data('T', 'tX') + decision('D', 'tX', 'T + "!"', requires('Input', '#_T')),
  )
  expect(run(main, one, two)({ X: 7, N: 1, T: 'a' })).toEqual({ D: '2a!8' })
})

test('types refer to types of their own model', () => {
  const types = (name: string) => item('tX', 'tY') + item('tY', name)
  const one = modelText(
    'one',
    {},
    types('string') + data('T', 'tX') + decision('E', 'tX', 'T + "!"', requires('Input', '#_T')),
  )
  const main = modelText(
    'main',
    { one: 'one' },
    types('number') +
      data('N', 'tX') +
      decision('D', 'string', 'string(N) + one.E', requires('Input', '#_N') + requires('Decision', 'one#_E')),
  )
  expect(run(main, one)({ N: 7, T: 'a' })).toEqual({ D: '7a!' })
})

test('a result of another model is known at import', () => {
  const one = modelText('one', {}, decision('a wait', 'days and time duration', '@"P1D"', ''))
  const main = modelText(
    'main',
    { 'a lib': 'one' },
    decision('D', 'days and time duration', 'a lib.a wait + @"P1D"', requires('Decision', 'one#_a wait')),
  )
  expect(run(main, one)({})).toEqual({ D: 'P2D' })
})

test('a type of an imported model that is named like one of FEEL is its own', () => {
  const one = modelText(
    'one',
    {},
    item('integer', 'string') + data('T', 'integer') + decision('E', 'integer', 'T + "!"', requires('Input', '#_T')),
  )
  const main = modelText('main', { one: 'one' }, decision('D', 'string', 'one.E', requires('Decision', 'one#_E')))
  expect(run(main, one)({ T: 'a' })).toEqual({ D: 'a!' })
})

test('an import without a name adds its parts and types under their own names', () => {
  const main = modelText(
    'main',
    { '': 'base' },
    data('X', 'tAmount') +
      decision('D', 'tAmount', 'Double + X', requires('Decision', 'base#_Double') + requires('Input', '#_X')),
  )
  expect(run(main, BASE)({ Amount: 5, X: 1 })).toEqual({ D: 11 })
})

test.each([
  ['1 instance of tOwn', 'type-name'],
  ['1 instance of number', undefined],
])('an imported model with `%s` first reports %s', (text, code) => {
  const one = modelText('one', {}, item('tOwn', 'number') + decision('E', 'boolean', text, ''))
  const main = modelText('main', { one: 'one' }, decision('D', 'boolean', 'one.E', requires('Decision', 'one#_E')))
  const { lost } = fromDmn(main, undefined, imports([one]))
  expect(lost.find(({ severity }) => severity === 'error')?.code).toBe(code)
})

test('one model that is imported by two others is read once', () => {
  const over = (name: string) =>
    modelText(name, { b: 'base' }, decision('D', 'number', 'b.Double + 1', requires('Decision', 'base#_Double')))
  const main = modelText(
    'main',
    { one: 'one', two: 'two' },
    decision('D', 'number', 'one.D + two.D', requires('Decision', 'one#_D') + requires('Decision', 'two#_D')),
  )
  const { rulesets } = fromDmn(main, undefined, imports([over('one'), over('two'), BASE]))
  expect(rulesets.map(({ ruleset }) => ruleset.steps.map(({ id }) => id))).toEqual([
    ['base._Double', 'one._D', 'two._D', '_D', 'result'],
  ])
  expect(run(main, over('one'), over('two'), BASE)({ Amount: 5 })).toEqual({ D: 22 })
})

test('a model is not visible through the one that imports it', () => {
  const between = modelText('between', { b: 'base' }, '')
  const main = modelText(
    'main',
    { between: 'between' },
    decision('D', 'number', 'b.Double', requires('Decision', 'base#_Double')),
  )
  expect(fromDmn(main, undefined, imports([between, BASE])).lost).toContainEqual(
    expect.objectContaining({ code: 'unknown-requirement', severity: 'error' }),
  )
})

test('a loss in an imported model names it, with the line and column of its own document', () => {
  const base = modelText('base', {}, `\n\n${decision('E', 'number', 'sin(1)', '')}`)
  const main = modelText('main', { b: 'base' }, decision('D', 'number', 'b.E', requires('Decision', 'base#_E')))
  expect(fromDmn(main, undefined, imports([base])).lost).toContainEqual(
    expect.objectContaining({ path: '/base._E', line: 4, severity: 'error' }),
  )
})

test.each([
  ['feel', []],
  ['juel', [{ code: 'expression-language', line: 1, column: 1 }]],
])('an imported model in the language %s', (language, found) => {
  const base = modelText('base', {}, decision('E', 'number', '1', ''))
  const main = modelText('main', { b: 'base' }, decision('D', 'number', 'b.E', requires('Decision', 'base#_E')))
  const imported = base.replace('<definitions ', `<definitions expressionLanguage="${language}" `)
  const { lost } = fromDmn(main, undefined, imports([imported]))
  expect(lost.filter(({ severity }) => severity === 'error')).toMatchObject(found)
})

test('parts of imported models make no rulesets, and are not asked for', () => {
  const main = modelText('main', { b: 'base' }, decision('D', 'number', '1', requires('Knowledge', 'base#_doubled')))
  const options = imports([BASE])
  expect(fromDmn(main, undefined, options).rulesets.map(({ name }) => name)).toEqual(['D'])
  expect(fromDmn(main, undefined, { ...options, decision: 'Double' }).lost).toMatchObject([{ code: 'no-decision' }])
  expect(fromDmn(main, undefined, { ...options, decision: 'base._Double' }).rulesets).toEqual([])
})

test('a model without decisions is refused, unless another one imports it', () => {
  const base = modelText('base', {}, knowledge('increased', 'number', 'p + 1'))
  const main = modelText('main', { b: 'base' }, '')
  expect(fromDmn(base, undefined, imports([base, main])).lost).toMatchObject([
    {
      code: 'no-decision',
      message: 'the model has no decision, and makes no ruleset by itself: others import it',
      severity: 'info',
    },
  ])
  expect(fromDmn(base, undefined, imports([base])).lost).toMatchObject([{ code: 'no-decision', severity: 'error' }])
})

test('the elements of all documents of a library are limited', () => {
  const mostElements = 5 + [...BASE.matchAll(/<\w/g)].length
  const main = modelText('main', { b: 'base' }, decision('D', 'number', '1', ''))
  const read = (...names: readonly string[]) =>
    fromDmn(main, undefined, {
      library: new ModelLibrary(
        names.map((name) => [name, BASE]),
        mostElements,
      ),
    })
  expect(read('base.dmn').lost).toEqual([])
  expect(() => read('base.dmn', 'copy.dmn')).toThrow('more than 5 elements')
})

test.each([
  [
    'a type of its own within an expression',
    item('tOwn', 'number') + decision('D', 'boolean', '1 instance of tOwn', ''),
    undefined,
  ],
  [
    'a reference without `#`',
    decision('D', 'number', 'E', requires('Decision', 'E')) + decision('E', 'number', '1', '').replace('"_E"', '"E"'),
    undefined,
  ],
  [
    'a variable with the name of input data of the other model',
    data('X', 'number').replace('variable name="X"', 'variable name="Amount"') +
      decision('D', 'number', 'b.Double', requires('Decision', 'base#_Double')),
    'repeated-input',
  ],
  [
    'input data without variable of the name of that of the other model',
    '<inputData id="_X" name="Amount"/>' + decision('D', 'number', 'b.Double', requires('Decision', 'base#_Double')),
    'repeated-input',
  ],
])('a model that imports another, with %s', (_, content, code) => {
  const { lost } = fromDmn(modelText('main', { b: 'base' }, content), undefined, imports([BASE]))
  expect(lost.find(({ severity }) => severity === 'error')?.code).toBe(code)
})

test.each([
  ['E', { D: 2 }],
  ['#E', { D: 2 }],
  ['base#E', { D: 2 }],
  ['main#E', undefined],
  ['other#E', undefined],
])('the reference `%s` of an imported model is one to its own part', (href, expected) => {
  const part = (value: string) => decision('E', 'number', value, '').replace('"_E"', '"E"')
  const base = modelText('base', {}, part('1') + decision('F', 'number', 'E + 1', requires('Decision', href)))
  const main = modelText(
    'main',
    { b: 'base' },
    part('10') + decision('D', 'number', 'b.F', requires('Decision', 'base#_F')),
  )
  const { rulesets, lost } = fromDmn(main, undefined, { ...imports([base]), decision: 'D' })
  const isRefused = lost.some(({ severity, code }) => severity === 'error' && code === 'unknown-requirement')
  const [only] = rulesets
  expect(isRefused || only === undefined ? undefined : decide(only.ruleset)({})).toEqual(expected)
})

test('a type that an imported model does not define is not that of the importing model', () => {
  const one = modelText('one', {}, data('N', 'tOwn') + decision('E', 'string', 'string(N)', requires('Input', '#_N')))
  const main = modelText(
    'main',
    { one: 'one' },
    item('tOwn', 'string') + decision('D', 'string', 'one.E', requires('Decision', 'one#_E')),
  )
  const { lost } = fromDmn(main, undefined, imports([one]))
  expect(lost.find(({ severity }) => severity === 'error')?.message).toContain('whose type is not known')
})

test.each([
  ['two.tX', 'string(T) + "!"', 'a!'],
  ['tX', 'string(T + 1)', '8'],
])('the type `%s` is that of the import which has its prefix', (type, text, expected) => {
  const one = modelText('one', {}, item('tX', 'number'))
  const two = modelText('two', {}, item('tX', 'string'))
  const main = modelText(
    'main',
    { '': 'one', two: 'two' },
    data('T', type) + decision('D', 'string', text, requires('Input', '#_T')),
  )
  expect(run(main, one, two)({ T: expected === '8' ? 7 : 'a' })).toEqual({ D: expected })
})

test('a requirement of a model that is not imported is named as it is written', () => {
  const main = modelText('main', { b: 'base' }, decision('D', 'number', '1', requires('Decision', 'other#_E')))
  const { lost } = fromDmn(main, undefined, imports([BASE]))
  expect(lost.find(({ severity }) => severity === 'error')?.message).toContain('`other#_E`')
})

test('input data of one name in two imported models are refused', () => {
  const one = modelText('one', {}, data('N', 'number') + decision('E', 'number', 'N', requires('Input', '#_N')))
  const main = modelText(
    'main',
    { one: 'one', two: 'two' },
    decision('D', 'number', 'one.E + two.E', requires('Decision', 'one#_E') + requires('Decision', 'two#_E')),
  )
  const { lost } = fromDmn(main, undefined, imports([one, one.replaceAll('"one"', '"two"')]))
  expect(lost.find(({ severity }) => severity === 'error')).toMatchObject({
    code: 'repeated-input',
    line: 2,
    column: 1,
  })
})

test('rules of imported tables keep their ids', () => {
  const xml =
    '<decision id="_E" name="E"><variable name="E"/><decisionTable hitPolicy="FIRST"><input><inputExpression><text>1</text></inputExpression></input><output/><rule id="own"><inputEntry><text>-</text></inputEntry><outputEntry><text>N</text></outputEntry></rule></decisionTable>'
  const base = modelText('base', {}, `${data('N', 'number')}${xml}${requires('Input', '#_N')}</decision>`)
  const main = modelText('main', { b: 'base' }, decision('D', '', 'b.E', requires('Decision', 'base#_E')))
  const { rulesets } = fromDmn(main, undefined, imports([base]))
  const tables = (rulesets[0]?.ruleset.steps ?? []).filter(({ type }) => type === 'table')
  expect(tables).toMatchObject([{ id: 'base._E', rows: [{ id: 'own' }] }])
})

test('a service of another model is given the results that it takes', () => {
  const base = modelText(
    'base',
    {},
    data('N', 'number') +
      decision('F', 'number', 'N * 2', requires('Input', '#_N')) +
      decision('E', 'number', 'F + 1', requires('Decision', '#_F')) +
      '<decisionService id="_s" name="s"><outputDecision href="#_E"/><inputDecision href="#_F"/></decisionService>',
  )
  const main = modelText(
    'main',
    { b: 'base' },
    data('X', 'number') +
      decision('D', 'number', 'b.s(X)', requires('Knowledge', 'base#_s') + requires('Input', '#_X')),
  )
  expect(run(main, base)({ X: 10 })).toEqual({ D: 11 })
})

test('parts without an id have their name as the id', () => {
  const base = modelText(
    'base',
    {},
    (decision('E', 'number', '1', '') + decision('F', 'number', '2', '')).replaceAll(/ id="_\w"/g, ''),
  )
  const main = modelText('main', { b: 'base' }, decision('D', 'number', 'b.F', requires('Decision', 'base#F')))
  expect(run(main, base)({})).toEqual({ D: 2 })
})

test.each([
  ['blanks around namespaces', modelText(' base ', {}, decision('E', 'number', '1', ''))],
  [
    'another document with the namespace',
    modelText('base', {}, decision('E', 'number', '1', '')),
    '<x namespace="base"/>',
  ],
])('a model is found by its namespace: %s', (_, ...models) => {
  const main = modelText('main', { ' b ': ' base' }, decision('D', 'number', 'b.E', requires('Decision', ' base#_E')))
  expect(run(main, ...models)({})).toEqual({ D: 1 })
})

test('positions are those of added documents', () => {
  const positions = new DocumentPositions()
  expect(() => positions.locate(0)).toThrow('before a document was added')
  const starts = [positions.add('a'), positions.add('\nb'), positions.add('')]
  expect(starts).toEqual([0, 2, 5])
  expect([0, 1, 2, 3, 5].map((offset) => positions.locate(offset))).toMatchObject([
    { line: 1, column: 1 },
    { line: 1, column: 2 },
    { line: 1, column: 1 },
    { line: 2, column: 1 },
    { line: 1, column: 1 },
  ])
})

test('models that import each other are refused', () => {
  const other = modelText('base', { m: 'main' }, decision('E', 'number', '1', ''))
  const { lost } = fromDmn(modelText('main', { b: 'base' }, ''), undefined, imports([other]))
  expect(lost).toContainEqual(expect.objectContaining({ code: 'import-cycle', line: 1, column: 103 }))
})

test('an import of an XML schema is omitted with a warning', () => {
  const main = modelText('main', {}, decision('D', 'number', '1', '')).replace(
    '<decision',
    '<import namespace="x" name="x" importType="http://www.w3.org/2001/XMLSchema"/><decision',
  )
  expect(fromDmn(main).lost).toMatchObject([{ code: 'not-carried-over', severity: 'warning' }])
})

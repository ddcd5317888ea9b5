import { expect, test } from 'vitest'
import { fromDmn } from './from-dmn.ts'
import { dmnText, type WrittenDecision } from './model.testing.ts'

/** The value of the variable of the decision `D`, when nothing was lost. */
function valueOf(decisions: readonly WrittenDecision[], extra = ''): unknown {
  const { rulesets, lost } = fromDmn(dmnText(decisions, [], { extra }), undefined, { decision: 'D' })
  const [error] = lost.filter(({ severity }) => severity === 'error')
  if (error !== undefined) return error.code
  const step = rulesets[0]?.ruleset.steps.find(({ id }) => id === '_D')
  return step?.type === 'action' ? step.assignments?.[0]?.value : step?.type
}

const literal = (text: string, type = '') =>
  `<literalExpression${type && ` typeRef="${type}"`}><text>${text}</text></literalExpression>`
const entry = (name: string, logic: string, type = '') =>
  `<contextEntry>${name && `<variable name="${name}"${type && ` typeRef="${type}"`}/>`}${logic}</contextEntry>`
const binding = (name: string, logic: string) => `<binding><parameter name="${name}"/>${logic}</binding>`
const knowing = (...ids: readonly string[]) =>
  ids.map((id) => `<knowledgeRequirement><requiredKnowledge href="#${id}"/></knowledgeRequirement>`).join('')
const parameter = (name: string, type = '') => `<formalParameter name="${name}"${type && ` typeRef="${type}"`}/>`
const model = (id: string, logic: string, type = '', attributes = '') =>
  `<businessKnowledgeModel id="${id}" name="${id}"><variable name=" ${id} "${type && ` typeRef="${type}"`}/><encapsulatedLogic${attributes}>${logic}</encapsulatedLogic></businessKnowledgeModel>`
const item = (name: string, content: string, attributes = '') =>
  `<itemDefinition name="${name}"${attributes}>${content}</itemDefinition>`
const of = (type: string) => `<typeRef>${type}</typeRef>`
const parts = (names: readonly string[], ...logics: readonly string[]) =>
  names.map((name, at) => `<${name}>${logics[at] ?? ''}</${name}>`).join('')

const LESS = model('less', parameter('x', 'number') + parameter('y') + literal('x - y'), 'number')
const LIST = `<list>${literal('1')}${literal('2')}${literal('3')}</list>`

test.each<readonly [string, string, string]>([
  ['a context', `<context>${entry('a', literal('1'))}${entry(' b ', literal('a + 1'))}</context>`, '{"a": 1, "b": 2}'],
  ['the result of a context', `<context>${entry('a', literal('1'))}${entry('', literal('a + 1'))}</context>`, '2'],
  ['an entry of a type', `<context>${entry('a', literal('[1]'), 'number')}</context>`, '{"a": 1}'],
  ['an entry of another type', `<context>${entry('a', literal('"x"'), 'number')}</context>`, '{"a": null}'],
  [
    'a function in a context',
    `<context>${entry('f', `<functionDefinition>${parameter('n')}${literal('n * 2')}</functionDefinition>`, 'number')}${entry('', literal('f(4)'))}</context>`,
    '8',
  ],
  ['a list', LIST, '[1, 2, 3]'],
  [
    'a relation',
    `<relation><column name="x"/><column name="y"/><row>${literal('1')}${literal('2')}</row><row>${literal('3')}</row></relation>`,
    '[{"x": 1, "y": 2}, {"x": 3, "y": null}]',
  ],
  ...(['true', 'false', 'null', '1'] as const).map(
    (condition) =>
      [
        `a condition that is ${condition}`,
        `<conditional>${parts(['if', 'then', 'else'], literal(condition), literal('7'), literal('8'))}</conditional>`,
        { true: '7', false: '8', null: '8', '1': 'null' }[condition],
      ] as const,
  ),
  [
    'a condition without a condition',
    `<conditional>${parts(['then', 'else'], literal('7'), literal('8'))}</conditional>`,
    'boxed-expression',
  ],
  [
    'a condition without a first result',
    `<conditional>${parts(['if', 'else'], literal('true'), literal('8'))}</conditional>`,
    'boxed-expression',
  ],
  [
    'a condition without a second result',
    `<conditional>${parts(['if', 'then'], literal('false'), literal('8'))}</conditional>`,
    'boxed-expression',
  ],
  ['a filter', `<filter>${parts(['in', 'match'], LIST, literal('item &gt; 1'))}</filter>`, '[2, 3]'],
  ['a filter of one value', `<filter>${parts(['in', 'match'], literal('5'), literal('item &gt; 1'))}</filter>`, '[5]'],
  ['a filter of null', `<filter>${parts(['in', 'match'], literal('null'), literal('true'))}</filter>`, '[]'],
  ['`for`', `<for iteratorVariable="i">${parts(['in', 'return'], LIST, literal('i * 2'))}</for>`, '[2, 4, 6]'],
  ['`some`', `<some iteratorVariable="i">${parts(['in', 'satisfies'], LIST, literal('i &gt; 2'))}</some>`, 'true'],
  ['`every`', `<every iteratorVariable="i">${parts(['in', 'satisfies'], LIST, literal('i &gt; 2'))}</every>`, 'false'],
  [
    'an invocation',
    `${knowing('less')}<invocation>${literal('less')}${binding('y', literal('1'))}${binding(' x ', literal('3'))}</invocation>`,
    '2',
  ],
  [
    'an invocation without an argument',
    `${knowing('less')}<invocation>${literal('less')}${binding('x', literal('3'))}</invocation>`,
    'null',
  ],
  [
    'an argument without logic',
    `${knowing('less')}<invocation>${literal('less')}${binding('x', literal('3'))}${binding('y', '')}</invocation>`,
    'null',
  ],
  [
    'an argument that the function does not have',
    `${knowing('less')}<invocation>${literal('less')}${binding('z', literal('3'))}</invocation>`,
    'null',
  ],
  ['an invocation of a number', `<invocation>${literal('1')}</invocation>`, 'null'],
  ['a parameter of two words', `${knowing('next')}${literal('next(5)')}`, '6'],
  [
    'an entry of two words',
    `<context>${entry('one', `<context>${entry(' an entry ', literal('1'))}${entry('', literal('an entry + 1'))}</context>`)}</context>`,
    '{"one": 2}',
  ],
  [
    'an item of two words',
    `<for iteratorVariable="an item">${parts(['in', 'return'], LIST, literal('an item * 2'))}</for>`,
    '[2, 4, 6]',
  ],
  ['a call', `${knowing('less')}${literal('less(5, 2)')}`, '3'],
  ['a call by the name of the variable', `${knowing('half')}${literal('halved(6)')}`, '3'],
  ['a function whose variable has a type of functions', `${knowing('typed')}${literal('typed(5)')}`, '5'],
  ['a function whose variable has another type', `${knowing('flag')}${literal('flag(5)')}`, 'null'],
  ['an argument of another type', `${knowing('less')}${literal('less("a", 2)')}`, 'null'],
  ['a literal of a type', literal('[1]', 'number'), '1'],
  ['a literal of a type with a prefix', literal('[1]', ' feel:number '), '1'],
  ['a literal of any type', literal('[1]', 'Any'), '[1]'],
  ['a literal of a list', literal('1', 'list&lt;number&gt;'), '[1]'],
  ['a literal without a text', '<literalExpression/>', 'no-logic'],
  ['a literal of another language', literal('1').replace('>', ' expressionLanguage="x">'), 'expression-language'],
  ['a literal of FEEL', literal('1').replace('>', ' expressionLanguage="http://x/FEEL/">'), '1'],
  ['a function of another language', `${knowing('java')}${literal('java()')}`, 'feel'],
  ['a function without logic', `${knowing('bare')}${literal('bare()')}`, 'feel'],
])('%s whose value is known', (_, xml, expected) => {
  const next = model('next', parameter('a number', 'number') + literal('a number + 1'))
  const types = item('tFunction', '<functionItem/>') + item('tFlag', of('boolean'))
  const typed = model('typed', parameter('x') + literal('x'), 'tFunction')
  const flag = model('flag', parameter('x') + literal('x'), 'tFlag')
  const half = model('half', parameter('x') + literal('x / 2')).replace('name=" half "', 'name="halved"')
  const bare = '<businessKnowledgeModel id="bare" name="bare"/>'
  const java = model('java', literal('1'), '', ' kind="Java"')
  expect(valueOf([{ name: 'D', xml }], types + LESS + half + next + typed + flag + bare + java)).toBe(expected)
})

test.each([
  ['tSmall', '5', '5'],
  ['tSmall', '50', 'null'],
  ['tSmalls', '[5, 6]', '[5, 6]'],
  ['tSmalls', '[5, 50]', 'null'],
  ['tSmalls', '5', '[5]'],
  ['tParty', '{name: "a", age: 1}', '{"name": "a", "age": 1}'],
  ['tParty', '{name: 1, age: 1}', 'null'],
  ['tParty', '{age: 1}', 'null'],
  ['m:tParty', '{name: "a", age: 1}', '{"name": "a", "age": 1}'],
  ['tAny', '"x"', '"x"'],
  ['tParties', '{name: "a", age: 1}', '[{"name": "a", "age": 1}]'],
  ['feel:yearMonthDuration', 'duration("P1Y")', '"P1Y"'],
  ['feel:yearMonthDuration', 'duration("P1D")', 'null'],
  ['feel:dayTimeDuration', 'duration("P1D")', '"P1D"'],
  ['feel:dayTimeDuration', 'duration("P1Y")', 'null'],
  ['feel:dateTime', 'date and time("2024-02-29T10:00:00")', '"2024-02-29T10:00:00"'],
  ['feel:dateTime', 'date("2024-02-29")', '"2024-02-29T00:00:00Z"'],
  ['feel:time', 'time("10:00:00")', '"10:00:00"'],
  ['feel:time', 'date("2024-02-29")', 'null'],
])('a decision of the type `%s` with %s', (type, expression, expected) => {
  const types =
    item('tSmall', `${of('number')}<allowedValues><text>&lt; 10</text></allowedValues>`) +
    item('tSmalls', `${of('number')}<allowedValues><text>&lt; 10</text></allowedValues>`, ' isCollection="true"') +
    item(
      'tParty',
      `<itemComponent name="name">${of(' string ')}</itemComponent><itemComponent name="age">${of('number')}</itemComponent>`,
    ) +
    item('tParties', of('tParty'), ' isCollection="true"') +
    item('tAny', '')
  expect(valueOf([{ name: 'D', type, expression }], types)).toBe(expected)
})

test.each([
  [32, '"P2D"'],
  [33, 'feel'],
])('types may refer to each other %i times, and not to themselves', (count, expected) => {
  const chain = Array.from({ length: count }, (_, at) =>
    item(`t${at + 1}`, of(at + 1 === count ? 'feel:dayTimeDuration' : `t${at + 2}`)),
  )
  const expression = '@"P1D" + @"P1D"'
  expect(valueOf([{ name: 'D', type: 't1', expression }], chain.join(''))).toBe(expected)
  expect(valueOf([{ name: 'D', type: 'tSelf', expression }], item('tSelf', of('tSelf')))).toBe('feel')
})

test('a type may have a point in its name', () => {
  expect(valueOf([{ name: 'D', expression: '@"P1D" instance of t.Wait' }], item('t.Wait', of('dayTimeDuration')))).toBe(
    'true',
  )
})

test('input data without a variable hide decisions whose names are its words', () => {
  const decisions = [
    { name: 'Base', expression: '7' },
    { name: 'Price', expression: '2' },
    {
      name: 'D',
      requires: ['Base', 'Price'],
      xml: `<informationRequirement><requiredInput href="#n"/></informationRequirement>${literal('Base-Price')}`,
    },
  ]
  expect(valueOf(decisions, '<inputData id="n" name="Base-Price"/>')).toBe('$["Base-Price"]')
})

test('input data of the name of a function hide it', () => {
  const xml = `<informationRequirement><requiredInput href="#n"/></informationRequirement>${literal('count = null')}`
  expect(valueOf([{ name: 'D', xml }], '<inputData id="n" name="count"/>')).toBe(
    'if count == null then true else if count != null then false else null',
  )
})

test('a decision that is not required hides no function', () => {
  const decisions = [
    { name: 'D', expression: 'count([@"P1D"])' },
    { name: 'count', expression: '5' },
  ]
  expect(valueOf(decisions)).toBe('1')
})

test('input data have the name of their variable', () => {
  const xml = `<informationRequirement><requiredInput href="#n"/></informationRequirement>${literal('count = null')}`
  expect(valueOf([{ name: 'D', xml }], '<inputData id="n" name="Number"><variable name="count"/></inputData>')).toBe(
    'if count == null then true else if count != null then false else null',
  )
})

test('decisions are evaluated once, however often others require them', () => {
  const levels = Array.from({ length: 40 }, (_, at) => ({
    name: `L${at}`,
    requires: at === 0 ? [] : [`L${at - 1}`],
    expression: at === 0 ? '1' : `L${at - 1} + L${at - 1}`,
  }))
  expect(valueOf([{ name: 'D', requires: ['L39'], expression: 'L39' }, ...levels])).toBe(String(2 ** 39))
})

test.each([
  ['quote(2, 10)', '12'],
  ['quote(Base: 10, a: 2)', '12'],
  ['both(2).Price', '6'],
  ['both(2).Base', '4'],
  ['typed("x")', 'null'],
])('a call of a decision service with constants: %s is %s', (expression, expected) => {
  const service = (name: string, content: string) =>
    `<decisionService id="_${name}" name="${name}">${content}</decisionService>`
  const output = (name: string) => `<outputDecision href="#_${name}"/>`
  const extra =
    service('quote', `${output('Price')}<inputDecision href="#_Base"/><inputData href="#_a"/>`) +
    service('both', `${output('Price')}${output('Base')}<inputData href="#_a"/>`) +
    service('typed', `${output('Base')}<inputData href="#_a"/>`)
  const document = dmnText(
    [
      { name: 'D', xml: knowing('_quote', '_both', '_typed') + literal(expression) },
      { name: 'Base', requires: ['a'], expression: 'a * 2' },
      { name: 'Price', requires: ['Base', 'a'], expression: 'Base + a' },
    ],
    [['a', 'number']],
    { extra },
  )
  const { rulesets } = fromDmn(document, undefined, { decision: 'D' })
  expect(rulesets[0]?.ruleset.steps[0]).toMatchObject({ assignments: [{ value: expected }] })
})

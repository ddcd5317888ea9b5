import { expect, test } from 'vitest'
import { fromDmn } from './from-dmn.ts'
import { decide, dmnText } from './model.testing.ts'

const NUMBERS = ['a', 'b', 'rate'].map((name) => [name, 'number'] as const)

const literal = (text: string, type = '') =>
  `<literalExpression${type && ` typeRef="${type}"`}><text>${text}</text></literalExpression>`
const parameters = (...names: readonly string[]) =>
  names.map((name) => `<formalParameter name="${name}" typeRef="number"/>`).join('')
const knowing = (...ids: readonly string[]) =>
  ids.map((id) => `<knowledgeRequirement><requiredKnowledge href="#${id}"/></knowledgeRequirement>`).join('')
const model = (id: string, logic: string, requires: readonly string[] = []) =>
  `<businessKnowledgeModel id="${id}" name="${id}"><variable name="${id}"/><encapsulatedLogic>${logic}</encapsulatedLogic>${knowing(...requires)}</businessKnowledgeModel>`
const entry = (name: string, logic: string) =>
  `<contextEntry>${name && `<variable name="${name}"/>`}${logic}</contextEntry>`
const binding = (name: string, logic: string) => `<binding><parameter name="${name}"/>${logic}</binding>`

const SHARE = model('share', `${parameters('part', 'whole')}${literal('part / whole * 100', 'number')}`)
const TWICE = model('share twice', `${parameters('x')}${literal('share(x, 50) * 2')}`, ['share'])

const read = (xml: string, extra = '') =>
  fromDmn(
    dmnText([{ name: 'D', requires: ['a', 'b', 'rate', 'word'], xml }], [...NUMBERS, ['word', 'string']], { extra }),
  )

test.each([
  ['a call of a knowledge model', knowing('share') + literal('share(a, b)'), SHARE, { D: 20 }],
  ['arguments by name', knowing('share') + literal('share(whole: b, part: a) + 1'), SHARE, { D: 21 }],
  ['a model that calls another', knowing('share twice') + literal('share twice(a + b)'), SHARE + TWICE, { D: 24 * 2 }],
  [
    'a boxed invocation',
    `${knowing('share')}<invocation>${literal('share')}${binding('part', literal('rate'))}${binding('whole', literal('a'))}</invocation>`,
    SHARE,
    { D: 50 },
  ],
  [
    'a boxed context whose entries read those before them',
    `<context>${entry('net', literal('a * b'))}${entry('gross', literal('net + rate'))}</context>`,
    '',
    { net: 20, gross: 21 },
  ],
  [
    'the result of a boxed context',
    `<context>${entry('net', literal('{amount: a * b}'))}${entry('', literal('net.amount - 1'))}</context>`,
    '',
    { D: 19 },
  ],
  [
    'a function in a boxed context',
    `<context>${entry('plus', `<functionDefinition>${parameters('x')}${literal('x + rate')}</functionDefinition>`)}${entry('', literal('plus(plus(a))'))}</context>`,
    '',
    { D: 4 },
  ],
  [
    'a boxed conditional',
    `<conditional><if>${literal('a &lt; b')}</if><then>${literal('"less"')}</then><else>${literal('"more"')}</else></conditional>`,
    '',
    { D: 'less' },
  ],
  ['a boxed list', `<list>${literal('a')}${literal('b')}</list>`, '', { D: [2, 10] }],
  [
    'a relation',
    `<relation><column name="x"/><column name="y"/><row>${literal('a')}${literal('1')}</row><row>${literal('b')}${literal('2')}</row></relation>`,
    '',
    {
      D: [
        { x: 2, y: 1 },
        { x: 10, y: 2 },
      ],
    },
  ],
])('%s reads the input', (_, xml, extra, output) => {
  const { rulesets, lost } = read(xml, extra)
  expect(lost.filter(({ severity }) => severity === 'error')).toEqual([])
  const run = decide(rulesets[0]?.ruleset ?? { config: { name: '' }, steps: [] })
  expect(run({ a: 2, b: 10, rate: 1, word: 'x' })).toEqual(output)
})

/** Each function calls the next one twice. */
const bomb = (length: number) =>
  Array.from({ length }, (_, index) =>
    model(
      `f${index}`,
      parameters('x') + literal(index + 1 === length ? 'x + x' : `f${index + 1}(x + x) + f${index + 1}(x)`),
      index + 1 === length ? [] : [`f${index + 1}`],
    ),
  ).join('')

test.each([
  [
    'a function that calls itself',
    literal('f(a)'),
    model('f', parameters('x') + literal('f(x - 1)'), ['f']),
    'calls itself',
  ],
  ['functions that double with each level', literal('f0(a)'), bomb(15), 'too large'],
  ['calls of many levels', literal('f0(a)'), bomb(30), 'more than 20 levels deep'],
  ['a parameter of another type', literal('share(word, b)'), SHARE, 'the type `number`'],
  ['too few arguments', literal('share(a)'), SHARE, 'has 2 parameters, found 1'],
  ['too many arguments', literal('share(a, b, a)'), SHARE, 'has the parameters `part`, `whole`'],
  ['an argument given twice', literal('share(part: a, part: b)'), SHARE, 'has the parameters `part`, `whole`'],
  [
    'a body that reads the input',
    literal('f(a)'),
    model('f', parameters('x') + literal('x + rate')),
    '`rate` is neither',
  ],
  [
    'a decision table',
    literal('f(a)'),
    model('f', `${parameters('x')}<decisionTable><input/><output/></decisionTable>`),
    '`decisionTable` is not supported',
  ],
  [
    'a parameter that the function does not have',
    `<invocation>${literal('share')}${binding('piece', literal('a'))}</invocation>`,
    SHARE,
    'has no parameter `piece`',
  ],
  [
    'a boxed filter',
    `<filter><in>${literal('[a]')}</in><match>${literal('item &gt; b')}</match></filter>`,
    '',
    '`filter` is not supported',
  ],
  [
    'an entry that fails to be read',
    `<context>${entry('x', literal('a +'))}</context>`,
    '',
    'in `a +`, the expression ends too early',
  ],
])('%s is refused with its reason', (_, logic, extra, reason) => {
  const { lost } = read(knowing('f', 'f0', 'share') + logic, extra)
  const errors = lost.filter(({ severity }) => severity === 'error')
  expect(errors).toMatchObject([{ path: '/_D', message: expect.stringContaining(reason) }])
})

import { describe, expect, test } from 'vitest'
import { TooLarge } from '../size-error.ts'
import { fromDmn } from './from-dmn.ts'
import { decide, dmnText } from './model.testing.ts'
import { STANDARD } from './standard.testing.ts'

test.each(STANDARD)('$title', ({ document, results }) => {
  const { rulesets, lost } = fromDmn(document, 'model')
  expect(lost.filter(({ severity }) => severity === 'error')).toEqual([])
  const [only] = rulesets
  expect(rulesets.map(({ name }) => name)).toEqual(['model'])
  const run = decide(only?.ruleset ?? { config: { name: '' }, steps: [] })
  for (const [input, output] of results) expect(run(input), JSON.stringify(input)).toEqual(output)
})

test.each([
  'http://www.omg.org/spec/DMN/20151101/dmn.xsd',
  'http://www.omg.org/spec/DMN/20180521/MODEL/',
  'https://www.omg.org/spec/DMN/20211108/MODEL/',
  'https://www.omg.org/spec/DMN/20230324/MODEL/',
  'https://www.omg.org/spec/DMN/20240513/MODEL/',
])('a model of the namespace %s is read', (namespace) => {
  const { rulesets, lost } = fromDmn(dmnText([{ name: 'D', expression: '1' }], [], { namespace }))
  expect(lost).toEqual([])
  expect(rulesets.map(({ name }) => name)).toEqual(['D'])
})

const LITERAL = { name: 'D', expression: '1' }
const TABLE = { name: 'D', table: { inputs: [['x']] as const, outputs: [{}], rules: [['1', '2']] }, requires: ['x'] }
const CONTEXT = {
  name: 'D',
  xml: '<context><contextEntry><literalExpression><text>x</text></literalExpression></contextEntry></context>',
  requires: ['x'],
}

describe('a language', () => {
  test.each([
    'feel',
    'http://www.omg.org/spec/FEEL/20140401',
    'https://www.omg.org/spec/DMN/20240513/FEEL/',
    'https://www.omg.org/spec/DMN/20180521/S-FEEL/',
  ])('%s is FEEL, of a model and of an expression', (language) => {
    for (const tag of ['<definitions ', '<literalExpression']) {
      const document = dmnText([LITERAL]).replace(tag, `${tag.trim()} expressionLanguage="${language}" `)
      expect(fromDmn(document).lost).toEqual([])
    }
  })

  test.each(['juel', 'https://www.omg.org/spec/DMN/20240513/B-FEEL/', 'B-FEEL'])(
    '%s is refused, of a model and of each part',
    (language) => {
      const parts = [
        ['<definitions ', LITERAL],
        ['<literalExpression', LITERAL],
        ['<inputExpression', TABLE],
        ['<inputEntry', TABLE],
        ['<outputEntry', TABLE],
        ['<literalExpression', CONTEXT],
      ] as const
      for (const [tag, decision] of parts) {
        const text = dmnText([decision], [['x', 'number']])
        const { lost } = fromDmn(text.replace(tag, `${tag.trim()} expressionLanguage="${language}" `))
        const found = lost.filter(({ severity }) => severity === 'error')
        expect(found, tag).toEqual([expect.objectContaining({ message: expect.stringContaining(`\`${language}\``) })])
      }
    },
  )
})

test.each([
  ['get entries(x)', 'the function `get entries` is not supported'],
  ['1 + context   put(x, "a", 1)', 'the function `context   put` is not supported'],
  ['a thing of ours (x)', 'the function `a thing of ours` is not supported'],
  ['frobnicate(x)', 'the function `frobnicate` is not supported'],
  ['x y', 'unexpected `y`'],
])('a call of an unknown function is refused by its name: %s', (expression, reason) => {
  const { lost } = fromDmn(dmnText([{ name: 'D', expression, requires: ['x'] }], [['x', 'number']]))
  expect(lost).toMatchObject([{ code: 'feel', message: expect.stringContaining(`: ${reason}`) }])
})

test.each(['x and not(y)', 'x or (y)', 'if x then (1) else (2)', 'n between (1) and (2)', 'n in (1)'])(
  'an operator before a parenthesis is no part of a name: %s',
  (expression) => {
    const names = [
      ['x', 'boolean'],
      ['y', 'boolean'],
      ['n', 'number'],
    ] as const
    const requires = names.map(([name]) => name)
    const { lost } = fromDmn(dmnText([{ name: 'D', expression, requires }], names))
    expect(lost.filter(({ severity }) => severity === 'error')).toEqual([])
  },
)

test('cells are those of the editor', () => {
  const rules = [
    ['"a"', '"a", null', 'not("a")', 'not("a", "b")', '1'],
    ['null', '[1..5)', '!= 3', '? > 1 and ? < limit', '2'],
    ['-', 'date("2026-01-01")', 'not([1..2])', '< -3', '3'],
  ]
  const requires = ['p', 'q', 'r', 's', 'limit']
  const names = requires.map((name) => [name] as const)
  const inputs = names.slice(0, 4)
  const { rulesets, lost } = fromDmn(dmnText([{ name: 'D', table: { inputs, outputs: [{}], rules }, requires }], names))
  expect(lost).toEqual([])
  const [table] = rulesets[0]?.ruleset.steps ?? []
  expect(table).toMatchObject({
    rows: [
      { cells: { i1: '"a"', i2: 'in ["a", null]', i3: '!= "a"', i4: 'not in ["a", "b"]' } },
      { cells: { i1: 'null', i2: '[1..5)', i3: '!= 3', i4: '? (s > 1) && (s < limit)' } },
      { cells: { i2: '"2026-01-01"', i3: '? r < 1 || r > 2', i4: '< -3' } },
    ],
  })
})

test('a name that nothing declares is a field of the input; the output of a required decision is no name', () => {
  const table = { inputs: [['size'], ['grade']] as const, outputs: [{ name: 'x' }], rules: [['> 1', '"a"', 'size']] }
  const grade = { inputs: [['size']] as const, outputs: [{ name: 'grade' }], rules: [['-', '"a"']] }
  const { lost } = fromDmn(
    dmnText([
      { name: 'D', table, requires: ['Grading'] },
      { name: 'Grading', table: grade },
    ]),
  )
  expect(lost).toMatchObject([
    { path: '/_D/input/0', code: 'undeclared-name', severity: 'warning' },
    { path: '/_D/input/1', code: 'output-name', severity: 'error' },
    { path: '/_Grading/input/0', code: 'undeclared-name', severity: 'warning' },
  ])
})

test('decisions that several others require are in the ruleset of each, and reported once', () => {
  const { rulesets, lost } = fromDmn(
    dmnText(
      [
        { name: 'First one', requires: ['Shared'], expression: 'Shared + 1' },
        { name: 'Second', requires: ['Shared'], expression: 'Shared * 2' },
        { name: 'Shared', requires: ['a'], expression: 'a / 2' },
      ],
      [['a']],
    ),
    'both',
  )
  expect(rulesets.map(({ name, ruleset }) => [name, decide(ruleset)({ a: 8 })])).toEqual([
    ['both-First-one', { 'First one': 5 }],
    ['both-Second', { Second: 8 }],
  ])
  expect(lost.map(({ path, code }) => [path, code])).toEqual([
    ['/_First_one', 'arithmetic'],
    ['/_Shared', 'arithmetic'],
    ['/_Second', 'arithmetic'],
  ])
})

test('a foreign element is named and left out; a diagram, sources of knowledge and notes only document the model', () => {
  const extra = `<description>of a model</description><knowledgeSource id="k" name="law"/><textAnnotation id="t"><text>note</text></textAnnotation>
<dmndi:DMNDI xmlns:dmndi="https://www.omg.org/spec/DMN/20191111/DMNDI/"/>
<x:other xmlns:x="https://example.com/DMNDI/"/>`
  const { rulesets, lost } = fromDmn(dmnText([{ name: 'D', expression: '1' }], [], { extra }))
  expect(rulesets.length).toBe(1)
  expect(lost).toMatchObject([{ code: 'not-of-the-model', severity: 'warning', line: 5 }])
})

test.each([
  [
    'a table',
    { table: { inputs: [['Wait', 'dayTimeDuration']], outputs: [{}], rules: [['> Term', '1']] } },
    'duration',
  ],
  ['a table without types', { table: { inputs: [['Wait']], outputs: [{}], rules: [['> Term', '1']] } }, 'duration'],
  ['an expression', { expression: 'Wait > Term' }, 'feel'],
  ['a condition', { expression: 'if Wait in (Term) then 1 else 2' }, 'feel'],
  ['members', { expression: 'Loan.term > Loan.least' }, 'feel'],
] as const)('durations are not compared as texts: %s', (_, logic, code) => {
  const names = [
    ['Wait', 'dayTimeDuration'],
    ['Term', 'dayTimeDuration'],
    ['Loan', 'm:tLoan'],
  ] as const
  const extra = `<itemDefinition name="tLoan"><itemComponent name="term"><typeRef>m:tTerm</typeRef></itemComponent>
<itemComponent name="least"><typeRef>tTerm</typeRef></itemComponent></itemDefinition>
<itemDefinition name="tTerm"><typeRef>feel:years and months duration</typeRef></itemDefinition>`
  const requires = names.map(([name]) => name)
  const { lost } = fromDmn(dmnText([{ name: 'D', requires, ...logic }], names, { extra }))
  expect(lost).toMatchObject([{ code, severity: 'error' }, ...(code === 'duration' ? [{ code: 'feel' }] : [])])
})

test('a name in an input entry is compared by its declared type, and lost where that may be a condition', () => {
  const extra =
    '<itemDefinition name="tTeam"><itemComponent name="lead"><typeRef>string</typeRef></itemComponent><itemComponent name="isOpen"><typeRef>boolean</typeRef></itemComponent></itemDefinition><itemDefinition name="tNames" isCollection="true"><typeRef>string</typeRef></itemDefinition><itemDefinition name="tName"><typeRef>string</typeRef></itemDefinition>'
  const names = [
    ['who'],
    ['owner', 'm:tName'],
    ['staff', 'm:tNames'],
    ['flag', 'boolean'],
    ['any'],
    ['team', 'tTeam'],
  ] as const
  const read = (rules: readonly (readonly [string, string])[]) => {
    const table = { hitPolicy: 'RULE ORDER', inputs: [['who']] as const, outputs: [{}], rules }
    return fromDmn(dmnText([{ name: 'D', table, requires: names.map(([name]) => name) }], names, { extra }))
  }
  const { rulesets, lost } = read([
    ['owner', '1'],
    ['not(owner)', '2'],
    ['staff', '3'],
    ['not("b", staff)', '4'],
    ['team.lead', '5'],
  ])
  expect(lost).toEqual([])
  const run = decide(rulesets[0]?.ruleset ?? { config: { name: '' }, steps: [] })
  const results = ['a', 'b', 'c'].map((who) => run({ who, owner: 'a', staff: ['a', 'c'], team: { lead: 'c' } }))
  expect(results).toEqual([{ D: [1, 3] }, { D: [2] }, { D: [2, 3, 5] }])
  expect(run({ who: 'a', owner: null, staff: null, team: null })).toEqual({ D: [2, 4] })
  for (const entry of ['flag', 'any', 'team', 'team.isOpen', 'team.other'])
    expect(read([[entry, '1']]).lost).toMatchObject([{ code: 'feel' }])
})

test('a table may have 2,000,000 entries, of inputs and outputs', () => {
  const xml = `<decisionTable>${'<input/>'.repeat(50)}${'<output/>'.repeat(50)}${'<rule/>'.repeat(20_001)}</decisionTable>`
  expect(() => fromDmn(dmnText([{ name: 'D', xml }]))).toThrow(new TooLarge('a table may have at most 2000000 entries'))
})

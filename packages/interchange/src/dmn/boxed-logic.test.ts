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
const entry = (name: string, logic: string, type = '') =>
  `<contextEntry>${name && `<variable name="${name}"${type && ` typeRef="${type}"`}/>`}${logic}</contextEntry>`
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
    'the text of a parameter whose argument has the type of the input',
    knowing('shown') + literal('shown(a)'),
    model('shown', `<formalParameter name="x"/>${literal('"no. " + string(x)')}`),
    { D: 'no. 2' },
  ],
  [
    'a parameter with the name of an argument of another type',
    knowing('shown') + literal('shown(a, word)'),
    model('shown', `<formalParameter name="x"/><formalParameter name="a"/>${literal('string(x) + string(a)')}`),
    { D: '2x' },
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

test.each([
  ['a name', 'word', 'tOther', undefined],
  ['a member', 'word.part', 'tOther', 'boxed-expression'],
  ['a name of another type', 'rate', 'tOther', 'boxed-expression'],
  ['null', 'null', 'tOther', undefined],
  ['a value of any type', 'word + rate', ' feel:Any ', undefined],
])('%s as the value of an entry of a type that nothing defines', (_, value, type, code) => {
  const xml = `<context>${entry('x', literal(value, type))}</context>`
  const inputs = [['rate', 'number'] as const, ['word', 'tOther'] as const]
  const { lost } = fromDmn(dmnText([{ name: 'D', requires: ['rate', 'word'], xml }], inputs))
  expect(lost.find(({ severity }) => severity === 'error')?.code).toBe(code)
})

/** Each function calls the next one with an argument. */
const chain = (length: number, argument: string) =>
  Array.from({ length }, (_, at) =>
    model(`f${at}`, parameters('x') + literal(at + 1 === length ? 'x' : `f${at + 1}(${argument})`), [`f${at + 1}`]),
  ).join('')

test('functions call each other at most 20 levels deep', () => {
  const { rulesets, lost } = read(knowing('f0') + literal('f0(a)'), chain(20, 'x'))
  expect(lost.filter(({ severity }) => severity === 'error')).toEqual([])
  expect(decide(rulesets[0]?.ruleset ?? { config: { name: '' }, steps: [] })({ a: 7 })).toEqual({ D: 7 })
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
  ['arguments that grow fourfold with each level', literal('f0(a)'), chain(19, 'x + x + x + x'), 'too large'],
  ['calls of many levels', literal('f0(a)'), chain(21, 'x'), 'more than 20 levels deep'],
  ['a parameter of another type', literal('share(word, b)'), SHARE, 'the type `number`'],
  ['arguments without a comma', literal('share(a b)'), SHARE, 'expected `,`'],
  ['too few arguments', literal('share(a)'), SHARE, 'has 2 parameters, found 1'],
  ['too many arguments', literal('share(a, b, a)'), SHARE, 'has the parameters `part`, `whole`'],
  [
    'an argument that it does not take',
    literal('f(a)'),
    model('f', literal('1')),
    'the function `f` has no parameters',
  ],
  ['an argument given twice', literal('share(part: a, part: b)'), SHARE, 'has the parameters `part`, `whole`'],
  [
    'a body that reads the input',
    literal('f(a)'),
    model('f', parameters('x') + literal('x + rate')),
    '`rate` is neither',
  ],
  [
    'a parameter that the function does not have',
    `<invocation>${literal('share')}${binding('piece', literal('a'))}</invocation>`,
    SHARE,
    'has no parameter `piece`',
  ],
  [
    'a context with an entry twice',
    `<context>${entry('x', literal('a'))}${entry('y', literal('b'))}${entry('x', literal('b'))}</context>`,
    '',
    'the context has the entry `x` twice',
  ],
  [
    'a filter whose test may be no condition',
    `<filter><in><list>${literal('a')}${literal('b')}</list></in><match>${literal('item + 1')}</match></filter>`,
    '',
    'whether this test is a condition is not known at import',
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

const rule = (...cells: readonly string[]) =>
  `<rule>${cells.map((cell, index) => (index < 2 ? `<inputEntry><text>${cell}</text></inputEntry>` : `<outputEntry><text>${cell}</text></outputEntry>`)).join('')}</rule>`
/** A function with a table of `x` and `y`. */
const table = (policy: string, rules: readonly string[], outputs = '<output/>') =>
  model(
    'f',
    `${parameters('x', 'y')}<decisionTable ${policy}><input><inputExpression><text>x</text></inputExpression></input><input><inputExpression><text>y</text></inputExpression></input>${outputs}${rules.join('')}</decisionTable>`,
  )
const ranked = '<output><outputValues><text>"high", "low"</text></outputValues></output>'
const RULES = [rule('&lt; 5', '-', '1'), rule('[3..8]', 'not(7)', 'x * y'), rule('-', '? &gt; 20', '3')]

test.each([
  ['hitPolicy="FIRST"', RULES, '<output/>', { a: 4, b: 2 }, 1],
  ['hitPolicy="FIRST"', RULES, '<output/>', { a: 6, b: 2 }, 12],
  ['hitPolicy="FIRST"', RULES, '<output/>', { a: 9, b: 30 }, 3],
  ['hitPolicy="FIRST"', RULES, '<output/>', { a: 9, b: 7 }, null],
  ['', RULES, '<output/>', { a: 2, b: 2 }, 1],
  ['', RULES, '<output><defaultOutputEntry><text>-1</text></defaultOutputEntry></output>', { a: 9, b: 7 }, -1],
  ['hitPolicy="COLLECT"', RULES, '<output/>', { a: 4, b: 30 }, [1, 120, 3]],
  ['hitPolicy="RULE ORDER"', RULES, '<output/>', { a: 9, b: 7 }, []],
  ['hitPolicy="COLLECT" aggregation="SUM"', RULES, '<output/>', { a: 4, b: 30 }, 124],
  ['hitPolicy="COLLECT" aggregation="SUM"', RULES, '<output/>', { a: 9, b: 7 }, null],
  ['hitPolicy="COLLECT" aggregation="MAX"', RULES, '<output/>', { a: 4, b: 30 }, 120],
  ['hitPolicy="COLLECT" aggregation="MIN"', RULES, '<output/>', { a: 4, b: 30 }, 1],
  ['hitPolicy="COLLECT" aggregation="COUNT"', RULES, '<output/>', { a: 4, b: 30 }, 3],
  ['hitPolicy="ANY"', [rule('1', '-', '7'), rule('-', '2', '7')], '<output/>', { a: 1, b: 2 }, 7],
  ['hitPolicy="ANY"', [rule('1', '-', '7'), rule('-', '2', '7')], '<output/>', { a: 3, b: 3 }, null],
  ['hitPolicy="PRIORITY"', [rule('1', '-', '"low"'), rule('-', '2', '"high"')], ranked, { a: 1, b: 2 }, 'high'],
  [
    'hitPolicy="OUTPUT ORDER"',
    [rule('1', '-', '"low"'), rule('-', '2', '"high"')],
    ranked,
    { a: 1, b: 2 },
    ['high', 'low'],
  ],
  [
    'hitPolicy="PRIORITY"',
    [rule('1', '-', '5', '"low"'), rule('-', '2', '6', '"high"')],
    ranked.replace('<output>', '<output name="fee"/><output name="risk">'),
    { a: 1, b: 2 },
    { fee: 6, risk: 'high' },
  ],
])('a function with a table, %s', (policy, rules, outputs, input, expected) => {
  const { rulesets, lost } = read(knowing('f') + literal('f(a, b)'), table(policy, rules, outputs))
  expect(lost.filter(({ severity }) => severity === 'error')).toEqual([])
  expect(decide(rulesets[0]?.ruleset ?? { config: { name: '' }, steps: [] })(input)).toEqual({ D: expected })
})

test.each([
  [
    `<context>${entry('n', literal('word'), 'number')}${entry('', literal('n'))}</context>`,
    '',
    '`n` has the type `number`',
  ],
  [
    knowing('f') + literal('f(word)'),
    model('f', parameters('amount') + literal('1')),
    '`amount` has the type `number`',
  ],
  [
    knowing('f') + literal('f(a)'),
    model('f', '<formalParameter name="x"/>' + literal('x')).replace('name="f"/>', 'name="f" typeRef="string"/>'),
    '`f` has the type `string`',
  ],
  [`<context>${entry('', literal('word', 'number'))}</context>`, '', 'a value has the type `number`'],
  [
    `<context>${entry('n', literal('"a"'), 'number')}${entry('m', literal('a'))}</context>`,
    '',
    '`n` has the type `number`',
  ],
  [`<context>${entry('n', literal('a'), 'string')}</context>`, '', '`n` has the type `string`'],
])('the part whose type is unknown is named: %#', (logic, extra, what) => {
  const { lost } = read(logic, extra)
  expect(lost.filter(({ severity }) => severity === 'error')).toMatchObject([
    { path: '/_D', message: expect.stringContaining(`whether ${what} is not known at import: declare the types of`) },
  ])
})

test('two rules of a function that match fail where the policy allows one, and different outputs of ANY', () => {
  const run = (policy: string, rules: readonly string[]) => {
    const [imported] = read(knowing('f') + literal('f(a, b)'), table(policy, rules)).rulesets
    return decide(imported?.ruleset ?? { config: { name: '' }, steps: [] })({ a: 4, b: 2 })
  }
  expect(run('', RULES)).toEqual({
    error: expect.stringContaining('rules of `decision table` match: the table allows one'),
  })
  expect(run('hitPolicy="ANY" outputLabel="Fees"', RULES)).toEqual({
    error: expect.stringContaining('rules of `Fees` that match have different outputs'),
  })
})

test('outputs of a table in a function are members of its result', () => {
  const outputs = '<output name="fee"/><output name="note"/>'
  const rules = [rule('&lt; 5', '-', '1', '"small"'), rule('&gt;= 5', '-', '2', '"large"')]
  const called = `<context>${entry('t', literal('f(a, b)'))}${entry('', literal('t.fee * 10'))}</context>`
  const run = (logic: string) => {
    const { rulesets, lost } = read(knowing('f') + logic, table('', rules, outputs))
    expect(lost.filter(({ severity }) => severity === 'error')).toEqual([])
    return decide(rulesets[0]?.ruleset ?? { config: { name: '' }, steps: [] })({ a: 7, b: 0 })
  }
  expect(run(called)).toEqual({ D: 20 })
  expect(run(literal('f(a, b).note + "!"'))).toEqual({ D: 'large!' })
})

test.each([
  ['hitPolicy="SOME"', RULES, '<output/>', 'unknown hit policy'],
  ['hitPolicy="PRIORITY"', RULES, '<output/>', 'priorities require'],
  ['hitPolicy="COLLECT" aggregation="SUM"', [rule('-', '-', '"a"')], '<output/>', 'not known to be numbers'],
  [
    'hitPolicy="COLLECT"',
    RULES,
    '<output><defaultOutputEntry><text>1</text></defaultOutputEntry></output>',
    'a default output',
  ],
  ['', [rule('1', '2')], '<output/>', 'other entries than the table has columns'],
  ['', [rule('1 +', '2', '3')], '<output/>', 'in `1 +`, the expression ends too early'],
  ['', Array.from({ length: 501 }, () => rule('1', '2', '3')), '<output/>', 'at most 500 rules'],
])('a function with a table is refused with its reason: %s', (policy, rules, outputs, reason) => {
  const { lost } = read(knowing('f') + literal('f(a, b)'), table(policy, rules, outputs))
  expect(lost.filter(({ severity }) => severity === 'error')).toMatchObject([
    { path: '/_D', message: expect.stringContaining(reason) },
  ])
})

import { expect, test } from 'vitest'
import { type Feel, FeelFault, type FeelTest, type RulesPolicy } from './ast.ts'
import { ExpansionBudget, memberOf, partsOf, shapeOfFeel } from './expansion.ts'
import { baseShape } from './shape.ts'
import { shapeOfText, shapeText } from './shape.testing.ts'

const NUMBER: Feel = { kind: 'number', text: '1' }
const TEXT: Feel = { kind: 'literal', value: 'a' }
const NULL: Feel = { kind: 'literal', value: null }
const TRUE: Feel = { kind: 'literal', value: true }
const parameter = Symbol()
const path = (name: string, ...members: readonly string[]): Feel => ({ kind: 'path', name, members })
const item = (shape: string, ...members: readonly string[]): Feel => ({
  kind: 'item',
  parameter,
  members,
  shape: shapeOfText(shape),
})
const list = (...items: readonly Feel[]): Feel => ({ kind: 'list', items })
const context = (entries: Readonly<Record<string, Feel>>): Feel => ({
  kind: 'context',
  entries: Object.entries(entries),
})
const choice = (consequent: Feel, alternate: Feel): Feel => ({ kind: 'if', condition: TRUE, consequent, alternate })
const rules = (policy: RulesPolicy, values: readonly Feel[], otherwise: Feel): Feel => ({
  kind: 'rules',
  name: 'f',
  policy,
  rules: values.map((value) => ({ condition: TRUE, value })),
  otherwise,
})
const plus = (left: Feel, right: Feel): Feel => ({ kind: 'arithmetic', operator: '+', left, right })
const native = (shape: string, ...args: readonly Feel[]): Feel => ({
  kind: 'native',
  args,
  function: { parameters: [], shape: shapeOfText(shape), write: () => '' },
})

/** Shapes of paths: `n` is a number, `l` a list of numbers, `row` a context, `rows` a list of them. */
const SHAPES: Readonly<Record<string, string>> = {
  n: 'number',
  s: 'string',
  day: 'date',
  l: '[number]',
  row: '{a: number}',
  rows: '[{a: number}]',
}
const shapeOfPath = (name: string, members: readonly string[]) =>
  members.length === 0 ? shapeOfText(SHAPES[name] ?? '?') : undefined

test.each<readonly [title: string, feel: Feel, shape: string]>([
  ['null', NULL, '?'],
  ['a text', TEXT, 'string'],
  ['a boolean', TRUE, 'boolean'],
  ['a number', NUMBER, 'number'],
  ['a negation', { kind: 'negation', operand: path('x') }, 'number'],
  ['a path', path('row'), '{a: number}'],
  ['a member of a path', path('n', 'a'), '?'],
  ['an item', item('{a: number}'), '{a: number}'],
  ['a member of an item', item('{a: number}', 'a'), 'number'],
  ['a sum of numbers', plus(NUMBER, NUMBER), 'number'],
  ['a sum of texts', plus(TEXT, TEXT), 'string'],
  ['a sum of a number and a text', plus(NUMBER, TEXT), '?'],
  ['a sum with null', plus(TEXT, NULL), 'string'],
  ['a difference', { kind: 'arithmetic', operator: '-', left: TEXT, right: TEXT }, 'number'],
  ['a comparison', { kind: 'comparison', operator: '=', left: NUMBER, right: NUMBER }, 'boolean'],
  ['a conjunction', { kind: 'logic', operator: 'and', left: NUMBER, right: NUMBER }, 'boolean'],
  ['a negated condition', { kind: 'not', operand: NUMBER }, 'boolean'],
  ['a membership', { kind: 'membership', value: NUMBER, tests: [] }, 'boolean'],
  ['a quantifier', { kind: 'quantified', quantifier: 'some', parameter, list: path('l'), test: TRUE }, 'boolean'],
  ['a choice', choice(NUMBER, NUMBER), 'number'],
  ['a choice of two types', choice(NUMBER, TEXT), '?'],
  ['a choice with null', choice(NULL, TEXT), 'string'],
  ['a choice of null alone', choice(NULL, NULL), '?'],
  ['a call', { kind: 'call', name: 'upper case', args: [] }, 'string'],
  ['a call of an aggregate', { kind: 'call', name: 'max', args: [] }, '?'],
  ['a list', list(NUMBER, NUMBER), '[number]'],
  ['a list with null', list(NULL, NUMBER), '[number]'],
  ['a list of two types', list(NUMBER, TEXT), '[?]'],
  ['an empty list', list(), '[?]'],
  ['a context', context({ a: NUMBER, b: TEXT, c: NULL }), '{a: number, b: string, c: ?}'],
  ['an iteration', { kind: 'each', parameter, list: path('l'), body: TEXT }, '[string]'],
  ['a flat iteration', { kind: 'each', parameter, list: path('l'), body: list(TEXT), isFlat: true }, '[string]'],
  [
    'an iteration of lists',
    { kind: 'each', parameter, list: path('l'), body: list(TEXT), isFlat: false },
    '[[string]]',
  ],
  ['a filter', { kind: 'filter', parameter, list: path('rows'), test: TRUE }, '[{a: number}]'],
  ['a sorted list', { kind: 'sorted', parameter, list: path('l'), key: item('?'), isDescending: false }, '[number]'],
  ['a rounded number', { kind: 'rounded', value: path('x'), digits: 2 }, 'number'],
  ['a value as text', { kind: 'text', value: NUMBER }, 'string'],
  ['an item at an index', { kind: 'indexed', list: path('rows'), index: 1 }, '{a: number}'],
  ['an item of no list', { kind: 'indexed', list: path('n'), index: 1 }, '?'],
  ['a function of several steps', native('[string]'), '[string]'],
  ['months', { kind: 'span', amount: 1, unit: 'months' }, 'months'],
  ['a date', { kind: 'time', text: '2024-01-01' }, 'date'],
  ['a time', { kind: 'time', text: '10:00:00' }, 'time'],
  ['a date and time', { kind: 'time', text: '2024-01-01T10:00:00' }, 'dateTime'],
  ['the tested value', { kind: 'tested' }, '?'],
  ...(['first', 'unique', 'any'] as const).flatMap((policy) => [
    [`a table with the policy ${policy}`, rules(policy, [TEXT, TEXT], NULL), 'string'] as const,
    [`a table with the policy ${policy} and another default`, rules(policy, [TEXT], NUMBER), '?'] as const,
    [`a table with the policy ${policy} and two types`, rules(policy, [TEXT, NUMBER], NULL), '?'] as const,
  ]),
  ['a table of lists', rules('list', [TEXT, TEXT], NULL), '[string]'],
  ['a table of lists of two types', rules('list', [TEXT, NUMBER], NULL), '[?]'],
  ...(['sum', 'min', 'max', 'count'] as const).map(
    (policy) => [`a table with the policy ${policy}`, rules(policy, [NUMBER], NULL), 'number'] as const,
  ),
])('the shape of %s', (_, feel, shape) => {
  expect(shapeText(shapeOfFeel(feel, shapeOfPath))).toBe(shape)
})

test.each([
  ['abs', 'number'],
  ['floor', 'number'],
  ['ceiling', 'number'],
  ['sqrt', 'number'],
  ['upper case', 'string'],
  ['lower case', 'string'],
  ['starts with', 'boolean'],
  ['ends with', 'boolean'],
  ['contains', 'boolean'],
  ['count', 'number'],
  ['min', '?'],
  ['max', '?'],
  ['mean', 'number'],
  ['sum', 'number'],
] as const)('the function `%s` has the result %s', (name, shape) => {
  expect(shapeText(shapeOfFeel({ kind: 'call', name, args: [] }, shapeOfPath))).toBe(shape)
})

const A = path('a')
const B = path('b')
const C = path('c')
const test1: FeelTest = { kind: 'comparison', operator: '<', value: B }
const bound = (value: Feel) => ({ value, isIncluded: true })

test.each<readonly [title: string, feel: Feel, parts: readonly Feel[]]>([
  ['a literal', TEXT, []],
  ['a number', NUMBER, []],
  ['a date', { kind: 'time', text: '2024-01-01' }, []],
  ['the tested value', { kind: 'tested' }, []],
  ['a path', A, []],
  ['an item', item('?'), []],
  ['a duration', { kind: 'span', amount: 1, unit: 'months' }, []],
  ['an iteration', { kind: 'each', parameter, list: A, body: B }, [A, B]],
  ['a filter', { kind: 'filter', parameter, list: A, test: B }, [A, B]],
  ['a quantifier', { kind: 'quantified', quantifier: 'some', parameter, list: A, test: B }, [A, B]],
  ['an index', { kind: 'indexed', list: A, index: 1 }, [A]],
  ['an order', { kind: 'sorted', parameter, list: A, key: B, isDescending: true }, [A, B]],
  ['a rounding', { kind: 'rounded', value: A, digits: 1 }, [A]],
  ['a text', { kind: 'text', value: A }, [A]],
  ['a table', rules('first', [A, B], C), [TRUE, A, TRUE, B, C]],
  ['a negation', { kind: 'negation', operand: A }, [A]],
  ['a negated condition', { kind: 'not', operand: A }, [A]],
  ['a sum', plus(A, B), [A, B]],
  ['a comparison', { kind: 'comparison', operator: '=', left: A, right: B }, [A, B]],
  ['a conjunction', { kind: 'logic', operator: 'and', left: A, right: B }, [A, B]],
  ['a membership in a comparison', { kind: 'membership', value: A, tests: [test1] }, [A, B]],
  [
    'a membership in an interval',
    { kind: 'membership', value: A, tests: [{ kind: 'interval', low: bound(B), high: bound(C) }] },
    [A, B, C],
  ],
  ['a membership in a list', { kind: 'membership', value: A, tests: [{ kind: 'item', list: B }] }, [A, B]],
  [
    'a membership by a condition',
    { kind: 'membership', value: A, tests: [{ kind: 'condition', condition: B }] },
    [A, B],
  ],
  ['a choice', choice(A, B), [TRUE, A, B]],
  ['a list', list(A, B), [A, B]],
  ['a context', context({ x: A, y: B }), [A, B]],
  ['a call', { kind: 'call', name: 'min', args: [A, B] }, [A, B]],
  ['a function of several steps', native('?', A, B), [A, B]],
])('%s consists of its parts', (_, feel, parts) => {
  expect(partsOf(feel)).toEqual(parts)
})

const long = (count: number) => 'a'.repeat(count)

test.each<readonly [title: string, feel: (count: number) => Feel]>([
  ['a text', (count) => ({ kind: 'literal', value: long(count) })],
  ['a number', (count) => ({ kind: 'number', text: long(count) })],
  ['a date', (count) => ({ kind: 'time', text: long(count) })],
  ['the name of a path', (count) => path(long(count))],
  ['the members of a path', (count) => path('a', long(count - 3), 'b')],
  ['the members of an item', (count) => item('?', long(count - 2), 'b')],
])('an expression may have 5,000 nodes, where 8 characters of %s count as one', (_, feel) => {
  const characters = 4999 * 8
  const budget = new ExpansionBudget()
  expect(() => budget.checked(feel(characters))).not.toThrow()
  expect(() => budget.checked(feel(characters + 1))).toThrow(FeelFault)
})

test('keys of a context and its values count together', () => {
  const budget = new ExpansionBudget()
  const sized = (count: number) => context({ [long(8 * 2000)]: NULL, [long(count)]: NULL })
  // 1 for the context, 2,000 for the first key, 2 for the values of half a node more each.
  expect(() => budget.checked(sized(8 * 2996))).not.toThrow()
  expect(() => budget.checked(sized(8 * 2996 + 1))).toThrow(FeelFault)
})

test('expressions may be nested 200 levels deep', () => {
  const nested = (depth: number): Feel => (depth === 1 ? TRUE : { kind: 'not', operand: nested(depth - 1) })
  expect(() => new ExpansionBudget().checked(nested(200))).not.toThrow()
  expect(() => new ExpansionBudget().checked(nested(201))).toThrow(FeelFault)
})

test('the deepest part counts, and each part where it occurs', () => {
  const nested = (depth: number): Feel => (depth === 1 ? TRUE : { kind: 'not', operand: nested(depth - 1) })
  expect(() => new ExpansionBudget().checked(list(nested(199), TRUE))).not.toThrow()
  expect(() => new ExpansionBudget().checked(list(nested(200), TRUE))).toThrow(FeelFault)
  const shared: Feel = { kind: 'span', amount: 1, unit: 'months' }
  const doubled = (times: number): Feel => (times === 0 ? shared : ((part) => plus(part, part))(doubled(times - 1)))
  expect(() => new ExpansionBudget().checked(doubled(11))).not.toThrow()
  expect(() => new ExpansionBudget().checked(doubled(12))).toThrow(FeelFault)
})

test('the expansions of a document may have 200,000 nodes together', () => {
  const budget = new ExpansionBudget()
  const part: Feel = { kind: 'number', text: long(4999 * 8) }
  for (let count = 0; count < 40; count++) expect(budget.charge(part)).toBe(part)
  expect(budget.checked(part)).toBe(part)
  expect(() => budget.charge({ kind: 'tested' })).toThrow('too large when its functions are expanded')
})

test.each<readonly [title: string, value: Feel, members: readonly string[], found: Feel | string]>([
  ['none', NUMBER, [], NUMBER],
  ['of a path without a type', path('x'), ['a', 'b'], path('x', 'a', 'b')],
  ['of a path with a type', path('row'), ['a'], path('row', 'a')],
  ['of an item', item('?', 'x'), ['a', 'b'], item('?', 'x', 'a', 'b')],
  ['of a context', context({ a: NUMBER, b: TEXT }), ['b'], TEXT],
  ['of a context in a context', context({ a: context({ b: TEXT }) }), ['a', 'b'], TEXT],
  ['of a context that has it not', context({ a: NUMBER }), ['b'], NULL],
  ['of null', NULL, ['a'], NULL],
  ['of a choice', choice(context({ a: NUMBER }), context({ a: TEXT })), ['a'], choice(NUMBER, TEXT)],
  [
    'of a table',
    rules('first', [context({ a: NUMBER }), context({ a: TEXT })], NULL),
    ['a'],
    rules('first', [NUMBER, TEXT], NULL),
  ],
  ['of a number', NUMBER, ['a'], 'the member `a` of a computed value'],
  ['of a text', TEXT, ['a', 'b'], 'the member `a` of a computed value'],
  [
    'of a time',
    { kind: 'time', text: '10:00:00' },
    ['x'],
    'the member `x` of a value of the type `time` is not supported',
  ],
  ['of 201 levels', path('x'), Array.from({ length: 201 }, () => 'a'), 'a path of more than 200 members'],
])('a member %s', (_, value, members, found) => {
  const get = () => memberOf(value, members, shapeOfPath)
  if (typeof found === 'string') expect(get).toThrow(new FeelFault(found))
  else expect(get()).toEqual(found)
})

test('a path may have 200 members', () => {
  const members = Array.from({ length: 200 }, () => 'a')
  expect(memberOf(path('x'), members, shapeOfPath)).toEqual(path('x', ...members))
})

test('a member of a list is the list of the members of its items', () => {
  const found = memberOf(path('rows'), ['a'], shapeOfPath)
  if (found.kind !== 'each') throw new Error(found.kind)
  expect(found.list).toEqual(path('rows'))
  expect(found.body).toMatchObject({ kind: 'item', parameter: found.parameter, members: ['a'] })
  expect(shapeText(shapeOfFeel(found, shapeOfPath))).toBe('[number]')
})

test('a member of a date is a number', () => {
  expect(memberOf(path('day'), ['year'], shapeOfPath)).toMatchObject({ kind: 'native', args: [path('day')] })
  expect(shapeOfFeel(memberOf(path('day'), ['year'], shapeOfPath), shapeOfPath)).toEqual(baseShape('number'))
})

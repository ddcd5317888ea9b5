import { expect, test } from 'vitest'
import { fromDmn } from './from-dmn.ts'
import { decide, dmnText } from './model.testing.ts'

const TYPES = `<itemDefinition name="tLoan"><itemComponent name="bank"><typeRef>string</typeRef></itemComponent>
<itemComponent name="rate"><typeRef>number</typeRef></itemComponent></itemDefinition>
<itemDefinition name="tLoans" isCollection="true"><typeRef>tLoan</typeRef></itemDefinition>
<itemDefinition name="tNumbers" isCollection="true"><typeRef>number</typeRef></itemDefinition>
<itemDefinition name="tGroup"><itemComponent name="loans" isCollection="true"><typeRef>tLoan</typeRef></itemComponent></itemDefinition>
<itemDefinition name="tGroups" isCollection="true"><typeRef>tGroup</typeRef></itemDefinition>`
const INPUTS = [
  ['loans', 'tLoans'],
  ['numbers', 'tNumbers'],
  ['groups', 'tGroups'],
  ['limit', 'number'],
  ['anything'],
] as const
const LOANS = [
  { bank: 'A', rate: 3 },
  { bank: 'B', rate: 5 },
  { bank: 'C', rate: 4 },
]
const INPUT = {
  loans: LOANS,
  numbers: [3, 1, 2],
  groups: [{ loans: LOANS.slice(0, 1) }, { loans: LOANS.slice(1) }],
  limit: 4,
}

const literal = (text: string) => `<literalExpression><text>${text}</text></literalExpression>`
const read = (logic: { readonly expression: string } | { readonly xml: string }, type?: string) =>
  fromDmn(
    dmnText([{ name: 'D', requires: INPUTS.map(([name]) => name), ...(type && { type }), ...logic }], INPUTS, {
      extra: TYPES,
    }),
  )

function run(logic: Parameters<typeof read>[0], input: object = INPUT) {
  const { rulesets, lost } = read(logic)
  expect(lost.filter(({ severity }) => severity === 'error')).toEqual([])
  return decide(rulesets[0]?.ruleset ?? { config: { name: '' }, steps: [] })(input as never)
}

test.each([
  ['for n in numbers return n * limit', [12, 4, 8]],
  ['for l in loans return l.rate + 1', [4, 6, 5]],
  ['for n in numbers, m in numbers return n * m', [9, 3, 6, 3, 1, 2, 6, 2, 4]],
  ['for i in 1..3 return i * limit', [4, 8, 12]],
  ['for i in 3..1 return i', [3, 2, 1]],
  ['for l in loans return {name: l.bank}', [{ name: 'A' }, { name: 'B' }, { name: 'C' }]],
  ['some n in numbers satisfies n > 2', true],
  ['some n in numbers satisfies n > limit', false],
  ['every n in numbers satisfies n &lt; limit', true],
  ['every l in loans satisfies l.rate > limit', false],
  ['some n in numbers, m in numbers satisfies n + m = 6', true],
  ['not(some n in numbers satisfies n > limit)', true],
  ['not(every n in numbers satisfies n > 1)', true],
  ['loans[rate > limit - 1]', LOANS.slice(1)],
  ['loans[item.rate = 5].bank', ['B']],
  ['numbers[item >= 2]', [3, 2]],
  ['loans.bank', ['A', 'B', 'C']],
  ['loans[1].bank', 'A'],
  ['loans[-1].bank', 'C'],
  ['loans[-2]', LOANS[1]],
  ['loans[4]', null],
  ['loans[-4].bank', null],
  ['groups.loans.rate', [[3], [5, 4]]],
  ['groups[2].loans[1].bank', 'B'],
  ['count(loans[rate &lt; limit])', 1],
  ['sum(loans.rate)', 12],
  ['sort(numbers, function(x, y) x &lt; y)', [1, 2, 3]],
  ['sort(numbers, function(x, y) x > y)', [3, 2, 1]],
  ['sort(numbers, function(x, y) y &lt; x)', [3, 2, 1]],
  ['sort(loans, function(x, y) x.rate &lt; y.rate)[1].bank', 'A'],
  ['decimal(limit / 3, 2)', 1.33],
  ['string(limit)', '4'],
  ['"a " + string(limit)', 'a 4'],
  ['if limit in (? > 3) then 1 else 2', 1],
])('%s is %j', (expression, expected) => {
  expect(run({ expression: expression.replaceAll('&lt;', '<') })).toEqual({ D: expected })
})

test.each([
  ['for n in numbers return n', null],
  ['for n in numbers, m in numbers return n', null],
  ['some n in numbers satisfies n > 1', null],
  ['every n in numbers satisfies n > 1', null],
  ['numbers[item > 1]', []],
  ['numbers[1]', null],
  ['loans.bank', null],
  ['sort(numbers, function(x, y) x &lt; y)', null],
  ['if every n in numbers satisfies n > 1 then 1 else 2', 2],
  ['string(limit)', null],
])('%s of a missing list is %j', (expression, expected) => {
  expect(run({ expression: expression.replaceAll('&lt;', '<') }, {})).toEqual({ D: expected })
})

test.each([
  ['some n in numbers satisfies n > 2', [null, 1], null],
  ['some n in numbers satisfies n > 2', [null, 3], true],
  ['every n in numbers satisfies n > 2', [null, 3], null],
  ['every n in numbers satisfies n > 2', [null, 1], false],
])('%s is null where it depends on a null: %j', (expression, numbers, expected) => {
  const found = run({ expression }, { ...INPUT, numbers })
  // An order of null fails here, which is documented.
  expect([{ D: expected }, { error: expect.any(String) }]).toContainEqual(found)
})

test.each([
  ['for', '<in>' + literal('loans') + '</in><return>' + literal('item.rate * limit') + '</return>', [12, 20, 16]],
  ['some', '<in>' + literal('loans') + '</in><satisfies>' + literal('item.rate = limit') + '</satisfies>', true],
  ['every', '<in>' + literal('loans') + '</in><satisfies>' + literal('item.rate = limit') + '</satisfies>', false],
  ['filter', '<in>' + literal('loans') + '</in><match>' + literal('rate &gt; limit') + '</match>', [LOANS[1]]],
])('a boxed %s', (tag, parts, expected) => {
  expect(run({ xml: `<${tag} iteratorVariable="item">${parts}</${tag}>` })).toEqual({ D: expected })
})

test.each([
  ['for x in anything return x', 'whether this value is a list'],
  ['anything[x > 1]', 'whether this value is a list'],
  ['limit[1]', 'whether this value is a list'],
  ['for i in 1..limit return i', 'whole numbers at both ends'],
  ['for i in 1..2000 return i * limit', 'at most `1000` numbers'],
  ['for i in 1..3 return limit + sum(partial)', '`partial`'],
  ['some n in numbers satisfies n', 'whether this test is a condition'],
  ['numbers[item]', 'whether this test is a condition'],
  ['numbers[0]', 'the index 0'],
  ['for n numbers return n', 'expected `in`'],
  ['for n in numbers satisfies n', 'expected `return`'],
  ['for 1 in numbers return 1', 'expected the name of an item'],
  ['each_1 + 1', '`each_1` is used'],
  ['sort(numbers, function(x, y) x + y > 1)', 'an order that is not'],
  ['sort(loans, function(x, y) x.rate &lt; y.bank)', 'an order that is not'],
  ['sort(loans, function(x, y) x.rate &lt; x.rate)', 'an order that is not'],
  ['decimal(limit, limit)', '`decimal` needs'],
  ['decimal(limit, 40)', '`decimal` needs'],
  ['string(anything)', 'the text of a value'],
])('%s is refused with its reason', (expression, reason) => {
  const errors = read({ expression: expression.replaceAll('&lt;', '<') }).lost.filter(
    ({ severity }) => severity === 'error',
  )
  expect(errors).toMatchObject([{ path: '/_D', code: 'feel', message: expect.stringContaining(reason) }])
})

test.each([
  ['number', 'numbers[item > 1]'],
  ['tNumbers', 'limit + 1'],
])('a result that is a list, or none, against the declared type %s is refused', (type, expression) => {
  expect(read({ expression }, type).lost).toContainEqual(
    expect.objectContaining({ path: '/_D', code: 'result-type', severity: 'error' }),
  )
})

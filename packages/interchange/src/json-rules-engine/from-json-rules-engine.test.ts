import type { Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { executable } from '../execute.testing.ts'
import { fromJsonRulesEngine } from './from-json-rules-engine.ts'

const EVENT = { type: 'minor' }
const rule = (condition: Value, more: object = {}): Value => ({ conditions: condition, event: EVENT, ...more })
const tested = (fields: object): Value => ({ all: [{ fact: 'f', operator: 'equal', value: 1, ...fields }] })

/** The cells of the first column, without the mark of a condition. */
function conditionsOf(document: Value): readonly (string | undefined)[] {
  const [table] = fromJsonRulesEngine(document).rulesets[0]?.ruleset.steps ?? []
  return table?.type === 'table' ? table.rows.map(({ cells }) => cells['i1']?.replace(/^\? /, '')) : []
}

const is = (fact: string, value: Value): Value => ({ fact, operator: 'equal', value })

test.each<readonly [title: string, condition: Value, text: string]>([
  ['equal', tested({}), 'f == 1'],
  ['a text', tested({ value: 'a' }), 'f == "a"'],
  ['not equal', tested({ operator: 'notEqual' }), 'f != 1'],
  ['null', tested({ value: null }), 'exists(f) && f == null'],
  ['not null', tested({ operator: 'notEqual', value: null }), '(!exists(f) || f != null)'],
  ['less', tested({ operator: 'lessThan' }), 'f < 1'],
  ['at most', tested({ operator: 'lessThanInclusive' }), 'f <= 1'],
  ['greater', tested({ operator: 'greaterThan' }), 'f > 1'],
  ['at least', tested({ operator: 'greaterThanInclusive' }), 'f >= 1'],
  ['in', tested({ operator: 'in', value: ['a', 1] }), 'f in ["a",1]'],
  ['not in', tested({ operator: 'notIn', value: [true] }), 'f not in [true]'],
  ['contains', tested({ operator: 'contains', value: 'a' }), 'is_array(f) && f contains "a"'],
  ['contains not', tested({ operator: 'doesNotContain', value: 2 }), 'is_array(f) && 2 not in f'],
  ['a path', tested({ path: '$.a[0][\'b c\']["d"].e' }), 'f.a[0]["b c"].d.e == 1'],
  ['an empty path', tested({ path: '' }), 'f == 1'],
  ['the whole fact', tested({ path: '$' }), 'f == 1'],
  ['a fact that is a keyword', tested({ fact: 'if' }), '$.if == 1'],
  ['a fact of two words', tested({ fact: 'plan type' }), '$["plan type"] == 1'],
  ['all and any', { all: [is('a', 1), { any: [is('b', 2), is('c', 3)] }] }, 'a == 1 && ((b == 2) || (c == 3))'],
  ['any and all', { any: [is('a', 1), { all: [is('b', 2), is('c', 3)] }] }, '(a == 1) || (b == 2 && c == 3)'],
  ['all in all', { all: [is('a', 1), { all: [is('b', 2), is('c', 3)] }] }, 'a == 1 && b == 2 && c == 3'],
  ['one condition', { any: [is('a', 1)] }, 'a == 1'],
  ['not', { not: { any: [is('a', 1), is('b', 2)] } }, '!((a == 1) || (b == 2))'],
  ['none of all', { all: [] }, 'true'],
  ['none of any', { any: [] }, 'true'],
])('a condition: %s', (_, condition, text) => {
  expect(fromJsonRulesEngine(rule(condition)).lost).toEqual([])
  expect(conditionsOf(rule(condition))).toEqual([text])
})

test('a comparison of two facts has a warning, in each operator that has one', () => {
  const value = { fact: 'g', path: '$.h' }
  const found = (operator: string) => {
    const { lost } = fromJsonRulesEngine(rule(tested({ operator, value })))
    return [
      conditionsOf(rule(tested({ operator, value })))[0],
      ...lost.map(({ path, code, severity }) => [path, code, severity]),
    ]
  }
  const warned = ['/conditions/all/0/value', 'comparison', 'warning']
  expect(found('equal')).toEqual(['f == g.h', warned])
  expect(found('notEqual')).toEqual(['f != g.h', warned])
  expect(found('lessThan')).toEqual(['f < g.h', warned])
  expect(found('contains')).toEqual(['is_array(f) && f contains g.h', warned])
  expect(found('doesNotContain')).toEqual(['is_array(f) && g.h not in f', warned])
  expect(found('in').slice(1)).toEqual([warned, ['/conditions/all/0/value', 'no-counterpart', 'error']])
})

const RULE = rule(tested({}))
const IDENTITY = 'a list or an object is only equal to itself in json-rules-engine, and never to a value of a document'

test.each<readonly [title: string, document: Value, path: string, code: string, message: string]>([
  ['a text', 'x', '', 'wrong-type', 'must be a rule or a list of rules, found the text `x`'],
  ['no rule', [], '', 'no-rules', 'there is no rule'],
  ['no rule in an object', { rules: [] }, '', 'no-rules', 'there is no rule'],
  ['rules that are no list', { rules: {} }, '/rules', 'wrong-type', 'must be a list of rules, found an object'],
  ['a rule that is a number', [7], '/0', 'wrong-type', 'must be a rule, found `7`'],
  ['no conditions', [{ event: EVENT }], '/0/conditions', 'wrong-type', 'must be conditions, found nothing'],
  ['no event', { rules: [{ conditions: {} }] }, '/rules/0/event', 'wrong-type', 'must be an event, found nothing'],
  ['no type', { conditions: {}, event: {} }, '/event/type', 'wrong-type', 'must be a text, found nothing'],
  [
    'a priority of 0',
    rule(tested({}), { priority: 0 }),
    '/priority',
    'wrong-type',
    'must be a number greater than 0, found `0`',
  ],
  [
    'a priority that is a text',
    rule(tested({}), { priority: '1' }),
    '/priority',
    'wrong-type',
    'must be a number greater than 0, found the text `1`',
  ],
  [
    'too many rules',
    Array.from({ length: 5001 }, () => RULE),
    '',
    'too-many',
    'must have at most 5000 rules, found 5001',
  ],
  [
    'a condition that is a text',
    rule({ all: ['x'] }),
    '/conditions/all/0',
    'wrong-type',
    'must be a condition, found the text `x`',
  ],
  [
    'conditions that are no list',
    rule({ any: {} }),
    '/conditions/any',
    'wrong-type',
    'must be a list of conditions, found an object',
  ],
  [
    'a condition of another document',
    rule({ all: [{ condition: 'x' }] }),
    '/conditions/all/0/condition',
    'unknown-condition',
    'the referenced condition is not part of the document',
  ],
  [
    'an unknown operator',
    rule(tested({ operator: 'startsWith' })),
    '/conditions/all/0/operator',
    'unknown-operator',
    '`startsWith` has no equivalent',
  ],
  [
    'an operator that is a number',
    rule(tested({ operator: 1 })),
    '/conditions/all/0/operator',
    'wrong-type',
    'must be an operator',
  ],
  [
    'no fact',
    rule({ all: [{ operator: 'equal', value: 1 }] }),
    '/conditions/all/0/fact',
    'wrong-type',
    'must be the name of a fact, found nothing',
  ],
  [
    'a fact without a name',
    rule(tested({ fact: '' })),
    '/conditions/all/0/fact',
    'wrong-type',
    'must be the name of a fact, found the text ``',
  ],
  [
    'a fact with parameters',
    rule(tested({ params: {} })),
    '/conditions/all/0/params',
    'no-counterpart',
    'a fact computed from parameters has no equivalent: pass it in the input',
  ],
  [
    'a path that is a number',
    rule(tested({ path: 1 })),
    '/conditions/all/0/path',
    'wrong-type',
    'must be a text, found `1`',
  ],
  [
    'no value',
    rule({ all: [{ fact: 'f', operator: 'equal' }] }),
    '/conditions/all/0/value',
    'wrong-type',
    'must be a value, found nothing',
  ],
  ['a list', rule(tested({ value: [1] })), '/conditions/all/0/value', 'no-counterpart', IDENTITY],
  [
    'an object',
    rule(tested({ operator: 'notEqual', value: {} })),
    '/conditions/all/0/value',
    'no-counterpart',
    IDENTITY,
  ],
  [
    'a list of lists',
    rule(tested({ operator: 'in', value: [[1]] })),
    '/conditions/all/0/value',
    'no-counterpart',
    IDENTITY,
  ],
  [
    'an object in a list',
    rule(tested({ operator: 'contains', value: {} })),
    '/conditions/all/0/value',
    'no-counterpart',
    IDENTITY,
  ],
  [
    'an order of texts',
    rule(tested({ operator: 'lessThan', value: 'a' })),
    '/conditions/all/0/value',
    'no-counterpart',
    'texts are compared as numbers in json-rules-engine',
  ],
  [
    'a right side that is a text',
    rule(tested({ operator: 'notIn', value: 'a' })),
    '/conditions/all/0/value',
    'no-counterpart',
    'the right side is not a list',
  ],
  [
    'a list with null',
    rule(tested({ operator: 'in', value: [null] })),
    '/conditions/all/0/value',
    'no-counterpart',
    'a list with null: an absent fact is not null in json-rules-engine',
  ],
])('%s is refused at its place', (_, document, path, code, message) => {
  const errors = fromJsonRulesEngine(document).lost.filter(({ severity }) => severity === 'error')
  expect(errors).toEqual([{ path, code, message, severity: 'error' }])
})

test.each(['a', '.a', '$a', '$..a', '$.*', '$[*]', '$.a[1:2]', '$.a[?(@.b)]', '$.a.length', `$${'.a'.repeat(101)}`])(
  'the path %s selects no single value',
  (path) => {
    expect(fromJsonRulesEngine(rule(tested({ path }))).lost).toEqual([
      {
        path: '/conditions/all/0/path',
        code: 'no-counterpart',
        message: 'only paths of names and indexes are supported, such as `$.lines[0].price`',
        severity: 'error',
      },
    ])
  },
)

test('a path of 100 parts is converted', () =>
  expect(conditionsOf(rule(tested({ path: `$${'.a'.repeat(100)}` })))).toEqual([`f${'.a'.repeat(100)} == 1`]))

/** Conditions whose text has so many characters. */
function ofLength(length: number): readonly Value[] {
  const each = '(a == "xx") || '.length
  const count = Math.floor(length / each) - 1
  return [...Array.from({ length: count }, () => is('a', 'xx')), is('a', 'x'.repeat(length - count * each - 9))]
}

const deep = (levels: number): Value => (levels === 0 ? is('a', 1) : { not: deep(levels - 1) })

test.each<readonly [string, Value, string | undefined]>([
  ['60 levels', rule(deep(60)), undefined],
  ['61 levels', rule(deep(61)), 'nested-too-deeply'],
  ['60,000 characters', rule({ any: ofLength(60_000) }), undefined],
  ['60,001 characters', rule({ any: ofLength(60_001) }), 'too-long'],
])('a limit of conditions: %s', (_, document, code) => {
  expect(fromJsonRulesEngine(document).lost.map((one) => one.code)).toEqual(code === undefined ? [] : [code])
})

test('named conditions are read wherever they are named', () => {
  const named = { all: [{ condition: 'young' }, { not: { condition: 'rich' } }] }
  const conditions = { young: is('age', 17), rich: { any: [is('a', 1), is('b', 2)] } }
  expect(conditionsOf({ rules: [rule(named)], conditions })).toEqual(['age == 17 && !((a == 1) || (b == 2))'])
  const { lost } = fromJsonRulesEngine({ rules: [rule(named)], conditions: { young: is('age', 17), rich: 7 } })
  expect(lost).toMatchObject([{ path: '/conditions/rich', code: 'wrong-type' }])
})

test('rules are rows by falling priority, with their names or types as notes', () => {
  const document = [
    rule(tested({ value: 1 })),
    rule(tested({ value: 2 }), { priority: 5, name: 'two' }),
    rule(tested({ value: 3 })),
    rule(tested({ value: 4 }), { priority: 0.5 }),
  ]
  const [table] = fromJsonRulesEngine(document).rulesets[0]?.ruleset.steps ?? []
  expect(table).toMatchObject({
    rows: [
      { id: 'r1', note: 'two', cells: { i1: '? f == 2' } },
      { id: 'r2', note: 'minor', cells: { i1: '? f == 1' } },
      { id: 'r3', note: 'minor', cells: { i1: '? f == 3' } },
      { id: 'r4', note: 'minor', cells: { i1: '? f == 4' } },
    ],
  })
})

test.each<readonly [Value, Value]>([
  [
    { type: 'a', params: { b: 1 } },
    { type: 'a', params: { b: 1 } },
  ],
  [{ type: 'a' }, { type: 'a' }],
  ...[null, false, 0, ''].map((params): readonly [Value, Value] => [{ type: 'a', params }, { type: 'a' }]),
  [
    { type: 'a', params: [], more: 1 },
    { type: 'a', params: [] },
  ],
])('the event %j is the output %j', (event, expected) => {
  const { rulesets, lost } = fromJsonRulesEngine({ conditions: { all: [] }, event }, 'named')
  expect([rulesets[0]?.name, rulesets[0]?.ruleset.config.name, lost]).toEqual(['named', 'named', []])
  const decide = executable(rulesets[0]?.ruleset ?? { config: { name: '' }, steps: [] })
  expect(decide({})).toMatchObject({ code: 'EVENTS', output: { events: [expected] } })
})

test('without a rule that fits the list of events is empty', () => {
  const { rulesets } = fromJsonRulesEngine(RULE)
  expect([rulesets[0]?.name, rulesets[0]?.ruleset.config.name]).toEqual(['rules', 'rules'])
  const decide = executable(rulesets[0]?.ruleset ?? { config: { name: '' }, steps: [] })
  expect(decide({ f: 2 })).toMatchObject({ code: 'NO_EVENTS', output: { events: [] } })
})

test('a list that is a fact is refused', () => {
  const { lost } = fromJsonRulesEngine(rule(tested({ operator: 'in', value: { fact: 'g' } })))
  expect(lost.at(-1)?.message).toBe('a list that is a fact: use `contains`')
})

test('a fact in a parameter has a warning', () => {
  const event = { type: 'a', params: { b: { fact: 'c' }, d: 1 } }
  expect(fromJsonRulesEngine({ conditions: tested({}), event }).lost).toEqual([
    {
      path: '/event/params',
      code: 'constant-params',
      message: 'facts in parameters are not replaced, as without `replaceFactsInEventParams`',
      severity: 'warning',
    },
  ])
})

test('a lost condition stands in its cell', () => {
  expect(conditionsOf(rule({ all: [is('a', 1), { condition: 'x' }] }))).toEqual([
    'lost("{\\"all\\":[{\\"fact\\":\\"a\\",\\"operator\\":\\"equal\\",\\"value\\":1},{\\"condition\\":\\"x\\"}]}")',
  ])
})

test('the steps are named', () => {
  const steps = fromJsonRulesEngine(RULE).rulesets[0]?.ruleset.steps ?? []
  expect(steps.map(({ id, name, type }) => [id, name, type])).toEqual([
    ['rules', 'Rules', 'table'],
    ['has_events', 'Does a rule fit?', 'decision'],
    ['events', 'Events', 'terminal'],
    ['no_events', 'No events', 'terminal'],
  ])
})

test('the rules are the rows of a table that collects, and two terminals tell whether one fits', () => {
  expect(fromJsonRulesEngine(rule(tested({}), { name: 'first' }), 'r').rulesets).toEqual([
    {
      name: 'r',
      ruleset: {
        config: { name: 'r', version: '1.0.0' },
        startStepId: 'rules',
        steps: [
          {
            id: 'rules',
            name: 'Rules',
            type: 'table',
            hitPolicy: 'collect',
            columns: [
              { id: 'i1', kind: 'input', field: '$' },
              { id: 'o1', kind: 'output', field: 'events' },
            ],
            rows: [{ id: 'r1', cells: { i1: '? f == 1', o1: '{"type":"minor"}' }, note: 'first' }],
            nextStepId: 'has_events',
          },
          {
            id: 'has_events',
            name: 'Does a rule fit?',
            type: 'decision',
            branches: [{ id: 'b1', condition: 'len($events) > 0', nextStepId: 'events' }],
            defaultNextStepId: 'no_events',
          },
          ...[
            ['events', 'Events', 'EVENTS'],
            ['no_events', 'No events', 'NO_EVENTS'],
          ].map(([id, name, code]) => ({
            id,
            name,
            type: 'terminal',
            code,
            output: [{ name: 'events', value: '$events' }],
          })),
        ],
      },
    },
  ])
})

test.each<readonly [params: Value | undefined, event: string]>([
  [undefined, '{"type":"minor"}'],
  [null, '{"type":"minor"}'],
  [false, '{"type":"minor"}'],
  [0, '{"type":"minor"}'],
  ['', '{"type":"minor"}'],
  [true, '{"type":"minor","params":true}'],
  [1, '{"type":"minor","params":1}'],
  ['a', '{"type":"minor","params":"a"}'],
  [{}, '{"type":"minor","params":{}}'],
  [[], '{"type":"minor","params":[]}'],
])('the event with the parameters %j is %s', (params, event) => {
  const document = rule(tested({}), { event: { type: 'minor', ...(params !== undefined && { params }) } })
  const [step] = fromJsonRulesEngine(document).rulesets[0]?.ruleset.steps ?? []
  expect(step?.type === 'table' && step.rows[0]?.cells['o1']).toBe(event)
})

test('rules are ordered by their priority, which is 1 where it is missing or refused', () => {
  const document = [undefined, 1.5, 2, 0, 1].map((priority, at) =>
    rule(tested({}), { name: `${at}`, ...(priority !== undefined && { priority }) }),
  )
  const [step] = fromJsonRulesEngine(document).rulesets[0]?.ruleset.steps ?? []
  expect(step?.type === 'table' && step.rows.map(({ note }) => note)).toEqual(['2', '1', '0', '3', '4'])
})

describe('limits', () => {
  const codes = (document: Value) =>
    fromJsonRulesEngine(document)
      .lost.map(({ path, code, message }) => `${code} ${path.replace(/^.*\//, '')} ${message}`)
      .slice(0, 2)

  test('of rules', () => {
    expect(codes(Array.from({ length: 5000 }, () => rule(tested({}))))).toEqual([])
  })

  test('of levels', () => {
    const nested = (levels: number): Value => (levels === 0 ? is('a', 1) : { all: [nested(levels - 1)] })
    const negated = (levels: number): Value => (levels === 0 ? is('a', 1) : { not: negated(levels - 1) })
    const tooDeep = 'must be nested at most 60 levels deep'
    for (const make of [nested, negated]) expect(codes(rule(make(60)))).toEqual([])
    expect(codes(rule(nested(61)))).toEqual([`nested-too-deeply 0 ${tooDeep}`])
    expect(codes(rule(negated(61)))).toEqual([`nested-too-deeply not ${tooDeep}`])
    const chain = (length: number) => ({
      rules: [rule({ condition: 'c0' })],
      conditions: Object.fromEntries(
        Array.from({ length }, (_, at) => [`c${at}`, at === length - 1 ? is('a', 1) : { condition: `c${at + 1}` }]),
      ),
    })
    expect(codes(chain(60))).toEqual([])
    expect(codes(chain(61))).toEqual([`nested-too-deeply c60 ${tooDeep}`])
  })

  test('of conditions, each counted wherever it is referenced', () => {
    const conditions = {
      ten: { any: Array.from({ length: 9 }, () => is('a', 1)) },
      thousand: { any: Array.from({ length: 99 }, () => ({ condition: 'ten' })) },
    }
    // A reference counts as well: 1 + 99 * (1 + 1 + 9) for each reference to `thousand`, and 1 for the reference.
    const references = (count: number, more: number) => ({
      rules: [
        rule({
          all: [
            ...Array.from({ length: count }, () => ({ condition: 'thousand' })),
            ...Array.from({ length: more }, () => is('a', 1)),
          ],
        }),
      ],
      conditions,
    })
    const most = 200_000 - 1
    const each = 1 + 1 + 99 * 11
    const count = Math.floor(most / each)
    const message = 'a document may have at most 200000 conditions, including references'
    const tooLong = 'too-long conditions the condition is too long for one row'
    expect(codes(references(count, most - count * each))).toEqual([tooLong])
    expect(codes(references(count, most - count * each + 2))).toEqual([
      expect.stringMatching(`^too-many \\d+ ${message}$`),
    ])
  })

  test('of characters of a condition', () => {
    const all = (count: number, length: number): Value => ({
      all: [...Array.from({ length: count }, () => is('a', 1)), is('a'.repeat(length), 1)],
    })
    // `a == 1 && ` has ten characters.
    expect(codes(rule(all(5999, 5)))).toEqual([])
    expect(codes(rule(all(5999, 6)))).toEqual(['too-long conditions the condition is too long for one row'])
  })
})

test('a comparison of two facts is warned of, and one with a fact that cannot be read is refused', () => {
  const message =
    'a comparison of two facts: absent ones, null, lists and mixed types compare differently in json-rules-engine'
  expect(fromJsonRulesEngine(rule(tested({ value: { fact: 'g' } }))).lost).toMatchObject([{ message }])
  expect(fromJsonRulesEngine(rule(tested({ value: { fact: 'g', path: '$..x' } }))).lost).toMatchObject([
    { path: '/conditions/all/0/value/path', code: 'no-counterpart', severity: 'error' },
  ])
  expect(fromJsonRulesEngine(rule(tested({ operator: 'in', value: [1, [2]] }))).lost).toMatchObject([
    { message: IDENTITY },
  ])
})

test('one part of a condition that is refused makes the whole of it a placeholder', () => {
  const document = rule({ all: [is('a', 1), { any: ['x', is('b', 2)] }] })
  expect(conditionsOf(document)).toEqual([expect.stringMatching(/^lost\(/)])
})

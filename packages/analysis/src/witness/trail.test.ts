import { print, type Value } from '@engine/expression'
import { decodeRuleset } from '@engine/ruleset'
import { expect, test } from 'vitest'
import type { Answers } from './stubs.ts'
import { areSame, Follower, type ResultWatch, type Side } from './trail.ts'

const ROWS = 60

/** Rows that an index finds, rows that fail for texts, and one that no index knows. */
function tableOfRows() {
  const branches = Array.from({ length: ROWS }, (_, index): Value => ({
    condition: index === 30 ? 'len(t) > 3' : `n >= ${index} && n < ${index + 2} && t == "t${index % 3}"`,
    next_step: index % 2 === 0 ? 'EVEN' : 'ODD',
  }))
  const ends = ['EVEN', 'ODD', 'NONE'].map((code) => [
    code,
    { id: code, type: 'terminal', result: { code, message: '' } },
  ])
  const { ruleset } = decodeRuleset({
    config: { name: 'rows', entry_step: 'd' },
    steps: { d: { id: 'd', type: 'decision', branches, default_next: 'NONE' }, ...Object.fromEntries(ends) },
  })
  if (ruleset === undefined) throw new Error('the table is invalid')
  return ruleset
}

test.each([
  ['compiled', true],
  ['interpreted', false],
])(
  'an execution that finds its row by a %s index shows the same as one that evaluates all rows in order',
  (_name, compiles) => {
    const ruleset = tableOfRows()
    const [indexed, inOrder] = [new Follower(ruleset, { compiles }), new Follower(ruleset)]
    const values: readonly (Value | undefined)[] = [undefined, null, true, 'text', [], 0, 1.5, 29, 31.5, 59, 60, 61]
    const texts: readonly (Value | undefined)[] = [undefined, 't0', 't1', 't2', 'long text', 7]
    let taken = 0
    for (const n of values)
      for (const t of texts) {
        const input = { ...(n === undefined ? {} : { n }), ...(t === undefined ? {} : { t }) }
        const found = indexed.follow(input)
        expect(found, JSON.stringify(input)).toEqual(inOrder.follow(input, 0, () => undefined))
        if (found.seen.some((key) => key.startsWith('taken'))) taken++
      }
    expect(taken).toBeGreaterThan(5)
  },
)

/** Two decisions that lead to each other, or to an end. */
function loopOf(maxDepth: number) {
  const { ruleset, problems } = decodeRuleset({
    config: { name: 'loop', entry_step: 's0', max_depth: maxDepth, message_templates: true },
    steps: {
      s0: { id: 's0', type: 'decision', branches: [{ condition: 'a == 1', next_step: 's1' }], default_next: 'end' },
      s1: { id: 's1', type: 'decision', branches: [{ condition: 'b == 1', next_step: 's0' }], default_next: 'end' },
      end: { id: 'end', type: 'terminal', result: { code: 'END', message: 'a is {a}, b is {b}.' } },
    },
  })
  if (ruleset === undefined) throw new Error(problems[0]?.message)
  return ruleset
}

test.each<[maxDepth: number, input: Value, seen: readonly string[], side: object]>([
  [3, { a: 1, b: 'x' }, ['step s1', 'default s1', 'step end', 'code END'], { code: 'END', message: 'a is 1, b is x.' }],
  [2, { a: 1, b: 'x' }, ['step s1', 'default s1', 'max-depth'], { error: { code: 'max-depth', step: 'end' } }],
  [2, { a: 1, b: 1 }, ['step s1', 'taken s1 0', 'max-depth'], { error: { code: 'max-depth', step: 's0' } }],
])('an execution enters at most %i steps: %j', (maxDepth, input, seen, side) => {
  const trail = new Follower(loopOf(maxDepth)).follow(input)
  expect(trail.seen).toEqual(['step s0', 'taken s0 0', ...seen])
  expect(trail.side).toMatchObject(side)
})

const END = { id: 'E', type: 'terminal', result: { code: 'E', message: '' } }

/** An action step, then the end E with the value of `v`. */
function actsOf(actions: readonly Value[], result: Readonly<Record<string, Value>> = {}) {
  const { ruleset, problems } = decodeRuleset({
    config: { name: 'acts', entry_step: 'a', message_templates: true },
    steps: {
      a: { id: 'a', type: 'action', actions, next_step: 'E' },
      E: { ...END, result: { code: 'E', message: '', ...result } },
    },
  })
  if (ruleset === undefined) throw new Error(problems[0]?.message)
  return ruleset
}

const sets = (name: string, value: string) => ({ action: 'set_variable', name, value })
const asks = (more: Readonly<Record<string, Value>> = { result_variable: 'v' }) => ({
  action: 'external_call',
  service: 's',
  method: 'get',
  params: [['k', 'n']],
  ...more,
})
const V = { output: [['v', '$v']] }

const ends = (output: Readonly<Record<string, Value>> = {}, message = '') => ({ code: 'E', message, output })
const fails = (code: string, step: string) => ({ error: { code, step } })

test.each<
  [title: string, actions: readonly Value[], result: Readonly<Record<string, Value>>, seen: string, side: unknown]
>([
  ['no action', [], {}, 'step E, code E', ends()],
  ['a variable', [sets('v', 'n + 1')], V, 'step E, code E', ends({ v: 2 })],
  ['the time, which is 1970 by default', [sets('v', 'now_millis()')], V, 'step E, code E', ends({ v: 0 })],
  ['a list in a message', [], { message: '{[n, t]}' }, 'step E, code E', ends({}, '[1,"x"]')],
  ['a variable of a variable', [sets('v', 'n'), sets('v', '$v + 1')], V, 'step E, code E', ends({ v: 2 })],
  [
    'a field of the result and an output',
    [],
    { kept: 7, output: [['n', 'n']] },
    'step E, code E',
    ends({ kept: 7, n: 1 }),
  ],
  ['a message', [], { message: 'n is {n}, t is {t}.' }, 'step E, code E', ends({}, 'n is 1, t is x.')],
  ['a variable that fails', [sets('v', 'abs(t)')], V, 'fails a step actions wrong-type', fails('wrong-type', 'a')],
  [
    'an output that fails',
    [],
    { output: [['v', 'abs(t)']] },
    'step E, code E, fails E result wrong-type',
    fails('wrong-type', 'E'),
  ],
  [
    'a message that fails',
    [],
    { message: '{abs(t)}' },
    'step E, code E, fails E result wrong-type',
    fails('wrong-type', 'E'),
  ],
  ['a metric', [{ action: 'metric', name: 'm', value: 'n' }], {}, 'step E, code E', ends()],
  [
    'a metric that fails',
    [{ action: 'metric', name: 'm', value: 'abs(t)' }],
    {},
    'fails a step actions wrong-type',
    fails('wrong-type', 'a'),
  ],
  ['a log', [{ action: 'log', level: 'info', message: 'x' }], {}, 'step E, code E', ends()],
  [
    'an answer',
    [asks()],
    V,
    'step E, code E',
    ends({ v: { capability: 's', operation: 'get', payload: 7, metadata: {} } }),
  ],
  [
    'a call that fails',
    [asks({ method: 'fail', result_variable: 'v' })],
    V,
    'fails a step actions external-call',
    fails('external-call', 'a'),
  ],
  ['a call without an answer', [asks({ method: 'none', result_variable: 'v' })], V, '', undefined],
  ['a call that no one awaits', [asks({ method: 'none' })], {}, 'step E, code E', ends()],
  [
    'a call whose parameter fails',
    [asks({ params: [['k', 'abs(t)']] })],
    {},
    'fails a step actions wrong-type',
    fails('wrong-type', 'a'),
  ],
  [
    'a ruleset that is not there',
    [{ action: 'call_ruleset', ruleset_name: 'x', result_variable: 'v' }],
    {},
    '',
    undefined,
  ],
])('an execution with %s', (_title, actions, result, seen, side) => {
  const answers: Answers = {
    take(service, method, parameters) {
      if (method === 'none') return undefined
      const call = { service, method, parameters }
      expect(parameters).toEqual({ k: 1 })
      return method === 'fail' ? call : { ...call, answer: { payload: 7 } }
    },
  }
  const trail = new Follower(actsOf(actions, result)).follow({ n: 1, t: 'x' }, 0, undefined, answers)
  expect(trail.seen.join(', ')).toBe(['step a', ...(seen === '' ? [] : [seen])].join(', '))
  expect(trail.side).toEqual(side)
})

test('an execution without answers ends at a call', () => {
  expect(new Follower(actsOf([asks()])).follow({ n: 1 })).toEqual({ seen: ['step a'], side: undefined })
})

function decides(conditions: readonly string[], rest?: string) {
  const branches = conditions.map((condition) => ({ condition, next_step: 'E' }))
  const { ruleset, problems } = decodeRuleset({
    config: { name: 'decides', entry_step: 'd' },
    steps: { d: { id: 'd', type: 'decision', branches, ...(rest !== undefined && { default_next: rest }) }, E: END },
  })
  if (ruleset === undefined) throw new Error(problems[0]?.message)
  return ruleset
}

test.each<[input: Value, rest: string | undefined, seen: string, side: unknown]>([
  [{ n: 1 }, 'E', 'taken d 0, step E, code E', ends()],
  [{ n: 2 }, 'E', 'taken d 1, step E, code E', ends()],
  [{ n: 9 }, 'E', 'default d, step E, code E', ends()],
  [{ n: 9 }, undefined, 'gap d', fails('no-branch', 'd')],
  [{ n: 3, t: 'x' }, 'E', 'fails d 2 condition wrong-type', fails('wrong-type', 'd')],
])('a decision about %j with the default %s shows %s', (input, rest, seen, side) => {
  const ruleset = decides(['n == 1', 'n == 2', 'n == 3 && abs(t) == 1'], rest)
  for (const follower of [
    new Follower(ruleset),
    new Follower(ruleset, { inOrder: true }),
    new Follower(ruleset, { compiles: false }),
  ])
    // Conditions of a decision that is entered often are compiled.
    for (let count = 0; count < 45; count++) {
      const trail = follower.follow(input)
      expect(trail.seen.join(', ')).toBe(`step d, ${seen}`)
      expect(trail.side).toEqual(side)
    }
})

test.each<[input: Value, seen: string, side: unknown]>([
  [{ n: 1 }, 'taken d 0, step E, code E', ends({ v: 2 })],
  [{ n: 2, t: 'x' }, 'taken d 1, fails d 1 actions wrong-type', fails('wrong-type', 'd')],
  [{ n: 2, t: -3 }, 'taken d 1, step E, code E', ends({ v: 3 })],
  [{ n: 3 }, 'default d, step E, code E', ends({ v: null })],
])('a branch that sets a variable shows for %j: %s', (input, seen, side) => {
  const branches = [
    { condition: 'n == 1', actions: [sets('v', 'n + 1')], next_step: 'E' },
    { condition: 'n == 2', actions: [sets('v', 'abs(t)')], next_step: 'E' },
  ]
  const { ruleset, problems } = decodeRuleset({
    config: { name: 'sets', entry_step: 'd' },
    steps: {
      d: { id: 'd', type: 'decision', branches, default_next: 'E' },
      E: { ...END, result: { code: 'E', message: '', output: [['v', '$v']] } },
    },
  })
  if (ruleset === undefined) throw new Error(problems[0]?.message)
  const trail = new Follower(ruleset).follow(input)
  expect(trail.seen.join(', ')).toBe(`step d, ${seen}`)
  expect(trail.side).toEqual(side)
})

test('each condition is seen before it is evaluated', () => {
  const watched: unknown[] = []
  const ruleset = decides(['n == 1', 'n == 2', 'n == 3'], 'E')
  new Follower(ruleset).follow({ n: 2 }, 5, (step, branch, condition, evaluate) => {
    watched.push([step, branch, print(condition), evaluate(condition)])
  })
  expect(watched).toEqual([
    ['d', 0, '(n == 1)', { value: false }],
    ['d', 1, '(n == 2)', { value: true }],
  ])
})

test('conditions are seen however often a decision is entered', () => {
  const follower = new Follower(decides(['n == 1'], 'E'))
  let seen = 0
  for (let count = 0; count < 100; count++) follower.follow({ n: 1 }, 0, () => seen++)
  for (let count = 0; count < 100; count++) follower.follow({ n: 1 })
  follower.follow({ n: 1 }, 0, () => seen++)
  expect(seen).toBe(101)
})

test('the result can show more', () => {
  const shownByResult: ResultWatch = (step, output) => [`${step.id} ${JSON.stringify(output)}`]
  const { seen } = new Follower(actsOf([], { kept: 7 }), { shownByResult }).follow({})
  expect(seen).toEqual(['step a', 'step E', 'code E', 'E {"kept":7}'])
})

test('a step that does not exist is no step', () => {
  expect(() => new Follower(actsOf([])).visit('x', { input: {}, variables: new Map(), now: 0 })).toThrow('x')
})

test.each<[left: Side, right: Side, areEqual: boolean]>([
  [ends(), ends(), true],
  [ends({ a: 1, b: 2 }), ends({ b: 2, a: 1 }), true],
  [ends({ a: 1 }), ends({ a: 2 }), false],
  [ends({}, 'm'), ends({}, 'k'), false],
  [ends(), { ...ends(), code: 'F' }, false],
  [fails('x', 'a'), fails('x', 'b'), true],
  [fails('x', 'a'), fails('y', 'a'), false],
  [ends(), fails('x', 'a'), false],
  [fails('x', 'a'), ends(), false],
])('the ends %j and %j are the same: %s', (left, right, areEqual) => expect(areSame(left, right)).toBe(areEqual))

import type { ObjectValue, Value } from '@engine/expression'
import type { Ruleset } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { action, decision, result, rulesetOf } from '../reports.testing.ts'
import { Digests, shapeText } from './digest.ts'
import { ranksOf } from './ranks.ts'

/** The numbers of the first decision, from each of its branches on and from its default on. */
function numbersOf(one: Ruleset, numbers: Map<string, number>, count: number) {
  const digests = new Digests(one, numbers, ranksOf(one)?.keys() ?? [])
  return Array.from({ length: count }, (_, branch) => digests.from('d', branch))
}

/** Which of the suffixes of two versions are the same, from the first branch to the default. */
function shared(before: ObjectValue, after: ObjectValue, config: ObjectValue = {}) {
  const numbers = new Map<string, number>()
  const count = (before['d'] as { branches: readonly Value[] }).branches.length + 1
  const [one, other] = [before, after].map((steps) => numbersOf(rulesetOf(steps, config), numbers, count))
  return one?.map((number, index) => number !== undefined && number === other?.[index])
}

const behind = (actions: readonly ObjectValue[]): ObjectValue => ({
  d: decision([['a', 'e']], 'N'),
  e: { type: 'action', actions, next_step: 'X' },
})
const ending = (more: ObjectValue): ObjectValue => ({ d: decision([['a', 'X']], 'N'), X: result('X', more) })
const call = (more: ObjectValue) => ({ action: 'call_ruleset', ruleset_name: 'o', result_variable: 'v', ...more })
const ask = (more: ObjectValue) => ({
  action: 'external_call',
  service: 's',
  method: 'm',
  params: [['p', '1']],
  result_variable: 'v',
  ...more,
})
const TWO = decision(
  [
    ['a', 'X'],
    ['b', 'Y'],
  ],
  'N',
)

test.each<[what: string, before: ObjectValue, after: ObjectValue, same: readonly boolean[], config?: ObjectValue]>([
  ['the same', { d: TWO }, { d: TWO }, [true, true, true]],
  [
    'another first condition',
    { d: TWO },
    {
      d: decision(
        [
          ['c', 'X'],
          ['b', 'Y'],
        ],
        'N',
      ),
    },
    [false, true, true],
  ],
  [
    'another second condition',
    { d: TWO },
    {
      d: decision(
        [
          ['a', 'X'],
          ['c', 'Y'],
        ],
        'N',
      ),
    },
    [false, false, true],
  ],
  [
    'another default',
    { d: TWO },
    {
      d: decision(
        [
          ['a', 'X'],
          ['b', 'Y'],
        ],
        'Z',
      ),
    },
    [false, false, false],
  ],
  [
    'no default',
    { d: TWO },
    {
      d: decision([
        ['a', 'X'],
        ['b', 'Y'],
      ]),
    },
    [false, false, false],
  ],
  [
    'another next step',
    { d: TWO },
    {
      d: decision(
        [
          ['a', 'Z'],
          ['b', 'Y'],
        ],
        'N',
      ),
    },
    [false, true, true],
  ],
  [
    'the same next step of another name',
    { d: TWO },
    {
      d: decision(
        [
          ['a', 'x'],
          ['b', 'Y'],
        ],
        'N',
      ),
      x: result('X'),
    },
    [true, true, true],
  ],
  [
    'actions of a branch',
    { d: decision([['a', 'X', { v: '1' }]], 'N') },
    { d: decision([['a', 'X', { v: '2' }]], 'N') },
    [false, true],
  ],
  [
    'a variable of another name',
    { d: decision([['a', 'X', { v: '1' }]], 'N') },
    { d: decision([['a', 'X', { w: '1' }]], 'N') },
    [false, true],
  ],
  ['another code', ending({}), ending({ code: 'Y' }), [false, true]],
  ['another message', ending({}), ending({ message: 'm' }), [false, true]],
  ['another field', ending({ f: 1 }), ending({ f: 2 }), [false, true]],
  ['fields in another order', ending({ f: 1, g: 2 }), ending({ g: 2, f: 1 }), [true, true]],
  ['another output', ending({ output: [['o', '1']] }), ending({ output: [['o', '2']] }), [false, true]],
  ['another name of an output', ending({ output: [['o', '1']] }), ending({ output: [['p', '1']] }), [false, true]],
  [
    'outputs in another order',
    ending({
      output: [
        ['o', '1'],
        ['p', '2'],
      ],
    }),
    ending({
      output: [
        ['p', '2'],
        ['o', '1'],
      ],
    }),
    [true, true],
  ],
  ['a template', ending({ message: 'a{b}' }), ending({ message: 'a{c}' }), [false, true], { message_templates: true }],
  [
    'the text of a template',
    ending({ message: 'a{b}' }),
    ending({ message: 'c{b}' }),
    [false, true],
    { message_templates: true },
  ],
  [
    'the same template',
    ending({ message: 'a{b}' }),
    ending({ message: 'a{b}' }),
    [true, true],
    { message_templates: true },
  ],
  [
    'a step behind a branch',
    { d: decision([['a', 'e']], 'N'), e: decision([['b', 'X']], 'N') },
    { d: decision([['a', 'e']], 'N'), e: decision([['c', 'X']], 'N') },
    [false, true],
  ],
  [
    'a step behind an action',
    { d: decision([['a', 'e']], 'N'), e: action({ v: '1' }, 'X') },
    { d: decision([['a', 'e']], 'N'), e: action({ v: '1' }, 'Y') },
    [false, true],
  ],
  [
    'logs of other texts',
    behind([{ action: 'log', message: 'a' }]),
    behind([{ action: 'log', message: 'b' }]),
    [true, true],
  ],
  ['a log more', behind([{ action: 'log', message: 'a' }]), behind([]), [false, true]],
  [
    'metrics of other values',
    behind([{ action: 'metric', name: 'm', value: 'a' }]),
    behind([{ action: 'metric', name: 'm', value: 'b' }]),
    [false, true],
  ],
  ['a called ruleset', behind([call({})]), behind([call({ ruleset_name: 'p' })]), [false, true]],
  ['its input', behind([call({})]), behind([call({ input_mapping: 'a' })]), [false, true]],
  ['its variable', behind([call({})]), behind([call({ result_variable: 'w' })]), [false, true]],
  ['a service', behind([ask({})]), behind([ask({ service: 't' })]), [false, true]],
  ['a method', behind([ask({})]), behind([ask({ method: 'n' })]), [false, true]],
  ['a parameter', behind([ask({})]), behind([ask({ params: [['p', '2']] })]), [false, true]],
  ['the name of a parameter', behind([ask({})]), behind([ask({ params: [['q', '1']] })]), [false, true]],
  ['the variable of a service', behind([ask({})]), behind([ask({ result_variable: 'w' })]), [false, true]],
  ['the same call', behind([ask({})]), behind([ask({})]), [true, true]],
  ['two actions in another order', behind([ask({}), call({})]), behind([call({}), ask({})]), [false, true]],
])('versions with %s decide alike from a branch on: %#', (_what, before, after, same, config) => {
  expect(shared(before, after, config)).toEqual(same)
})

test.each<[what: string, one: ObjectValue, other: ObjectValue, isSame: boolean]>([
  ['other values', { output: [['o', 'a']] }, { output: [['o', 'b']] }, true],
  ['other names', { output: [['o', 'a']] }, { output: [['p', 'a']] }, false],
  ['values in messages', { message: 'x{a}' }, { message: 'x{b}' }, true],
  ['texts in messages', { message: 'x{a}' }, { message: 'y{a}' }, false],
  ['codes', {}, { code: 'Y' }, false],
  ['fields', { f: 1 }, { f: 2 }, false],
])('results with other %s have one shape: %#', (_what, one, other, isSame) => {
  const [left, right] = [one, other].map((more) => {
    const step = rulesetOf({ d: result('X', more) }, { message_templates: true }).steps.get('d')
    if (step?.type !== 'terminal') throw new Error('no result')
    return shapeText(step)
  })
  expect(left === right).toBe(isSame)
})

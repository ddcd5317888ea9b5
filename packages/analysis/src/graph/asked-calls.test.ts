import { type Expression, parse, print, type ObjectValue } from '@engine/expression'
import { actionsOf, decodeRuleset, type ExternalCall, type CallRuleset } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { AskedCalls, isAwaited } from './asked-calls.ts'

const call = (method: string, service = 's', result_variable: string | undefined = 'r'): ObjectValue => ({
  action: 'external_call',
  service,
  method,
  params: [['k', 'n']],
  ...(result_variable !== undefined && { result_variable }),
})
const CALLED: ObjectValue = { action: 'call_ruleset', ruleset_name: 'callee', result_variable: 'c' }
const UNHEARD: ObjectValue = { action: 'external_call', service: 's', method: 'tell', params: [] }
const SET: ObjectValue = { action: 'set_variable', name: 'v', value: '1' }

function ruleset(actions: readonly ObjectValue[], condition = 'n > 1') {
  const { ruleset: decoded, problems } = decodeRuleset({
    config: { name: 'r', entry_step: 'ask' },
    steps: {
      ask: { id: 'ask', type: 'action', actions, next_step: 'd' },
      d: { id: 'd', type: 'decision', branches: [{ condition, next_step: 'X' }], default_next: 'X' },
      X: { id: 'X', type: 'terminal', result: { code: 'X', message: '' } },
    },
  })
  if (decoded === undefined) throw new Error(JSON.stringify(problems))
  return decoded
}

function askedIn(actions: readonly ObjectValue[], condition?: string) {
  const decoded = ruleset(actions, condition)
  const names: string[] = []
  const shortName = (text: string): string => {
    if (!names.includes(text)) names.push(text)
    return `#${names.indexOf(text)}`
  }
  const step = [...decoded.steps.values()].find(({ id }) => id === 'ask')
  if (step === undefined) throw new Error('no step')
  return { asked: new AskedCalls(decoded, shortName), step, actions: actionsOf(step) }
}

function expressionOf(text: string): Expression {
  const read = parse(text)
  if (read.kind === 'failed') throw new Error(text)
  return read.expression
}

test.each<[title: string, actions: readonly ObjectValue[], awaited: boolean[], read: number]>([
  ['nothing', [], [], 0],
  ['a variable', [SET], [false], 0],
  ['a call without an answer', [UNHEARD], [false], 0],
  ['a call', [call('get')], [true], 2],
  ['two calls of one method', [call('get'), call('get')], [true, true], 2],
  ['calls of two methods', [call('get'), call('put')], [true, true], 3],
  ['calls of two services', [call('get'), call('get', 't')], [true, true], 3],
  ['a called ruleset', [CALLED], [true], 1],
  ['both', [call('get'), CALLED], [true, true], 2],
])('the histories of %s', (_title, actions, awaited, read) => {
  const { asked, step, actions: decoded } = askedIn(actions)
  expect(decoded.map(isAwaited)).toEqual(awaited)
  expect(asked.isEmpty).toBe(read === 0)
  expect(new Set(asked.historiesReadBy(step)).size).toBe(read)
  expect(asked.hasNames).toBe(true)
})

test.each<[condition: string, hasNames: boolean, actions: readonly ObjectValue[]]>([
  ['$["answer of s"] == 1', false, [call('get')]],
  ['$["answer of s.get #1"].payload == 1', false, [call('get')]],
  ['$["answer of s"] == 1', true, [UNHEARD]],
  ['$["the answer of s"] == 1', true, [call('get')]],
  ['x["answer of s"] == 1', true, [call('get')]],
])('with the condition %s answers have names: %s', (condition, hasNames, actions) => {
  expect(askedIn(actions, condition).asked.hasNames).toBe(hasNames)
})

test('a called ruleset depends on the calls of all steps', () => {
  const { asked, actions } = askedIn([call('get'), call('put'), CALLED])
  const [, , called] = actions
  if (called === undefined) throw new Error('no call')
  const step = { id: 'other', name: '', type: 'action', actions: [called], nextStep: 'd' } as const
  expect(asked.historiesReadBy(step)).toHaveLength(3)
})

test('calls of which nothing is known come before a call as one item', () => {
  const { asked, actions } = askedIn([call('get')])
  const [action] = actions
  if (action?.action !== 'external_call') throw new Error('no call')
  const values = [expressionOf('a')]
  const { history } = asked.external(action, values, new Map())
  const { earlier, calls } = asked.external(action, values, new Map([[history, expressionOf('$before')]]))
  expect(earlier.map(print)).toEqual(['$before'])
  expect(print(calls)).toBe('[$before, {"k": a}]')
})

/** The texts of calls one after the other, along one path. */
function textsOf(calls: readonly (readonly [ObjectValue, parameter: string])[]) {
  const { asked, actions } = askedIn(calls.map(([one]) => one))
  let variables = new Map<string, Expression>()
  return actions.map((action, index) => {
    const values = [expressionOf(calls[index]?.[1] ?? '')]
    const made =
      action.action === 'call_ruleset'
        ? asked.ruleset('place', action satisfies CallRuleset, values, variables)
        : asked.external(action as ExternalCall, values, variables)
    variables = new Map(variables).set(made.history, made.calls)
    return { ...made, earlier: 'earlier' in made ? (made.earlier as readonly Expression[]).map(print) : undefined }
  })
}

test.each<[title: string, calls: readonly (readonly [ObjectValue, string])[], earlier: unknown]>([
  ['the first call', [[call('get'), 'a']], []],
  [
    'the same call',
    [
      [call('get'), 'a'],
      [call('get'), 'a'],
    ],
    ['{"k": a}'],
  ],
  [
    'a call that may be the same',
    [
      [call('get'), 'a'],
      [call('get'), 'b'],
    ],
    ['{"k": a}'],
  ],
  [
    'a call that is another',
    [
      [call('get'), '1'],
      [call('get'), '2'],
    ],
    [],
  ],
  [
    'a call of another method',
    [
      [call('get'), 'a'],
      [call('put'), 'a'],
    ],
    [],
  ],
  [
    'a call of another service',
    [
      [call('get'), 'a'],
      [call('get', 't'), 'a'],
    ],
    [],
  ],
  [
    'a third call',
    [
      [call('get'), '1'],
      [call('get'), 'a'],
      [call('get'), '1'],
    ],
    ['{"k": 1}', '{"k": a}'],
  ],
  [
    'a call of a ruleset',
    [
      [CALLED, 'a'],
      [call('get'), 'a'],
    ],
    ['"#0"'],
  ],
  [
    'two calls of rulesets',
    [
      [CALLED, 'a'],
      [CALLED, 'a'],
      [call('get'), 'a'],
    ],
    ['"#0"', '"#1"'],
  ],
  [
    'both',
    [
      [call('get'), 'a'],
      [CALLED, 'a'],
      [call('get'), 'a'],
    ],
    ['{"k": a}', '"#0"'],
  ],
])('what comes before a call, for %s', (_title, calls, earlier) => {
  expect(textsOf(calls).at(-1)?.earlier).toEqual(earlier)
})

test.each<
  [
    title: string,
    one: readonly (readonly [ObjectValue, string])[],
    other: readonly (readonly [ObjectValue, string])[],
    same: boolean,
  ]
>([
  ['the same call', [[CALLED, 'a']], [[CALLED, 'a']], true],
  ['other arguments', [[CALLED, 'a']], [[CALLED, 'b']], false],
  ['another ruleset', [[CALLED, 'a']], [[{ ...CALLED, ruleset_name: 'other' }, 'a']], false],
  [
    'a call before it',
    [[CALLED, 'a']],
    [
      [call('get'), 'a'],
      [CALLED, 'a'],
    ],
    false,
  ],
  [
    'other calls before it',
    [
      [call('get'), 'a'],
      [CALLED, 'a'],
    ],
    [
      [call('get'), 'b'],
      [CALLED, 'a'],
    ],
    false,
  ],
  [
    'the same calls of two methods before it',
    [
      [call('get'), 'a'],
      [call('put'), 'a'],
      [CALLED, 'a'],
    ],
    [
      [call('put'), 'a'],
      [call('get'), 'a'],
      [CALLED, 'a'],
    ],
    true,
  ],
])('whether called rulesets answer alike: %s', (_title, one, other, same) => {
  expect(textsOf(one).at(-1)?.text === textsOf(other).at(-1)?.text).toBe(same)
})

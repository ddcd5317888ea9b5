import { type Expression, type ObjectValue, print } from '@engine/expression'
import type { Ruleset } from '@engine/ruleset'
import { describe, expect, test } from 'vitest'
import { Encoder } from '../formula/encoder.ts'
import { action, decision, result, rulesetOf } from '../reports.testing.ts'
import { FALSE, negated, Solver, TRUE } from '../search/solver.ts'
import { furtherSearch } from '../witness/further-search.ts'
import { States } from './states.ts'
import { expressionsOfRuleset, SymbolicRuleset } from './symbolic.ts'

/** @param further null: answers of calls are unknown values */
function symbolicOf(ruleset: Ruleset, further: typeof furtherSearch | null = furtherSearch, label?: string) {
  const solver = new Solver()
  const encoder = new Encoder(solver)
  return { solver, encoder, symbolic: new SymbolicRuleset(encoder, ruleset, further ?? undefined, label) }
}

function expressionsOf(names: Readonly<Record<string, string>>): ReadonlyMap<string, Expression> {
  const found = expressionsOfRuleset(rulesetOf({ d: action(names, 'X') }))
  return new Map(Object.keys(names).map((name, index) => [name, found[index] as Expression]))
}

const texts = (variables: ReadonlyMap<string, Expression>) =>
  Object.fromEntries([...variables].map(([name, value]) => [name, print(value)]))

const call = (more: ObjectValue = {}): ObjectValue => ({
  action: 'external_call',
  service: 's',
  method: 'm',
  params: [['k', 'n']],
  result_variable: 'r',
  ...more,
})
const CALLED: ObjectValue = { action: 'call_ruleset', ruleset_name: 'callee', result_variable: 'c' }

describe('the effect of actions', () => {
  const run = (actions: readonly ObjectValue[], further?: typeof furtherSearch | null) => {
    const ruleset = rulesetOf({
      d: { type: 'action', actions: [...actions], next_step: 'e' },
      e: decision([['$v == 1', 'X']], 'N'),
    })
    const { solver, symbolic } = symbolicOf(ruleset, further)
    const step = ruleset.steps.get('d')
    if (step?.type !== 'action') throw new Error('no action')
    return { solver, effect: symbolic.run(step.actions, 'd', new Map(), 1) }
  }
  const set = (name: string, value: string): ObjectValue => ({ action: 'set_variable', name, value })

  test.each<[what: string, actions: readonly ObjectValue[], variables: object, failures: readonly string[]]>([
    ['a variable', [set('v', 'a')], { v: 'a' }, []],
    [
      'variables of variables',
      [set('v', 'a + 1'), set('w', '$v * 2')],
      { v: '(a + 1)', w: '((a + 1) * 2)' },
      ['null-operand', 'wrong-type', 'not-finite', 'null-operand', 'wrong-type', 'not-finite'],
    ],
    ['a variable that is set again', [set('v', 'a'), set('v', '$v.b')], { v: 'a.b' }, []],
    ['a log', [{ action: 'log', message: 'x' }], {}, []],
  ])('%s', (_what, actions, variables, failures) => {
    const { effect } = run(actions)
    expect(texts(effect.variables)).toEqual(variables)
    expect(effect.failures.map(({ code }) => code).toSorted()).toEqual([...failures].toSorted())
    if (failures.length === 0) expect(effect.succeeds).toBe(TRUE)
  })

  test('a later action fails only where the earlier ones do not', () => {
    const { solver, effect } = run([set('v', '1 / a'), set('w', '1 / b')])
    const [first, second] = effect.failures.filter(({ code }) => code === 'division-by-zero')
    if (first === undefined || second === undefined) throw new Error('two failures')
    const isPossible = (...literals: readonly number[]) => solver.solve(literals, 100_000) === 'satisfiable'
    expect(isPossible(first.literal)).toBe(true)
    expect(isPossible(second.literal)).toBe(true)
    expect(isPossible(first.literal, second.literal)).toBe(false)
    // Each input succeeds or ends in one failure.
    expect(isPossible(effect.succeeds)).toBe(true)
    for (const { literal } of effect.failures) expect(isPossible(effect.succeeds, literal)).toBe(false)
    expect(isPossible(negated(effect.succeeds), ...effect.failures.map(({ literal }) => negated(literal)))).toBe(false)
  })

  test('a call fails or has an answer, and what comes behind it fails only if it does not', () => {
    for (const further of [furtherSearch, null]) {
      const { solver, effect } = run([call(), set('w', '1 / b')], further)
      expect([...effect.variables.keys()]).toContain('r')
      const own = effect.failures.find(({ code }) => code === (further === null ? '?' : 'external-call'))
      const later = effect.failures.find(({ code }) => code === 'division-by-zero')
      if (own === undefined || later === undefined) throw new Error('two failures')
      const isPossible = (...literals: readonly number[]) => solver.solve(literals, 100_000) === 'satisfiable'
      expect([isPossible(own.literal), isPossible(later.literal), isPossible(own.literal, later.literal)]).toEqual([
        true,
        true,
        false,
      ])
      expect(isPossible(effect.succeeds, own.literal)).toBe(false)
      // Hidden variables hold the calls of a method.
      expect([...effect.variables.keys()].filter((name) => name.startsWith('?'))).toHaveLength(further === null ? 0 : 1)
    }
  })

  test('a call whose answer is not awaited cannot fail', () => {
    const { effect } = run([call({ result_variable: undefined as never })])
    expect(effect.succeeds).toBe(TRUE)
    expect(effect.variables.size).toBe(0)
  })

  test('calls of a service and of a ruleset are different unknown values', () => {
    const { effect } = run([call(), CALLED], null)
    const [answer, called] = [effect.variables.get('r'), effect.variables.get('c')]
    expect(answer).toBeDefined()
    expect(answer).not.toEqual(called)
  })

  test('no action changes nothing', () => {
    const { effect } = run([])
    expect(effect).toEqual({ variables: new Map(), succeeds: TRUE, failures: [] })
  })
})

describe('the variables with which a step is entered', () => {
  const ruleset = rulesetOf({
    d: decision([['a', 'e']], 'f'),
    e: decision([['$v == 1', 'f']], 'N'),
    f: action({ u: '$w' }, 'g'),
    g: decision([['$u == 1', 'X']], 'N'),
    X: result('X', { output: [['o', '$x']] }),
  })

  test.each<[step: string, entering: readonly string[]]>([
    ['d', ['u', 'v', 'w', 'x']],
    ['e', ['u', 'v', 'w', 'x']],
    ['f', ['u', 'w', 'x']],
    ['g', ['u', 'x']],
    ['X', ['x']],
    ['N', []],
  ])('those that %s or a later step reads: %j', (step, names) => {
    const { symbolic } = symbolicOf(ruleset)
    const given = expressionsOf({ u: 'a', v: 'b', w: 'c', x: 'e', y: 'f' })
    const found = symbolic.entering(step, given, 1)
    expect([...found.keys()].toSorted()).toEqual(names)
    for (const name of names) expect(found.get(name)).toBe(given.get(name))
  })

  test('a step has 48 states, and then one with unknown variables; a result has any number', () => {
    const { symbolic } = symbolicOf(ruleset, furtherSearch, 'label')
    const entered = (step: string, name: string, value: number, depth = 1) =>
      texts(symbolic.entering(step, expressionsOf({ [name]: `a + ${value}` }), depth))[name]
    for (let value = 0; value < 48; value++) {
      expect(entered('g', 'u', value)).toBe(`(a + ${value})`)
      expect(entered('X', 'x', value)).toBe(`(a + ${value})`)
    }
    const unknown = entered('g', 'u', 48)
    expect(unknown).not.toBe('(a + 48)')
    expect(unknown).toContain('label g u')
    expect(entered('g', 'u', 49, 2)).toBe(unknown)
    expect(entered('g', 'u', 7)).toBe('(a + 7)')
    expect(entered('X', 'x', 48)).toBe('(a + 48)')
  })

  test('the rounds of a loop have different unknown variables', () => {
    const { symbolic } = symbolicOf(rulesetOf({ d: decision([['$v == 1', 'd']], 'X') }))
    for (let value = 0; value < 48; value++) symbolic.entering('d', expressionsOf({ v: `a + ${value}` }), 1)
    const [one, same, other] = [3, 3, 4].map(
      (depth) => texts(symbolic.entering('d', expressionsOf({ v: 'b' }), depth))['v'],
    )
    expect(one).toBe(same)
    expect(one).not.toBe(other)
  })
})

describe('states', () => {
  test('paths that meet with the same variables are one state, behind all that lead to it', () => {
    const ruleset = rulesetOf({
      d: decision(
        [
          ['a', 'e', { v: '1' }],
          ['b', 'e', { v: '2' }],
          ['c', 'f', { v: '1' }],
        ],
        'f',
      ),
      e: action({ u: '1' }, 'f'),
      f: decision([['$v == 1', 'X']], 'N'),
    })
    const { solver, symbolic } = symbolicOf(ruleset)
    const states = new States(solver, symbolic)
    const [p, q, r] = [solver.createVariable(), solver.createVariable(), solver.createVariable()]
    const [one, two] = [expressionsOf({ v: '1', u: '5' }), expressionsOf({ v: '2' })]
    states.add('f', one, 3, p)
    states.add('f', two, 3, q)
    states.add('e', one, 2, r)
    let made = 0
    states.add('f', expressionsOf({ v: '1' }), 4, () => (made++, q))
    const first = states.next()
    expect(first).toMatchObject({ step: 'e', depth: 2 })
    expect(first?.reach).toBe(r)
    states.add('f', two, 3, FALSE)
    const second = states.next()
    expect(second).toMatchObject({ step: 'f', depth: 3 })
    expect(texts(second?.variables ?? new Map())).toEqual({ v: '1' })
    expect(made).toBe(0)
    expect(second?.reach).toBe(solver.or([p, q]))
    expect([second?.reach, made]).toEqual([solver.or([p, q]), 1])
    const third = states.next()
    expect(texts(third?.variables ?? new Map())).toEqual({ v: '2' })
    expect(third?.reach).toBe(q)
    expect(states.next()).toBeUndefined()
  })

  test('in a loop, those of smaller depth come first', () => {
    const { solver, symbolic } = symbolicOf(rulesetOf({ d: decision([['a', 'd']], 'X') }))
    const states = new States(solver, symbolic)
    for (const depth of [3, 1, 2]) states.add('d', new Map(), depth, TRUE)
    states.add('X', new Map(), 2, TRUE)
    const order = Array.from({ length: 5 }, () => states.next()).map((state) => state && `${state.step} ${state.depth}`)
    expect(order).toEqual(['d 1', 'd 2', 'X 2', 'd 3', undefined])
  })
})

test('the outputs and the expressions of a result, over the input', () => {
  const ruleset = rulesetOf(
    { d: action({ v: 'a + 1' }, 'X'), X: result('X', { message: 'm{$v}n{b}', f: 7, output: [['o', '$v * 2']] }) },
    { message_templates: true },
  )
  const { symbolic } = symbolicOf(ruleset)
  const step = symbolic.step('X')
  if (step.type !== 'terminal') throw new Error('no result')
  const variables = expressionsOf({ v: 'a + 1' })
  expect(symbolic.outputs(step, variables).map(([name, value]) => [name, print(value)])).toEqual([
    ['f', '7'],
    ['o', '((a + 1) * 2)'],
  ])
  expect(symbolic.result(step, variables).map(print)).toEqual(['(a + 1)', 'b', '((a + 1) * 2)'])
  expect(() => symbolic.step('no')).toThrow('there is no step no')
  expect(expressionsOfRuleset(ruleset).map(print).toSorted()).toEqual(['($v * 2)', '(a + 1)', '$v', 'b'].toSorted())
})

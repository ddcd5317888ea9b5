import { print } from '@engine/expression'
import { expect, test } from 'vitest'
import { action, decision, rulesetOf } from '../reports.testing.ts'
import { mutantsOf } from './mutants.ts'

test.each<[condition: string, changes: readonly string[]]>([
  ['n > 1', ['(n > 1) -> (n >= 1)']],
  ['n >= 1', ['(n >= 1) -> (n > 1)']],
  ['n < 1', ['(n < 1) -> (n <= 1)']],
  ['n <= 1', ['(n <= 1) -> (n < 1)']],
  ['n == 1', ['(n == 1) -> (n != 1)']],
  ['n != 1', ['(n != 1) -> (n == 1)']],
  ['a && b', ['(a && b) -> (a || b)']],
  ['a || b', ['(a || b) -> (a && b)']],
  ['!a', ['!(a) -> a']],
  ['n > 1 && !a', ['((n > 1) && !(a)) -> ((n > 1) || !(a))', '(n > 1) -> (n >= 1)', '!(a) -> a']],
  ['!(n > 1)', ['!((n > 1)) -> (n > 1)', '(n > 1) -> (n >= 1)']],
  ['if n > 1 then n < 2 else n == 3', ['(n > 1) -> (n >= 1)', '(n < 2) -> (n <= 2)', '(n == 3) -> (n != 3)']],
  ['n + 1 > 2', ['((n + 1) > 2) -> ((n + 1) >= 2)']],
  ['(n > 1) == b', ['((n > 1) == b) -> ((n > 1) != b)']],
  ['n in [1]', []],
  ['a', []],
  ['-n', []],
])('the mutants of %s', (condition, changes) => {
  const plain = (text: string) => text.replaceAll(/[ ()]/g, '')
  const found = [...mutantsOf(rulesetOf({ d: decision([[condition, 'X']], 'N') }))]
  expect(found.map(({ change }) => plain(change))).toEqual(changes.map(plain))
  for (const { change, step, branch, ruleset } of found) {
    expect([step, branch]).toEqual(['d', 0])
    const mutated = ruleset.steps.get('d')
    const [before = '', after = ''] = change.split(' -> ').map(plain)
    const whole = mutated?.type === 'decision' ? plain(print(mutated.branches[0]?.condition as never)) : ''
    expect(whole).toContain(after)
    expect(whole.replace(after, before)).toContain(before)
  }
})

test('only one branch of one decision changes, and the ruleset itself stays', () => {
  const given = rulesetOf({
    d: decision(
      [
        ['a && b', 'e'],
        ['n > 1', 'X'],
      ],
      'N',
    ),
    e: action({ v: 'n > 1' }, 'f'),
    f: decision([['m == 1', 'Y']], 'N'),
  })
  const conditionsOf = ({ steps }: typeof given) =>
    [...steps.values()].flatMap((step) =>
      step.type === 'decision' ? step.branches.map(({ condition }) => print(condition)) : [],
    )
  expect([...mutantsOf(given)].map(({ ruleset }) => conditionsOf(ruleset))).toEqual([
    ['(a || b)', '(n > 1)', '(m == 1)'],
    ['(a && b)', '(n >= 1)', '(m == 1)'],
    ['(a && b)', '(n > 1)', '(m != 1)'],
  ])
  expect(conditionsOf(given)).toEqual(['(a && b)', '(n > 1)', '(m == 1)'])
})

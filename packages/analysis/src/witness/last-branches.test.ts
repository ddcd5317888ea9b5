import type { Value } from '@engine/expression'
import { decodeRuleset, type DecisionStep } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { LastBranches } from './last-branches.ts'

function decisionOf(conditions: readonly string[]): DecisionStep {
  const { ruleset, problems } = decodeRuleset({
    config: { name: 'one', entry_step: 'd' },
    steps: {
      d: {
        id: 'd',
        type: 'decision',
        branches: conditions.map((condition) => ({ condition, next_step: 'end' })),
        default_next: 'end',
      },
      end: { id: 'end', type: 'terminal', result: { code: 'END', message: '' } },
    },
  })
  const step = ruleset?.steps.get('d')
  if (step?.type !== 'decision') throw new Error(problems[0]?.message)
  return step
}

const LIST: readonly Value[] = [1]

test.each<[conditions: readonly string[], first: Value, second: Value, isRepeated: boolean]>([
  [['a == 1', 'b == 2'], { a: 1, b: 1 }, { a: 1, b: 1 }, true],
  [['a == 1', 'b == 2'], { a: 1, b: 1 }, { a: 1, b: 1, c: 1 }, true],
  [['a == 1', 'b == 2'], { a: 1, b: 1 }, { a: 1, b: 2 }, false],
  [['a == 1', 'b == 2'], { a: 1, b: 1 }, { b: 1 }, false],
  [['a == 1'], {}, {}, true],
  [['a == 1'], {}, { a: null }, false],
  [['a == 1'], { a: null }, { a: null }, true],
  [['a == 0'], { a: 0 }, { a: -0 }, false],
  [['a == "1"'], { a: '1' }, { a: 1 }, false],
  [['a.b == 1'], { a: { b: 1 } }, { a: { b: 1 } }, true],
  [['a.b == 1'], { a: { b: 1 } }, { a: { b: 2 } }, false],
  [['a[0] == 1'], { a: [1, 2] }, { a: [1, 3] }, true],
  [['a[0] == 1'], { a: [1, 2] }, { a: [2, 2] }, false],
  // The same list may have other items by now.
  [['len(a) == 1'], { a: LIST }, { a: LIST }, false],
  [['true'], {}, { a: 1 }, true],
  // These read more than single fields.
  [['sum(a.*) == 1'], { a: [1] }, { a: [1] }, false],
  [['type($) == "object"'], {}, {}, false],
  [['$v == 1'], {}, {}, false],
  [['a == 1', '$v == 1'], { a: 1 }, { a: 1 }, false],
])('a decision by %j repeats for %j and then %j: %s', (conditions, first, second, isRepeated) => {
  const branches = new LastBranches()
  const step = decisionOf(conditions)
  let decided = 0
  const taken = (input: Value) => branches.taken(step, input, 0, () => decided++)
  expect([taken(first), taken(second)]).toEqual([0, isRepeated ? 0 : 1])
})

test('a decision is evaluated again at another time, after an error, and by another step of the same conditions', () => {
  const branches = new LastBranches()
  const step = decisionOf(['a == 1'])
  const taken = (now: number, branch: number, decision = step) => branches.taken(decision, { a: 1 }, now, () => branch)
  expect([taken(0, 3), taken(0, 4), taken(1, 5), taken(1, 6)]).toEqual([3, 3, 5, 5])
  expect(taken(1, 7, decisionOf(['a == 1']))).toBe(7)
  const fail = () => {
    throw new Error('the condition fails')
  }
  expect(() => branches.taken(step, { a: 2 }, 1, fail)).toThrow('the condition fails')
  expect(branches.taken(step, { a: 2 }, 1, () => 8)).toBe(8)
})

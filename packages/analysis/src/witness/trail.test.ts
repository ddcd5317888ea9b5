import type { Value } from '@engine/expression'
import { decodeRuleset } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { Follower } from './trail.ts'

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

import type { Value } from '@engine/expression'
import { decodeRuleset } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../../tests/cases.testing.ts'
import { inRange, pick, seededRandom } from '../../../ruleset/src/random.testing.ts'
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

/** Conditions over few fields, of which some fail for some values, or read more than a single field. */
const CONDITIONS = [
  'a == 1',
  'a.b == 1',
  'b > 1',
  'exists(a.b)',
  'list[0] == 1',
  'exists(c)',
  'a == b',
  'list.* == 1',
  '$ == null',
  '$v == 1',
  'now() > "1970-01-02"',
  'any(list, one => one == c)',
] as const

/** Decisions in a row, each of which leads to the next. */
function graphOf(conditions: readonly (readonly string[])[], mode: string) {
  const next = (index: number) => (index + 1 < conditions.length ? `s${index + 1}` : 'end')
  const steps = conditions.map((own, index): [string, Value] => {
    const branches = own.map((condition, branch): Value => ({
      condition,
      next_step: next(index),
      actions: branch === 0 ? [{ action: 'set_variable', name: 'v', value: 'b' }] : [],
    }))
    return [`s${index}`, { id: `s${index}`, type: 'decision', branches, default_next: next(index) }]
  })
  const { ruleset, problems } = decodeRuleset({
    config: { name: 'graph', entry_step: 's0', field_missing: mode, ...(mode === 'default' && { defaults: { a: 1 } }) },
    steps: {
      ...Object.fromEntries(steps),
      end: { id: 'end', type: 'terminal', result: { code: 'END', message: '' } },
    },
  })
  if (ruleset === undefined) throw new Error(problems[0]?.message)
  return ruleset
}

const GRAPHS = casesOf(200)

test(`an execution shows the same after others as by itself, in ${GRAPHS} graphs`, () => {
  printSeed(GRAPHS)
  const random = seededRandom(SEED)
  const values: readonly Value[] = [0, -0, 1, 2, 'x', null, true, [], [1], { b: 1 }, { b: null }]
  for (let count = 0; count < GRAPHS; count++) {
    const conditions = Array.from({ length: 4 }, () => Array.from({ length: 3 }, () => pick(random, CONDITIONS)))
    const ruleset = graphOf(conditions, pick(random, ['lenient', 'strict', 'default']))
    const followers = [new Follower(ruleset), new Follower(ruleset, { inOrder: true })]
    let input: { readonly [name: string]: Value } = {}
    for (let round = 0; round < 60; round++) {
      const { [pick(random, ['a', 'b', 'c', 'list'])]: _dropped, ...rest } = input
      input = rest
      if (inRange(random, 0, 3) > 0) input = { ...input, [pick(random, ['a', 'b', 'c', 'list'])]: pick(random, values) }
      const now = inRange(random, 0, 2) * 86_400_000
      const alone = new Follower(ruleset).follow(input, now, () => undefined)
      for (const follower of followers)
        expect(follower.follow(input, now), JSON.stringify([conditions, input])).toEqual(alone)
    }
  }
})

import type { Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { decodeRuleset } from '../decode.ts'
import { createProgram } from '../create-program.ts'
import { testHost } from '../host.testing.ts'
import { ReadExpressions } from './read-expressions.ts'

type Steps = Readonly<Record<string, readonly string[]>>

/** Decisions with these conditions, each of which leads to the next. */
function documentOf(steps: Steps, numbers = 'double'): Value {
  const ids = Object.keys(steps)
  return {
    config: { name: 'read', entry_step: ids[0] ?? '', numbers },
    steps: {
      ...Object.fromEntries(
        Object.entries(steps).map(([id, conditions], index) => [
          id,
          {
            id,
            type: 'decision',
            branches: conditions.map((condition) => ({ condition, next_step: 'end' })),
            default_next: ids[index + 1] ?? 'end',
          },
        ]),
      ),
      end: { id: 'end', type: 'terminal', result: { code: 'END', message: '' } },
    },
  }
}

/** The conditions of each decision, decoded with those of the version before. */
function conditionsIn(expressions: ReadExpressions, document: Value) {
  const { ruleset, problems } = decodeRuleset(document, { expressions })
  if (ruleset === undefined) throw new Error(problems[0]?.message)
  return [...ruleset.steps.values()].flatMap((step) =>
    step.type === 'decision' ? step.branches.map(({ condition }) => condition) : [],
  )
}

test.each<[what: string, before: Steps, after: Steps, kept: readonly number[]]>([
  ['nothing changed', { d: ['a == 1', 'b == 2'] }, { d: ['a == 1', 'b == 2'] }, [0, 1]],
  ['one was edited', { d: ['a == 1', 'b == 2'] }, { d: ['a == 1', 'b == 3'] }, [0, -1]],
  ['one was moved', { d: ['a == 1', 'b == 2'] }, { d: ['b == 2'], e: ['a == 1'] }, [1, 0]],
  ['one stands twice', { d: ['a == 1', 'b == 2'] }, { d: ['a == 1', 'a == 1'] }, [0, -1]],
  ['one stood twice', { d: ['a == 1', 'a == 1'] }, { d: ['a == 1', 'a == 1'] }, [0, 1]],
  ['a space was added', { d: ['a == 1'] }, { d: ['a  == 1'] }, [-1]],
])('when %s, these expressions are those of the version before', (_what, before, after, kept) => {
  const expressions = new ReadExpressions()
  const old = conditionsIn(expressions, documentOf(before))
  const found = conditionsIn(expressions, documentOf(after))
  expect(found.map((condition) => old.indexOf(condition))).toEqual(kept)
  expect(found).toEqual(conditionsIn(new ReadExpressions(), documentOf(after)))
})

test('only those of the last document are kept, and only for the same kind of numbers', () => {
  const expressions = new ReadExpressions()
  const conditions = (text: string, numbers?: string) => conditionsIn(expressions, documentOf({ d: [text] }, numbers))
  const [first] = conditions('a == 0.5')
  const [decimal] = conditions('a == 0.5', 'decimal')
  expect(decimal).not.toBe(first)
  expect(conditions('a == 0.5', 'decimal')[0]).toBe(decimal)
  conditions('b == 1', 'decimal')
  expect(conditions('a == 0.5', 'decimal')[0]).not.toBe(decimal)
})

test.each<[what: string, condition: string]>([
  ['a problem', 'a =='],
  ['an unknown function', 'lenn(a) > 1'],
  ['a warning', 'a / 0 > 1'],
])('%s is reported for each version', (_what, condition) => {
  const expressions = new ReadExpressions()
  const document = documentOf({ d: ['b == 2', condition] })
  const first = decodeRuleset(document, { expressions })
  const { ruleset, ...second } = decodeRuleset(document, { expressions })
  expect(second).toEqual({ problems: first.problems, warnings: first.warnings, tolerated: [] })
  expect([...second.problems, ...second.warnings]).not.toEqual([])
  expect(ruleset === undefined).toBe(second.problems.length > 0)
})

test('an error is located in its own step when another one has the same condition', () => {
  const expressions = new ReadExpressions()
  const steps = { first: ['a > 1 && b > 1'], second: ['b > 1'], third: ['b > 1'] }
  for (let version = 0; version < 3; version++) {
    const { ruleset } = decodeRuleset(documentOf(steps), { expressions })
    if (ruleset === undefined) throw new Error('the document is invalid')
    const decide = () => createProgram(ruleset, testHost()).decide({ a: 0, b: 'text' })
    expect(decide).toThrow(expect.objectContaining({ step: 'second' }))
  }
})

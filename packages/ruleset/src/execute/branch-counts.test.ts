import { makeFunction, type Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { createProgram } from '../create-program.ts'
import { decodeRuleset } from '../decode.ts'
import { testHost } from '../host.testing.ts'
import type { Ruleset } from '../model.ts'
import type { Host, Program } from '../program.ts'
import { BranchCounts } from './branch-counts.ts'

const end = (id: string) => ({ id, name: id, type: 'terminal', result: { code: id, message: '' } })

function decoded(steps: Record<string, object>, config: object = {}): Ruleset {
  const document = { config: { name: 'r', version: '1.0.0', entry_step: 'first', ...config }, steps }
  const { ruleset, problems } = decodeRuleset(document as unknown as Value)
  if (ruleset === undefined) throw new Error(JSON.stringify(problems))
  return ruleset
}

/** A program that counts, and its counts by step. */
function counted(steps: Record<string, object>, isCompiled = true, config: object = {}, overrides: Partial<Host> = {}) {
  const ruleset = decoded(steps, config)
  const branchCounts = new BranchCounts(ruleset)
  const host = testHost({ makeFunction: isCompiled ? makeFunction : undefined, ...overrides })
  return { program: createProgram(ruleset, host, { branchCounts }), counts: () => branchCounts.bySteps() }
}

const branch = (condition: string, next_step: string) => ({ condition, next_step })
const decision = (id: string, branches: readonly object[], default_next?: string) => ({
  id,
  name: id,
  type: 'decision',
  branches,
  ...(default_next === undefined ? {} : { default_next }),
})
const ages = (count: number) => Array.from({ length: count }, (_, age) => branch(`age == ${age}`, 'a'))

const decide = (program: Program, ...inputs: readonly Value[]) =>
  inputs.map((input) => {
    try {
      return (program.decide(input) as { code: string }).code
    } catch (error) {
      return (error as { code: string }).code
    }
  })

describe.each([
  ['compiled', true],
  ['interpreted', false],
])('branches are counted, %s', (_way, isCompiled) => {
  test('by step, with the default last; steps that were not reached are absent', () => {
    const { program, counts } = counted(
      {
        first: decision('first', [branch('age < 18', 'a'), branch('age < 65', 'second')], 'b'),
        second: decision('second', [branch('vip', 'a')], 'b'),
        third: decision('third', [branch('vip', 'a')], 'b'),
        a: end('a'),
        b: end('b'),
      },
      isCompiled,
    )
    expect(counts()).toEqual({})
    decide(program, { age: 1 }, { age: 20 }, { age: 20, vip: true }, { age: 70 }, { age: 80 })
    expect(counts()).toEqual({ first: [1, 2, 2], second: [1, 1] })
  })

  test('of a large table, with the inputs that no row takes', () => {
    const { program, counts } = counted({ first: decision('first', ages(20)), a: end('a') }, isCompiled)
    expect(decide(program, { age: 3 }, { age: 3 }, { age: 19 }, { age: 20 })).toEqual(['a', 'a', 'a', 'no-branch'])
    const expected = Array.from({ length: 21 }, () => 0)
    expected[3] = 2
    expected[19] = expected[20] = 1
    expect(counts()).toEqual({ first: expected })
  })

  test('not where the condition fails', () => {
    const { program, counts } = counted(
      { first: decision('first', [branch('age + 1 > 2', 'a'), branch('true', 'a')]), a: end('a') },
      isCompiled,
      { field_missing: 'strict' },
    )
    decide(program, {}, { age: 2 })
    expect(counts()).toEqual({ first: [1, 0, 0] })
  })

  test('once each time that a loop comes by', () => {
    const { program, counts } = counted(
      {
        first: decision('first', [branch('coalesce($n, 0) < 3', 'add')], 'a'),
        add: {
          id: 'add',
          name: 'add',
          type: 'action',
          actions: [{ action: 'set_variable', name: 'n', value: 'coalesce($n, 0) + 1' }],
          next_step: 'first',
        },
        a: end('a'),
      },
      isCompiled,
    )
    expect(decide(program, {})).toEqual(['a'])
    expect(counts()).toEqual({ first: [3, 1] })
  })
})

test('an execution that starts again, since it is long, is counted once', async () => {
  let pauses = 0
  const steps: Record<string, object> = { a: end('a') }
  const ids = ['first', ...Array.from({ length: 60 }, (_, at) => `s${at}`)]
  for (const [at, id] of ids.entries())
    steps[id] = decision(id, [branch('any(range(0, 20000), i => i < low)', 'a')], ids[at + 1] ?? 'a')
  const { program, counts } = counted(
    steps,
    true,
    { timeout_ms: 0 },
    {
      monotonic: () => performance.now(),
      pause: async () => void pauses++,
    },
  )
  const answer = program.decide({ low: 0 })
  expect(answer).toBeInstanceOf(Promise)
  await answer
  expect(pauses).toBeGreaterThan(0)
  expect(Object.values(counts())).toEqual(ids.map(() => [0, 1]))
})

test('an execution that could start again and fails counts the branches that it has taken', () => {
  const long = 'any(range(0, length), i => i < 0)'
  const { program, counts } = counted(
    {
      first: decision('first', [branch(long, 'a')], 'second'),
      second: decision('second', [branch('age > 2', 'a')], 'a'),
      a: end('a'),
    },
    true,
    { field_missing: 'strict' },
  )
  expect(decide(program, { length: 3 }, { length: 3, age: 1 })).toEqual(['missing-field', 'a'])
  expect(counts()).toEqual({ first: [0, 2], second: [0, 1] })
})

test('programs of one content share their counts', () => {
  const ruleset = decoded({ first: decision('first', [branch('vip', 'a')], 'a'), a: end('a') })
  const branchCounts = new BranchCounts(ruleset)
  for (const host of [testHost(), testHost({ makeFunction: undefined })])
    decide(createProgram(ruleset, host, { branchCounts }), { vip: true }, {})
  expect(branchCounts.bySteps()).toEqual({ first: [2, 2] })
})

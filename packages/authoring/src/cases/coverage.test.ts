import { makeFunction, type Value } from '@engine/expression'
import { BranchCounts, createProgram, decodeRuleset } from '@engine/ruleset'
import { describe, expect, test } from 'vitest'
import { convertDraft } from '../convert/convert.ts'
import { decodeDraft } from '../draft/decode.ts'
import type { Case } from './case.ts'
import { coverageOf, hitsOf, hitsOfCounts, percent } from './coverage.ts'
import { draftParts } from './draft-parts.ts'
import { runCase, stubbedHost } from './run.ts'

const HOST = { now: () => 0, monotonic: () => 0, makeFunction }

/** A draft as the engine executes it. */
function converted(document: { readonly [key: string]: Value }) {
  const { draft, problems } = decodeDraft({ config: { name: 'x' }, ...document })
  if (draft === undefined) throw new Error(JSON.stringify(problems))
  const places = convertDraft(draft)
  const { ruleset } = decodeRuleset(places.ruleset ?? null)
  if (ruleset === undefined) throw new Error(JSON.stringify(places.problems))
  return { ruleset, parts: draftParts(places) }
}

/** The coverage of a draft by the given inputs, and the executions that reach each part. */
async function coverage(document: { readonly [key: string]: Value }, inputs: readonly Value[]) {
  const { ruleset, parts } = converted(document)
  const cases = inputs.map((input, index): Case => ({ name: `${index}`, input, expect: {} }))
  const results = await Promise.all(cases.map((one) => runCase(ruleset, one, HOST)))
  const inspections = results.map(({ inspection }) => inspection)
  return { ...coverageOf(ruleset, inspections, parts), hits: hitsOf(ruleset, inspections, parts) }
}

/** The counts of an engine that decides the given inputs, by part. */
function counted(document: { readonly [key: string]: Value }, inputs: readonly Value[]) {
  const { ruleset, parts } = converted(document)
  const branchCounts = new BranchCounts(ruleset)
  const program = createProgram(ruleset, stubbedHost({}, HOST), { branchCounts })
  for (const input of inputs) void program.decide(input)
  return hitsOfCounts(ruleset, branchCounts.bySteps(), parts)
}

const END: Value = { id: 'end', type: 'terminal', code: 'END' }
const table = (hitPolicy: string, cells: readonly string[], more: object = {}): Value => ({
  id: 't',
  type: 'table',
  hitPolicy,
  columns: [
    { id: 'c', kind: 'input', field: 'age' },
    { id: 'o', kind: 'output', field: 'rate' },
  ],
  rows: cells.map((c, index) => ({ id: `r${index}`, cells: { c, o: '1' } })),
  nextStepId: 'end',
  ...more,
})
const alone = (step: Value) => ({ startStepId: 't', steps: [step, END] })

describe.each([
  ['first', {}],
  ['unique', {}],
  ['collect', {}],
  ['collect', { aggregate: 'sum' }],
  ['collect', { aggregate: 'count' }],
])('rows of a table with the hit policy %s %o', (hitPolicy, more) => {
  const rows = alone(table(hitPolicy, ['1', '2', '> 2'], more))

  test('are covered by cases that match them', async () => {
    expect((await coverage(rows, [{ age: 1 }, { age: 5 }])).rows).toEqual({
      covered: 2,
      total: 3,
      missing: ['row 2 of `t`'],
    })
    expect(percent((await coverage(rows, [{ age: 1 }, { age: 2 }, { age: 3 }])).rows)).toBe(100)
    expect((await coverage(rows, [{ age: 0 }])).rows.covered).toBe(0)
    expect((await coverage(rows, [])).rows).toMatchObject({ covered: 0, total: 3 })
  })
})

test('a decision without a default has its branches alone, one with a default a way more', async () => {
  const decision = (more: object) => ({
    id: 't',
    type: 'decision',
    branches: [{ id: 'b', condition: 'age > 1', nextStepId: 'end' }],
    ...more,
  })
  const of = async (more: object) => (await coverage(alone(decision(more)), [{ age: 5 }])).branches
  expect(await of({})).toEqual({ covered: 1, total: 1, missing: [] })
  expect(await of({ defaultNextStepId: 'end' })).toMatchObject({ covered: 1, total: 2 })
})

test('a disabled row does not count, and the others keep their numbers of the draft', async () => {
  const rows = [
    { id: 'a', cells: { c: '1' }, disabled: true },
    { id: 'b', cells: { c: '2' } },
    { id: 'c', cells: { c: '3' } },
  ]
  const found = await coverage(alone(table('collect', [], { rows })), [{ age: 2 }])
  expect(found.rows).toEqual({ covered: 1, total: 2, missing: ['row 3 of `t`'] })
})

test('a case that matches several rows of a table that collects covers each, of any number', async () => {
  const cells = Array.from({ length: 1200 }, (_, index) => `>= ${index}`)
  const { rows } = await coverage(alone(table('collect', cells, { aggregate: 'count' })), [{ age: 700 }])
  expect(rows).toMatchObject({ covered: 701, total: 1200 })
  expect(rows.missing[0]).toBe('row 702 of `t`')
})

test('a row that fails leaves those of its group uncovered', async () => {
  const { rows } = await coverage(alone(table('collect', ['> 1', '? age / 0 > 1'])), [{ age: 5 }])
  expect(rows.covered).toBe(0)
})

test('rows of a sub-rule are covered by any of its uses', async () => {
  const use = (id: string, expr: string, nextStepId: string): Value => ({
    id,
    type: 'sub_rule',
    refName: 'fee',
    bindings: [{ field: 'age', expr }],
    nextStepId,
  })
  const found = await coverage(
    {
      startStepId: 'a',
      steps: [use('a', 'age', 'b'), use('b', 'age + 1', 'end'), END],
      subRules: { fee: { startStepId: 't', steps: [table('collect', ['1', '2', '3']), END] } },
    },
    [{ age: 1 }],
  )
  expect(found.rows).toEqual({ covered: 2, total: 3, missing: ['row 3 of `t`'] })
  expect(found.steps.missing).toEqual([])
})

test('branches and steps that no case comes to are named', async () => {
  const found = await coverage(
    {
      startStepId: 'd',
      steps: [
        {
          id: 'd',
          type: 'decision',
          branches: [
            { id: 'x', condition: 'age > 18', nextStepId: 'end' },
            { id: 'y', condition: 'vip', nextStepId: 'vip' },
          ],
          defaultNextStepId: 'end',
        },
        { id: 'vip', type: 'terminal', code: 'VIP' },
        END,
      ],
    },
    [{ age: 20 }, { age: 1, vip: false }],
  )
  expect(found).toMatchObject({
    steps: { covered: 2, total: 3, missing: ['step `vip`'] },
    branches: { covered: 2, total: 3, missing: ['branch 2 of `d`'] },
    rows: { covered: 0, total: 0, missing: [] },
  })
})

describe('counts of engines', () => {
  const cells = [...Array.from({ length: 20 }, (_, age) => `${age}`), '> 40']
  const rows = alone(table('first', cells, { defaultNextStepId: 'end' }))
  const inputs = [3, 3, 3, 19, 50, 30].map((age) => ({ age }))

  test('are those of the parts that executions reach', async () => {
    const { hits } = await coverage(rows, inputs)
    const ways = [...hits].filter(([key]) => /\/(?:rows\/\d+|default)$/.test(key))
    expect(counted(rows, inputs)).toEqual(new Map(ways))
    expect(Object.fromEntries(ways)).toEqual({
      '/steps/0/rows/3': 3,
      '/steps/0/rows/19': 1,
      '/steps/0/rows/20': 1,
      '/steps/0/default': 1,
    })
  })

  test('add up over the uses of a sub-rule', () => {
    const bindings = [{ field: 'age', expr: 'age' }]
    const use = (id: string, nextStepId: string): Value => ({
      id,
      type: 'sub_rule',
      refName: 'fee',
      bindings,
      nextStepId,
    })
    const document = {
      startStepId: 'a',
      steps: [use('a', 'b'), use('b', 'end'), END],
      subRules: { fee: { startStepId: 't', steps: [table('first', ['1', '2']), END] } },
    }
    expect([...counted(document, [{ age: 1 }, { age: 2 }]).values()]).toEqual([2, 2])
  })

  test('of steps and branches that the ruleset does not have are no parts', () => {
    const { ruleset, parts } = converted(rows)
    const [decision] = [...ruleset.steps.values()].filter(({ type }) => type === 'decision')
    const counts = { gone: [1], [decision?.id ?? '']: [0, ...Array.from({ length: 40 }, () => 2)] }
    const found = hitsOfCounts(ruleset, counts, parts)
    expect([...found.values()]).toEqual(Array.from({ length: cells.length }, () => 2))
  })
})

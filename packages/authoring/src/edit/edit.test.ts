import type { Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../../tests/cases.testing.ts'
import { pick, seededRandom } from '../../../ruleset/src/random.testing.ts'
import { decodeDraft } from '../draft/decode.ts'
import type { DraftRuleset, DraftStep } from '../draft/model.ts'
import { interpretDraft } from '../interpret.testing.ts'
import { randomDraft, randomInput } from '../random.testing.ts'
import { connect, edgesOf, insertOnEdge, targetOf } from './edges.ts'
import { renameCode, renameField, renameVariable } from './rename.ts'

const CASES = casesOf(1000)

function decoded(document: Value): DraftRuleset {
  const { draft, problems } = decodeDraft(document)
  if (draft === undefined) throw new Error(JSON.stringify(problems))
  return draft
}

const withSteps = (...steps: readonly Value[]) => decoded({ config: { name: 'x' }, startStepId: 's', steps })

function outcome(draft: DraftRuleset, input: Value): string {
  try {
    return JSON.stringify(interpretDraft(draft, input), (_key, value) =>
      typeof value === 'bigint' ? `${value}n` : value,
    )
  } catch {
    return 'error'
  }
}

const NEW: DraftStep = { id: 'new step', type: 'action', assignments: [{ name: 'unread', value: '1' }] }

test(`${CASES} random drafts decide the same with a step that does nothing on any edge`, () => {
  printSeed(CASES)
  const random = seededRandom(SEED)
  let inserted = 0
  for (let count = 0; count < CASES; count++) {
    const draft = decoded(randomDraft(random))
    const edges = draft.steps.flatMap(edgesOf)
    if (edges.length === 0) continue
    const edge = pick(random, edges)
    const changed = insertOnEdge(draft, edge, NEW)
    if (changed === undefined) throw new Error(JSON.stringify({ draft, edge }))
    expect(changed.steps.length).toBe(draft.steps.length + 1)
    const input = randomInput(random)
    expect(outcome(changed, input)).toBe(outcome(draft, input))
    inserted++
  }
  expect(inserted).toBeGreaterThan(CASES / 2)
}, 1_200_000)

test(`${CASES} random drafts decide the same when a field has another name in the draft and in the input`, () => {
  printSeed(CASES)
  const random = seededRandom(SEED)
  let changes = 0
  for (let count = 0; count < CASES; count++) {
    const draft = decoded(randomDraft(random))
    const input = randomInput(random) as { readonly [name: string]: Value }
    const from = pick(random, ['age', 'score', 'country', 'user', 'vip'])
    const renamed = renameField(draft, from, 'other')
    if (renamed === undefined) throw new Error(from)
    const moved = Object.fromEntries(
      Object.entries(input).map(([name, value]) => [name === from ? 'other' : name, value]),
    )
    expect(outcome(renamed, moved), JSON.stringify({ draft, from, input })).toBe(outcome(draft, input))
    expect(renameField(renamed, 'other', from)).toEqual(draft)
    if (JSON.stringify(renamed) !== JSON.stringify(draft)) changes++
  }
  expect(changes).toBeGreaterThan(CASES / 4)
}, 1_200_000)

describe('a variable under another name', () => {
  const setting = (name: string, value: string, result: string) =>
    withSteps(
      {
        id: 's',
        type: 'action',
        assignments: [
          { name, value: '1' },
          { name: 'other', value },
        ],
      },
      { id: 'e', type: 'terminal', code: 'A', output: [{ name: 'price', value: result }] },
    )
  test.each([
    ['where it is set and read', setting('price', '$price + price', '$price'), setting('fee', '$fee + price', '$fee')],
    ['with the sign that its name has', setting('$price', '1', '$price'), setting('$fee', '1', '$fee')],
    [
      'not in texts and longer names',
      setting('prices', '"$price"', '$prices'),
      setting('prices', '"$price"', '$prices'),
    ],
  ])('%s', (_title, draft, expected) => expect(renameVariable(draft, 'price', 'fee')).toEqual(expected))

  test.each(['', 'a b', '1a', 'order.total'])('is not called %j', (name) => {
    expect(renameVariable(setting('price', '1', '$price'), 'price', name)).toBeUndefined()
  })
})

describe('a field under another name', () => {
  const expression = (text: string) =>
    withSteps({ id: 's', type: 'terminal', code: 'A', output: [{ name: 'o', value: text }] })
  test.each([
    ['order.total + 1', 'order', 'cart', 'cart.total + 1'],
    ['order.total>1 &&  orders', 'order', 'cart', 'cart.total>1 &&  orders'],
    ['order.total + order.fee', 'order.total', 'sum', 'sum + order.fee'],
    ['"order" + $order', 'order', 'cart', '"order" + $order'],
    ['items[0].price', 'items', 'goods.list', 'goods.list[0].price'],
    ['order +', 'order', 'cart', 'order +'],
  ])('%s', (text, from, to, expected) => {
    expect(renameField(expression(text), from, to)).toEqual(expression(expected))
  })

  test.each(['any(items, x => x > limit)', 'any(items, x => limit > 1)'])(
    'is never taken for a parameter in %s',
    (text) => {
      const renamed = renameField(expression(text), 'limit', 'x')
      const [step] = renamed?.steps ?? []
      expect(step).toMatchObject({ output: [{ value: expect.stringContaining('$.x') }] })
    },
  )

  test('has its place in columns, whole conditions, output cells and defaults, and not in literals', () => {
    const table = (field: string) =>
      decoded({
        config: { name: 'x', defaults: { [`${field}.total`]: 0 } },
        startStepId: 's',
        steps: [
          {
            id: 's',
            type: 'table',
            hitPolicy: 'first',
            columns: [
              { id: 'c', kind: 'input', field: `${field}.total` },
              { id: 'o', kind: 'output', field: 'order' },
            ],
            rows: [
              { id: 'r1', cells: { c: ` ? ${field}.total > 1`, o: `${field}.fee` } },
              { id: 'r2', cells: { c: '"order"', o: '"order"' } },
            ],
          },
        ],
      })
    expect(renameField(table('order'), 'order', 'cart')).toEqual(table('cart'))
  })

  test('must be a path', () => {
    expect(renameField(expression('a'), 'a +', 'b')).toBeUndefined()
    expect(renameField(expression('a'), 'a', '$b')).toBeUndefined()
  })
})

test('an edge gets another target, or none', () => {
  const draft = withSteps(
    { id: 's', type: 'decision', branches: [{ id: 'b', condition: 'a', nextStepId: 'x' }], defaultNextStepId: 'y' },
    { id: 'x', type: 'terminal', code: 'A' },
    { id: 'y', type: 'terminal', code: 'B' },
  )
  const edge = { step: 's', exit: { kind: 'branch', id: 'b' } } as const
  const [step] = connect(draft, edge, 'y').steps
  expect(step && targetOf(step, edge.exit)).toBe('y')
  const [open] = connect(draft, edge, undefined).steps
  expect(open && edgesOf(open)).toEqual([{ step: 's', exit: { kind: 'default' }, target: 'y' }])
  expect(connect(draft, { step: 'x', exit: { kind: 'next' } }, 'y')).toEqual(draft)
  expect(insertOnEdge(draft, edge, { id: 'x', type: 'terminal' })).toBeUndefined()
  expect(insertOnEdge(draft, { step: 'x', exit: { kind: 'next' } }, NEW)).toBeUndefined()
})

test.each([
  ['next', { nextStepId: 'new step' }],
  ['default', { defaultNextStepId: 'new step' }],
] as const)('a step is inserted on the %s edge of a table', (kind, changed) => {
  const table = { id: 's', type: 'table', hitPolicy: 'first', columns: [], rows: [], nextStepId: 'y' } as const
  const draft = withSteps({ ...table, defaultNextStepId: 'y' }, { id: 'y', type: 'terminal', code: 'B' })
  const steps = insertOnEdge(draft, { step: 's', exit: { kind } }, NEW)?.steps ?? []
  expect(steps[0]).toEqual({ ...draft.steps[0], ...changed })
  expect(steps.at(-1)).toEqual({ ...NEW, nextStepId: 'y' })
})

test('a row of a table is an edge, which gets another target', () => {
  const row = (id: string, nextStepId?: string) => ({ id, cells: {}, ...(nextStepId !== undefined && { nextStepId }) })
  const draft = withSteps(
    {
      id: 's',
      type: 'table',
      hitPolicy: 'first',
      columns: [],
      rows: [row('r', 'x'), row('q')],
      defaultNextStepId: 'y',
    },
    { id: 'x', type: 'terminal', code: 'A' },
    { id: 'y', type: 'terminal', code: 'B' },
  )
  const [step] = draft.steps
  const exit = { kind: 'row', id: 'r' } as const
  expect(step && edgesOf(step)).toEqual([
    { step: 's', exit: { kind: 'default' }, target: 'y' },
    { step: 's', exit, target: 'x' },
  ])
  const [led] = connect(draft, { step: 's', exit }, 'y').steps
  expect(led).toMatchObject({ rows: [row('r', 'y'), row('q')], defaultNextStepId: 'y' })
  const [open] = connect(draft, { step: 's', exit }, undefined).steps
  expect(open).toEqual({ ...step, rows: [row('r'), row('q')] })
})

test('a code is renamed in all terminals', () => {
  const draft = (code: string) =>
    withSteps({ id: 's', type: 'terminal', code }, { id: 't', type: 'terminal', code: 'B' })
  expect(renameCode(draft('A'), 'A', 'C')).toEqual(draft('C'))
})

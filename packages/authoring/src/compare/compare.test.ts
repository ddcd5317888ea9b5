import type { Value } from '@engine/expression'
import { type Fields, isFields } from '@engine/ruleset'
import { describe, expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../../tests/cases.testing.ts'
import { inRange, pick, type Random, seededRandom, shuffled } from '../../../ruleset/src/random.testing.ts'
import { convertDraft } from '../convert/convert.ts'
import { decodeDraft } from '../draft/decode.ts'
import type { DraftRuleset, DraftStep } from '../draft/model.ts'
import { randomDraft } from '../random.testing.ts'
import { compareRulesets } from './compare.ts'
import { movedItems } from './moved-items.ts'

const CASES = casesOf(1000)

const END: Value = { id: 'end', type: 'terminal', code: 'END' }
const draft = (steps: readonly Value[], more: Fields = {}): Fields => ({
  config: { name: 'a' },
  startStepId: 'end',
  steps: [END, ...steps],
  ...more,
})
const branch = (id: string, condition: string, nextStepId = 'end'): Value => ({ id, condition, nextStepId })
const decision = (branches: readonly Value[], more: Fields = {}): Value => ({
  id: 'd',
  type: 'decision',
  branches,
  ...more,
})
const row = (id: string, age: string, more: Fields = {}): Value => ({ id, cells: { age }, ...more })
const table = (...rows: readonly Value[]): Value => ({ id: 't', type: 'table', hitPolicy: 'first', columns: [], rows })
const engine = (...branches: readonly Value[]): Fields => ({
  config: { name: 'a', entry_step: 'd' },
  steps: { d: { id: 'd', type: 'decision', branches } },
})
const when = (condition: string, next_step = 'end'): Value => ({ condition, next_step })

const NOTHING = {
  config: [],
  steps_added: [],
  steps_removed: [],
  steps_changed: [],
  branches_changed: [],
  sub_rules: [],
  contract: null,
}
const of = (step: string, kind: string, id: string, change: string, ...changes: readonly Value[]) => ({
  step,
  kind,
  id,
  change,
  changes: changes.map((one) => {
    const [path, before, after] = one as readonly Value[]
    return { path, before, after }
  }),
})

test.each<[string, Fields | undefined, Fields | undefined, object]>([
  ['nothing', draft([table()]), draft([table()]), {}],
  ['a ruleset that is new', undefined, draft([]), { steps_added: ['end'] }],
  ['a removed ruleset', draft([]), undefined, { steps_removed: ['end'] }],
  ['samples, which no engine executes', draft([]), draft([], { samples: [{ name: 'a', input: {} }] }), {}],
  [
    'a step added, another one removed',
    draft([table()]),
    draft([decision([])]),
    { steps_added: ['d'], steps_removed: ['t'] },
  ],
  [
    'the name of a step and its next step',
    draft([{ id: 'x', type: 'action', assignments: [], nextStepId: 'end' }]),
    draft([{ id: 'x', type: 'action', name: 'X', assignments: [], nextStepId: 'x' }]),
    {
      steps_changed: [
        { id: 'x', path: '/nextStepId', before: 'end', after: 'x' },
        { id: 'x', path: '/name', before: null, after: 'X' },
      ],
    },
  ],
  [
    'a condition',
    draft([decision([branch('b1', 'a'), branch('b2', 'b')])]),
    draft([decision([branch('b1', 'a'), branch('b2', 'c')])]),
    { branches_changed: [of('d', 'branch', 'b2', 'changed', ['/condition', 'b', 'c'])] },
  ],
  [
    'a branch added and one removed',
    draft([decision([branch('b1', 'a')])]),
    draft([decision([branch('b2', 'a')])]),
    {
      branches_changed: [
        of('d', 'branch', 'b1', 'removed', ['', branch('b1', 'a'), null]),
        of('d', 'branch', 'b2', 'added', ['', null, branch('b2', 'a')]),
      ],
    },
  ],
  [
    'the default',
    draft([decision([])]),
    draft([decision([], { defaultNextStepId: 'end' })]),
    { branches_changed: [of('d', 'default', '', 'added', ['', null, 'end'])] },
  ],
  [
    'a cell and a note',
    draft([table(row('r1', '1'), row('r2', '2'))]),
    draft([table(row('r1', '1'), row('r2', '3', { note: 'why' }))]),
    { branches_changed: [of('t', 'row', 'r2', 'changed', ['/cells/age', '2', '3'], ['/note', null, 'why'])] },
  ],
  [
    'the one row that was moved, and changed besides',
    draft([table(row('r1', '1'), row('r2', '2'), row('r3', '3'))]),
    draft([table(row('r3', '4'), row('r1', '1'), row('r2', '2'))]),
    {
      branches_changed: [
        of('t', 'row', 'r3', 'changed', ['/cells/age', '3', '4']),
        of('t', 'row', 'r3', 'moved', ['', 3, 1]),
      ],
    },
  ],
  [
    'the type of a step',
    draft([decision([branch('b1', 'a')])]),
    draft([{ id: 'd', type: 'terminal' }]),
    {
      steps_changed: [{ id: 'd', path: '/type', before: 'decision', after: 'terminal' }],
      branches_changed: [of('d', 'branch', 'b1', 'removed', ['', branch('b1', 'a'), null])],
    },
  ],
  [
    'sub-rules',
    draft([], { subRules: { gone: { steps: [END] }, kept: { steps: [END] }, same: { steps: [END] } } }),
    draft([], { subRules: { kept: { startStepId: 'end', steps: [] }, same: { steps: [END] }, new: { steps: [] } } }),
    {
      sub_rules: [
        expect.objectContaining({ name: 'gone', change: 'removed', steps_removed: ['end'] }),
        expect.objectContaining({
          name: 'kept',
          change: 'changed',
          config: [{ path: '/startStepId', before: null, after: 'end' }],
          steps_removed: ['end'],
        }),
        expect.objectContaining({ name: 'new', change: 'added', steps_added: [] }),
      ],
    },
  ],
  [
    'branches of the engine by content',
    engine(when('a'), when('b'), when('c')),
    engine(when('b'), when('c')),
    { branches_changed: [of('d', 'branch', '1', 'removed', ['', when('a'), null])] },
  ],
  [
    'branches of the engine by condition',
    engine(when('a'), when('b')),
    engine(when('new'), when('a'), when('b', 'x')),
    {
      branches_changed: [
        of('d', 'branch', '2', 'changed', ['/next_step', 'end', 'x']),
        of('d', 'branch', '+1', 'added', ['', null, when('new')]),
      ],
    },
  ],
  [
    'branches of the engine by place',
    engine(when('a'), when('b'), when('c')),
    engine(when('a'), when('b2'), when('c')),
    { branches_changed: [of('d', 'branch', '2', 'changed', ['/condition', 'b', 'b2'])] },
  ],
  [
    'branches of the engine in another order',
    engine(when('a'), when('b'), when('c')),
    engine(when('b'), when('c'), when('a')),
    { branches_changed: [of('d', 'branch', '1', 'moved', ['', 1, 3])] },
  ],
])('reports %s', (_what, before, after, expected) => {
  expect(compareRulesets(before, after)).toEqual({ ...NOTHING, ...expected })
})

test('the contracts of both are compared by the rule of versions', () => {
  const base = { name: 'a', version: '1.0.0', input: { fields: [{ name: 'x', type: 'number' }] }, outputs: [] }
  const next = { ...base, input: { fields: [] } }
  expect(compareRulesets(draft([]), draft([]), { base, next }).contract).toMatchObject({
    breaking: true,
    bump: 'major',
  })
  expect(compareRulesets(draft([]), draft([]), { next }).contract).toBeNull()
})

describe.each([
  ['rows with ids', (index: number) => row(`r${index}`, '1'), table],
  ['equal branches without ids', () => when('a'), (...rows: readonly Value[]) => decision(rows)],
])('100,000 %s', (_what, make, step) => {
  const items = Array.from({ length: 100_000 }, (_, index) => make(index))
  test('of which one is moved to the front and one is changed', () => {
    const [last = null] = items.slice(-1)
    const changed = [last, ...items.slice(0, -1)].with(5, { id: 'r4', condition: 'b', cells: { age: '9' } })
    const found = compareRulesets(draft([step(...items)]), draft([step(...changed)])).branches_changed
    expect(found.length).toBeLessThanOrEqual(3)
    expect(found).not.toEqual([])
  })
})

test(`${CASES} random drafts: a comparison names the changes, in drafts and in executable rulesets`, () => {
  printSeed(CASES)
  const random = seededRandom(SEED)
  let changes = 0
  for (let count = 0; count < CASES; count++) {
    const { draft: base } = decodeDraft(randomDraft(random))
    if (base === undefined) throw new Error('a random draft is none')
    expect(compareRulesets(base, { ...base, steps: shuffled(random, base.steps) })).toEqual(NOTHING)
    const engineBase = convertDraft(base).ruleset
    expect(compareRulesets(engineBase, structuredClone(engineBase))).toEqual(NOTHING)
    const [next, named] = withOneChange(random, base)
    if (named === undefined) continue
    changes++
    expect(compareRulesets(base, next).branches_changed).toEqual([expect.objectContaining(named)])
    const engineNext = convertDraft(next).ruleset
    if (!isFields(engineNext) || JSON.stringify(engineNext) === JSON.stringify(engineBase)) continue
    expect(compareRulesets(engineBase, engineNext)).not.toEqual(NOTHING)
  }
  expect(changes).toBeGreaterThan(CASES / 10)
}, 1_200_000)

/** A draft with one outcome changed, removed or moved, and the expected result of a comparison. */
function withOneChange(random: Random, base: DraftRuleset): readonly [DraftRuleset, object?] {
  const owner = pick(random, base.steps)
  if (owner.type !== 'decision' && owner.type !== 'table') return [base]
  const items: readonly { readonly id: string }[] = owner.type === 'decision' ? owner.branches : owner.rows
  if (items.length < 2) return [base]
  const index = inRange(random, 0, items.length - 1)
  const change = pick(random, ['removed', 'changed', 'moved'])
  const item = items[index] as { readonly id: string }
  const rest = items.toSpliced(index, 1)
  const list =
    change === 'removed'
      ? rest
      : change === 'changed'
        ? items.with(index, { ...item, note: 'n', label: 'n' } as typeof item)
        : rest.toSpliced((index + 1) % items.length, 0, item)
  const step = { ...owner, [owner.type === 'decision' ? 'branches' : 'rows']: list } as DraftStep
  const next = { ...base, steps: base.steps.map((one) => (one.id === owner.id ? step : one)) }
  // When two neighbours are swapped, either counts as moved.
  return [next, { step: owner.id, change, ...(change === 'moved' ? {} : { id: item.id }) }]
}

test(`${CASES} random orders: without the moved ids the order is unchanged, and in short lists no fewer suffice`, () => {
  const random = seededRandom(SEED)
  for (let count = 0; count < CASES; count++) {
    const before = Array.from({ length: inRange(random, 0, 6) }, (_, index) => `${index}`)
    const after = shuffled(random, [...before.filter((id) => id !== '2'), 'new'])
    const moved = new Set(movedItems(before, after))
    const resting = after.filter((id) => id !== 'new' && !moved.has(id))
    expect(resting).toEqual(before.filter((id) => resting.includes(id)))
    expect(moved.size).toBe(
      fewestMoves(
        before,
        after.filter((id) => id !== 'new'),
      ),
    )
  }
})

/** By trying every subset. */
function fewestMoves(before: readonly string[], after: readonly string[]): number {
  const sizes = Array.from({ length: 2 ** after.length }, (_, bits) => {
    const kept = after.filter((_id, index) => (bits >> index) & 1)
    return kept.join() === before.filter((id) => kept.includes(id)).join() ? kept.length : 0
  })
  return after.length - Math.max(...sizes)
}

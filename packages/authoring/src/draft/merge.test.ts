import type { Value } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../../tests/cases.testing.ts'
import { chance, inRange, pick, type Random, seededRandom } from '../../../ruleset/src/random.testing.ts'
import { randomDraft } from '../random.testing.ts'
import { decodeDraft } from './decode.ts'
import { diffDrafts } from './diff.ts'
import { merge3 } from './merge.ts'
import type { DraftRuleset, DraftStep } from './model.ts'

const CASES = casesOf(10_000, 30)

/** A draft with a table, a decision and an action, edited by two authors. */
const BASE = draft([
  {
    id: 't',
    type: 'table',
    hitPolicy: 'first',
    nextStepId: 'd',
    columns: [
      { id: 'c', kind: 'input', field: 'age' },
      { id: 'o', kind: 'output', field: 'rate' },
    ],
    rows: [
      { id: 'r1', cells: { c: '> 1', o: '1' } },
      { id: 'r2', cells: { c: '> 2', o: '2' } },
    ],
  },
  {
    id: 'd',
    type: 'decision',
    branches: [
      { id: 'b1', condition: 'a', nextStepId: 'e' },
      { id: 'b2', condition: 'b', nextStepId: 'e' },
    ],
    defaultNextStepId: 'e',
  },
  { id: 'a', type: 'action', assignments: [{ name: 'x', value: '1' }], nextStepId: 'e' },
  { id: 'e', type: 'terminal', code: 'END' },
])

function draft(steps: Value): DraftRuleset {
  const { draft: found, problems } = decodeDraft({ config: { name: 'x' }, startStepId: 't', steps })
  if (found === undefined) throw new Error(JSON.stringify(problems))
  return found
}

type Json = { [key: string]: Json } & Json[]
/** The draft after a change of its JSON. */
function changed(change: (document: Json) => void, base = BASE): DraftRuleset {
  const document = structuredClone(base) as unknown as Json
  change(document)
  return document as unknown as DraftRuleset
}
const set = (value: unknown) => value as Json
const at = (document: Json, ...keys: readonly (string | number)[]) =>
  keys.reduce((inner, key) => inner[key as keyof Json] as unknown as Json, document)

const row = (id: string) => set({ id, cells: { c: '> 9' } })
const rename = (name: string) => (document: Json) => void (at(document, 'config')['name'] = set(name))
const cell = (index: number, column: string, text: string) => (document: Json) =>
  void (at(document, 'steps', 0, 'rows', index, 'cells')[column] = set(text))
const condition = (index: number, text: string) => (document: Json) =>
  void (at(document, 'steps', 1, 'branches', index)['condition'] = set(text))
const addRow = (index: number, id: string) => (document: Json) =>
  void at(document, 'steps', 0, 'rows').splice(index, 0, row(id))
const dropRow = (index: number) => (document: Json) => void at(document, 'steps', 0, 'rows').splice(index, 1)
const addStep = (id: string) => (document: Json) =>
  void at(document, 'steps').push(set({ id, type: 'terminal', code: 'NEW' }))
const swapBranches = (document: Json) => void at(document, 'steps', 1, 'branches').reverse()

describe('changes at different places join, in either order', () => {
  test.each<readonly [string, (document: Json) => void, (document: Json) => void]>([
    ['two cells of one row', cell(0, 'c', '> 5'), cell(0, 'o', '7')],
    ['a name and a cell', rename('y'), cell(1, 'c', '> 5')],
    ['two branches', condition(0, 'c'), condition(1, 'd')],
    ['a moved branch and a changed one', swapBranches, condition(0, 'd')],
    ['a row at each end', addRow(0, 'new1'), addRow(2, 'new2')],
    ['a row added and another one deleted', addRow(2, 'new'), dropRow(0)],
    ['a row deleted and a cell of another one', dropRow(0), cell(1, 'c', '> 5')],
    ['a step of each', addStep('s1'), addStep('s2')],
    ['equal changes', cell(0, 'c', '> 5'), cell(0, 'c', '> 5')],
    ['an equal new row', addRow(1, 'new'), addRow(1, 'new')],
  ])('%s', (_title, one, other) => {
    const [mine, theirs] = [changed(one), changed(other)]
    const merged = merge3(BASE, mine, theirs)
    expect(merged.conflicts).toEqual([])
    expect(merge3(BASE, theirs, mine)).toEqual(merged)
    expect(missing(BASE, mine, theirs, merged)).toEqual([])
    expect(missing(BASE, theirs, mine, merged)).toEqual([])
  })
})

describe('a conflict has its place and all three values, and mine is taken', () => {
  test.each<readonly [string, (document: Json) => void, (document: Json) => void, object]>([
    [
      'one cell',
      cell(0, 'c', '> 5'),
      cell(0, 'c', '> 6'),
      { path: '/steps/t/rows/r1/cells/c', base: '> 1', mine: '> 5', theirs: '> 6' },
    ],
    [
      'one condition',
      condition(1, 'c'),
      condition(1, 'd'),
      { path: '/steps/d/branches/b2/condition', base: 'b', mine: 'c', theirs: 'd' },
    ],
    [
      'a row that is changed and deleted',
      cell(0, 'c', '> 5'),
      dropRow(0),
      { path: '/steps/t/rows/r1', mine: { id: 'r1', cells: { c: '> 5', o: '1' } }, theirs: null },
    ],
    [
      'a row that is deleted and changed',
      dropRow(0),
      cell(0, 'c', '> 5'),
      { path: '/steps/t/rows/r1', mine: null, theirs: { id: 'r1', cells: { c: '> 5', o: '1' } } },
    ],
    [
      'rows at the same place, whose order decides',
      addRow(2, 'x'),
      addRow(2, 'y'),
      { path: '/steps/t/rows', base: ['r1', 'r2'], mine: ['r1', 'r2', 'x'], theirs: ['r1', 'r2', 'y'] },
    ],
    [
      'steps of one id',
      addStep('s'),
      (document) => void at(document, 'steps').push(set({ id: 's', type: 'terminal', code: 'OTHER' })),
      { path: '/steps/s', base: null },
    ],
  ])('%s', (_title, one, other, conflict) => {
    const [mine, theirs] = [changed(one), changed(other)]
    const merged = merge3(BASE, mine, theirs)
    expect(merged.conflicts).toMatchObject([conflict])
    const [mirrored] = merge3(BASE, theirs, mine).conflicts
    const [found] = merged.conflicts
    expect(mirrored).toEqual({ ...found, mine: found?.theirs, theirs: found?.mine })
  })
})

test(`${CASES} random pairs of changes: nothing of either side is lost, and each conflict is where both have changed`, () => {
  printSeed(CASES)
  const random = seededRandom(SEED)
  const seen = { joined: 0, conflicts: 0, contested: 0 }
  for (let count = 0; count < CASES; count++) {
    const { draft: base } = decodeDraft(randomDraft(random))
    if (base === undefined) throw new Error('a random draft is none')
    const [mine, theirs] = [edited(random, base), edited(random, base)]
    try {
      const merged = expectMerged(base, mine, theirs)
      seen.contested += merged.contested
      seen[merged.hasConflicts ? 'conflicts' : 'joined']++
    } catch (error) {
      throw new Error(JSON.stringify({ base, mine, theirs }), { cause: error })
    }
  }
  expect(Math.min(seen.joined, seen.conflicts, seen.contested)).toBeGreaterThan(CASES / 50)
}, 1_200_000)

function expectMerged(base: DraftRuleset, mine: DraftRuleset, theirs: DraftRuleset) {
  const merged = merge3(base, mine, theirs)
  const mirrored = merge3(base, theirs, mine)
  expect(missing(base, mine, theirs, merged)).toEqual([])
  expect(missing(base, theirs, mine, merged)).toEqual([])
  const swapped = mirrored.conflicts.map((one) => ({ ...one, mine: one.theirs, theirs: one.mine }))
  expect(sorted(swapped)).toEqual(sorted(merged.conflicts))
  const places = merged.conflicts.map(({ path }) => path)
  for (const side of [mine, theirs]) {
    const changes = pathsOf(base, side)
    expect(places.filter((path) => !touches(changes, path))).toEqual([])
  }
  const both = contested(base, mine, theirs)
  expect(both.filter((path) => !touches(places, path))).toEqual([])
  const hasConflicts = places.length > 0
  if (!hasConflicts) expect(diffDrafts(merged.draft, mirrored.draft)).toEqual(NO_DIFFERENCE)
  expect(merge3(base, mine, base)).toEqual({ draft: mine, conflicts: [] })
  expect(merge3(base, base, theirs)).toEqual({ draft: theirs, conflicts: [] })
  expect(merge3(base, mine, mine)).toEqual({ draft: mine, conflicts: [] })
  return { hasConflicts, contested: both.length }
}

const NO_DIFFERENCE = { config: [], steps_added: [], steps_removed: [], steps_changed: [] }

/** Paths of texts that the sides changed differently: each needs a conflict. */
function contested(base: DraftRuleset, mine: DraftRuleset, theirs: DraftRuleset): readonly string[] {
  const others = new Map(valuesOf(base, theirs))
  return valuesOf(base, mine).flatMap(([path, value]) => {
    const other = others.get(path)
    return other !== undefined && other !== value ? [path] : []
  })
}

/** Changed members whose new value is a text. */
function valuesOf(before: DraftRuleset, after: DraftRuleset): readonly (readonly [path: string, value: string])[] {
  const { config, steps_changed } = diffDrafts(before, after)
  const all = [
    ...config,
    ...steps_changed.map(({ id, path, ...rest }) => ({ path: `/steps/${escaped(id)}${path}`, ...rest })),
  ]
  return all.flatMap(({ path, after: value }) => (typeof value === 'string' ? [[path, value] as const] : []))
}

const sorted = (list: readonly { readonly path: string }[]) =>
  list.toSorted((left, right) => (left.path < right.path ? -1 : 1))

/** Paths of differences, with list items by id. */
function pathsOf(before: DraftRuleset, after: DraftRuleset): readonly string[] {
  const { config, steps_added, steps_removed, steps_changed } = diffDrafts(before, after)
  return [
    ...config.map(({ path }) => path),
    ...[...steps_added, ...steps_removed].map((id) => `/steps/${escaped(id)}`),
    ...steps_changed.map(({ id, path }) => `/steps/${escaped(id)}${path}`),
  ]
}

const escaped = (id: string) => id.replaceAll('~', '~0').replaceAll('/', '~1')

/** Whether one of the paths is the place, within it, or contains it. */
const touches = (paths: readonly string[], place: string) =>
  paths.some((path) => path === place || path.startsWith(`${place}/`) || place.startsWith(`${path}/`))

/**
 * Differences between the result and one side at places unchanged by the other side: a lost change, or content that
 * neither side wrote.
 */
function missing(base: DraftRuleset, side: DraftRuleset, other: DraftRuleset, merged: ReturnType<typeof merge3>) {
  const allowed = [...pathsOf(base, other), ...merged.conflicts.map(({ path }) => path)]
  return pathsOf(side, merged.draft).filter((path) => !touches(allowed, path))
}

/** A draft after some edits of existing steps. */
function edited(random: Random, base: DraftRuleset): DraftRuleset {
  const steps = base.steps.flatMap((step) => {
    if (!chance(random, 0.35)) return [step]
    return chance(random, 0.1) ? [] : [changedStep(random, step)]
  })
  const added = chance(random, 0.3)
    ? [{ id: `new${inRange(random, 1, 3)}`, type: 'terminal', code: pick(random, CODES) } as const]
    : []
  const config = chance(random, 0.2) ? { ...base.config, description: pick(random, CODES) } : base.config
  return { ...base, config, steps: [...steps, ...added] }
}

const CODES = ['A', 'B', 'C']

function changedStep(random: Random, step: DraftStep): DraftStep {
  if (chance(random, 0.2)) return { ...step, name: pick(random, CODES) }
  switch (step.type) {
    case 'terminal':
      return { ...step, code: pick(random, CODES) }
    case 'action':
      return {
        ...step,
        assignments: changedItems(random, step.assignments, () => ({ name: pick(random, ['p', 'q']), value: '1' })),
      }
    case 'decision':
      return {
        ...step,
        branches: changedItems(random, step.branches, () => ({
          id: pick(random, ['n1', 'n2']),
          condition: pick(random, CODES),
        })),
      }
    case 'table':
      return {
        ...step,
        rows: changedItems(random, step.rows, () => ({
          id: pick(random, ['n1', 'n2', 'n3']),
          cells: { n: pick(random, CODES) },
        })),
      }
    case 'sub_rule':
      return { ...step, nextStepId: pick(random, CODES) }
  }
}

/** A list with one item added, deleted, moved or replaced. */
function changedItems<Item extends object>(random: Random, items: readonly Item[], fresh: () => Item): readonly Item[] {
  const index = inRange(random, 0, Math.max(0, items.length - 1))
  const kind = pick(random, ['add', 'delete', 'move', 'note'])
  if (kind === 'delete') return items.toSpliced(index, 1)
  if (kind === 'move') return items.toReversed()
  if (kind === 'note')
    return items.map((item, place) => (place === index ? { ...item, note: pick(random, CODES) } : item))
  const item = fresh()
  const name = (one: object) => ('id' in one ? one.id : 'name' in one ? one.name : undefined)
  return items.some((one) => name(one) === name(item)) ? items : items.toSpliced(index, 0, item)
}

test(`${CASES} random edits of different steps join without a conflict, in either order, and equal edits join to one`, () => {
  const random = seededRandom(SEED)
  for (let count = 0; count < CASES; count++) {
    const { draft: base } = decodeDraft(randomDraft(random))
    if (base === undefined) throw new Error('a random draft is none')
    const isMine = new Set(base.steps.filter(() => chance(random, 0.5)).map(({ id }) => id))
    const edit = (mine: boolean): DraftRuleset => ({
      ...base,
      steps: base.steps.map((step) => (isMine.has(step.id) === mine ? changedStep(random, step) : step)),
    })
    const [mine, theirs] = [edit(true), edit(false)]
    const both = {
      ...base,
      steps: mine.steps.map((step, index) => (isMine.has(step.id) ? step : (theirs.steps[index] ?? step))),
    }
    expect(merge3(base, mine, theirs)).toEqual({ draft: both, conflicts: [] })
    expect(merge3(base, theirs, mine)).toEqual({ draft: both, conflicts: [] })
    expect(merge3(base, both, structuredClone(both))).toEqual({ draft: both, conflicts: [] })
    // Merging is stable: merging the result again changes nothing.
    expect(merge3(base, both, mine)).toEqual({ draft: both, conflicts: [] })
  }
}, 1_200_000)

import type { DraftRuleset, DraftStep } from '@engine/authoring'
import { expect, test } from 'vitest'
import { layoutKey, layoutOf, placedAt, storedPosition } from './positions.ts'
import { sizeOf } from './shape.ts'

const SET: DraftStep = { id: 'set', type: 'action', assignments: [], nextStepId: 'end' }
const END: DraftStep = { id: 'end', type: 'terminal', code: 'DONE' }
const DRAFT: DraftRuleset = { config: { name: 'd' }, startStepId: 'set', steps: [SET, END] }

test('a position is stored in whole pixels, and removed', () => {
  const placed = placedAt(SET, { x: 10.6, y: 20.4 })
  expect(placed).toEqual({ ...SET, position: { x: 11, y: 20 } })
  expect(storedPosition(placed)).toEqual({ x: 11, y: 20 })
  expect(placedAt(placed, undefined)).toEqual(SET)
})

test.each([undefined, null, 'here', [1, 2], {}, { x: 1 }, { y: 1 }, { x: '1', y: 1 }, { x: 1, y: null }])(
  'the position %j is none',
  (position) => {
    expect(storedPosition({ ...SET, position } as DraftStep)).toBeUndefined()
  },
)

const changed = (step: object, more: Partial<DraftRuleset> = {}) =>
  layoutKey({ ...DRAFT, ...more, steps: [{ ...SET, ...step }, END] })

test.each<[name: string, key: string, isSame: boolean]>([
  ['an assignment', changed({ assignments: [{ name: 'x', value: '1' }] }), true],
  ['a name', changed({ name: 'Set' }), true],
  ['a position', changed({ position: { x: 1, y: 2 } }), true],
  [
    'a longer list of assignments',
    changed({ assignments: [1, 2, 3, 4].map((value) => ({ name: 'x', value: String(value) })) }),
    false,
  ],
  ['a target', changed({ nextStepId: 'other' }), false],
  ['an id', changed({ id: 'other' }), false],
  ['an entry', changed({}, { startStepId: 'end' }), false],
  ['a kind', layoutKey({ ...DRAFT, steps: [SET, { ...SET, id: 'end' }] }), false],
])('a change of %s keeps the layout: %3$s', (_name, key, isSame) => {
  expect(key === layoutKey(DRAFT)).toBe(isSame)
})

test.each([
  ['down', { x: 374, y: 41 }],
  ['right', { x: 194, y: 46 }],
] as const)(
  'the layout to the direction %s begins with the entry, and has its result beside the exit',
  (direction, end) => {
    const { boxes } = layoutOf(DRAFT, direction, 1000)
    expect([boxes.get('set'), boxes.get('end')]).toEqual([{ x: 0, y: 0 }, end])
  },
)

test('a result has the size of its direction, other steps that of their text', () => {
  expect((['down', 'right'] as const).map((direction) => [sizeOf(SET, direction), sizeOf(END, direction)])).toEqual([
    [
      { width: 320, height: 80 },
      { width: 196, height: 34 },
    ],
    [
      { width: 320, height: 80 },
      { width: 116, height: 24 },
    ],
  ])
})

import type { DraftRuleset, Row, TableStep } from '@engine/authoring'
import { describe, expect, test } from 'vitest'
import type { ChangedPlace } from './changed-places.ts'
import { changedTables, changesBeside, foldedRows } from './changed-tables.ts'

const row = (id: string, price: string, more: Partial<Row> = {}): Row => ({ id, cells: { price }, ...more })

const table = (id: string, rows: readonly Row[]): TableStep => ({
  id,
  type: 'table',
  hitPolicy: 'first',
  columns: [{ id: 'price', kind: 'output', field: 'price' }],
  rows: [...rows],
})

const draft = (...steps: TableStep[]): DraftRuleset => ({ config: { name: 'prices', version: '1.0.0' }, steps })
const before = draft(table('prices', [row('a', '1'), row('b', '2'), row('c', '3')]))

const changesOf = (after: DraftRuleset, places: readonly ChangedPlace[] = []) =>
  changedTables(before, after, places).flatMap(({ rows }) =>
    rows.map(({ path, change, before: was, after: is, cells }) => [
      path.replace('/steps/prices/rows/', ''),
      change,
      was?.number,
      is?.number,
      [...cells].join(),
    ]),
  )

describe('a row of a changed table', () => {
  test.each<readonly [title: string, rows: readonly Row[], expected: readonly unknown[][]]>([
    [
      'has the cells that differ',
      [row('a', '1'), row('b', '9'), row('c', '3')],
      [
        ['a', undefined, 1, 1, ''],
        ['b', 'changed', 2, 2, 'price'],
        ['c', undefined, 3, 3, ''],
      ],
    ],
    [
      'that is new has a number in the candidate only',
      [row('a', '1'), row('d', '4'), row('b', '2'), row('c', '3')],
      [
        ['a', undefined, 1, 1, ''],
        ['d', 'added', undefined, 2, ''],
        ['b', undefined, 2, 3, ''],
        ['c', undefined, 3, 4, ''],
      ],
    ],
    [
      'that is gone follows its former predecessor',
      [row('a', '1'), row('c', '3')],
      [
        ['a', undefined, 1, 1, ''],
        ['b', 'removed', 2, undefined, ''],
        ['c', undefined, 3, 2, ''],
      ],
    ],
    [
      'that leads elsewhere, or is switched off, is changed',
      [row('a', '1', { nextStepId: 'x' }), row('b', '2', { disabled: true }), row('c', '3', { note: 'new' })],
      [
        ['a', 'changed', 1, 1, 'next'],
        ['b', 'changed', 2, 2, 'disabled'],
        ['c', 'changed', 3, 3, 'note'],
      ],
    ],
  ])('%s', (_title, rows, expected) => expect(changesOf(draft(table('prices', rows)))).toEqual(expected))

  test('that only moved keeps both numbers', () => {
    const after = draft(table('prices', [row('c', '3'), row('a', '1'), row('b', '2')]))
    expect(changesOf(after, [{ path: '/steps/prices/rows/c', change: 'moved', part: 'row' }])).toEqual([
      ['c', 'moved', 3, 1, ''],
      ['a', undefined, 1, 2, ''],
      ['b', undefined, 2, 3, ''],
    ])
  })
})

describe('the tables of a release', () => {
  test('without a difference in their rows are left out', () => {
    const renamed = draft({ ...table('prices', [row('a', '1'), row('b', '2'), row('c', '3')]), name: 'Prices' })
    expect(changedTables(before, renamed, [])).toEqual([])
  })

  test('are named by positions in each version, as analyses name them', () => {
    const [found] = changedTables(
      before,
      draft(table('first', [row('z', '0')]), table('prices', [row('a', '5')])),
      [],
    ).filter(({ step }) => step.id === 'prices')
    expect(found?.at).toEqual({ before: '/steps/0', after: '/steps/1' })
  })

  test('include those of sub-rules, behind their own', () => {
    const within = (price: string): DraftRuleset => ({
      ...before,
      subRules: { extra: { startStepId: 'inner', steps: [table('inner', [row('a', price)])] } },
    })
    const [found] = changedTables(within('1'), within('2'), [])
    expect(found?.path).toBe('/subRules/extra/steps/inner')
    expect(found?.rows.map(({ path }) => path)).toEqual(['/subRules/extra/steps/inner/rows/a'])
  })

  test('leave the changes that they do not show to the list', () => {
    const places: ChangedPlace[] = [
      { path: '/version', change: 'changed' },
      { path: '/steps/prices/name', change: 'changed' },
      { path: '/steps/prices/rows/b/cells/price', change: 'changed' },
    ]
    const tables = changedTables(before, draft(table('prices', [row('a', '1'), row('b', '9'), row('c', '3')])), places)
    expect(changesBeside(places, tables).map(({ path }) => path)).toEqual(['/version', '/steps/prices/name'])
  })
})

describe('rows without a change', () => {
  const rows = changedTables(
    draft(
      table(
        'prices',
        Array.from({ length: 8 }, (_, index) => row(`r${index}`, '1')),
      ),
    ),
    draft(
      table(
        'prices',
        Array.from({ length: 8 }, (_, index) => row(`r${index}`, index === 5 ? '2' : '1')),
      ),
    ),
    [],
  )[0]?.rows
  const shownWith = (opened: ReadonlyMap<number, number>) =>
    foldedRows(rows ?? [], opened).map((one) =>
      one.kind === 'row' ? one.row.after?.number : `${one.count} from ${one.first}`,
    )

  test.each<readonly [title: string, opened: readonly (readonly [number, number])[], shown: readonly unknown[]]>([
    ['are folded', [], ['5 from 0', 6, '2 from 6']],
    ['are shown as far as they were opened', [[0, 2]], [1, 2, '3 from 0', 6, '2 from 6']],
    [
      'are all shown once a run is opened',
      [
        [0, 100],
        [6, 100],
      ],
      [1, 2, 3, 4, 5, 6, 7, 8],
    ],
  ])('%s', (_title, opened, shown) => expect(shownWith(new Map(opened))).toEqual(shown))
})

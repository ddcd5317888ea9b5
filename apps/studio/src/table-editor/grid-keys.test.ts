import type { Row, TableStep } from '@engine/authoring'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test, vi } from 'vitest'
import type { GridPlace } from './cell-editing.ts'
import { type GridCommands, useGridEdits, useGridKeys } from './grid-keys.ts'
import { columnsOf } from './rows.ts'
import { cellAt, type Selection } from './selection.ts'

const TABLE: TableStep = {
  id: 't',
  type: 'table',
  hitPolicy: 'first',
  columns: [
    { id: 'c1', kind: 'input', field: 'age', type: 'number' },
    { id: 'c2', kind: 'input', field: 'land', type: 'string' },
  ],
  rows: [
    { id: 'r1', cells: { c1: '1', c2: '"DE"' } },
    { id: 'r2', cells: { c1: '2', c2: '"FR"' } },
    { id: 'r3', cells: { c1: '3' } },
  ],
}
const COLUMNS = columnsOf(TABLE, { next: 'next', note: 'note' }).filter(({ id }) => id === 'c1' || id === 'c2')
const range = (row: number, column: number, toRow: number, toColumn: number): Selection => ({
  row,
  column,
  toRow,
  toColumn,
})

/** A grid with a selection: its keys, and its rows as texts after each change. */
function grid(
  selection: Selection,
  commands: GridCommands = {},
  more: { readonly edited?: boolean; readonly readOnly?: boolean } = {},
) {
  let rows: readonly Row[] = TABLE.rows
  const selected: Selection[] = []
  const begun: (string | undefined)[] = []
  const labels: string[] = []
  const place: GridPlace = {
    box: { current: null },
    columns: COLUMNS,
    rows,
    change:
      more.readOnly === true
        ? undefined
        : (label, change) => {
            labels.push(label)
            rows = change(rows)
          },
    selection,
    select: (to) => void selected.push(to),
    go: (to) => void selected.push(to),
    height: 400,
    notation: 'words',
    isField: undefined,
  }
  const edited = more.edited === true ? { row: 0, column: 0, text: '', initial: undefined } : undefined
  const editing = { edited, begin: (text?: string) => void begun.push(text), commit() {}, cancel() {}, type() {} }
  let keys: ReturnType<typeof useGridKeys> | undefined
  let edits: ReturnType<typeof useGridEdits> | undefined
  function Grid(): null {
    keys = useGridKeys(place, editing, commands)
    edits = useGridEdits(place, () => {})
    return null
  }
  renderToStaticMarkup(createElement(Grid))
  if (keys === undefined || edits === undefined) throw new Error('the grid was not rendered')
  const clipboard = new Map<string, string>()
  const event = (type: string, text = '') => ({
    type,
    preventDefault() {},
    clipboardData: { setData: (form: string, given: string) => void clipboard.set(form, given), getData: () => text },
  })
  const { onKey, onCopy, onPaste } = keys
  return {
    selected,
    begun,
    labels,
    clipboard,
    edits,
    texts: () => rows.map(({ cells }) => [cells['c1'] ?? '', cells['c2'] ?? ''].join('|')),
    ids: () => rows.map(({ id }) => id),
    press(key: string, held: Partial<Record<'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey', boolean>> = {}) {
      const preventDefault = vi.fn<() => void>()
      const pressed = { key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held }
      onKey({ ...pressed, preventDefault, stopPropagation() {} } as unknown as Parameters<typeof onKey>[0])
      return preventDefault.mock.calls.length > 0
    },
    copy: (type = 'copy') => onCopy(event(type) as unknown as Parameters<typeof onCopy>[0]),
    paste: (text: string) => onPaste(event('paste', text) as unknown as Parameters<typeof onPaste>[0]),
  }
}
const BEFORE = ['1|"DE"', '2|"FR"', '3|']

describe('a key', () => {
  test.each<[title: string, key: string, begun: readonly (string | undefined)[]]>([
    ['Enter edits the cell', 'Enter', [undefined]],
    ['F2 edits the cell', 'F2', [undefined]],
    ['that is a character replaces the cell', 'x', ['x']],
    ['that is none does nothing', 'Shift', []],
  ])('%s', (_title, key, begun) => {
    const its = grid(cellAt(0, 0))
    expect(its.press(key)).toBe(begun.length > 0)
    expect([its.begun, its.texts()]).toEqual([begun, BEFORE])
  })

  test.each(['Delete', 'Backspace'])('%s clears the range, and nothing else', (key) => {
    const its = grid(range(1, 1, 0, 1))
    its.press(key)
    expect(its.texts()).toEqual(['1|', '2|', '3|'])
    expect(its.labels).toHaveLength(1)
  })

  test('Delete behind the last row does nothing', () => {
    const its = grid(cellAt(3, 0))
    expect([its.press('Delete'), its.texts()]).toEqual([false, BEFORE])
  })

  test('Escape leaves the active cell of a range', () => {
    const its = grid(range(2, 1, 0, 0))
    its.press('Escape')
    expect(its.selected).toEqual([cellAt(2, 1)])
    expect(grid(cellAt(2, 1)).press('Escape')).toBe(false)
  })

  test('an arrow moves the selection', () => {
    const its = grid(cellAt(0, 0))
    its.press('ArrowDown')
    expect(its.selected).toEqual([cellAt(1, 0)])
  })

  test('means nothing to the grid while a cell is edited', () => {
    const its = grid(cellAt(0, 0), {}, { edited: true })
    for (const key of ['x', 'Delete', 'ArrowDown']) expect(its.press(key)).toBe(false)
    its.copy('cut')
    its.paste('9')
    expect([its.texts(), its.selected, its.begun, its.clipboard.size]).toEqual([BEFORE, [], [], 0])
  })
})

describe.each(['ctrlKey', 'metaKey'] as const)('with %s', (held) => {
  test('A selects everything', () => {
    const its = grid(cellAt(1, 1))
    its.press('A', { [held]: true })
    expect(its.selected).toEqual([range(0, 0, 2, 1)])
  })

  test('D fills the range with its first row', () => {
    const its = grid(range(0, 0, 2, 1))
    its.press('d', { [held]: true })
    expect(its.texts()).toEqual(['1|"DE"', '1|"DE"', '1|"DE"'])
  })

  test('I inserts an empty row below the range', () => {
    const its = grid(range(0, 1, 1, 1))
    its.press('i', { [held]: true })
    expect([its.texts(), its.selected]).toEqual([['1|"DE"', '2|"FR"', '|', '3|'], [cellAt(2, 1)]])
    expect(new Set(its.ids()).size).toBe(4)
  })

  test('F finds where the grid can', () => {
    const find = vi.fn<() => void>()
    expect([grid(cellAt(0, 0), { find }).press('f', { [held]: true }), find.mock.calls.length]).toEqual([true, 1])
    expect(grid(cellAt(0, 0)).press('f', { [held]: true })).toBe(false)
  })
})

describe('with Alt', () => {
  test.each<[title: string, selection: Selection, key: string, ids: readonly string[], to: readonly Selection[]]>([
    ['an arrow moves rows up', range(1, 0, 2, 1), 'ArrowUp', ['r2', 'r3', 'r1'], [range(0, 0, 1, 1)]],
    ['an arrow moves rows down', range(1, 0, 0, 0), 'ArrowDown', ['r3', 'r1', 'r2'], [range(2, 0, 1, 0)]],
    ['the first row stays', cellAt(0, 0), 'ArrowUp', ['r1', 'r2', 'r3'], []],
    ['the last row stays', range(1, 0, 2, 0), 'ArrowDown', ['r1', 'r2', 'r3'], []],
  ])('%s', (_title, selection, key, ids, to) => {
    const its = grid(selection)
    expect(its.press(key, { altKey: true })).toBe(true)
    expect([its.ids(), its.selected]).toEqual([ids, to])
  })

  test('an arrow to a side moves the column where the grid can', () => {
    const moved: string[] = []
    const moveColumn = (id: string, way: number) => void moved.push(`${id} ${way}`)
    const its = grid(cellAt(0, 1), { moveColumn })
    for (const key of ['ArrowLeft', 'ArrowRight']) its.press(key, { altKey: true })
    expect([moved, its.selected]).toEqual([['c2 -1', 'c2 1'], []])
  })

  test('a character is no text for the cell', () => {
    const its = grid(cellAt(0, 0))
    expect([its.press('x', { altKey: true }), its.begun]).toEqual([false, []])
  })
})

describe('the clipboard', () => {
  test('has the range, which a cut clears', () => {
    const its = grid(range(0, 0, 1, 1))
    its.copy()
    expect(its.texts()).toEqual(BEFORE)
    expect(
      its.clipboard
        .get('text/plain')
        ?.split('\n')
        .filter((line) => line !== ''),
    ).toHaveLength(2)
    expect(its.clipboard.get('text/html')).toContain('<table')
    its.copy('cut')
    expect(its.texts()).toEqual(['|', '|', '3|'])
  })

  test('of several cells is written from the first cell of the range on', () => {
    const its = grid(range(2, 1, 1, 0))
    its.paste('7\tUS\n8\tCN')
    expect([its.texts(), its.selected]).toEqual([['1|"DE"', '7|"US"', '8|"CN"'], [range(1, 0, 2, 1)]])
  })

  test('of one cell fills the range', () => {
    const its = grid(range(0, 0, 2, 0))
    its.paste('9')
    expect([its.texts(), its.selected]).toEqual([['9|"DE"', '9|"FR"', '9|'], [range(0, 0, 2, 0)]])
  })

  test('of more rows than there are makes rows', () => {
    const its = grid(cellAt(2, 0))
    its.paste('7\n8')
    expect(its.texts()).toEqual(['1|"DE"', '2|"FR"', '7|', '8|'])
  })

  test('is taken by the page where that says so, but for one cell', () => {
    const taken: unknown[] = []
    const paste: GridCommands['paste'] = (cells, at) => taken.push([cells, at]) > 0
    const its = grid(cellAt(1, 0), { paste })
    its.paste('7\tUS')
    expect([taken, its.texts()]).toEqual([[[[['7', 'US']], { row: 1, column: 0 }]], BEFORE])
    its.paste('9')
    expect([taken.length, its.texts()]).toEqual([1, ['1|"DE"', '9|"FR"', '3|']])
    const left = grid(cellAt(1, 0), { paste: () => false })
    left.paste('7\tUS')
    expect(left.texts()).toEqual(['1|"DE"', '7|"US"', '3|'])
  })

  test('changes nothing of a table that is only shown', () => {
    const its = grid(cellAt(0, 0), {}, { readOnly: true })
    its.paste('9')
    its.press('Delete')
    its.press('ArrowDown', { altKey: true })
    expect([its.texts(), its.ids()]).toEqual([BEFORE, ['r1', 'r2', 'r3']])
  })
})

describe('the pointer', () => {
  test('fills a range down, in turn', () => {
    const its = grid(cellAt(0, 0))
    its.edits.fill(range(0, 0, 1, 0), 4)
    expect(its.texts()).toEqual(['1|"DE"', '2|"FR"', '1|', '2|', '1|'])
    expect(its.selected).toEqual([range(0, 0, 4, 0)])
    expect(its.labels).toHaveLength(1)
  })

  test('fills nothing from behind the last row', () => {
    const its = grid(cellAt(0, 0))
    its.edits.fill(cellAt(5, 0), 6)
    expect([its.texts(), its.selected]).toEqual([BEFORE, []])
  })

  test.each<[first: number, last: number, before: number, ids: readonly string[], at: number]>([
    [0, 0, 3, ['r2', 'r3', 'r1'], 2],
    [2, 2, 0, ['r3', 'r1', 'r2'], 0],
    [0, 1, 3, ['r3', 'r1', 'r2'], 1],
    [1, 1, 3, ['r1', 'r3', 'r2'], 2],
  ])('moves rows %i to %i before row %i', (first, last, before, ids, at) => {
    const its = grid(cellAt(0, 0))
    its.edits.moveRows(first, last, before)
    expect([its.ids(), its.selected]).toEqual([ids, [range(at, 0, at + last - first, 1)]])
  })
})

import type { Row } from '@engine/authoring'
import { describe, expect, test } from 'vitest'
import { en } from '../texts/en.ts'
import { afterEdit, begunEdit, isChanged } from './cell-edit.ts'
import { columnsOf } from './rows.ts'

const WORDS = en.cellForms
const COLUMNS = columnsOf(
  {
    hitPolicy: 'first',
    columns: [
      { id: 'a', kind: 'input', field: 'age', type: 'number' },
      { id: 'b', kind: 'output', field: 'limit', type: 'string' },
    ],
    rows: [],
  },
  { next: 'then', note: 'why' },
)
const [AGE, LIMIT, NEXT, NOTE] = [0, 1, 2, 3]
const ROW: Row = { id: 'r1', cells: { a: '<= 5', b: 'age' }, nextStepId: 'yes', note: '"agreed"' }
const EMPTY: Row = { id: 'r2', cells: { a: '' } }

describe('an edit begins', () => {
  test.each([
    ['with the words of the cell', AGE, ROW, WORDS, undefined, 'up to 5', 'up to 5'],
    ['with its code, where code is shown', AGE, ROW, undefined, undefined, '<= 5', '<= 5'],
    ['with `=` before the name of a field', LIMIT, ROW, WORDS, undefined, '= age', '= age'],
    ['with the id of the next step', NEXT, ROW, WORDS, undefined, 'yes', 'yes'],
    ['with the note as it is', NOTE, ROW, WORDS, undefined, '"agreed"', '"agreed"'],
    ['empty behind the last row', AGE, undefined, WORDS, undefined, '', ''],
    ['with the typed character, which replaces the cell', AGE, ROW, WORDS, '7', '7', undefined],
    ['empty with Delete, which replaces the cell', AGE, ROW, WORDS, '', '', undefined],
  ])('%s', (_, column, row, words, typed, text, initial) => {
    const target = COLUMNS[column]
    if (target === undefined) throw new Error('no column')
    const edit = begunEdit({ row: 4, column }, row, target, words, typed)
    expect(edit).toEqual({ row: 4, column, text, initial })
  })
})

describe('an edit changes its cell', () => {
  test.each([
    ['not while its text is what it began with', { row: 0, column: AGE, text: 'up to 5', initial: 'up to 5' }, false],
    ['when its text differs from what it began with', { row: 0, column: AGE, text: '<= 5', initial: 'up to 5' }, true],
    ['not when the typed text is that of the cell', { row: 0, column: AGE, text: '<= 5', initial: undefined }, false],
    ['when the typed text is another', { row: 0, column: AGE, text: '6', initial: undefined }, true],
    ['when the text is removed', { row: 0, column: AGE, text: '', initial: undefined }, true],
    ['not without text behind the last row', { row: 1, column: AGE, text: '', initial: undefined }, false],
    ['with text behind the last row', { row: 1, column: AGE, text: '6', initial: undefined }, true],
    ['not in a column that is gone', { row: 0, column: 9, text: '6', initial: undefined }, false],
  ])('%s', (_, edit, changed) => {
    expect(isChanged(edit, [ROW], COLUMNS)).toBe(changed)
  })
})

describe('the end of an edit leads', () => {
  const rows = [ROW, EMPTY]
  const to = (row: number, column: number, isNewRow = false) => ({
    at: { row, column, toRow: row, toColumn: column },
    isNewRow,
  })
  test.each([
    ['down', rows, 0, 'x', [1, 0], to(1, 1)],
    ['up', rows, 1, 'x', [-1, 0], to(0, 1)],
    ['right', rows, 0, 'x', [0, 1], to(0, 2)],
    ['left', rows, 0, 'x', [0, -1], to(0, 0)],
    ['nowhere', rows, 1, 'x', [0, 0], to(1, 1)],
    ['no higher than the first row', rows, 0, 'x', [-1, 0], to(0, 1)],
    ['no farther than the first column', rows, 0, 'x', [0, -2], to(0, 0)],
    ['no farther than the last column', rows, 0, 'x', [0, 9], to(0, 3)],
    ['to a new row behind the last one', rows, 1, 'x', [1, 0], to(2, 1, true)],
    ['to a new row behind a last one that has content', [EMPTY, ROW], 1, '', [1, 0], to(2, 1, true)],
    ['to no new row behind one without content', rows, 1, '', [1, 0], to(1, 1)],
    ['to a new row behind one that is being made', rows, 2, 'x', [1, 0], to(3, 1, true)],
    ['back to the last row from one that stays without content', rows, 2, '', [1, 0], to(1, 1)],
    ['to no new row when it moves to the side', rows, 1, 'x', [0, 1], to(1, 2)],
  ] as const)('%s', (_, all, row, text, [down, across], end) => {
    const edit = { row, column: 1, text, initial: '' }
    expect(afterEdit(edit, all, COLUMNS.length, down, across)).toEqual(end)
  })
})

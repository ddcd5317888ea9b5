import type { DraftGraph, TableStep } from '@engine/authoring'
import { describe, expect, test } from 'vitest'
import type { Cells } from './clipboard.ts'
import { type PastePlace, withPaste, withPasted } from './paste.ts'
import { planPaste } from './paste-plan.ts'

/** A table of an age and a limit, with one row. */
const TABLE: TableStep = {
  id: 't',
  type: 'table',
  hitPolicy: 'first',
  columns: [
    { id: 'a', kind: 'input', field: 'age', type: 'number' },
    { id: 'b', kind: 'output', field: 'limit', type: 'number' },
  ],
  rows: [{ id: 'r1', cells: { a: '18', b: '100' }, nextStepId: 'yes', note: 'since 2020' }],
  nextStepId: 'yes',
}
const END = { id: 'yes', type: 'terminal', code: 'YES', output: [{ name: 'limit', value: '$limit' }] } as const

function pasted(
  cells: Cells,
  place: Partial<PastePlace> = {},
  step = TABLE,
  graph: DraftGraph = { steps: [step, END] },
) {
  return withPaste(graph, step, planPaste(cells, step, 0), { mode: 'at', row: 0, ...place })
}

describe('a paste', () => {
  test.each([
    ['at the first row', { row: 0 }, [['7', '70']]],
    [
      'after the last row',
      { row: 1 },
      [
        ['18', '100'],
        ['7', '70'],
      ],
    ],
    [
      'far below the last row',
      { row: 9 },
      [
        ['18', '100'],
        ['7', '70'],
      ],
    ],
  ])('%s leaves no gap', (_, place, rows) => {
    const { step } = pasted([['7', '70']], place)
    expect([...step.rows].map((row) => [row?.cells['a'], row?.cells['b']])).toEqual(rows)
  })

  test('counts what it adds and removes', () => {
    expect(pasted([['7', '70']])).toMatchObject({ same: 0, added: 1, removed: 0 })
    expect(pasted([['7', '70']], { mode: 'replace' })).toMatchObject({ same: 0, added: 1, removed: 1 })
  })

  test('into a table with rows leaves the results that follow it', () => {
    const { changed, step } = pasted([
      ['age', 'out:discount'],
      ['7', '70'],
    ])
    expect([changed, step.columns.map(({ field }) => field)]).toEqual([[], ['age', 'limit', 'discount']])
  })

  test('clears the cell, the next step and the note where its own are empty', () => {
    const { step } = pasted([
      ['age', 'limit', 'next', 'note'],
      ['7', '', ' ', ' '],
    ])
    expect(step.rows).toEqual([{ id: 'r1', cells: { a: '7' } }])
  })

  test('sets the next step and the note without their outer blanks', () => {
    const { step, results } = pasted([
      ['age', 'next', 'note'],
      ['7', ' YES ', ' new '],
    ])
    expect([step.rows[0], results]).toEqual([{ ...TABLE.rows[0], cells: { a: '7', b: '100' }, note: 'new' }, []])
  })

  test('makes one result for each new name, also when several rows use it', () => {
    const { step, results } = pasted([
      ['age', 'next'],
      ['7', 'NEW'],
      ['8', 'NEW'],
      ['9', 'OTHER'],
    ])
    expect(results.map(({ code }) => code)).toEqual(['NEW', 'OTHER'])
    expect(step.rows.map(({ nextStepId }) => nextStepId)).toEqual([results[0]?.id, results[0]?.id, results[1]?.id])
  })

  test('leads no row back to its own table', () => {
    const { results } = pasted([
      ['age', 'next'],
      ['7', 't'],
    ])
    expect(results.map(({ code }) => code)).toEqual(['t'])
  })

  test('names new columns by free fields, those of results without points', () => {
    const { step } = pasted([
      ['age', 'in:order.total', 'out:order.sum', 'out:limit', 'in:order.total'],
      ['7', '1', '2', '3', '4'],
    ])
    expect(step.columns.map(({ kind, field }) => `${kind} ${field}`).toSorted()).toEqual([
      'input age',
      'input order.total',
      'input order.total_2',
      'output limit',
      'output order_sum',
    ])
  })

  test('keeps rows with the same texts in another order of their cells, or with empty ones', () => {
    const step = { ...TABLE, rows: [{ id: 'r1', cells: { b: '100', a: '18', gone: '' } }] }
    expect(pasted([['18', '100']], { mode: 'replace' }, step)).toMatchObject({
      same: 1,
      added: 0,
      step: { rows: step.rows },
    })
  })

  test('keeps no row that leads elsewhere', () => {
    const cells = [
      ['age', 'limit', 'next'],
      ['18', '100', 'NO'],
    ]
    expect(pasted(cells, { mode: 'replace' })).toMatchObject({ same: 0, added: 1, removed: 1 })
  })

  test('replaces the steps of the graph that it changed, and adds its results', () => {
    const graph: DraftGraph = { startStepId: 't', steps: [TABLE, END] }
    const made = pasted([
      ['age', 'next'],
      ['7', 'NEW'],
    ])
    expect(withPasted(graph, made)).toEqual({ startStepId: 't', steps: [made.step, END, ...made.results] })
  })
})

describe('a paste into a blank table', () => {
  const blank: TableStep = { ...TABLE, rows: [{ id: 'r1', cells: {} }] }
  const graph: DraftGraph = {
    steps: [
      blank,
      { ...END, output: [...END.output, { name: 'kept', value: '$kept' }] },
      { ...END, id: 'no', output: [{ name: 'limit', value: '$limit' }] },
    ],
  }
  const made = pasted(
    [
      ['Height (cm)', 'price'],
      ['7', '70'],
    ],
    { mode: 'add', row: 5 },
    blank,
    graph,
  )

  test('replaces its rows and its columns', () => {
    expect(made.step.columns).toEqual([
      expect.objectContaining({ kind: 'input', field: 'height', label: 'Height', unit: 'cm', type: 'number' }),
      expect.objectContaining({ kind: 'output', field: 'price', type: 'number' }),
    ])
    expect(made.step.columns[1]).not.toHaveProperty('label')
    expect(made.step.rows.map(({ cells }) => Object.values(cells))).toEqual([['7', '70']])
  })

  test('changes the values of the result that follows it, and no other', () => {
    expect(made.changed).toEqual([
      {
        ...END,
        output: [
          { name: 'kept', value: '$kept' },
          { name: 'price', value: '$price' },
        ],
      },
    ])
  })

  test('gives its untyped columns the type of the texts', () => {
    const untyped = { ...blank, columns: [{ id: 'a', kind: 'input', field: 'age' } as const, TABLE.columns[1]!] }
    const { step } = pasted([['DE', '70']], {}, untyped)
    expect(step.columns.map(({ type }) => type)).toEqual(['string', 'number'])
  })
})

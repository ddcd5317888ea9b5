import type { DraftRuleset, TableStep } from '@engine/authoring'
import { describe, expect, test } from 'vitest'
import type { DraftFinding } from '../../language/tasks.ts'
import { findings as words } from '../../texts/en/findings.ts'
import { findingText, inputText } from './finding-words.ts'

const TABLE: TableStep = { id: 't', type: 'table', hitPolicy: 'first', columns: [], rows: [], nextStepId: 'yes' }
const draftOf = (table: Partial<TableStep>): DraftRuleset => ({
  config: { name: 'd' },
  steps: [
    { ...TABLE, ...table },
    { id: 'yes', name: 'Priced', type: 'terminal', code: 'YES' },
    { id: 'no', type: 'terminal', code: 'NO' },
    { id: 'set', type: 'action', assignments: [] },
  ],
})
const sentence = (kind: DraftFinding['kind'], more: Partial<DraftFinding> = {}, table: Partial<TableStep> = {}) =>
  findingText({ kind, path: '/steps/0', severity: 'warning', by: [], ...more }, draftOf(table), words)
const rows = (...numbers: readonly number[]) => numbers.map((number) => `/steps/0/rows/${number}`)

test.each<[kind: DraftFinding['kind'], more: Partial<DraftFinding>, text: string]>([
  ['shadowed', { by: rows(0) }, 'Each input that would match is taken before: row 1.'],
  ['shadowed', { by: ['/steps/0/branches/2'] }, 'Each input that would match is taken before: branch 3.'],
  ['shadowed', { by: ['/steps/3'] }, 'Each input that would match is taken before: /steps/3.'],
  ['shadowed', { by: rows(0, 1, 2, 3) }, 'Each input that would match is taken before: row 1, row 2, row 3, row 4.'],
  [
    'shadowed',
    { by: rows(0, 1, 2, 3, 4) },
    'Each input that would match is taken before: row 1, row 2, row 3, row 4, ….',
  ],
  ['unreachable_code', { code: 'VIP' }, 'No input has the result VIP.'],
  ['overlap', { by: rows(1) }, 'An input matches several rows, of which exactly one should match.'],
  ['overlap', { severity: 'info' }, 'An input matches several rows, of which exactly one should match.'],
  [
    'overlap',
    { severity: 'info', by: rows(1, 2) },
    'Some inputs match row 2 too, which comes first and has another result.',
  ],
  ['not_tested', {}, 'Not covered'],
  ['always_true', {}, 'Everything after it is never reached.'],
])('the finding %s with %j reads: %3$s', (kind, more, text) => {
  expect(sentence(kind, more)).toBe(text)
})

test.each<[table: Partial<TableStep>, severity: DraftFinding['severity'], text: string]>([
  [{}, 'notice', 'They go on to “Priced”.'],
  [{ defaultNextStepId: 'no' }, 'notice', 'They go on to “NO”.'],
  [{ defaultNextStepId: 'set' }, 'notice', 'They go on to “set”.'],
  [{ defaultNextStepId: 'no' }, 'warning', 'Such a decision fails. Add a row, or choose a step for “otherwise”.'],
])('inputs without a row in the table %j are a %s: %s', (table, severity, text) => {
  expect(sentence('gap', { severity }, table)).toBe(text)
})

describe('an example input', () => {
  test('lists its fields, with texts as they are', () => {
    expect(inputText({ country: 'DE', weight: 3, tags: ['a'] })).toBe('country DE, weight 3, tags [ "a" ]')
    expect(inputText({})).toBe('')
  })

  test('shortens a long list', () => {
    expect(inputText({ list: Array.from({ length: 40 }, () => 1) })).toBe(`list [ ${'1, '.repeat(12)}1…`)
  })
})

import type { Column, Row } from '@engine/authoring'
import { chance, inRange, pick, type Random, some } from '../../../ruleset/src/random.testing.ts'

/** A table as spreadsheet cells, with the expected result. */
export interface RandomSheet {
  readonly cells: readonly (readonly string[])[]
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
}

const FIELDS = ['age', 'user.level', '$["odd, key"]', 'tags[0]', '$.in'] as const
const TYPES = ['', '', 'number', 'string', 'array<string>'] as const
const CELLS = ['1', '"a, b"', '> 5', '[1..5)', 'in ["x", "y;z"]', '? contains(name, "\\"q\\"")', 'true', '"ä\n☂"', '']
const OUTPUTS = ['1.5', '"line\r\nbreak"', 'age * 2', '[1, "two"]', '', '{"k": "v"}']
const CODES = ['APPROVED', 'denied', 'Nächster Fall', 'table', '']

/** A sheet with the cells and columns of a table; no row is empty. */
export function randomSheet(random: Random): RandomSheet {
  const inputs = some(random, FIELDS, 1, 4).map((field) => ['in', field, pick(random, TYPES)] as const)
  const outputs = some(random, ['fee', 'rate', 'note'], 0, 3).map((field) => ['out', field, ''] as const)
  const named = [...inputs, ...outputs]
  const hasNext = chance(random, 0.5)
  const columns = named.map(([kind, field, type], index): Column => ({
    id: `c${index + 1}`,
    kind: kind === 'in' ? 'input' : 'output',
    field,
    ...(type !== '' && { type }),
  }))
  const rows = Array.from({ length: inRange(random, 0, 12) }, (_, index): Row => {
    const cells = columns.map(({ id, kind }) => [id, pick(random, kind === 'input' ? CELLS : OUTPUTS)] as const)
    const filled = cells.filter(([, text]) => text !== '')
    const next = hasNext ? pick(random, CODES) : ''
    const first: [string, string] = [columns[0]?.id ?? '', '7']
    return {
      id: `r${index + 1}`,
      cells: Object.fromEntries(filled.length === 0 ? [first] : filled),
      ...(next !== '' && { nextStepId: next }),
    }
  })
  const head = named.map(([kind, field, type]) => `${kind}:${field}${type === '' ? '' : `:${type}`}`)
  const texts = rows.map(({ cells, nextStepId }) => [
    ...columns.map(({ id }) => cells[id] ?? ''),
    ...(hasNext ? [nextStepId ?? ''] : []),
  ])
  return { cells: [[...head, ...(hasNext ? ['next'] : [])], ...texts], columns, rows }
}

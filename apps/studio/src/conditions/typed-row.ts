import type { Known } from '../expression-editor/complete.ts'
import { type Condition, readCondition, type Row, type Subject } from './condition.ts'
import { newRow, typeOfSubject } from './row-type.ts'

/** Numbers of the rows; a group counts all its rows. */
export function numbersOf({ rows }: Condition): readonly number[] {
  const numbers: number[] = []
  let next = 1
  for (const row of rows) {
    numbers.push(next)
    next += row.kind === 'group' ? row.rows.length : 1
  }
  return numbers
}

/** The left side that a person typed; undefined if it is invalid. */
export function subjectIn(typed: string, numberOf: (field: string) => string): Subject | undefined {
  const [before = '', behind = ''] = numberOf('\n').split('\n')
  const text = typed.trim()
  const isCount = text.length > before.length + behind.length && text.startsWith(before) && text.endsWith(behind)
  const counted = isCount ? `count(${text.slice(before.length, text.length - behind.length)})` : text
  const row = readCondition(`${counted} > 0`)?.rows[0]
  return row?.kind === 'comparison' && row.operator === 'more' ? row.subject : undefined
}

/** The row that a person typed: a known field gets a row of its type, anything else is read as a condition. */
export function rowIn(
  typed: string,
  known: Pick<Known, 'fields'>,
  numberOf: (field: string) => string,
): Row | undefined {
  const text = typed.trim()
  const subject = subjectIn(text, numberOf)
  if (subject !== undefined && subject.kind !== 'code') {
    const values = known.fields.find(({ path }) => path === subject.text)?.values ?? []
    return newRow(subject, typeOfSubject(subject, known), values)
  }
  const condition = readCondition(text)
  const [row, another] = condition?.rows ?? []
  if (condition === undefined || row === undefined) return undefined
  if (another === undefined) return row
  return { kind: 'code', text: `(${text})` }
}

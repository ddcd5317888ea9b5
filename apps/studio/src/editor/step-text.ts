import type { DraftStep, TableStep } from '@engine/authoring'
import { isObject, type Value } from '@engine/expression'

const texts = new WeakMap<DraftStep, string>()

/** All text of a step, one item per line: its name, conditions, fields, codes, cells and notes. */
export function textOfStep(step: DraftStep): string {
  const known = texts.get(step)
  if (known !== undefined) return known
  const text = (step.type === 'table' ? partsOfTable(step) : partsOf(step)).join('\n')
  texts.set(step, text)
  return text
}

/** Rows as text: their cells side by side. */
const partsOfTable = ({ columns, rows, ...rest }: TableStep): readonly string[] => [
  ...partsOf(rest),
  ...partsOf(columns),
  ...rows.map((row) => partsOf(row).join(' · ')),
]

/** Members that are not text of an author, such as the positions of steps. */
const UNREAD = new Set(['type', 'position', 'kind'])

function partsOf(value: Value): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(partsOf)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, part]) => (UNREAD.has(key) ? [] : partsOf(part)))
}

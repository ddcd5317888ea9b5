import type { CellType } from './cell-type.ts'

/** A title in the first row of a sheet. */
export interface SheetTitle {
  /** The text for people, without role, type and unit. */
  readonly label: string
  /** The field or variable that it names. */
  readonly field: string
  /** From `in:field`, `out:field`, `$variable`, `next` or `note`; undefined for automatic detection. */
  readonly role: 'input' | 'output' | 'next' | 'note' | undefined
  readonly type: CellType | undefined
  readonly unit: string | undefined
  /** True for `in:` and `out:`, whose cells are in table notation. */
  readonly isNotation: boolean
}

const TYPES: Readonly<Record<string, CellType>> = {
  string: 'text',
  text: 'text',
  number: 'number',
  boolean: 'boolean',
  date: 'date',
}

/** A unit in brackets at the end: `Weight (kg)`. */
const UNIT = /\s*[([]\s*([^)\]]{1,12}?)\s*[)\]]\s*$/

/** Parses a title. Linear in its length. */
export function readTitle(given: string): SheetTitle {
  const title = given.trim()
  const plain = { type: undefined, unit: undefined, isNotation: false }
  if (/^(?:next|note)$/i.test(title)) {
    const role = title.toLowerCase() === 'next' ? 'next' : 'note'
    return { ...plain, label: title, field: role, role }
  }
  const noted = /^(in|out):\s*(.+)$/i.exec(title)
  const { name, type } = withoutType(noted?.[2] ?? title)
  if (noted !== null) {
    const field = name.replace(/^\$(?=[\p{L}_])/u, '')
    const role = noted[1]?.toLowerCase() === 'in' ? 'input' : 'output'
    return { label: field, field, role, type, unit: undefined, isNotation: true }
  }
  const unit = UNIT.exec(name)?.[1]
  const label = name.replace(UNIT, '').trim()
  const variable = /^\$([\p{L}_][\p{L}\p{N}_]*)$/u.exec(label)?.[1]
  if (variable !== undefined) return { label: variable, field: variable, role: 'output', type, unit, isNotation: false }
  return {
    label: label === '' ? name.trim() : label,
    field: fieldOf(label),
    role: undefined,
    type,
    unit,
    isNotation: false,
  }
}

/** A name, and the type after its last colon. */
function withoutType(text: string): { readonly name: string; readonly type: CellType | undefined } {
  const [, name, word = ''] = /^(.*):\s*(\w+)\s*$/s.exec(text) ?? []
  const key = word.toLowerCase()
  if (name === undefined || !Object.hasOwn(TYPES, key)) return { name: text, type: undefined }
  return { name: name.trim(), type: TYPES[key] }
}

/** The field name for a title: lower-case letters, digits and `_`. */
export function fieldOf(title: string): string {
  const plain = title
    .replace(UNIT, '')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}.]+/gu, '_')
    .replaceAll(/\.{2,}/g, '.')
    .replaceAll(/^[_.]+|[_.]+$/g, '')
  return plain === '' ? 'field' : plain.replaceAll(/(^|\.)(?=\p{N})/gu, '$1_')
}

/** The key by which a title matches a column: case, white space, punctuation and a unit in brackets are ignored. */
export const keyOfTitle = (name: string): string =>
  name
    .replace(UNIT, '')
    .toLowerCase()
    .replaceAll(/[\s_$-]+/g, '')

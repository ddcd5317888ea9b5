import { nearest } from '@engine/expression'
import type { Known } from '../expression-editor/complete.ts'
import { cellTypeOf } from '../table-editor/cell-type.ts'
import { DEFAULT_READING, plainDate, plainNumber } from '../table-editor/plain-value.ts'
import type { Comparison, Operand, Operator, Subject } from './condition.ts'

/** The type of a row, which determines its operators and input control. */
export type RowType = 'text' | 'number' | 'boolean' | 'date' | 'list' | 'any'

/** The type of the left side of a row. */
export function typeOfSubject({ kind, text }: Subject, { fields }: Pick<Known, 'fields'>): RowType {
  if (kind !== 'field') return 'number'
  const type = fields.find(({ path }) => path === text)?.type ?? 'any'
  if (type.startsWith('array')) return 'list'
  const cells = cellTypeOf(type)
  return cells === undefined || cells === 'expression' ? 'any' : cells
}

const ORDER = ['less', 'at-most', 'more', 'at-least', 'between'] as const
const NULLS = ['known', 'unknown'] as const

const OPERATORS: Readonly<Record<RowType, readonly Operator[]>> = {
  text: ['is', 'is-not', 'one-of', 'none-of', 'contains', 'starts', 'ends', ...NULLS],
  number: ['is', 'is-not', ...ORDER, 'one-of', 'none-of', ...NULLS],
  boolean: ['is', ...NULLS],
  date: ['is', 'is-not', ...ORDER, ...NULLS],
  list: ['contains', ...NULLS],
  any: ['is', 'is-not', ...ORDER, 'one-of', 'none-of', 'contains', 'starts', 'ends', ...NULLS],
}

/** The operators that a row offers: those of its type, and its present one. */
export function operatorsOf({ subject, operator }: Comparison, type: RowType): readonly Operator[] {
  const own =
    subject.kind === 'field' ? OPERATORS[type] : OPERATORS[type].filter((one) => one !== 'known' && one !== 'unknown')
  return own.includes(operator) ? own : [operator, ...own]
}

/** A row about a field, with the first operator and a first value of its type. */
export function newRow(subject: Subject, type: RowType, values: readonly string[] = []): Comparison {
  const [value] = values
  const first = (operator: Operator, operand: Operand): Comparison => ({
    kind: 'comparison',
    subject,
    operator,
    operands: [operand],
  })
  switch (type) {
    case 'boolean':
      return { ...first('is', { kind: 'boolean', text: 'true' }), isBare: true }
    case 'number':
      return value === undefined
        ? first('at-least', { kind: 'number', text: subject.kind === 'count' ? '1' : '0' })
        : first('is', { kind: 'number', text: value })
    case 'date':
      return first('at-least', { kind: 'text', text: JSON.stringify(new Date().toISOString().slice(0, 10)) })
    case 'list':
      return first('contains', { kind: 'text', text: '""' })
    default:
      return first('is', { kind: 'text', text: value ?? '""' })
  }
}

/** The row with another operator, and with as many values as that operator takes. */
export function withOperator(
  row: Comparison,
  operator: Operator,
  type: RowType,
  values: readonly string[],
): Comparison {
  const { isBare: _isBare, ...rest } = row
  const [first = newRow(row.subject, type, values).operands[0]] = row.operands
  const kept = first === undefined ? [] : [first]
  switch (operator) {
    case 'known':
    case 'unknown':
      return { ...rest, operator, operands: [] }
    case 'between':
      return { ...rest, operator, operands: [...kept, row.operands[1] ?? first].filter((one) => one !== undefined) }
    case 'one-of':
    case 'none-of': {
      const literals = row.operands.filter(({ kind }) => kind !== 'field')
      return {
        ...rest,
        operator,
        operands: literals.length === 0 ? newRow(row.subject, type, values).operands : literals,
      }
    }
    default:
      return { ...rest, operator, operands: kept, ...(type === 'boolean' && { isBare: true }) }
  }
}

/**
 * The value that a person typed; undefined if it is not of this type.
 *
 * @param replaced the previous value: if the type of the field is unknown, a number stays a number, even with a unit
 */
export function readOperand(
  given: string,
  type: RowType,
  { fields, variables }: Pick<Known, 'fields' | 'variables'>,
  replaced?: Operand,
): Operand | undefined {
  const text = given.trim()
  const isName = (name: string) =>
    name.startsWith('$')
      ? variables.includes(name.slice(1).split('.')[0] ?? '')
      : fields.some(({ path }) => path === name)
  const named = text.startsWith('=') ? text.slice(1).trim() : text
  if (isName(named) && (text.startsWith('=') || named.startsWith('$') || type === 'number' || type === 'date'))
    return { kind: 'field', text: named }
  switch (type) {
    case 'number': {
      const number = plainNumber(text, DEFAULT_READING)
      return number && { kind: 'number', text: number.text }
    }
    case 'date': {
      const date = plainDate(unquoted(text), DEFAULT_READING)
      return date === undefined ? undefined : { kind: 'text', text: JSON.stringify(date) }
    }
    case 'boolean':
      return text === 'true' || text === 'false' ? { kind: 'boolean', text } : undefined
    case 'any': {
      if (text === 'true' || text === 'false') return { kind: 'boolean', text }
      const number = isQuoted(text) ? undefined : plainNumber(text, DEFAULT_READING)
      if (number !== undefined && (number.unit === undefined || replaced?.kind === 'number'))
        return { kind: 'number', text: number.text }
      return { kind: 'text', text: quoted(text) }
    }
    default:
      return { kind: 'text', text: quoted(text) }
  }
}

const isQuoted = (text: string) => text.length > 1 && /^(["']).*\1$/s.test(text)
const quoted = (text: string) => (isQuoted(text) ? text : JSON.stringify(text))
const unquoted = (text: string) => (isQuoted(text) ? text.slice(1, -1) : text)

/** A value for display: texts without quotes. */
export function shownOperand({ kind, text }: Operand): string {
  if (kind !== 'text') return text
  // Escapes are displayed unchanged.
  return text.includes('\\') ? text : unquoted(text)
}

/** The values of a typed list, separated by commas. */
export function readOperands(given: string, type: RowType, known: Known): readonly Operand[] | undefined {
  const items = given.split(/\s*[,;|，、]\s*/).filter((item) => item.trim() !== '')
  const found = items.map((item) => readOperand(item, type, { fields: [], variables: known.variables }))
  return found.length > 0 && found.every((one) => one !== undefined) ? found : undefined
}

/** A problem of a row, and the corrected row. */
export interface RowProblem {
  readonly kind: 'no-field' | 'no-variable' | 'read-as-field' | 'wrong-type'
  readonly name: string
  /** For `wrong-type`: the type of the field. */
  readonly type?: RowType
  readonly fix?: { readonly kind: 'name' | 'text' | 'number'; readonly name: string; readonly row: Comparison }
}

/** The first problem of a row that follows from its names and types. Linear in the number of known names. */
export function problemOfRow(
  row: Comparison,
  known: Pick<Known, 'fields' | 'variables' | 'isOpen'>,
): RowProblem | undefined {
  const { subject, operands } = row
  if (subject.kind !== 'code') {
    const found = unknownName(subject.text, known)
    if (found !== undefined)
      return {
        ...found.problem,
        ...(found.meant !== undefined && {
          fix: { kind: 'name', name: found.meant, row: { ...row, subject: { ...subject, text: found.meant } } },
        }),
      }
  }
  const type = typeOfSubject(subject, known)
  for (const [index, operand] of operands.entries()) {
    const replaced = (next: Operand): Comparison => ({ ...row, operands: operands.with(index, next) })
    if (operand.kind === 'field') {
      const found = unknownName(operand.text, known)
      if (found === undefined) continue
      if (operand.text.startsWith('$') || (type !== 'text' && type !== 'any' && type !== 'list'))
        return {
          ...found.problem,
          ...(found.meant !== undefined && {
            fix: { kind: 'name', name: found.meant, row: replaced({ kind: 'field', text: found.meant }) },
          }),
        }
      const text = JSON.stringify(operand.text)
      return {
        kind: 'read-as-field',
        name: operand.text,
        fix: { kind: 'text', name: operand.text, row: replaced({ kind: 'text', text }) },
      }
    }
    if (isOfType(operand, type)) continue
    const next = readOperand(shownOperand(operand), type, known)
    return {
      kind: 'wrong-type',
      name: shownOperand(operand),
      type,
      ...(next !== undefined &&
        next.kind !== 'field' &&
        next.kind !== operand.kind && {
          fix: { kind: next.kind === 'number' ? 'number' : 'text', name: shownOperand(next), row: replaced(next) },
        }),
    }
  }
  return undefined
}

function isOfType({ kind }: Operand, type: RowType): boolean {
  switch (type) {
    case 'text':
    case 'date':
      return kind === 'text'
    case 'number':
    case 'boolean':
      return kind === type
    default:
      return true
  }
}

function unknownName(
  text: string,
  { fields, variables, isOpen = false }: Pick<Known, 'fields' | 'variables' | 'isOpen'>,
): { readonly problem: RowProblem; readonly meant: string | undefined } | undefined {
  if (text.startsWith('$')) {
    const name = /^\$([\p{ID_Start}_]\p{ID_Continue}*)/u.exec(text)?.[1]
    if (name === undefined || variables.includes(name)) return undefined
    const meant = nearest(name, variables)
    return { problem: { kind: 'no-variable', name: `$${name}` }, meant: meant === undefined ? undefined : `$${meant}` }
  }
  // If no field is declared, every name may be valid. Paths with an index and parts of declared objects are not listed.
  if (fields.length === 0 || !/^[\p{ID_Start}_][\p{ID_Continue}.]*$/u.test(text)) return undefined
  const isKnown = fields.some(({ path }) => path === text || path.startsWith(`${text}.`) || text.startsWith(`${path}.`))
  if (isKnown) return undefined
  const meant = nearest(
    text,
    fields.map(({ path }) => path),
  )
  // If there is no contract, any name may be a field, unless it looks like a misspelling.
  return isOpen && meant === undefined ? undefined : { problem: { kind: 'no-field', name: text }, meant }
}

import { isNumber, type NumberValue, parsePath, printPath, type Value } from '@engine/expression'
import { parseText } from '../expression-text.ts'
import { constantValue } from '../engine/constant-value.ts'
import { messages, type ProblemText } from '../problem.ts'
import { cellForm, type CellForm } from './cell-form.ts'

/** The meaning of an input cell. */
export type CellCondition =
  | { readonly kind: 'any' }
  | {
      readonly kind: 'condition'
      /** The condition, which can be joined with `&&`. */
      readonly text: string
      /** Literals compared with the column's values. */
      readonly literals: readonly Value[]
      /** The characters of `text` copied from the cell, and their offset in the cell. */
      readonly written: { readonly start: number; readonly end: number; readonly inCell: number }
    }
  | { readonly kind: 'failed'; readonly problem: ProblemText }

const ANY: CellCondition = { kind: 'any' }
/**
 * The condition of an input cell (`field` is the canonical text of the column's path): empty matches anything; a
 * literal is equality; an operator with a literal; `in [a, b]`; an interval `[1..5)`; or a whole condition after `?`.
 * Linear in the length of the cell.
 */
export function cellCondition(field: string, cell: string): CellCondition {
  const form = cellForm(cell)
  switch (form.kind) {
    case 'any':
      return ANY
    case 'condition':
      return wholeCondition(form)
    case 'interval':
      return intervalCondition(field, form)
    case 'comparison':
      return comparisonCondition(field, form)
  }
}

type FormOf<Kind extends CellForm['kind']> = CellForm & { readonly kind: Kind }

function comparisonCondition(field: string, { operator, right, start }: FormOf<'comparison'>): CellCondition {
  const value = literalOf(right)
  const isList = operator === 'in' || operator === 'not in'
  if (value === undefined || (isList && !Array.isArray(value)))
    return { kind: 'failed', problem: messages.notLiteral(right, suggestion(right)) }
  const before = `${field} ${operator} `
  return {
    kind: 'condition',
    text: before + right,
    literals: isList ? (value as readonly Value[]) : [value],
    written: { start: before.length, end: before.length + right.length, inCell: start },
  }
}

function wholeCondition({ text, start }: FormOf<'condition'>): CellCondition {
  // In parentheses, `a) || (b` would become a valid condition that bypasses the other cells of its row. On its own it
  // is an error.
  const before = parseText(text).kind === 'parsed' ? '(' : ''
  return {
    kind: 'condition',
    text: before === '' ? text : `(${text})`,
    literals: [],
    written: { start: before.length, end: before.length + text.length, inCell: start },
  }
}

function intervalCondition(field: string, { open, low: from, high: to, close }: FormOf<'interval'>): CellCondition {
  const low = literalOf(from)
  const high = literalOf(to)
  if (!isBound(low) || !isBound(high) || isNumber(low) !== isNumber(high) || low > high)
    return { kind: 'failed', problem: messages.badInterval() }
  const text = `${field} ${open === '[' ? '>=' : '>'} ${from.trim()} && ${field} ${close === ']' ? '<=' : '<'} ${to.trim()}`
  return { kind: 'condition', text, literals: [low, high], written: { start: 0, end: 0, inCell: 0 } }
}

function isBound(value: Value | undefined): value is NumberValue | string {
  return typeof value === 'string' || (value !== undefined && isNumber(value))
}

/** The value of a literal, or of a list of literals; undefined for any other text. */
export function literalOf(text: string): Value | undefined {
  const parsed = parseText(text)
  return parsed.kind === 'parsed' ? constantValue(parsed.expression) : undefined
}

/** A bare word was probably meant as a text. */
function suggestion(text: string): string | undefined {
  return /^[\p{L}\p{N}_-][\p{L}\p{N}_ -]*$/u.test(text) ? JSON.stringify(text) : undefined
}

/** The canonical text of a column's path; undefined when it is invalid. */
export function columnPath(field: string): string | undefined {
  const parsed = parsePath(field)
  if (parsed.kind !== 'parsed') return undefined
  const { expression } = parsed
  return expression.kind === 'field' || expression.kind === 'variable' ? printPath(expression) : undefined
}

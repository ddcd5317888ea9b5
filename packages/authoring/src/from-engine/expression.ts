import {
  type BinaryOperator,
  type Expression,
  fromJsonForm,
  isDecimal,
  isBinaryOf,
  operandsOf,
  print,
  type Value,
} from '@engine/expression'
import { parseText } from '../expression-text.ts'
import { type Fields, member } from '@engine/ruleset'
import { literalOf } from '../table/cell.ts'

/** The text of an engine expression: text unchanged, JSON forms and scalars by their canonical text. */
export function textOf(value: Value | undefined): string {
  if (typeof value === 'string') return value
  if (typeof value === 'object' && value !== null && !isDecimal(value)) {
    const form = fromJsonForm(value, 'exact')
    return form.kind === 'parsed' ? print(form.expression) : literalText(value)
  }
  return literalText(value ?? null)
}

/** A member that is text in a decoded document. */
export function writtenText(fields: Fields, key: string): string {
  const value = member(fields, key)
  return typeof value === 'string' ? value : ''
}

/** The text of a constant. */
export function literalText(value: Value): string {
  return print({ kind: 'literal', value, span: { start: 0, end: 0 } })
}

/** A comparison of a path with a literal, as a table cell: the path and the cell's text. */
export interface PathTest {
  readonly path: string
  readonly cell: string
}

/** A test with its bound, when it can be part of an interval. */
interface Bounded extends PathTest {
  readonly bound?: { readonly operator: BinaryOperator; readonly text: string; readonly value: number } | undefined
}

/** Joins an adjacent lower and upper bound of one path into one cell: `[1..5)` tests them in that order. */
function withIntervals(tests: readonly Bounded[]): readonly PathTest[] {
  const merged: Bounded[] = []
  for (const test of tests) {
    const last = merged.at(-1)
    const cell = last?.path === test.path ? intervalOf(last, test) : undefined
    if (cell === undefined) merged.push(test)
    else merged[merged.length - 1] = { path: test.path, cell }
  }
  return merged
}

function intervalOf({ bound: low }: Bounded, { bound: high }: Bounded): string | undefined {
  if (low === undefined || high === undefined || low.value > high.value) return undefined
  if (!low.operator.startsWith('>') || !high.operator.startsWith('<')) return undefined
  const [open, close] = [low.operator === '>=' ? '[' : '(', high.operator === '<=' ? ']' : ')']
  return `${open}${low.text}..${high.text}${close}`
}

/**
 * The tests of a condition `path op literal && …` over distinct paths; undefined for any other condition. The order of
 * the tests is kept, so that the table fails where the condition does.
 */
export function testsOf(condition: string): readonly PathTest[] | undefined {
  const parsed = parseText(condition)
  if (parsed.kind !== 'parsed') return undefined
  const found = operandsOf(parsed.expression, '&&').map(testOf)
  if (!found.every((test) => test !== undefined)) return undefined
  const tests = withIntervals(found)
  return new Set(tests.map(({ path }) => path)).size === tests.length ? tests : undefined
}

function testOf(node: Expression): Bounded | undefined {
  if (!isBinaryOf('equality', node) && !isBinaryOf('order', node) && !isBinaryOf('membership', node)) return undefined
  const { operator, left, right } = node
  if ((left.kind !== 'field' && left.kind !== 'variable') || operator === 'contains') return undefined
  if (left.kind === 'field' && left.path.length === 0) return undefined
  if (left.path.some(({ kind }) => kind === 'wildcard') || !isConstant(right)) return undefined
  if (isBinaryOf('membership', node) && right.kind !== 'array') return undefined
  const text = print(right)
  const value = isBinaryOf('order', node) ? literalOf(text) : undefined
  const bound = typeof value === 'number' ? { operator, text, value } : undefined
  return { path: print(left), cell: operator === '==' ? text : `${operator} ${text}`, bound }
}

function isConstant(node: Expression): boolean {
  if (node.kind === 'unary') return node.operator === '-' && node.operand.kind === 'literal'
  return node.kind === 'literal' || (node.kind === 'array' && node.items.every(isConstant))
}

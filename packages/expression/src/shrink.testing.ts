import type { Expression } from './ast.ts'
import { isReference } from './path.ts'
import { NO_SPAN } from './source.ts'
import { isObject, type Value } from './value.ts'
import { children, rewrite } from './visitor.ts'

/** An expression with an input. */
export interface Case {
  readonly expression: Expression
  readonly input: Value
}

const ATTEMPTS = 3000

/** The smallest case within reach for which `isWrong` holds: removes parts of the expression, then of the input. */
export function shrunk(start: Case, isWrong: (candidate: Case) => boolean): Case {
  let attempts = 0
  let best = start
  for (;;) {
    const smaller = first(smallerCases(best), (candidate) => ++attempts <= ATTEMPTS && isWrong(candidate))
    if (smaller === undefined) return best
    best = smaller
  }
}

function first<T>(candidates: Iterable<T>, test: (candidate: T) => boolean): T | undefined {
  for (const candidate of candidates) if (test(candidate)) return candidate
  return undefined
}

function* smallerCases({ expression, input }: Case): Generator<Case> {
  for (const smaller of smallerExpressions(expression)) yield { expression: smaller, input }
  for (const smaller of smallerValues(input)) yield { expression, input: smaller }
}

function* smallerExpressions(node: Expression): Generator<Expression> {
  const inner = children(node)
  for (const child of inner) yield child.kind === 'lambda' ? child.body : child
  if (node.kind !== 'literal' || node.value !== null) yield { kind: 'literal', value: null, span: NO_SPAN }
  if (isReference(node) && node.path.length > 0) yield { ...node, path: node.path.slice(0, -1) }
  if (node.kind === 'array')
    for (const [index] of node.items.entries()) yield { ...node, items: node.items.toSpliced(index, 1) }
  if (node.kind === 'object')
    for (const [index] of node.entries.entries()) yield { ...node, entries: node.entries.toSpliced(index, 1) }
  for (const child of inner)
    for (const smaller of smallerExpressions(child))
      yield rewrite(node, (candidate) => (candidate === child ? smaller : candidate))
}

function* smallerValues(value: Value): Generator<Value> {
  if (value !== null) yield null
  if (Array.isArray(value)) for (const [index] of value.entries()) yield (value as readonly Value[]).toSpliced(index, 1)
  if (isObject(value)) {
    const entries = Object.entries(value)
    for (const [index, [key, member]] of entries.entries()) {
      yield Object.fromEntries(entries.toSpliced(index, 1))
      for (const smaller of smallerValues(member)) yield Object.fromEntries(entries.with(index, [key, smaller]))
    }
  }
}

import type { Budget, Value } from '@engine/expression'
import type { Columns } from './columns.ts'
import type { Pausing } from './pausable-work.ts'
import { negatedTextTest } from './operations.ts'
import type { Path } from './paths.ts'
import type { Predicate, Test } from './predicate.ts'

/**
 * A node of the JSON form of a filter: specification 4.3. Every test is false for null except `is_null`; `not` is plain
 * negation.
 */
export type Node = { readonly type: string; readonly [key: string]: Value }

/** Paths as a tree. @param guards write explicit null tests as the rules treat null */
export function* jsonOf(paths: readonly Path[], columns: Columns, guards: boolean, budget: Budget): Pausing<Node> {
  const alternatives: Node[] = []
  for (const path of paths) {
    budget.create(path.reduce((sum, { weight }) => sum + 4 * weight, 0))
    if (budget.wantsPause) yield
    const conditions = path.map((predicate) => nodeOf(predicate, columns, guards))
    alternatives.push(joined('and', conditions))
  }
  return joined('or', alternatives)
}

function joined(type: 'and' | 'or', conditions: readonly Node[]): Node {
  const [first, second] = conditions
  if (first === undefined) return { type: type === 'and' ? 'always' : 'never' }
  return second === undefined ? first : { type, conditions }
}

function nodeOf(predicate: Predicate, columns: Columns, guards: boolean): Node {
  switch (predicate.kind) {
    case 'always':
    case 'never':
      return { type: predicate.kind }
    case 'null':
      return { type: 'is_null', field: columns.column(predicate.path) }
    case 'not_null':
      return { type: 'not_null', field: columns.column(predicate.path) }
    case 'test':
      return testNode(predicate, columns.column(predicate.path), guards)
    case 'compare':
      // Such a condition was already rejected.
      throw new Error('comparing two fields has no form in `json`')
    case 'and':
    case 'or':
      return { type: predicate.kind, conditions: predicate.parts.map((part) => nodeOf(part, columns, guards)) }
  }
}

function testNode({ test, orNull }: Predicate & { kind: 'test' }, field: string, guards: boolean): Node {
  const negated = negatedTextTest(test.op)
  if (negated !== undefined) {
    const not: Node = { type: 'not', condition: positive({ ...test, op: negated } as Test, field) }
    // `not` is true for null.
    return orNull ? not : { type: 'and', conditions: [{ type: 'not_null', field }, not] }
  }
  const node = positive(test, field)
  return orNull && guards ? { type: 'or', conditions: [node, { type: 'is_null', field }] } : node
}

function positive(test: Test, field: string): Node {
  if ('values' in test) return { type: test.op, field, values: test.values }
  return { type: test.op, field, value: test.value }
}

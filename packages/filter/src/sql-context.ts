import {
  constantOf,
  type Expression,
  type Field,
  isDecimal,
  isNumber,
  type Budget,
  type EvaluationPolicy,
  print,
  quoteCode,
  type Value,
} from '@engine/expression'
import type { FieldTypes } from './column-types.ts'
import type { SqlForm } from './sql-forms.ts'
import type { SqlTruth, SqlValue, ValueType } from './sql-truth.ts'
import { Inexpressible } from './to-predicate.ts'

/** The state that the parts of the translation share. All methods throw `Inexpressible`. */
export interface SqlContext {
  readonly form: SqlForm
  readonly policy: EvaluationPolicy
  readonly types: FieldTypes
  readonly budget: Budget
  /** Where the database may decide differently from the rules if a column has an unexpected type. */
  readonly assumptions: Set<string>
  value(node: Expression): SqlValue
  truth(node: Expression): SqlTruth
  field(node: Field): SqlValue
  /** A path that may be missing in every mode. */
  guarded(node: Expression): SqlValue
  literal(value: Value): SqlValue
  /** Records that the rules use an expression as a value of a type. */
  use(node: Expression, type: ValueType): void
}

export function isLeaf(node: Expression): boolean {
  return node.kind === 'field' || node.kind === 'literal'
}

export function numberOf(node: Expression): number | bigint | undefined {
  const value = constantOf(node)
  return value !== undefined && isNumber(value) && !isDecimal(value) ? value : undefined
}

export function certain(sql: string, type: ValueType): SqlValue {
  return { sql, type, canBeNull: false, canFail: false }
}

/** The common type of two alternatives. Throws when a column could not hold both. */
export function joinedType(one: ValueType, other: ValueType, node: Expression): ValueType {
  if (one === other || other === 'null') return one
  if (one === 'null') return other
  if (one === 'unknown' || other === 'unknown') return 'unknown'
  throw inexpressible(node)
}

export function inexactly(node: Expression, hint = ''): Inexpressible {
  const text = print(node)
  return new Inexpressible(`${quoteCode(text)} is computed in decimals, which SQL would not give exactly${hint}`, text)
}

export function inexpressible(node: Expression): Inexpressible {
  const text = print(node)
  return new Inexpressible(`${quoteCode(text)} cannot be written in SQL`, text)
}

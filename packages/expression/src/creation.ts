import type { Expression } from './ast.ts'
import { failures } from './failures.ts'
import { LIMITS, type Runtime } from './runtime.ts'

/** Bytes of a character, a list element, an object and each of its members, as V8 stores them. */
const BYTES = { character: 2, item: 8, object: 56, member: 32 } as const

/** Account for a text of this length before it is created. Throws when it is too long or the budget is exhausted. */
export function createText(runtime: Runtime, at: Expression, length: number): void {
  if (length > LIMITS.value) throw failures.valueTooLarge(at.span, 'text')
  runtime.budget.create(length * BYTES.character)
}

/** Account for a list of this length before it is created; the items themselves are not counted. */
export function createList(runtime: Runtime, at: Expression, length: number): void {
  if (length > LIMITS.value) throw failures.valueTooLarge(at.span, 'list')
  runtime.budget.create(32 + length * BYTES.item)
}

/** Account for an object with this many members before it is created; their values are not counted. */
export function createObject(runtime: Runtime, at: Expression, members: number): void {
  if (members > LIMITS.members) throw failures.valueTooLarge(at.span, 'object')
  runtime.budget.create(BYTES.object + members * BYTES.member)
}

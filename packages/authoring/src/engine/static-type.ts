import { BudgetError, CountedBudget, inferType, TYPE, type Type } from '@engine/expression'
import { parseText } from '../expression-text.ts'
import type { DeclaredFields } from './declared-types.ts'

/** Units of work to infer the type of one expression. */
const MAX_WORK = 1_000_000

/** The possible types of an expression's value; any when the text is invalid. Linear in its length, within a limit. */
export function typeOfText(text: string | undefined, fields: DeclaredFields | undefined): Type {
  const parsed = parseText(text ?? '')
  if (parsed.kind === 'failed') return TYPE.any
  const budget = new CountedBudget(MAX_WORK)
  try {
    return inferType(parsed.expression, fields === undefined ? { budget } : { budget, typeAt: fields.typeAt })
  } catch (error) {
    if (error instanceof BudgetError) return TYPE.any
    throw error
  }
}

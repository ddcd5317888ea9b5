import type { BinaryOperator, UnaryOperator } from './ast.ts'

/** Binary operators by their name in the JSON form (docs/rulesets.md). */
export const BINARY_NAMES: ReadonlyMap<string, BinaryOperator> = new Map([
  ['Add', '+'],
  ['Sub', '-'],
  ['Mul', '*'],
  ['Div', '/'],
  ['Mod', '%'],
  ['Eq', '=='],
  ['Ne', '!='],
  ['Lt', '<'],
  ['Le', '<='],
  ['Gt', '>'],
  ['Ge', '>='],
  ['And', '&&'],
  ['Or', '||'],
  ['In', 'in'],
  ['NotIn', 'not in'],
  ['Contains', 'contains'],
])

/** Unary operators by their name in the JSON form. */
export const UNARY_NAMES: ReadonlyMap<string, UnaryOperator> = new Map([
  ['Not', '!'],
  ['Neg', '-'],
])

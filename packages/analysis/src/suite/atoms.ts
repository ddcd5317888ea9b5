import { type Binary, constantOf, type Expression, isBinaryOf, isNumber, isTrue } from '@engine/expression'
import type { Evaluated } from '../formula/evaluate.ts'

/** The parts of a condition that `&&`, `||` and `!` combine, from left to right. */
export function atomsOf(condition: Expression): readonly Expression[] {
  if (isBinaryOf('logic', condition)) return [...atomsOf(condition.left), ...atomsOf(condition.right)]
  if (condition.kind === 'unary' && condition.operator === '!') return atomsOf(condition.operand)
  return [condition]
}

/** The values of atoms in one evaluation, by their position; an atom that is not evaluated is absent. */
export type AtomValues = ReadonlyMap<number, boolean>

/** One evaluation of a condition by the short-circuit rules. Undefined: it fails. */
export function evaluateAtoms(
  condition: Expression,
  evaluate: (atom: Expression) => Evaluated,
): { readonly outcome: boolean; readonly values: AtomValues } | undefined {
  const values = new Map<number, boolean>()
  let position = 0
  const skip = (part: Expression): void => void (position += atomsOf(part).length)
  const outcomeOf = (part: Expression): boolean | undefined => {
    if (part.kind === 'unary' && part.operator === '!') {
      const outcome = outcomeOf(part.operand)
      return outcome === undefined ? undefined : !outcome
    }
    if (isBinaryOf('logic', part)) {
      const left = outcomeOf(part.left)
      if (left === undefined) return undefined
      if (left === (part.operator === '||')) {
        skip(part.right)
        return left
      }
      return outcomeOf(part.right)
    }
    const found = evaluate(part)
    if ('error' in found) return undefined
    const value = isTrue(found.value)
    values.set(position++, value)
    return value
  }
  const outcome = outcomeOf(condition)
  return outcome === undefined ? undefined : { outcome, values }
}

/** Whether two evaluations show that one atom decides: it differs, the outcome differs, and no other evaluated atom does. */
export function showsEffect(
  atom: number,
  one: { readonly outcome: boolean; readonly values: AtomValues },
  other: { readonly outcome: boolean; readonly values: AtomValues },
): boolean {
  const [before, after] = [one.values.get(atom), other.values.get(atom)]
  if (before === undefined || after === undefined || before === after || one.outcome === other.outcome) return false
  return [...one.values].every(([position, value]) => {
    const found = other.values.get(position)
    return position === atom || found === undefined || found === value
  })
}

/** A comparison of a value with a number. */
export interface Threshold {
  readonly comparison: Binary
  readonly operand: Expression
  readonly constant: number | bigint
}

/** The comparison with a number that an atom is, if it is one. */
export function thresholdOf(atom: Expression): Threshold | undefined {
  if (!isBinaryOf('order', atom) && !isBinaryOf('equality', atom)) return undefined
  const [left, right] = [constantOf(atom.left), constantOf(atom.right)]
  const constant = left ?? right ?? null
  if ((left === undefined) === (right === undefined) || !isNumber(constant) || typeof constant === 'object')
    return undefined
  return { comparison: atom, operand: left === undefined ? atom.left : atom.right, constant }
}

import { constantOf, type Expression, isBinaryOf } from '@engine/expression'
import { actionsOf, expressionsOf, type Ruleset } from '@engine/ruleset'
import { transparent } from './formula/operand.ts'
import { testOf } from './formula/shape.ts'

/**
 * Whether a claim may be unknown unless `furtherSearch` is used: the ruleset has other conditions than comparisons of a field with
 * constants. If not, a page does not load it. Linear in the ruleset.
 */
export function needsFurtherSearch({ steps }: Ruleset): boolean {
  return [...steps.values()].some(
    (step) =>
      actionsOf(step).some((action) => action.action === 'external_call' && action.resultVariable !== undefined) ||
      !expressionsOf(step).every(isDecided),
  )
}

function isDecided(expression: Expression): boolean {
  if (isValue(expression)) return true
  if (expression.kind === 'unary' && expression.operator === '!') return isDecided(expression.operand)
  if (isBinaryOf('logic', expression)) return isDecided(expression.left) && isDecided(expression.right)
  if (expression.kind === 'conditional')
    return [expression.condition, expression.consequent, expression.alternate].every(isDecided)
  const test = testOf(expression)
  return test !== undefined && isValue(test.operand)
}

const isValue = (expression: Expression): boolean =>
  expression.kind === 'variable' || constantOf(expression) !== undefined || transparent(expression) !== undefined

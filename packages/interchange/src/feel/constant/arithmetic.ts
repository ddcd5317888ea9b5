import { decimalArithmetic, negateNumber, type NumberValue } from '@engine/expression'
import type { Arithmetic } from '../ast.ts'
import { opposite, temporalArithmetic } from './temporal-arithmetic.ts'
import { type FeelValue, isFeelNumber } from './value.ts'

/** The negated number or duration; null for other values. */
export function negated(value: FeelValue): FeelValue {
  if (isFeelNumber(value)) return negateNumber(value)
  return opposite(value)
}

/** Maximum absolute exponent: FEEL numbers have the exponents of decimal128. */
const MAX_POWER = 999

/** The result of an operator; null for unsupported operands. */
export function arithmetic(operator: Arithmetic, left: FeelValue, right: FeelValue): FeelValue {
  if (isFeelNumber(left) && isFeelNumber(right)) return ofNumbers(operator, left, right)
  if (typeof left === 'string' && typeof right === 'string') return operator === '+' ? left + right : null
  return temporalArithmetic(operator, left, right)
}

function ofNumbers(operator: Arithmetic, left: NumberValue, right: NumberValue): FeelValue {
  switch (operator) {
    case '+':
      return decimalArithmetic.add(left, right)
    case '-':
      return decimalArithmetic.subtract(left, right)
    case '*':
      return decimalArithmetic.multiply(left, right)
    case '/':
      return decimalArithmetic.divide(left, right)
    case '**': {
      const exponent = Number(right)
      if (Number(left) === 0 && exponent < 0) return null
      if (!Number.isInteger(exponent) || Math.abs(exponent) > MAX_POWER) {
        const power = Number(left) ** exponent
        return Number.isFinite(power) ? power : null
      }
      return decimalArithmetic.power(left, exponent)
    }
  }
}

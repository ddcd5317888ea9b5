import type { OperatorOf } from '@engine/expression'

/** Two operands as SQL that yields doubles. */
export interface Operands {
  readonly left: string
  readonly right: string
  readonly constants: readonly [left: number | bigint | undefined, right: number | bigint | undefined]
  /** They are short enough to be repeated. */
  readonly areShort: boolean
}

/** The remainder of a division by a fraction differs between databases: `%` is not translated. */
export type Operator = Exclude<OperatorOf<'arithmetic'>, '%'>

/** SQL that is NULL when an operand is NULL, when the divisor is 0, and when the result is not a finite double. */
export type Arithmetic = (operator: Operator, operands: Operands) => string

const MAX_HALF = '8.988465674311579e307'
/** Natural logarithms of the largest double, and of slightly more than the largest number that rounds to 0. */
const [LN_MAX, LN_MIN] = ['709.782712893384', '-745.133219101']

/** An operand that cannot take a finite number out of the range of doubles. */
function isHarmless(operator: string, constants: Operands['constants']): boolean {
  const [left, right] = constants.map((value) => (value === undefined ? undefined : Math.abs(Number(value))))
  // Adding less than half a unit in the last place of the largest double does not round to infinity.
  if (operator === '+' || operator === '-') return (left ?? Infinity) < 1e290 || (right ?? Infinity) < 1e290
  return operator === '*' ? (left ?? 2) <= 1 || (right ?? 2) <= 1 : (right ?? 0) >= 1
}

/** An overflow gives infinity, which becomes NULL immediately, so nothing is computed with it. */
function infiniteArithmetic(operator: Operator, { left, right, constants }: Operands): string {
  const isNonZero = constants[1] !== undefined && Number(constants[1]) !== 0
  const divisor = operator === '/' && !isNonZero ? `NULLIF(${right}, 0)` : right
  const result = `(${left} ${operator} ${divisor})`
  if (isHarmless(operator, constants)) return result
  return `NULLIF(NULLIF(${result}, CAST('Infinity' AS DOUBLE)), CAST('-Infinity' AS DOUBLE))`
}

/** PostgreSQL aborts the query on overflow and on underflow to 0. */
function guardedArithmetic(operator: Operator, operands: Operands): string {
  const { left, right, constants, areShort } = operands
  if ((operator === '+' || operator === '-') && isHarmless(operator, constants)) return `(${left} ${operator} ${right})`
  if (areShort) return guarded(operator, left, right)
  const inner = guarded(operator, 'operands.x', 'operands.y')
  return `(SELECT ${inner} FROM (SELECT ${left} AS x, ${right} AS y) AS operands)`
}

function guarded(operator: Operator, x: string, y: string): string {
  if (operator === '+' || operator === '-')
    return (
      `CASE WHEN abs(${x}) > 1e290 AND abs(${y}) > 1e290 AND abs(${x} / 2 ${operator} ${y} / 2) > ${MAX_HALF} THEN NULL ` +
      `ELSE ${x} ${operator} ${y} END`
    )
  const size = `ln(abs(${x})) ${operator === '*' ? '+' : '-'} ln(abs(${y}))`
  const ofZero =
    operator === '*'
      ? `WHEN ${x} = 0 OR ${y} = 0 THEN ${x} * ${y}`
      : `WHEN ${y} = 0 THEN NULL WHEN ${x} = 0 THEN ${y} * 0`
  return `CASE ${ofZero} WHEN ${size} > ${LN_MAX} THEN NULL WHEN ${size} < ${LN_MIN} THEN 0 ELSE ${x} ${operator} ${y} END`
}

/** `raising`: leaving the range of doubles aborts the query; `infinite`: it gives infinity or 0. */
export const arithmeticOf: Readonly<Record<'raising' | 'infinite', Arithmetic>> = {
  raising: guardedArithmetic,
  infinite: infiniteArithmetic,
}

import {
  decimalArithmetic,
  defined,
  isDecimal,
  negateNumber,
  numberOfText,
  type NumberValue,
  orderOf,
  roundNumber,
} from '@engine/expression'

/** An ordered set of values that cuts divide into points and open intervals. */
export interface Order<Point> {
  /** Whether `left` comes before `right`. */
  precedes(left: Point, right: Point): boolean
  /** A value strictly between two, easy to read where possible; undefined where there is none. No bound: no limit. */
  between(low: Point | undefined, high: Point | undefined): Point | undefined
}

export type NumberPoint = NumberValue

/** Doubles and integers of any size: the possible JSON numbers. */
export const NUMBERS: Order<NumberPoint> = { precedes: (left, right) => left < right, between: numberBetween }

/** Decimals of at most 34 digits, and integers of any size: the numbers of inputs where `config.numbers` is "decimal". */
export const DECIMALS: Order<NumberPoint> = { precedes: isBelow, between: decimalBetween }

/** Whole numbers only. A bound beyond all numbers is the limit of a computed value: no number is past it. */
export const INTEGERS: Order<NumberPoint> = {
  precedes: isBelow,
  between(low, high) {
    if (low === Infinity || high === -Infinity) return undefined
    if (low === -Infinity) return this.between(undefined, high)
    if (high === Infinity) return this.between(low, undefined)
    if (low === undefined) return high === undefined ? 1 : integerBelow(high)
    const next = integerAbove(low)
    return high === undefined || isBelow(next, high) ? next : undefined
  },
}

/** Texts by UTF-16 units. */
export const TEXTS: Order<string> = { precedes: (left, right) => left < right, between: textBetween }

function isBelow(left: NumberPoint, right: NumberPoint): boolean {
  return orderOf(left, right) < 0
}

/** The least integer greater than a number. */
export function integerAbove(point: NumberPoint): NumberPoint {
  if (isDecimal(point)) return roundNumber(point, 0, 'ceiling')
  if (typeof point === 'bigint') return normal(point + 1n)
  return normal(BigInt(Math.floor(point)) + 1n)
}

/** The greatest integer less than a number. */
export function integerBelow(point: NumberPoint): NumberPoint {
  if (isDecimal(point)) return roundNumber(point, 0, 'floor')
  if (typeof point === 'bigint') return normal(point - 1n)
  return normal(BigInt(Math.ceil(point)) - 1n)
}

function normal(integer: bigint): NumberPoint {
  const near = Number(integer)
  return Number.isSafeInteger(near) ? near : integer
}

function numberBetween(low: NumberPoint | undefined, high: NumberPoint | undefined): NumberPoint | undefined {
  const whole = INTEGERS.between(low, high)
  if (whole !== undefined || low === undefined || high === undefined) return whole
  const middle = Number(low) / 2 + Number(high) / 2
  for (let digits = 1; digits <= 17; digits++) {
    const short = Number(middle.toPrecision(digits))
    if (isBelow(low, short) && isBelow(short, high)) return short
  }
  return undefined
}

function decimalBetween(low: NumberPoint | undefined, high: NumberPoint | undefined): NumberPoint | undefined {
  const found = numberBetween(low, high)
  return found !== undefined || low === undefined || high === undefined ? found : middleOfDecimals(low, high)
}

/** The decimal in the middle of two; undefined: none of 34 digits is between them. */
export function middleOfDecimals(low: NumberPoint, high: NumberPoint): NumberPoint | undefined {
  const { add, divide } = decimalArithmetic
  const middle = add(divide(low, 2), divide(high, 2))
  if (isBelow(low, middle) && isBelow(middle, high)) return middle
  // The middle was rounded to one of both: at most one decimal is between them.
  const next = nextDecimal(low)
  return isBelow(low, next) && isBelow(next, high) ? next : undefined
}

/** From here on whole numbers are closer to each other than fractions are. */
const MAX_FRACTION = 10n ** 33n

/** The next larger decimal of 34 digits; the number itself where a double is 0, and where whole numbers are closer. */
export function nextDecimal(value: NumberPoint): NumberPoint {
  return Number(value) === 0 || !isBelow(value, MAX_FRACTION) || !isBelow(-MAX_FRACTION, value)
    ? value
    : largerNeighbour(value)
}

/** The next smaller decimal. */
export function previousDecimal(value: NumberPoint): NumberPoint {
  return negateNumber(nextDecimal(negateNumber(value)))
}

function largerNeighbour(value: NumberPoint): NumberPoint {
  const [, exponent] = Number(value).toExponential().split('e')
  const increased = (digits: number): NumberPoint =>
    decimalArithmetic.add(value, defined(numberOfText(`1e${Number(exponent) - digits}`)))
  // Rounding of the double can raise the exponent, and a power of ten has closer neighbours on the side of 0.
  const nearest = increased(34)
  return isBelow(value, nearest) ? nearest : increased(33)
}

function textBetween(low: string | undefined, high: string | undefined): string | undefined {
  if (high === undefined) return low === undefined || low === '' ? 'text' : `${low}~`
  if (low === undefined) return high === '' ? undefined : ''
  for (const readable of [`${low}~`, `${low}a`, `${low}A`, `${low}0`, `${low} `]) if (readable < high) return readable
  const first = `${low}\u0000`
  return first < high ? first : undefined
}

const double = new Float64Array(1)
const bits = new BigInt64Array(double.buffer)

/** Doubles as consecutive integers in their order. */
export function rankOf(value: number): bigint {
  double[0] = value
  const found = defined(bits[0])
  return found < 0n ? -(found & 0x7fff_ffff_ffff_ffffn) : found
}

/** The double of a rank. */
export function doubleAt(rank: bigint): number {
  bits[0] = rank < 0n ? -rank | -0x8000_0000_0000_0000n : rank
  return defined(double[0])
}

/** The next larger double. */
export function nextDouble(value: number): number {
  return doubleAt(rankOf(value) + 1n)
}

import { defined } from '@engine/expression'

/** An ordered set of values that cuts divide into points and open intervals. */
export interface Order<Point> {
  /** Whether `left` comes before `right`. */
  precedes(left: Point, right: Point): boolean
  /** A value strictly between two, easy to read where possible; undefined where there is none. No bound: no limit. */
  between(low: Point | undefined, high: Point | undefined): Point | undefined
}

export type NumberPoint = number | bigint

/** Doubles and integers of any size: the possible JSON numbers. */
export const NUMBERS: Order<NumberPoint> = { precedes: (left, right) => left < right, between: numberBetween }

/** Whole numbers only. */
export const INTEGERS: Order<NumberPoint> = {
  precedes: (left, right) => left < right,
  between(low, high) {
    if (low === undefined) return high === undefined ? 1 : integerBelow(high)
    const next = integerAbove(low)
    return high === undefined || next < high ? next : undefined
  },
}

/** Texts by UTF-16 units. */
export const TEXTS: Order<string> = { precedes: (left, right) => left < right, between: textBetween }

function integerAbove(point: NumberPoint): NumberPoint {
  if (typeof point === 'bigint') return normal(point + 1n)
  const next = Math.floor(point) + 1
  return Number.isSafeInteger(next) ? next : normal(BigInt(Math.floor(point)) + 1n)
}

function integerBelow(point: NumberPoint): NumberPoint {
  if (typeof point === 'bigint') return normal(point - 1n)
  const next = Math.ceil(point) - 1
  return Number.isSafeInteger(next) ? next : normal(BigInt(Math.ceil(point)) - 1n)
}

function normal(integer: bigint): NumberPoint {
  const near = Number(integer)
  return Number.isSafeInteger(near) ? near : integer
}

function numberBetween(low: NumberPoint | undefined, high: NumberPoint | undefined): NumberPoint | undefined {
  const whole = INTEGERS.between(low, high)
  if (whole !== undefined || low === undefined || high === undefined) return whole
  const from = Number(low)
  const to = Number(high)
  const middle = from / 2 + to / 2
  for (let digits = 1; digits <= 17; digits++) {
    const short = Number(middle.toPrecision(digits))
    if (short > low && short < high) return short
  }
  const next = nextDouble(from)
  return next > low && next < high ? next : undefined
}

function textBetween(low: string | undefined, high: string | undefined): string | undefined {
  if (high === undefined) return low === undefined || low === '' ? 'text' : `${low}~`
  const first = low === undefined ? '' : `${low}\u0000`
  if (low === undefined) return high === '' ? undefined : ''
  for (const readable of [`${low}~`, `${low}a`, `${low}A`, `${low}0`, `${low} `]) if (readable < high) return readable
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

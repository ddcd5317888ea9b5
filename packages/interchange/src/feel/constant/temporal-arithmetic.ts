import { decimalArithmetic, numberOfText, type NumberValue } from '@engine/expression'
import type { Arithmetic } from '../ast.ts'
import {
  addMonths,
  dateTimeOf,
  dateOfDays,
  epochDays,
  type FeelDate,
  type FeelDateTime,
  floorDivide,
  instantOf,
  localNanos,
  nanosOfDay,
  NANOS,
  offsetOf,
  timeOfNanos,
} from './temporal.ts'
import { type FeelValue, isFeelNumber, isKind, kindOf, NotConstant, taggedOf } from './value.ts'

/** The result of an operator for dates, times and durations; null for unsupported operands. */
export function temporalArithmetic(operator: Arithmetic, left: FeelValue, right: FeelValue): FeelValue {
  const [one, other] = [kindOf(left), kindOf(right)]
  switch (operator) {
    case '+':
      return one === 'dayTime' || (one === 'yearMonth' && other !== 'yearMonth')
        ? added(right, left)
        : added(left, right)
    case '-':
      if (MOMENTS.has(one) && MOMENTS.has(other)) return difference(left, right)
      return other === 'dayTime' || other === 'yearMonth' ? added(left, opposite(right)) : null
    case '*':
      if (isFeelNumber(left)) return scaled(right, (size) => decimalArithmetic.multiply(size, left))
      return isFeelNumber(right) ? scaled(left, (size) => decimalArithmetic.multiply(size, right)) : null
    case '/':
      if (isFeelNumber(right)) return scaled(left, (size) => decimalArithmetic.divide(size, right))
      if (one !== other) return null
      if (isKind(left, 'yearMonth') && isKind(right, 'yearMonth'))
        return right.months === 0 ? null : decimalArithmetic.divide(left.months, right.months)
      if (!isKind(left, 'dayTime') || !isKind(right, 'dayTime') || right.nanos === 0n) return null
      return decimalArithmetic.divide(integer(left.nanos), integer(right.nanos))
    case '**':
      return null
  }
}

/** Kinds of values that can be subtracted from each other. */
const MOMENTS: ReadonlySet<ReturnType<typeof kindOf>> = new Set(['date', 'dateTime', 'time'])

/** An integer as an exact number. */
export const integer = (value: bigint): NumberValue => numberOfText(String(value)) ?? 0

/** The negated duration. */
export function opposite(value: FeelValue): FeelValue {
  if (isKind(value, 'dayTime')) return { kind: 'dayTime', nanos: -value.nanos }
  if (isKind(value, 'yearMonth')) return { kind: 'yearMonth', months: -value.months || 0 }
  return null
}

function scaled(value: FeelValue, scale: (size: NumberValue) => NumberValue): FeelValue {
  const by = (size: bigint): bigint => {
    const exact = String(scale(integer(size)))
    if (exact.includes('e')) throw new NotConstant('such a long duration')
    return BigInt(exact.replace(/\..*/, ''))
  }
  if (isKind(value, 'dayTime')) return { kind: 'dayTime', nanos: by(value.nanos) }
  if (isKind(value, 'yearMonth')) {
    const months = Number(by(BigInt(value.months)))
    return Number.isSafeInteger(months) ? { kind: 'yearMonth', months } : null
  }
  return null
}

function added(value: FeelValue, duration: FeelValue): FeelValue {
  const tagged = taggedOf(value)
  if (isKind(duration, 'yearMonth')) {
    const { months } = duration
    if (tagged?.kind === 'yearMonth') return { kind: tagged.kind, months: tagged.months + months }
    if (tagged?.kind === 'date') return addMonths(tagged, months) ?? null
    if (tagged?.kind !== 'dateTime') return null
    const date = addMonths(tagged.date, months)
    return date === undefined ? null : { ...tagged, date }
  }
  if (!isKind(duration, 'dayTime')) return null
  const { nanos } = duration
  switch (tagged?.kind) {
    case 'dayTime':
      return { kind: 'dayTime', nanos: tagged.nanos + nanos }
    case 'date':
      return dateOfDays(epochDays(tagged) + Number(floorDivide(nanos, 86_400n * NANOS))) ?? null
    case 'dateTime':
      if (tagged.time.zone !== undefined) throw new NotConstant('arithmetic with a time of a zone')
      return dateTimeOf(localNanos(tagged) + nanos, tagged.time) ?? null
    case 'time':
      return timeOfNanos(nanosOfDay(tagged) + nanos, tagged)
    default:
      return null
  }
}

const midnight = (date: FeelDate): FeelDateTime => ({
  kind: 'dateTime',
  date,
  time: { kind: 'time', hour: 0, minute: 0, second: 0, nanos: 0, offset: 0 },
})

/** A local time and a time with an offset cannot be subtracted. */
function difference(left: FeelValue, right: FeelValue): FeelValue {
  if (isKind(left, 'time') && isKind(right, 'time')) {
    const offsets = [left, right].map((time) => (time.zone === undefined ? time.offset : NaN))
    if (offsets.some((offset) => Number.isNaN(offset))) throw new NotConstant('arithmetic with a time of a zone')
    if ((offsets[0] === undefined) !== (offsets[1] === undefined)) return null
    return {
      kind: 'dayTime',
      nanos: nanosOfDay(left) - nanosOfDay(right) - BigInt((offsets[0] ?? 0) - (offsets[1] ?? 0)) * NANOS,
    }
  }
  const [one, other] = [left, right].map((value) =>
    isKind(value, 'date') ? midnight(value) : isKind(value, 'dateTime') ? value : undefined,
  )
  if (one === undefined || other === undefined) return null
  const isLocal = (value: FeelDateTime) => offsetOf(value.time, value.date) === undefined
  if (isLocal(one) !== isLocal(other)) return null
  return { kind: 'dayTime', nanos: instantOf(one) - instantOf(other) }
}

import type { NumberValue } from '@engine/expression'
import { dateOfDays, epochDays } from './temporal.ts'
import { compareValues, type FeelValue, isFeelNumber, isKind, isList, NotConstant } from './value.ts'

/** Maximum number of items of one list. */
export const MAX_ITEMS = 20_000

/** The items that `for` iterates over; undefined for a value that is not iterable. */
export function itemsOf(value: FeelValue): readonly FeelValue[] | undefined {
  if (value === null) return undefined
  if (isList(value)) return value
  if (!isKind(value, 'range')) return [value]
  const { low, high, isLowIncluded, isHighIncluded } = value
  if ((compareValues(low, high) ?? 1) > 0) return undefined
  const all = steps(low, high)
  return all?.slice(isLowIncluded ? 0 : 1, isHighIncluded ? all.length : all.length - 1)
}

/** Integers or dates from one to another, ascending or descending. */
export function steps(from: FeelValue, to: FeelValue): readonly FeelValue[] | undefined {
  if (isFeelNumber(from) && isFeelNumber(to)) {
    const [first, last] = [Number(from), Number(to)]
    if (!Number.isSafeInteger(first) || !Number.isSafeInteger(last)) throw new NotConstant('a range of fractions')
    return counted(first, last)
  }
  if (!isKind(from, 'date') || !isKind(to, 'date')) return undefined
  return counted(epochDays(from), epochDays(to)).map((days) => dateOfDays(days) ?? null)
}

function counted(first: number, last: number): readonly number[] {
  const length = Math.abs(last - first) + 1
  if (length > MAX_ITEMS) throw new NotConstant('a range has too many numbers')
  return Array.from({ length }, (_, index) => (last >= first ? first + index : first - index))
}

/** The list item at a position, counted from 1, or from -1 at the end. */
export function indexed(list: readonly FeelValue[], index: NumberValue): FeelValue {
  const at = Number(index)
  if (!Number.isInteger(at) || at === 0) return null
  return list.at(at > 0 ? at - 1 : at) ?? null
}

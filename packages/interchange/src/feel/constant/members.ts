import { decimalArithmetic, numberOfText } from '@engine/expression'
import { integer } from './temporal-arithmetic.ts'
import { type FeelDate, type FeelTime, NANOS, offsetOf, weekday } from './temporal.ts'
import { type FeelRange, type FeelValue, isContext, isList, taggedOf } from './value.ts'

/** A member: an entry of a context, of each item of a list, or a part of a date, time, duration or range. */
export function memberOf(value: FeelValue, name: string): FeelValue {
  if (isContext(value)) return value.get(name) ?? null
  if (isList(value)) return value.map((item) => memberOf(item, name))
  const tagged = taggedOf(value)
  switch (tagged?.kind) {
    case 'date':
      return dateMember(tagged, name)
    case 'time':
      return timeMember(tagged, name)
    case 'dateTime': {
      const { date, time } = tagged
      return dateMember(date, name) ?? timeMember(time, name, date)
    }
    case 'dayTime':
      return dayTimeMember(tagged.nanos, name)
    case 'yearMonth': {
      const { months } = tagged
      return name === 'years' ? Math.trunc(months / 12) || 0 : name === 'months' ? months % 12 || 0 : null
    }
    case 'range':
      return rangeMember(tagged, name)
    default:
      return null
  }
}

function rangeMember({ low, high, isLowIncluded, isHighIncluded }: FeelRange, name: string): FeelValue {
  switch (name) {
    case 'start':
      return low
    case 'end':
      return high
    case 'start included':
      return isLowIncluded
    case 'end included':
      return isHighIncluded
    default:
      return null
  }
}

function dateMember(date: FeelDate, name: string): FeelValue {
  if (name === 'weekday') return weekday(date)
  return name === 'year' || name === 'month' || name === 'day' ? date[name] : null
}

function timeMember(
  time: FeelTime,
  name: string,
  date: FeelDate = { kind: 'date', year: 1970, month: 1, day: 1 },
): FeelValue {
  switch (name) {
    case 'hour':
    case 'minute':
      return time[name]
    case 'second':
      return time.nanos === 0
        ? time.second
        : (numberOfText(`${time.second}.${String(time.nanos).padStart(9, '0')}`) ?? null)
    case 'time offset': {
      const offset = offsetOf(time, date)
      return offset === undefined ? null : { kind: 'dayTime', nanos: BigInt(offset) * NANOS }
    }
    case 'timezone':
      return time.zone ?? null
    default:
      return null
  }
}

function dayTimeMember(nanos: bigint, name: string): FeelValue {
  const seconds = nanos / NANOS
  switch (name) {
    case 'days':
      return Number(seconds / 86_400n)
    case 'hours':
      return Number((seconds / 3600n) % 24n)
    case 'minutes':
      return Number((seconds / 60n) % 60n)
    case 'seconds':
      return decimalArithmetic.divide(integer(nanos % (60n * NANOS)), Number(NANOS))
    default:
      return null
  }
}

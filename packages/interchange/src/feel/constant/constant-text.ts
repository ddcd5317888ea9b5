import { type FeelValue, isContext, isFeelNumber, isList, NotConstant } from './value.ts'
import { temporalText } from './temporal.ts'

/** Maximum length of one constant. */
const MAX_LENGTH = 50_000

/**
 * A value as an expression of a ruleset: dates, times and durations become texts. Throws `NotConstant` for ranges and
 * functions.
 */
export function constantText(value: FeelValue): string {
  const text = written(value)
  if (text.length > MAX_LENGTH) throw new NotConstant('its value is too long')
  return text
}

function written(value: FeelValue): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return JSON.stringify(value)
  if (isFeelNumber(value)) return String(value)
  if (isList(value)) return `[${value.map(written).join(', ')}]`
  if (isContext(value)) {
    if (value.has('__proto__')) throw new NotConstant('a member named `__proto__`')
    return `{${Array.from(value, ([key, one]) => `${JSON.stringify(key)}: ${written(one)}`).join(', ')}}`
  }
  if (value.kind === 'range' || value.kind === 'function') throw new NotConstant(`its value is a ${value.kind}`)
  return JSON.stringify(temporalText(value))
}

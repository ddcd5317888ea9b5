import { isNumber, isObject, type Value } from '@engine/expression'
import type { Witness } from './verdict.ts'

/** A decision that was recorded. */
export interface DecisionRecord {
  readonly input: Witness['input']
  readonly code?: string
  /** Epoch milliseconds of `now()`. */
  readonly now?: number
}

/** The largest time of a date, in milliseconds. */
const MAX_TIME = 8.64e15

/** The record that a JSON value is; a text: why it is none. Members without a meaning are ignored. */
export function readDecisionRecord(value: Value): DecisionRecord | string {
  if (!isObject(value)) return 'a record is an object with an `input`'
  const { input = null, code = null, now = null } = value
  if (!isObject(input)) return '`input` must be an object'
  if (code !== null && typeof code !== 'string') return '`code` must be a text'
  if (now !== null && !(isNumber(now) && Math.abs(Number(now)) <= MAX_TIME))
    return '`now` must be a number of milliseconds'
  return { input, ...(code !== null && { code }), ...(now !== null && { now: Number(now) }) }
}

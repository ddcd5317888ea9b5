import { isList, isNumber, isObject, type ObjectValue, type Value } from '@engine/expression'
import type { Witness } from './verdict.ts'
import type { RecordedCall } from './witness/recorded-calls.ts'

/** A decision that was recorded. */
export interface DecisionRecord {
  readonly input: Witness['input']
  readonly code?: string
  /** Its contract refused the input. */
  readonly isRefused?: boolean
  /** Epoch milliseconds of `now()`. */
  readonly now?: number
  /** The external calls whose answers it waited for; undefined: they were not recorded. */
  readonly calls?: readonly RecordedCall[]
}

/** A time of RFC 3339. */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/i
/** The largest time of a date, in milliseconds. */
const MAX_TIME = 8.64e15

/** The record that a JSON value is; a text: why it is none. Members without a meaning are ignored. */
export function readDecisionRecord(value: Value): DecisionRecord | string {
  if (!isObject(value)) return 'a record is an object with an `input`'
  const { input = null, code = null, outcome = null, calls = null } = value
  if (!isObject(input)) return '`input` must be an object'
  if (code !== null && typeof code !== 'string') return '`code` must be a text'
  const now = clockOf(value)
  if (typeof now === 'string') return now
  const answered = calls === null ? [] : isList(calls) ? calls.map(callOf) : [undefined]
  if (!answered.every((call) => call !== undefined))
    return '`calls` must be a list of `{service, method, parameters, answer}`, or `error` instead of `answer`'
  return {
    input,
    ...(code !== null && { code }),
    ...(outcome === 'refused' && { isRefused: true }),
    ...(now !== undefined && { now }),
    ...(calls !== null && { calls: answered }),
  }
}

/** `now` in milliseconds, or else the instant `at`, as recordings of the platform have it. A text: why it is neither. */
function clockOf({ now = null, at = null }: ObjectValue): number | string | undefined {
  if (now !== null)
    return isNumber(now) && Math.abs(Number(now)) <= MAX_TIME ? Number(now) : '`now` must be a number of milliseconds'
  if (at === null) return undefined
  const instant = typeof at === 'string' && INSTANT.test(at) ? Date.parse(at) : Number.NaN
  return Number.isNaN(instant) ? '`at` must be a time such as `2026-11-29T12:00:00Z`' : instant
}

/** Undefined: it is of another form. */
function callOf(call: Value): RecordedCall | undefined {
  if (!isObject(call)) return undefined
  const { service = null, method = null, parameters = null, answer = null, error = null } = call
  if (typeof service !== 'string' || typeof method !== 'string' || !isObject(parameters)) return undefined
  if (answer === null) return typeof error === 'string' ? { service, method, parameters } : undefined
  return isObject(answer) && error === null ? { service, method, parameters, answer } : undefined
}

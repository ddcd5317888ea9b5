import type { DecisionReceipt } from '@engine/api'
import { isObject, type ObjectValue, parseJson, type Value } from '@engine/expression'
import { ClientError } from './errors.ts'
import type { BatchAnswer, Decided, Evaluated, Filtered } from './transport.ts'

/** The value of JSON that an engine sent. Throws `ClientError`. */
export function valueOf(text: string): Value {
  const parsed = parseJson(text, { duplicateKeys: 'last' })
  if (parsed.kind === 'parsed') return parsed.value
  throw new ClientError('server', `the answer is not JSON: ${parsed.problem.message}`)
}

/** A JSON object that an engine sent. Throws `ClientError`. */
export function objectOf(text: string): ObjectValue {
  const value = valueOf(text)
  return isObject(value) ? value : unexpected()
}

/** The decision in the body of an answer. Throws `ClientError`. */
export function decidedOf(text: string): Decided {
  const answer: unknown = objectOf(text)
  return isDecided(answer) ? answer : unexpected()
}

/** The results of a batch in the body of an answer. Throws `ClientError`. */
export function batchOf(text: string): BatchAnswer {
  const answer: unknown = objectOf(text)
  return isBatch(answer) ? answer : unexpected()
}

/** The value of an expression in the body of an answer. Throws `ClientError`. */
export function evaluatedOf(text: string): Evaluated {
  const answer: unknown = objectOf(text)
  return isEvaluated(answer) ? answer : unexpected()
}

/** The filter in the body of an answer. Throws `ClientError`. */
export function filteredOf(text: string): Filtered {
  const answer: unknown = objectOf(text)
  return isFiltered(answer) ? answer : unexpected()
}

/** The receipt in an answer; undefined if there is none. Verifiers check its content. */
export function receiptOf(value: unknown): DecisionReceipt | undefined {
  return isReceipt(value) ? value : undefined
}

/*
 * The guards check the members that distinguish an engine's answer from that of another server, such as a proxy. The
 * other members have the types that the engine's interface defines.
 */

function isDecided(answer: unknown): answer is Decided {
  return hasMembers(answer) && typeof answer['code'] === 'string' && hasMembers(answer['output'])
}

function isBatch(answer: unknown): answer is BatchAnswer {
  if (!hasMembers(answer) || !Array.isArray(answer['results']) || !hasMembers(answer['summary'])) return false
  return answer['results'].every((item) => hasMembers(item) && (typeof item['error'] === 'string' || isDecided(item)))
}

function isEvaluated(answer: unknown): answer is Evaluated {
  return hasMembers(answer) && answer['result'] !== undefined && typeof answer['parsed'] === 'string'
}

function isFiltered(answer: unknown): answer is Filtered {
  if (!hasMembers(answer) || !Array.isArray(answer['unknown_fields'])) return false
  return answer['never_matches'] === true ? answer['filter'] === null : typeof answer['filter'] === 'string'
}

function isReceipt(value: unknown): value is DecisionReceipt {
  return hasMembers(value) && value['format'] === 'engine-receipt/1'
}

function hasMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function unexpected(): never {
  throw new ClientError('server', 'the answer is not that of an engine: check the address')
}

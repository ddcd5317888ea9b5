import { isObject, type Value } from '@engine/expression'
import type { RecordedCall } from './recorded-calls.ts'
import type { Answers, Stub } from './stubs.ts'

/** The answers of a test case, by `service.method`: the payload, or `{error: text}` of a call that fails. */
export type CaseStubs = { readonly [call: string]: Value }

/** Answers calls as a run of a test case does: each call of a method alike. A call without an answer fails. */
export class CaseAnswers implements Answers {
  readonly #stubs: CaseStubs

  constructor(stubs: CaseStubs) {
    this.#stubs = stubs
  }

  take(service: string, method: string, parameters: Value): RecordedCall {
    const payload = this.#stubs[`${service}.${method}`]
    const call = { service, method, parameters }
    if (payload === undefined || isFailure(payload)) return call
    return { ...call, answer: { payload, metadata: { stub: 'true' } } }
  }
}

function isFailure(payload: Value): boolean {
  return isObject(payload) && Object.keys(payload).length === 1 && typeof payload['error'] === 'string'
}

/** The answers of a witness for a test case. Where calls of one method have different answers, a case has the first of them. */
export function caseStubs(calls: readonly Stub[]): CaseStubs {
  const stubs = new Map<string, Value>()
  for (const { service, method, answer, error } of calls) {
    const key = `${service}.${method}`
    const payload = answer === undefined ? { error: error ?? 'failed' } : (answer['payload'] ?? null)
    if (!stubs.has(key)) stubs.set(key, payload)
  }
  return Object.fromEntries(stubs)
}

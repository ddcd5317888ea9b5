import type { ObjectValue, Value } from '@engine/expression'
import { isSameJson } from './same-json.ts'

/** An external call whose answer a decision waited for, as the evidence of receipts has it. */
export interface RecordedCall {
  readonly service: string
  readonly method: string
  readonly parameters: Value
  /** `payload` and `metadata`; absent: the call failed. */
  readonly answer?: ObjectValue
}

/** The recorded calls of one decision, for executing it again. */
export class RecordedAnswers {
  readonly #calls: readonly RecordedCall[]
  readonly #used = new Set<RecordedCall>()

  constructor(calls: readonly RecordedCall[]) {
    this.#calls = calls
  }

  /**
   * The recorded call of the same service, method and parameters: the first that was not used yet. Undefined: there is none.
   * Another version of the rules may make its calls in other steps and in another order. Linear in the calls.
   */
  take(service: string, method: string, parameters: Value): RecordedCall | undefined {
    const found = this.#calls.find(
      (call) =>
        !this.#used.has(call) &&
        call.service === service &&
        call.method === method &&
        isSameJson(call.parameters, parameters),
    )
    if (found !== undefined) this.#used.add(found)
    return found
  }
}

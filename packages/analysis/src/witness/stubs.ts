import { type Expression, isObject, type ObjectValue, type Value } from '@engine/expression'
import type { AskedCall } from '../formula/answers.ts'
import { type Building, evaluate, type Evaluated } from '../formula/evaluate.ts'
import type { RecordedCall } from './recorded-calls.ts'
import { isSameJson } from './same-json.ts'

/** An external call that an execution makes, and its answer; `error`: the call fails. */
export type Stub = {
  readonly service: string
  readonly method: string
  readonly parameters: Value
  readonly answer?: ObjectValue
  readonly error?: string
}

/** Answers the external calls of one execution. */
export interface Answers {
  /** Undefined: there is none, and the execution ends. */
  take(service: string, method: string, parameters: Value): RecordedCall | undefined
}

/** The answer of a call about which the search wants nothing. */
const ANY_ANSWER: ObjectValue = { payload: null, metadata: {} }

const FAILED = 'the service failed'

/**
 * Answers of external calls for all executions of one candidate. The n-th call with the same service, method and parameters has the
 * same answer in each execution. An answer is chosen when its call is first made: the search puts the answers that it needs into the
 * input of the candidate.
 */
export class Stubs {
  /** In the order in which the calls were made. */
  readonly calls: Stub[] = []
  readonly #wanted: readonly Wanted[]

  /**
   * @param calls those that the search knows
   * @param wanted the input of the candidate with its answers
   */
  constructor(calls: Iterable<AskedCall>, wanted: ObjectValue, now: number) {
    this.#wanted = Array.from(calls, (call) => new Wanted(call, wanted, now))
  }

  /** The answers of one execution. */
  begin(): Answers {
    const asked: Stub[] = []
    return {
      take: (service, method, parameters) => {
        const isSame = (one: Stub): boolean =>
          one.service === service && one.method === method && isSameJson(one.parameters, parameters)
        const before = asked.filter(isSame).length
        const found = this.calls.filter(isSame)[before] ?? this.#answer({ service, method, parameters }, before)
        asked.push(found)
        return found
      },
    }
  }

  /** A candidate with the answers that its calls got, where formulas have them: among the members of its input. */
  effective<Given extends { readonly input: ObjectValue }>(candidate: Given): Given {
    const { input } = candidate
    const members = new Map(Object.entries(input))
    for (const one of this.#wanted) {
      const stub = this.calls.filter((call) => one.asks(call))[one.before ?? 0]
      if (stub !== undefined) members.set(one.member, stub.answer ?? {})
    }
    return { ...candidate, input: Object.fromEntries(members) }
  }

  #answer(call: Pick<Stub, 'service' | 'method' | 'parameters'>, before: number): Stub {
    const wanted = this.#wanted.find((one) => one.isWanted && one.asks(call) && (one.before ?? before) === before)
    const answer = wanted === undefined ? ANY_ANSWER : wanted.answer
    const made = answer === undefined ? { ...call, error: FAILED } : { ...call, answer }
    this.calls.push(made)
    return made
  }
}

/** Marks a call that fails, among the parts of its answer. */
const FAILS = 'fails'

/** A call that the search knows, with the answer that it wants. */
class Wanted {
  readonly member: string
  readonly #call: AskedCall
  readonly #input: ObjectValue
  readonly #now: number
  #own: Evaluated | undefined
  /** Null: not counted yet. */
  #before: number | undefined | null = null

  constructor(call: AskedCall, input: ObjectValue, now: number) {
    this.#call = call
    this.#input = input
    this.#now = now
    this.member = call.member
  }

  asks({ service, method, parameters }: Pick<Stub, 'service' | 'method' | 'parameters'>): boolean {
    if (this.#call.service !== service || this.#call.method !== method) return false
    const own = this.#parameters()
    return 'value' in own && isSameJson(own.value, parameters)
  }

  /** The number of earlier calls with the same parameters; undefined: unknown. */
  get before(): number | undefined {
    if (this.#before === null) this.#before = this.#countBefore()
    return this.#before
  }

  get isWanted(): boolean {
    return Object.hasOwn(this.#input, this.member)
  }

  /** Undefined: the call fails. */
  get answer(): ObjectValue | undefined {
    const wanted = this.#input[this.member] ?? null
    const { payload = null, metadata = null, [FAILS]: fails = false } = isObject(wanted) ? wanted : {}
    if (fails === true) return undefined
    return { payload, metadata: isObject(metadata) ? metadata : {} }
  }

  #parameters(): Evaluated {
    return (this.#own ??= this.#evaluate(this.#call.parameters))
  }

  #countBefore(): number | undefined {
    const own = this.#parameters()
    if ('error' in own) return undefined
    let count = 0
    for (const item of this.#call.earlier) {
      // The parameters of these calls are unknown: a called ruleset, or merged states.
      const found = item.kind === 'object' ? this.#evaluate(item) : undefined
      if (found === undefined || 'error' in found) return undefined
      if (isSameJson(found.value, own.value)) count++
    }
    return count
  }

  #evaluate(parameters: Expression): Evaluated {
    return evaluate(parameters, this.#call.policy, this.#input, undefined, this.#now)
  }
}

/** Marks in the input of a candidate that a call fails. */
export function wantFailure(input: Building, { member }: AskedCall): void {
  input[member] = { [FAILS]: true }
}

import { type EvaluationPolicy, type Expression, walk } from '@engine/expression'
import type { CallRuleset, ExternalCall, Ruleset, Step } from '@engine/ruleset'
import { answerMember, answerOf, type AskedCall, fieldOfAnswer, textOfCall } from '../formula/answers.ts'
import type { Encoder } from '../formula/encoder.ts'
import { keyOf } from '../formula/policy-key.ts'
import { UNKNOWN_ERROR } from '../formula/truth.ts'
import { type Literal, negated } from '../search/solver.ts'
import { isPlain } from '../terms/path.ts'
import { AskedCalls } from './asked-calls.ts'
import { freeValue, held, type Variables } from './substitution.ts'

/** The effect of a call. */
export interface CallEffect {
  readonly value: Expression
  /** The error, and when the call ends in it. */
  readonly code: string
  readonly fails: Literal
  /** A hidden variable, with the calls up to this one: later answers depend on them. */
  readonly history?: readonly [name: string, calls: Expression]
}

/** The answers of the calls of one ruleset. */
export interface CallModel {
  /** The hidden variables on which the calls of a step depend. */
  historiesReadBy(step: Step): readonly string[]
  /** @param place equal texts mean the same place; `values` are the parameters over the input */
  effectOf(
    action: CallRuleset | ExternalCall,
    place: string,
    values: readonly Expression[],
    variables: Variables,
  ): CallEffect
}

/** Answers of external calls as members of the input. */
export class CallAnswers implements CallModel {
  readonly #encoder: Encoder
  readonly #asked: AskedCalls
  readonly #policy: EvaluationPolicy

  constructor(encoder: Encoder, ruleset: Ruleset, policy: EvaluationPolicy) {
    this.#encoder = encoder
    this.#policy = policy
    this.#asked = new AskedCalls(ruleset, (text) => encoder.nameOf(text))
  }

  historiesReadBy(step: Step): readonly string[] {
    return this.#asked.historiesReadBy(step)
  }

  effectOf(
    action: CallRuleset | ExternalCall,
    place: string,
    values: readonly Expression[],
    variables: Variables,
  ): CallEffect {
    if (action.action === 'call_ruleset') {
      // Equal calls of two versions at the same place have equal answers.
      const { text, history, calls } = this.#asked.ruleset(place, action, values, variables)
      const fails = this.#encoder.free(text)
      return { value: freeValue(text), code: UNKNOWN_ERROR, fails, history: [history, this.#short(calls)] }
    }
    const { history, calls, ...asked } = this.#asked.external(action, values, variables)
    const { member, fails } = this.#call({ ...asked, policy: this.#policy })
    const value = this.#asked.hasNames ? answerOf(action, member) : freeValue(member)
    return { value, code: 'external-call', fails, history: [history, this.#short(calls)] }
  }

  #short(calls: Expression): Expression {
    return held(calls, (text) => this.#encoder.nameOf(text))
  }

  /** The same call has the same answer. */
  #call(asked: Omit<AskedCall, 'fails' | 'member'>): AskedCall {
    const { calls, solver } = this.#encoder
    const text = `${keyOf(asked.policy)} ${textOfCall(asked)}`
    const known = calls.get(text)
    if (known !== undefined) return known
    const call = { ...asked, fails: solver.createVariable(), member: answerMember(asked, this.#encoder.nameOf(text)) }
    calls.set(text, call)
    // There is always a payload, and metadata are an object.
    solver.addClause([negated(this.#encoder.field(fieldOfAnswer(call.member, 'payload')).is('missing'))])
    solver.addClause([this.#encoder.field(fieldOfAnswer(call.member, 'metadata')).isAny('empty object', 'object')])
    // Two calls have different answers only if their parameters differ.
    walk(asked.parameters, (node) => {
      if (node.kind === 'field' && isPlain(node.path)) this.#encoder.field(node)
    })
    return call
  }
}

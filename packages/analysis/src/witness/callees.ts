import { isObject, makeFunction, NO_SPAN, type Value } from '@engine/expression'
import {
  ANY_OPERATION,
  createProgram,
  ExecutionError,
  type CapabilityProvider,
  type Host,
  type Program,
  type Ruleset,
} from '@engine/ruleset'
import type { Answers } from './stubs.ts'

/** Rulesets by the names with which `call_ruleset` calls them. */
export type Callees = ReadonlyMap<string, Ruleset>

export const NO_CALLEES: Callees = new Map()

/** The answer of a called ruleset, or the code of the error in its place. */
export type CallAnswer = { readonly value: Value } | { readonly error: string }

/**
 * Calls rulesets as a ruleset calls them: with the same conversion of numbers, errors and cycles. Undefined: the called ruleset,
 * or one that it calls, is not there, or an external call has no answer.
 */
export class RulesetCalls {
  readonly #caller: Ruleset
  readonly #callees: Callees
  readonly #compiles: boolean
  readonly #programs = new Map<string, Program>()
  readonly #service: Service = { answers: undefined }

  constructor(caller: Ruleset, callees: Callees, compiles: boolean) {
    this.#caller = caller
    this.#callees = callees
    this.#compiles = compiles
  }

  call(name: string, input: Value, now: number, answers?: Answers): CallAnswer | undefined {
    this.#service.answers = answers
    if (!isObject(input)) return { error: 'call-input' }
    let program = this.#programs.get(name)
    if (program === undefined) {
      program = createProgram(callerOf(this.#caller, name), hostOf(this.#callees, this.#compiles, this.#service))
      this.#programs.set(name, program)
    }
    try {
      const decision = program.decide(input, { now })
      return decision instanceof Promise ? undefined : { value: decision.output[RESULT] ?? null }
    } catch (error) {
      if (!(error instanceof ExecutionError)) throw error
      return error.code === 'unknown-ruleset' ? undefined : { error: error.code }
    }
  }
}

const RESULT = 'result'

/** A ruleset of the caller's name that passes its input to another one, and returns the result. */
function callerOf({ config }: Ruleset, name: string): Ruleset {
  const action = { action: 'call_ruleset', rulesetName: name, inputMapping: undefined, resultVariable: RESULT } as const
  const output = [[RESULT, { kind: 'variable', name: RESULT, path: [], span: NO_SPAN }]] as const
  return {
    config: { ...config, contract: undefined, entryStep: 'call', maxDepth: 2, enableTrace: false },
    steps: new Map([
      ['call', { type: 'action', id: 'call', name: 'call', actions: [action], nextStep: 'end' }],
      [
        'end',
        {
          type: 'terminal',
          id: 'end',
          name: 'end',
          code: 'ANSWERED',
          message: { kind: 'text', text: '' },
          fields: new Map(),
          output,
        },
      ],
    ]),
  }
}

/** What answers external calls in the next execution. */
export interface Service {
  answers: Answers | undefined
}

/** The environment of an execution with no way to anything outside but called rulesets and known answers. */
export function hostOf(callees: Callees, isCompiled: boolean, service?: Service): Host {
  const programs = new Map<string, Program>()
  const host: Host = {
    rulesets: {
      resolve(name) {
        const callee = callees.get(name)
        if (callee === undefined) return undefined
        const known = programs.get(name) ?? createProgram(callee, host)
        programs.set(name, known)
        return known
      },
      generation: 0,
    },
    capabilities: { get: (name) => providerOf(name, service) },
    log: () => undefined,
    metric: () => undefined,
    callFailed: () => undefined,
    monotonic: () => 0,
    now: () => 0,
    makeFunction: isCompiled ? makeFunction : undefined,
    limit: () => ({ signal: NEVER, dispose: () => undefined }),
    pause: undefined,
  }
  return host
}

const NEVER = { aborted: false, addEventListener: () => undefined, removeEventListener: () => undefined }

/** Answers calls with known answers. Any other call never ends. */
function providerOf(name: string, service: Service | undefined): CapabilityProvider {
  return {
    name,
    operations: [ANY_OPERATION],
    call: () => new Promise(() => undefined),
    callSync({ operation, payload: parameters }) {
      const call = service?.answers?.take(name, operation, parameters)
      if (call !== undefined && call.answer === undefined) throw new Error('the call failed')
      const { payload = null, metadata = null } = call?.answer ?? {}
      return call && { payload, metadata: isObject(metadata) ? metadata : {} }
    },
  }
}

import { isObject, makeFunction, NO_SPAN, type Value } from '@engine/expression'
import { createProgram, ExecutionError, type Host, type Program, type Ruleset } from '@engine/ruleset'

/** Rulesets by the names with which `call_ruleset` calls them. */
export type Callees = ReadonlyMap<string, Ruleset>

export const NO_CALLEES: Callees = new Map()

/** The answer of a called ruleset, or the code of the error in its place. */
export type CallAnswer = { readonly value: Value } | { readonly error: string }

/**
 * Calls rulesets as a ruleset calls them: with the same conversion of numbers, errors and cycles. Undefined: the called ruleset,
 * or one that it calls, is not there, or waits for something outside.
 */
export class RulesetCalls {
  readonly #caller: Ruleset
  readonly #callees: Callees
  readonly #compiles: boolean
  readonly #programs = new Map<string, Program>()

  constructor(caller: Ruleset, callees: Callees, compiles: boolean) {
    this.#caller = caller
    this.#callees = callees
    this.#compiles = compiles
  }

  call(name: string, input: Value, now: number): CallAnswer | undefined {
    if (!isObject(input)) return { error: 'call-input' }
    let program = this.#programs.get(name)
    if (program === undefined) {
      program = createProgram(callerOf(this.#caller, name), hostOf(this.#callees, this.#compiles))
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

/** The environment of an execution with no way to anything outside but called rulesets. */
export function hostOf(callees: Callees, isCompiled: boolean): Host {
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
    capabilities: { get: () => undefined },
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

import type { Value } from '@engine/expression'
import {
  type Action,
  actionsOf,
  ContractError,
  createProgram,
  type Decision,
  ExecutionError,
  type Program,
  type Ruleset,
} from '@engine/ruleset'
import { type Callees, hostOf, NO_CALLEES, type Service } from './callees.ts'
import type { Candidate } from './model.ts'
import { type Retraced, Retracing } from './retracing.ts'
import { areSame, Follower, type ResultWatch, type Side } from './trail.ts'

interface ExecutorOptions {
  readonly shownByResult?: ResultWatch | undefined
  readonly compiles?: boolean | undefined
  readonly callees?: Callees | undefined
}

/** Executes inputs in all ways: a witness must give the same result in each. */
export class Executor {
  readonly #follower: Retracing
  readonly #ruleset: Ruleset
  readonly #compiles: boolean
  readonly #callees: Callees
  /** Whether candidates need answers of external calls. */
  readonly needsAnswers: boolean
  /** Interprets in order, to compare with. */
  readonly #reference: Retracing
  readonly #service: Service = { answers: undefined }
  #program: Program | undefined
  #checking: Program | undefined

  constructor(ruleset: Ruleset, { shownByResult, compiles = true, callees = NO_CALLEES }: ExecutorOptions = {}) {
    this.#ruleset = ruleset
    this.#compiles = compiles
    this.#callees = callees
    this.needsAnswers = [ruleset, ...callees.values()].some(awaitsServices)
    const following = new Follower(ruleset, { shownByResult, compiles, callees })
    this.#follower = new Retracing(following, ruleset, this.needsAnswers)
    this.#reference = new Retracing(new Follower(ruleset, { callees, inOrder: true }), ruleset, this.needsAnswers)
  }

  /** What one execution shows. */
  follow(candidate: Candidate): Retraced {
    return this.#follower.follow(candidate)
  }

  /** Whether the enforced contract refuses an input. */
  refuses({ input }: Candidate): boolean {
    if (this.#ruleset.config.contract?.mode !== 'enforce') return false
    this.#checking ??= createProgram(this.#ruleset, hostOf(NO_CALLEES, false))
    return this.#checking.violations(input).length > 0
  }

  /** Whether the program of the engine and the interpreter of expressions end like the trail. */
  confirms(candidate: Candidate, side: Side): boolean {
    const { input, now = 0, stubs } = candidate
    this.#program ??= createProgram(this.#ruleset, hostOf(this.#callees, this.#compiles, this.#service))
    this.#service.answers = stubs?.begin()
    const interpreted = this.refuses(candidate) ? REFUSED : this.#reference.follow(candidate).side
    return [sideOf(this.#program, input, now), interpreted].every((one) => one !== undefined && areSame(one, side))
  }
}

/** Whether a ruleset awaits answers of external calls. */
function awaitsServices({ steps }: Ruleset): boolean {
  const isAwaited = (action: Action) => action.action === 'external_call' && action.resultVariable !== undefined
  return [...steps.values()].some((step) => actionsOf(step).some(isAwaited))
}

/** What an input ends in that the enforced contract refuses. */
export const REFUSED: Side = { error: { code: 'INVALID_INPUT', step: '' } }

/** Runs synchronous work whose errors are expected: their stacks would take a third of its time. */
export function withoutStacks<Result>(work: () => Result): Result {
  // Only V8 has the limit.
  const errors: ErrorConstructor & { stackTraceLimit?: number } = Error
  const { stackTraceLimit } = errors
  if (stackTraceLimit === undefined) return work()
  errors.stackTraceLimit = 0
  try {
    return work()
  } finally {
    errors.stackTraceLimit = stackTraceLimit
  }
}

/** The program that an engine would execute, with no way to anything outside but called rulesets. */
export function compiledProgram(ruleset: Ruleset, callees: Callees = NO_CALLEES): Program {
  return createProgram(ruleset, hostOf(callees, true))
}

/** What an execution ends in; undefined: it waits for something outside of the ruleset. */
export function sideOf(program: Program, input: Value, now: number): Side | undefined {
  try {
    const decision = program.decide(input, { now })
    return decision instanceof Promise ? undefined : shown(decision)
  } catch (error) {
    if (error instanceof ContractError) return REFUSED
    if (error instanceof ExecutionError) return { error: { code: error.code, step: error.step } }
    throw error
  }
}

function shown({ code, message, output }: Decision): Side {
  return { code, message, output }
}

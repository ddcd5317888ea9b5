import { makeFunction, type Value } from '@engine/expression'
import {
  ContractError,
  createProgram,
  type Decision,
  ExecutionError,
  type Host,
  type Program,
  type Ruleset,
} from '@engine/ruleset'
import type { Candidate } from './model.ts'
import { areSame, Follower, type ResultWatch, type Side, type Trail } from './trail.ts'

interface ExecutorOptions {
  readonly shownByResult?: ResultWatch | undefined
  readonly compiles?: boolean | undefined
}

/** Executes inputs in all ways: a witness must give the same result in each. */
export class Executor {
  readonly #follower: Follower
  readonly #ruleset: Ruleset
  readonly #compiles: boolean
  #programs: readonly Program[] | undefined

  constructor(ruleset: Ruleset, { shownByResult, compiles = true }: ExecutorOptions = {}) {
    this.#ruleset = ruleset
    this.#compiles = compiles
    this.#follower = new Follower(ruleset, shownByResult, compiles)
  }

  /** What one execution shows. */
  follow({ input, now }: Candidate): Trail {
    return this.#follower.follow(input, now)
  }

  /** Whether the compiled program and the interpreter end like the trail. */
  confirms({ input, now }: Candidate, side: Side): boolean {
    this.#programs ??= [
      ...(this.#compiles ? [compiledProgram(this.#ruleset)] : []),
      createProgram(this.#ruleset, host(false)),
    ]
    return this.#programs.every((program) => {
      const found = sideOf(program, input, now ?? 0)
      return found !== undefined && areSame(found, side)
    })
  }
}

/** The program that an engine would execute, with no way to anything outside of the ruleset. */
export function compiledProgram(ruleset: Ruleset): Program {
  return createProgram(ruleset, host(true))
}

/** What an execution ends in; undefined: it waits for something outside of the ruleset. */
export function sideOf(program: Program, input: Value, now: number): Side | undefined {
  try {
    const decision = program.decide(input, { now })
    return decision instanceof Promise ? undefined : shown(decision)
  } catch (error) {
    if (error instanceof ContractError) return { error: { code: 'INVALID_INPUT', step: '' } }
    if (error instanceof ExecutionError) return { error: { code: error.code, step: error.step } }
    throw error
  }
}

function shown({ code, message, output }: Decision): Side {
  return { code, message, output }
}

function host(isCompiled: boolean): Host {
  return {
    rulesets: { resolve: () => undefined, generation: 0 },
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
}

const NEVER = { aborted: false, addEventListener: () => undefined, removeEventListener: () => undefined }

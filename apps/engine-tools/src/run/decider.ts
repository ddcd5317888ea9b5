import { makeFunction, stringifyJson, type Value } from '@engine/expression'
import {
  ContractError,
  createCapabilities,
  createProgram,
  ExecutionError,
  type Host,
  type Program,
  type Ruleset,
} from '@engine/ruleset'
import { readRules, rulesetsInFolderOf } from '../check/rule-files.ts'

/** A decision as JSON (specification 2.3), or a failure in the form of a batch. */
export interface Outcome {
  readonly code: string
  readonly isFailed: boolean
  readonly json: { readonly [member: string]: Value }
}

/** Decides by the rules of one file. */
export interface Decider {
  readonly ruleset: Ruleset
  decide(input: Value): Outcome | Promise<Outcome>
}

/**
 * The rules of a file, ready for decisions. Rulesets that they call are those in the same folder. External calls fail. Throws
 * `ToolError` for an invalid file.
 */
export async function createDecider(path: string, isTraced: boolean): Promise<Decider> {
  const ruleset = (await readRules(path)).ruleset
  const programs = new Map<string, Program>()
  const host: Host = {
    rulesets: { resolve: (name) => programs.get(name), generation: 0 },
    capabilities: createCapabilities(),
    log: ({ step, level, message }) => process.stderr.write(`${level}: ${message} (step ${step})\n`),
    metric: () => {},
    callFailed: ({ step, cause }) => process.stderr.write(`warning: ${cause} (step ${step})\n`),
    monotonic: () => performance.now(),
    now: Date.now,
    makeFunction,
    // Calls fail before they wait.
    limit: () => ({ signal: new AbortController().signal, dispose: () => {} }),
    pause: () => new Promise((resolve) => setImmediate(resolve)),
  }
  if (callsRulesets(ruleset))
    for (const [name, other] of await rulesetsInFolderOf(path)) programs.set(name, createProgram(other, host))
  const program = createProgram(ruleset, host)
  programs.set(ruleset.config.name, program)
  return {
    ruleset,
    decide(input) {
      try {
        const result = isTraced ? program.execute(input, { trace: true }) : program.decide(input)
        return result instanceof Promise ? result.then(decided, failed) : decided(result)
      } catch (error) {
        return failed(error)
      }
    },
  }
}

function decided(result: { readonly code: string }): Outcome {
  return { code: result.code, isFailed: false, json: result }
}

function failed(error: unknown): Outcome {
  if (!(error instanceof ExecutionError)) throw error
  const details = error instanceof ContractError ? `: ${stringifyJson(error.violations)}` : ''
  const message = `${error.message}${details}`
  return { code: 'error', isFailed: true, json: { code: 'error', message, output: null, error: message } }
}

function callsRulesets({ steps }: Ruleset): boolean {
  for (const step of steps.values()) {
    const actions =
      step.type === 'decision'
        ? step.branches.flatMap((one) => one.actions)
        : step.type === 'action'
          ? step.actions
          : []
    if (actions.some(({ action }) => action === 'call_ruleset')) return true
  }
  return false
}

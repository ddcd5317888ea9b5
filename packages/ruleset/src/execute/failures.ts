import { BudgetError, EvaluationError, NO_SPAN, quote, type Span, walk, type Expression } from '@engine/expression/core'
import type { Ruleset } from '../model.ts'
import { ExecutionError } from '../program.ts'

/** Every message of a failed execution. The error of an expression keeps its code and message. */
export const failures = {
  noBranch: (step: string) =>
    new ExecutionError('no-branch', `no branch of step ${quote(step)} is true and it has no \`default_next\``, step),
  maxDepth: (limit: number, step: string) =>
    new ExecutionError(
      'max-depth',
      `more than ${limit} steps were entered (config.max_depth), the last ${quote(step)}`,
      step,
    ),
  requestTimeout: (limit: number, step: string) =>
    new ExecutionError(
      'request-timeout',
      `the execution exceeded the ${limit} ms of its request, in step ${quote(step)}`,
      step,
    ),
  turn: (limit: number, step: string) =>
    new ExecutionError(
      'timeout',
      `step ${quote(step)} computed for more than ${limit} ms of processor time without a pause`,
      step,
    ),
  tooMuch: (limit: number, step: string) =>
    new ExecutionError(
      'execution-too-large',
      `the execution has created more than ${limit} bytes of values, in step ${quote(step)}`,
      step,
    ),
  timeout: (limit: number, step: string) =>
    new ExecutionError(
      'timeout',
      `the execution exceeded ${limit} ms (config.timeout_ms), in step ${quote(step)}`,
      step,
    ),
  unknownRuleset: (name: string, step: string) =>
    new ExecutionError('unknown-ruleset', `there is no ruleset ${quote(name)}, called in step ${quote(step)}`, step),
  callCycle: (names: readonly string[], step: string) =>
    new ExecutionError('call-cycle', `rulesets call each other in a circle: ${names.join(' -> ')}`, step),
  callDepth: (limit: number, step: string) =>
    new ExecutionError('call-depth', `rulesets call each other more than ${limit} levels deep`, step),
  callInput: (name: string, found: string, step: string) =>
    new ExecutionError('call-input', `the input for ruleset ${quote(name)} must be an object, found ${found}`, step),
  calledFailed: (name: string, cause: ExecutionError, step: string) =>
    new ExecutionError(cause.code, `ruleset ${quote(name)} failed: ${cause.message}`, step, { cause }),
  abandoned: () =>
    new ExecutionError('abandoned', 'the request of this execution ended before the call was answered', ''),
  /** `config.timeout_ms` passed during the call. */
  externalTimeout: (service: string, method: string, cause: string, step: string) =>
    new ExecutionError('timeout', `${quote(`${service}.${method}`)} failed: ${cause}`, step),
  externalCall: (service: string, method: string, cause: string, step: string) =>
    new ExecutionError('external-call', `${quote(`${service}.${method}`)} failed: ${cause}`, step),
} as const

/**
 * Converts an error thrown during an execution to an `ExecutionError`; defects are returned unchanged.
 *
 * @param timeoutMs `config.timeout_ms` of its ruleset
 */
export function executionError(thrown: unknown, step: string, timeoutMs: number): unknown {
  if (thrown instanceof BudgetError) return spent(thrown, step, timeoutMs)
  if (!(thrown instanceof EvaluationError)) return thrown
  return new ExecutionError(thrown.code, `${thrown.message} (step ${quote(step)})`, step, { cause: thrown })
}

function spent({ reason, limit }: BudgetError, step: string, timeoutMs: number): ExecutionError {
  switch (reason) {
    case 'deadline':
      return limit === timeoutMs ? failures.timeout(limit, step) : failures.requestTimeout(limit, step)
    case 'turn':
      return failures.turn(limit, step)
    case 'memory':
      return failures.tooMuch(limit, step)
  }
}

/** Steps by the spans of their conditions' nodes: each node has its own span. Built when the first error needs it. */
const places = new WeakMap<Ruleset, Map<Span, string>>()

/** The decision step whose condition failed; undefined when the error was not in a condition. */
export function placeOf(thrown: unknown, ruleset: Ruleset): string | undefined {
  if (!(thrown instanceof EvaluationError) || thrown.span === NO_SPAN) return undefined
  let known = places.get(ruleset)
  if (known === undefined) {
    known = new Map()
    places.set(ruleset, known)
    for (const step of ruleset.steps.values())
      if (step.type === 'decision') for (const { condition } of step.branches) note(known, condition, step.id)
  }
  return known.get(thrown.span)
}

function note(known: Map<Span, string>, condition: Expression, step: string): void {
  walk(condition, (node) => {
    known.set(node.span, step)
    if (node.kind === 'call') known.set(node.nameSpan, step)
  })
}

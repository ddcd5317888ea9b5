import {
  defined,
  asDoubles,
  type Budget,
  BudgetError,
  isNumber,
  isObject,
  type Numbers,
  type ObjectValue,
  typeName,
  type Value,
  quote,
} from '@engine/expression/core'
import type { CallRuleset, ExternalCall, Log, Metric } from '../model.ts'
import { type CallChain, type Decision, ExecutionError, type Program } from '../program.ts'
import { offers } from '../capability-registry.ts'
import type { AbortSignalLike, CapabilityProvider, CapabilityResponse } from '../capability.ts'
import { JoinedSignal } from './joined-signal.ts'
import type { Execution } from './execution.ts'
import { failures } from './failures.ts'
import { given } from './result.ts'

/** Maximum length of a chain of calling rulesets; each level costs stack. */
const DEEPEST_CALL = 32

/** Units of calling a ruleset, and of passing an entry to the host. */
const CALL = 40
const ENTRY = 200

/** `log`: passes the entry to the host unchanged. */
export function log(execution: Execution, action: Log, step: string): void {
  const { budget, host, ruleset } = execution
  budget.spend(ENTRY)
  host.log({ ruleset, step, level: action.level, message: action.message })
}

/**
 * `metric`: a number; booleans count as 1 and 0. Any other value is reported in the log and does not affect the
 * decision.
 */
export function metric(execution: Execution, action: Metric, step: string, value: Value): void {
  const { budget, host, ruleset } = execution
  const { name, tags } = action
  budget.spend(ENTRY)
  if (isNumber(value) || typeof value === 'boolean') host.metric({ ruleset, name, value: Number(value), tags })
  else
    host.log({
      ruleset,
      step,
      level: 'warn',
      message: `metric ${quote(name)} was not recorded: expected a number, found ${typeName(value)}`,
    })
}

/**
 * `call_ruleset`: the decision of another ruleset as `{code, message, output}`; a promise only when that ruleset waits.
 */
export function callRuleset(
  execution: Execution,
  action: CallRuleset,
  step: string,
  input: Value,
): Value | Promise<Value> {
  const { chain } = execution
  const name = action.rulesetName
  refuseCycle(chain, name, step)
  if (!isObject(input)) throw failures.callInput(name, typeName(input), step)
  const program = resolve(execution, action, step)
  const { budget, numbers } = execution
  budget.spend(CALL)
  const mapped = passedInput(budget, input, numbers, program)
  try {
    const { now, context, signal } = execution
    const decision = program.decide(mapped, { now, caller: chain, context, signal })
    const answered = (decided: Decision): Value =>
      numbers === 'double' && program.ruleset.config.numbers === 'decimal'
        ? asDoubles(budget, asValue(decided))
        : asValue(decided)
    if (!(decision instanceof Promise)) return answered(decision)
    return decision.then(answered, (cause: unknown) => {
      throw calledFailed(name, cause, step)
    })
  } catch (cause) {
    throw calledFailed(name, cause, step)
  }
}

function resolve({ host, context }: Execution, action: CallRuleset, step: string): Program {
  const program = host.rulesets.resolve(action.rulesetName, context)
  if (program === undefined) throw failures.unknownRuleset(action.rulesetName, step)
  return program
}

function refuseCycle(chain: CallChain, name: string, step: string): void {
  const names: string[] = []
  for (let link: CallChain | undefined = chain; link !== undefined; link = link.caller) {
    names.unshift(link.ruleset)
    if (link.ruleset === name) throw failures.callCycle([...names, name], step)
  }
  if (chain.length >= DEEPEST_CALL) throw failures.callDepth(DEEPEST_CALL, step)
}

/** Converts the numbers of the input for a ruleset that computes with doubles. */
function passedInput(budget: Budget, input: ObjectValue, numbers: Numbers, { ruleset }: Program): Value {
  return numbers === 'decimal' && ruleset.config.numbers === 'double' ? asDoubles(budget, input) : input
}

function asValue({ code, message, output }: Decision): Value {
  return { code, message, output }
}

function calledFailed(name: string, cause: unknown, step: string): unknown {
  return cause instanceof ExecutionError ? failures.calledFailed(name, cause, step) : cause
}

/**
 * `external_call` with a result: `{capability, operation, payload, metadata}` (specification 2.8); a promise unless the
 * provider answers synchronously. Throws or rejects with an `ExecutionError` that names the service, the method and the
 * cause. Aborted when the request of the execution ends.
 */
export function callExternal(
  execution: Execution,
  action: ExternalCall,
  step: string,
  values: readonly Value[],
): Value | Promise<Value> {
  const answered = ({ payload, metadata }: CapabilityResponse): Value => {
    return { capability: action.service, operation: action.method, payload, metadata }
  }
  const failed = (cause: unknown): unknown => {
    const left = remaining(execution)
    return externalFailed(action, cause, step, left !== undefined && left < TIMER_MS)
  }
  try {
    const limits = { longest: remaining(execution), caller: execution.signal, isAwaited: true }
    const response = ask(execution, action, step, values, limits)
    if (!(response instanceof Promise)) return answered(response)
    return response.then(answered, (cause: unknown) => {
      throw failed(cause)
    })
  } catch (cause) {
    throw failed(cause)
  }
}

/** Milliseconds by which a timer may fire early. */
const TIMER_MS = 2

/**
 * `external_call` without a result: not awaited; failures of the service are reported to the host. An invalid call, for
 * example of an unknown capability, fails the execution: throws an `ExecutionError`.
 */
export function sendExternal(execution: Execution, action: ExternalCall, step: string, values: readonly Value[]): void {
  const { host, ruleset } = execution
  const { service, method } = action
  try {
    const response = ask(execution, action, step, values, { longest: undefined, caller: undefined, isAwaited: false })
    if (!(response instanceof Promise)) return
    response.catch((cause: unknown) => {
      host.callFailed({ ruleset, step, service, method, cause: reasonOf(cause) })
    })
  } catch (cause) {
    throw externalFailed(action, cause, step)
  }
}

/** The execution's own error takes precedence. */
function externalFailed({ service, method }: ExternalCall, cause: unknown, step: string, isLate = false): unknown {
  if (cause instanceof ExecutionError || cause instanceof BudgetError) return cause
  return (isLate ? failures.externalTimeout : failures.externalCall)(service, method, reasonOf(cause), step)
}

/** Limits of a call in addition to its own `timeout_ms`. */
interface Ends {
  /** Milliseconds left for the execution: waiting longer is useless. */
  readonly longest: number | undefined
  /** Signal of the request that waits for the answer; undefined: none waits. */
  readonly caller: AbortSignalLike | undefined
  readonly isAwaited: boolean
}

/** Milliseconds left of `config.timeout_ms`; undefined: the request's own limit cancels the call. */
function remaining({ budget, host }: Execution): number | undefined {
  return budget.deadlineMs === host.requestMs ? undefined : budget.remaining
}

/** Throws when the request is invalid; rejects when the call fails. */
function ask(
  execution: Execution,
  action: ExternalCall,
  step: string,
  values: readonly Value[],
  { longest, caller, isAwaited }: Ends,
): CapabilityResponse | Promise<CapabilityResponse> {
  const { budget, host, ruleset, context } = execution
  const { service, method } = action
  const provider = providerOf(host, action)
  if (caller?.aborted === true) throw failures.abandoned()
  const isLimited = longest !== undefined && longest <= (action.timeoutMs ?? longest)
  const timeoutMs = isLimited ? longest : action.timeoutMs
  budget.spend(ENTRY)
  const payload = Object.fromEntries(action.params.map(([name], index) => [name, defined(values[index])]))
  given(budget, payload)
  const limit = host.limit(timeoutMs)
  const signal = new JoinedSignal(caller === undefined ? [limit.signal] : [limit.signal, caller])
  const end = () => {
    signal.dispose()
    limit.dispose()
  }
  const rest = isLimited ? ', the rest of config.timeout_ms' : ''
  try {
    const asked = { capability: service, operation: method, payload, ruleset, step }
    const request = { ...asked, context, isAwaited, timeoutMs, signal }
    const known = isAwaited ? provider.callSync?.(request) : undefined
    if (known !== undefined) {
      end()
      return known
    }
    const late = new Promise<never>((_resolve, reject) =>
      signal.addEventListener('abort', () => {
        const isGone = caller?.aborted === true && !limit.signal.aborted
        reject(isGone ? failures.abandoned() : new Error(`no answer within ${timeoutMs ?? 0} ms${rest}`))
      }),
    )
    return Promise.race([provider.call(request), late]).finally(end)
  } catch (fault) {
    end()
    throw fault
  }
}

function providerOf({ capabilities }: Execution['host'], { service, method }: ExternalCall): CapabilityProvider {
  const provider = capabilities.get(service)
  if (provider === undefined) throw new Error(`there is no capability ${quote(service)}`)
  if (!offers(provider, method))
    throw new Error(`it has no operation ${quote(method)}, only ${provider.operations.join(', ')}`)
  return provider
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

import { isObject, type Numbers, type ObjectValue, type Value } from '@engine/expression'
import {
  type AbortSignalLike,
  type Decision,
  ContractError,
  ExecutionError,
  type ExecutionResult,
  inputUse,
  MAX_SHOWN_VIOLATIONS,
  type Program,
} from '@engine/ruleset'
import { performance } from 'node:perf_hooks'
import { CallContext } from '../capabilities/call-context.ts'
import { describe, EngineError, failures } from '../errors.ts'
import type { Requester } from '../requester.ts'
import type { Hops } from '../capabilities/hops.ts'
import { type Awaitable, type Span, whenThere } from '@engine/process'
import type { AskedReceipt } from '../receipts/asked-receipt.ts'
import { ExecutionRecording, type ObservedPrograms } from '../receipts/recording.ts'
import type { TenantReceipts } from '../receipts/tenant-receipts.ts'
import type { Events } from './events.ts'
import type { Programs } from './programs.ts'

/** Makes decisions with stored rulesets (specification 4.1). The transport determines the form of the answers. */
export interface ExecutionService {
  /** Throws or rejects with an `EngineError`. Returns a promise only if the rules wait for a call. */
  execute<Answer>(name: string, input: Value, form: AnswerForm<Answer, unknown>, options: RunOptions): Awaitable<Answer>
  /** Runs one input of a batch. Only a defect of the server throws or rejects, which ends the whole batch. */
  item<Item>(
    program: Program,
    input: Value | undefined,
    form: AnswerForm<Item, Item>,
    options: RunOptions,
  ): Awaitable<Item>
  /** Throws if the ruleset does not exist. */
  program(name: string): Program
  /** Undefined if the ruleset does not exist. */
  find(name: string): Program | undefined
  /**
   * How a ruleset interprets numbers of an input, which determines how the input is parsed; `double` if the ruleset
   * does not exist.
   */
  numbersOf(name: string): Numbers
  /** The digest of the content from which a program was created: 64 hexadecimal digits. */
  digestOf(program: Program): Promise<string>
  /** True if requests may request receipts. */
  readonly keepsReceipts: boolean
}

/** Converts decisions and failures to a transport's responses. */
export interface AnswerForm<Answer, Failure> {
  /**
   * Returns a promise for a large result, which is serialized in pieces between other requests. Throws or rejects with
   * a `RangeError` if the result is nested too deeply.
   *
   * @param violations number of violations of a contract with the mode `warn`
   */
  decided(decided: Decision | ExecutionResult, microseconds: number, violations: number): Awaitable<Answer>
  failed(error: EngineError, microseconds: number): Failure
}

/** The options of an execution. */
export interface RunOptions {
  /** Default: false. A trace is only returned on request (specification 4.1), regardless of `config.enable_trace`. */
  readonly trace?: boolean | undefined
  /** Add values to the trace; the sender has the scope `trace`. */
  readonly traceValues?: boolean | undefined
  /** The parent span, if requests are traced. */
  readonly span?: Span | undefined
  /** Aborts when the response is no longer needed; a waiting execution and its pending call end then. */
  readonly signal?: AbortSignalLike | undefined
  /** The requester that the audit names. */
  readonly by?: Requester | undefined
  /** Hops of the request. */
  readonly hops: Hops
  /** Called with the number of violations of a contract with the mode `warn`. */
  readonly warned?: ((violations: number) => void) | undefined
  /** Requests the receipt of the execution. */
  readonly receipt?: AskedReceipt | undefined
  /** Called with the place of the execution in the log of receipts: `<instance>#<seq>`. */
  readonly logged?: ((place: string) => void) | undefined
}

/**
 * @param receipts undefined if this engine keeps none
 * @param observed undefined if no decision is recorded
 */
export function createExecutionService(
  programs: Programs,
  events: Pick<Events, 'executed' | 'contractBroken'>,
  receipts?: TenantReceipts,
  observed?: ObservedPrograms,
): ExecutionService {
  const { succeeded, failed } = createReports(events)
  const program = (name: string): Program => {
    const found = programs.get(name)
    if (found === undefined) throw failures.noSuchRuleset(name)
    return found
  }

  /** Called before the duration is measured, which covers the rules but no one-time preparation. */
  function prepare(running: Program, { trace, traceValues }: RunOptions): void {
    // Executions that show values do not run generated code.
    if (traceValues !== true) running.prepare(trace === true)
  }

  function run<Answer>(
    running: Program,
    input: Value,
    form: AnswerForm<Answer, unknown>,
    options: RunOptions,
    context: CallContext,
    start: number,
    decision?: (decided: Decision) => void,
  ): Awaitable<Answer> {
    const { trace, traceValues, signal } = options
    const recorded = context instanceof ExecutionRecording ? context : undefined
    const now = recorded?.now
    const violations = running.ruleset.config.contract?.mode === 'warn' ? warn(events, running, input, options) : 0
    const finish = (decided: Decision | ExecutionResult): Awaitable<Answer> => {
      decision?.(decided)
      const seconds = (performance.now() - start) / 1000
      // Done before the execution counts as a success: a result may be nested too deeply to be serialized.
      const shown = 'trace' in decided ? withInputUse(running, decided, input) : decided
      const answer = form.decided(shown, Math.max(0, Math.round(seconds * 1e6)), violations)
      const measured = { input, seconds, violations, recorded }
      if (answer instanceof Promise)
        return answer.then((written) => {
          succeeded(running, decided, measured, options)
          return written
        })
      succeeded(running, decided, measured, options)
      return answer
    }
    try {
      const decided =
        trace === true
          ? running.execute(input, { trace: true, traceValues, context, signal, ...(now === undefined ? {} : { now }) })
          : running.decide(input, now === undefined ? { context, signal } : { context, signal, now })
      const answer = whenThere(decided, finish)
      if (!(answer instanceof Promise)) return answer
      return answer.catch((error: unknown) => {
        throw failed(running, error, start, { input, recorded }, options)
      })
    } catch (error) {
      throw failed(running, error, start, { input, recorded }, options)
    }
  }

  const runKept = keepingReceipts(receipts, observed, run)

  return {
    program,
    keepsReceipts: receipts !== undefined,
    find: (name) => programs.get(name),
    numbersOf: (name) => programs.get(name)?.ruleset.config.numbers ?? 'double',
    digestOf: (running) => programs.digestOf(running),
    execute(name, input, form, options) {
      const running = program(name)
      if (!isObject(input)) throw failures.inputNotAnObject(describe(input))
      prepare(running, options)
      return runKept(running, input, form, options, options.hops, performance.now())
    },
    item(running, input, form, options) {
      prepare(running, options)
      const start = performance.now()
      const problem = (error: unknown) => {
        if (!(error instanceof EngineError) || error.code === 'defect') throw error
        return form.failed(error, microsecondsSince(start))
      }
      try {
        if (input === undefined || !isObject(input)) throw failures.inputNotAnObject(describe(input))
        const outcome = runKept(running, input, form, options, options.hops.ofInput(), start)
        return outcome instanceof Promise ? outcome.catch(problem) : outcome
      } catch (error) {
        return problem(error)
      }
    },
  }
}

/** Reports the violations of a contract with the mode `warn`; returns their number. */
function warn(events: Pick<Events, 'contractBroken'>, running: Program, input: Value, options: RunOptions): number {
  const found = running.violations(input)
  if (found.length === 0) return 0
  options.warned?.(found.length)
  events.contractBroken(running.ruleset.config.name, found)
  return found.length
}

/** Runs one execution in the context that its calls receive. */
type Run = <Answer>(
  running: Program,
  input: ObjectValue,
  form: AnswerForm<Answer, unknown>,
  options: RunOptions,
  context: CallContext,
  start: number,
  decision?: (decided: Decision) => void,
) => Awaitable<Answer>

/**
 * Runs with a receipt if one is requested or every decision gets one.
 *
 * @param receipts undefined if this engine keeps none
 */
function keepingReceipts(receipts: TenantReceipts | undefined, observed: ObservedPrograms | undefined, run: Run) {
  return runKept

  function runKept<Answer>(
    running: Program,
    input: ObjectValue,
    form: AnswerForm<Answer, unknown>,
    options: RunOptions,
    hops: Hops,
    start: number,
  ): Awaitable<Answer> {
    if (receipts === undefined) {
      if (options.receipt !== undefined) throw failures.receiptsOff()
    } else if (receipts.keepsAll || options.receipt !== undefined) {
      const recording = receipts.begin(options.span, hops)
      if (recording !== undefined) return runRecorded(receipts, recording, running, input, form, options, start)
    }
    const context =
      observed?.wantsAnswers(running) === true
        ? ExecutionRecording.withoutReceipt(options.span, hops, Date.now())
        : new CallContext(options.span, hops)
    return run(running, input, form, options, context, start)
  }

  async function runRecorded<Answer>(
    kept: TenantReceipts,
    recording: ExecutionRecording,
    running: Program,
    input: ObjectValue,
    form: AnswerForm<Answer, unknown>,
    options: RunOptions,
    start: number,
  ): Promise<Answer> {
    const log = async (outcome: Decision | { readonly error: unknown }) => {
      const ended = kept.ended(running, recording, { input, outcome }, options.receipt)
      recording.placed(ended)
      const place = await ended
      if (place !== undefined) options.logged?.(place)
    }
    let decision: Decision | undefined
    let answer: Answer
    try {
      answer = await run(running, input, form, options, recording, start, (decided) => (decision = decided))
    } catch (error) {
      await log({ error: error instanceof EngineError ? error.cause : error })
      throw error
    }
    if (decision === undefined) throw new TypeError('an answer without a decision')
    await log(decision)
    return answer
  }
}

/** A traced result with the input fields that probably have a wrong name. */
function withInputUse({ ruleset }: Program, decided: ExecutionResult, input: Value): ExecutionResult {
  const visited = decided.trace?.steps.map(({ id }) => id) ?? []
  return { ...decided, ...inputUse(ruleset, visited, input) }
}

/** A decided input. */
interface Measured {
  readonly input: Value
  readonly seconds: number
  /** Number of violations of a contract with the mode `warn`. */
  readonly violations: number
  readonly recorded: ExecutionRecording | undefined
}

/** Reports executions. */
function createReports(events: Pick<Events, 'executed'>) {
  return { succeeded, failed }

  function succeeded(running: Program, decision: Decision, measured: Measured, { span, by }: RunOptions): void {
    const { seconds, violations, input, recorded } = measured
    const { name, version } = running.ruleset.config
    const { code, output } = decision
    const traceId = span?.traceId
    // One literal: spreading an object here would cost as much as the decision.
    events.executed(
      { name, version, seconds, code, error: undefined, violations, traceId, input, output, by, recorded },
      running,
    )
  }

  function failed(
    running: Program,
    error: unknown,
    start: number,
    { input, recorded }: Pick<Measured, 'input' | 'recorded'>,
    { span, by }: RunOptions,
  ): EngineError {
    const { name, version } = running.ruleset.config
    const failure = executionFailure(error)
    const seconds = (performance.now() - start) / 1000
    const traceId = span?.traceId
    const refused = error instanceof ContractError ? error.violations : undefined
    const ended = { name, version, seconds, code: undefined, error: failure.message, violations: 0, refused, traceId }
    events.executed({ ...ended, input, output: undefined, by, recorded }, running)
    return failure
  }
}

/** Whole microseconds since a time of `performance.now()`. */
function microsecondsSince(start: number): number {
  return Math.max(0, Math.round((performance.now() - start) * 1000))
}

function executionFailure(error: unknown): EngineError {
  if (error instanceof ContractError)
    return new EngineError('invalid-input', error.message, {
      cause: error,
      details: error.violations.slice(0, MAX_SHOWN_VIOLATIONS).map(({ path, rule, expected, found }) => ({
        path,
        code: rule,
        message: `expected ${expected}, found ${found}`,
        expected,
        found,
      })),
    })
  if (error instanceof ExecutionError && error.code === 'request-timeout')
    return new EngineError('timeout', `${error.message} (--request-timeout-secs)`, { cause: error })
  if (error instanceof ExecutionError)
    return new EngineError('execution-failed', error.message, {
      cause: error,
      details: [{ path: '', code: error.code, message: error.message }],
    })
  if (error instanceof RangeError)
    return new EngineError('execution-failed', 'the result is nested too deeply to be written as JSON', {
      cause: error,
    })
  return new EngineError('defect', 'internal error; the log of the server has the details', { cause: error })
}

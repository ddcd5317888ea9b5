import { isObject, stringifyJson, type Value } from '@engine/expression'
import { type Decision, ExecutionError, type ExecutionResult, type Program } from '@engine/ruleset'
import { performance } from 'node:perf_hooks'
import { describe, EngineError, failures } from '../errors.ts'
import type { Span } from '../telemetry/tracing.ts'
import type { Events } from './events.ts'
import type { Programs } from './programs.ts'

/** Deciding with stored rulesets (specification 4.1). Answers are JSON text, ready to be sent. */
export interface ExecutionService {
  /** Throws or rejects with an `EngineError`. A promise only when something in the rules waits. */
  execute(name: string, input: Value, options?: RunOptions): string | Promise<string>
  /**
   * Runs one input of a batch. What went wrong is the item's `error`; only a defect of the server throws or rejects, and
   * with it the batch.
   *
   * @param line where the input stood in a stream, for the item's `line`
   */
  item(program: Program, input: Value | undefined, options: RunOptions, line?: number): BatchItem | Promise<BatchItem>
  /** Throws when there is no such ruleset. */
  program(name: string): Program
}

/** How to run. */
export interface RunOptions {
  /** Default: what the ruleset says. */
  readonly trace?: boolean | undefined
  /** What the execution is a part of, where requests are traced. */
  readonly span?: Span | undefined
}

/** One result of a batch. */
export interface BatchItem {
  readonly text: string
  readonly failed: boolean
  readonly microseconds: number
}

export function createExecutionService(programs: Programs, events: Pick<Events, 'executed'>): ExecutionService {
  const program = (name: string): Program => {
    const found = programs.get(name)
    if (found === undefined) throw failures.noSuchRuleset(name)
    return found
  }

  function succeeded(running: Program, decision: Decision, seconds: number, input: Value, traceId?: string): void {
    const { name, version } = running.ruleset.config
    const { code, output } = decision
    events.executed({ name, version, seconds, code, error: undefined, traceId, input, output })
  }

  function failed(running: Program, error: unknown, start: number, input: Value, traceId?: string): EngineError {
    const { name, version } = running.ruleset.config
    const failure = executionFailure(error)
    const seconds = (performance.now() - start) / 1000
    events.executed({
      name,
      version,
      seconds,
      code: undefined,
      error: failure.message,
      traceId,
      input,
      output: undefined,
    })
    return failure
  }

  function run(running: Program, input: Value, options: RunOptions, start: number): Outcome | Promise<Outcome> {
    const { trace, span } = options
    const isTraced = trace ?? running.ruleset.config.enableTrace
    const finish = (decided: Decision | ExecutionResult): Outcome => {
      const seconds = (performance.now() - start) / 1000
      const microseconds = Math.max(0, Math.round(seconds * 1e6))
      // Before it is counted as a success: a result may be too deep to be written.
      const text = textOf(decided, microseconds)
      succeeded(running, decided, seconds, input, span?.traceId)
      return { text, failed: false, microseconds }
    }
    try {
      const decided = isTraced
        ? running.execute(input, { trace: true, context: span })
        : running.decide(input, span === undefined ? undefined : { context: span })
      if (!(decided instanceof Promise)) return finish(decided)
      return decided.then(finish, (error: unknown) => {
        throw failed(running, error, start, input, span?.traceId)
      })
    } catch (error) {
      throw error instanceof EngineError ? error : failed(running, error, start, input, span?.traceId)
    }
  }

  return {
    program,
    execute(name, input, options = NO_OPTIONS) {
      const running = program(name)
      if (!isObject(input)) throw failures.inputNotAnObject(describe(input))
      const outcome = run(running, input, options, performance.now())
      return outcome instanceof Promise ? outcome.then(({ text }) => text) : outcome.text
    },
    item(running, input, options, line) {
      const start = performance.now()
      const problem = (error: unknown) => {
        if (!(error instanceof EngineError) || error.code === 'defect') throw error
        return failedItem(error, start, line)
      }
      try {
        if (input === undefined || !isObject(input)) throw failures.inputNotAnObject(describe(input))
        const outcome = run(running, input, options, start)
        return outcome instanceof Promise ? outcome.catch(problem) : outcome
      } catch (error) {
        return problem(error)
      }
    },
  }
}

const NO_OPTIONS: RunOptions = {}

type Outcome = BatchItem

/** `error` and `message` say what went wrong; `code` is `error`, which no client takes for a code of its rules. */
export function failedItem({ message }: EngineError, start: number, line?: number): BatchItem {
  const microseconds = Math.max(0, Math.round((performance.now() - start) * 1000))
  const place = line === undefined ? {} : { line }
  const item = { code: 'error', message, output: null, duration_us: microseconds, error: message, ...place }
  return { text: JSON.stringify(item), failed: true, microseconds }
}

function executionFailure(error: unknown): EngineError {
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

/** Decisions in which nothing is evaluated are one object for all executions: so is most of their text. */
const texts = new WeakMap<Decision, string>()

function textOf(decided: Decision | ExecutionResult, microseconds: number): string {
  if ('trace' in decided) return stringifyJson({ ...decided, duration_us: microseconds } as unknown as Value)
  const known = texts.get(decided)
  if (known !== undefined) return `${known}${microseconds}}`
  const { code, message, output } = decided
  const head = `${stringifyJson({ code, message, output }).slice(0, -1)},"duration_us":`
  if (Object.isFrozen(decided)) texts.set(decided, head)
  return `${head}${microseconds}}`
}

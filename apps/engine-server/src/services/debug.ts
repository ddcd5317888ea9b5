import {
  BudgetError,
  children,
  compile,
  type Environment,
  EvaluationError,
  type EvaluationPolicy,
  type Expression,
  interpret,
  isObject,
  LENIENT,
  measureJson,
  type Numbers,
  print,
  toJsonForm,
  tokenize,
  type Value,
} from '@engine/expression'
import { type Host, inspect, type Ruleset } from '@engine/ruleset'
import { CallContext } from '../capabilities/call-context.ts'
import { describe, failures } from '../errors.ts'
import type { RunOptions } from './execution.ts'
import { type Awaitable, createRequestBudget, jsonText } from '@engine/process'
import { MAX_RESULT, overBudget, parsed } from './evaluation.ts'
import type { Programs } from './programs.ts'

/** The operations of `--debug-mode`: decisions and expressions with all intermediate results. Answers are JSON text. */
export interface DebugService {
  execute(name: string, input: Value, request: DebugRun): Promise<string>
  /** Executes a ruleset that is not stored; its signature must be one with which it could be stored. */
  executeInline(document: Value, input: Value, request: DebugRun): Promise<string>
  evaluate(expression: string, context: Value, numbers: Numbers): Promise<string>
}

/** The request that an execution belongs to. */
export type DebugRun = Pick<RunOptions, 'span' | 'signal' | 'hops'>

/** @param check returns the ruleset of a document that could be stored; rejects with an `EngineError` */
export function createDebugService(
  programs: Programs,
  host: () => Host,
  check: (document: Value) => Promise<Ruleset>,
): DebugService {
  const inspected = async (ruleset: Ruleset, input: Value, { span, signal, hops }: DebugRun): Promise<string> => {
    if (!isObject(input)) throw failures.inputNotAnObject(describe(input))
    const context = new CallContext(span, hops)
    return jsonText(await inspect(ruleset, host(), input, { context, signal }))
  }
  return {
    async execute(name, input, request) {
      const program = programs.get(name)
      if (program === undefined) throw failures.noSuchRuleset(name)
      return inspected(program.ruleset, input, request)
    },
    async executeInline(document, input, request) {
      return inspected(programs.limited(await check(document)), input, request)
    },
    async evaluate(text, context, numbers) {
      const { requestMs = 0 } = host()
      const budget = createRequestBudget(requestMs)
      try {
        const policy = { ...LENIENT, numbers }
        const runtime = { now: host().now(), budget }
        return await answer(text, { input: context, variables: NO_VARIABLES, policy, runtime })
      } catch (error) {
        throw error instanceof BudgetError ? overBudget(error) : error
      }
    },
  }
}

const NO_VARIABLES = { get: () => undefined }

function answer(text: string, environment: Environment): Awaitable<string> {
  const { policy, runtime } = environment
  const expression = parsed(text, runtime.budget, policy.numbers)
  const { tokens } = tokenize(text, policy.numbers)
  return jsonText({
    tokens: tokens.slice(0, -1).map(({ kind, text: written, start, end }) => ({ kind, text: written, start, end })),
    ast: toJsonForm(expression),
    parsed: print(expression),
    code: generated(expression, policy),
    steps: parts(expression, environment),
  })
}

/** The generated JavaScript of an expression; `k0` and so on are its constants. */
function generated(expression: Expression, policy: EvaluationPolicy): string {
  let code = ''
  compile(expression, {
    policy,
    makeFunction: (_parameters, body) => {
      code = body
      return () => () => null
    },
  })
  return code
}

/** Maximum number of sub-expressions whose value is shown. */
const MAX_PARTS = 200

/** All sub-expressions with their values, innermost first, except those inside lambdas. */
function parts(expression: Expression, environment: Environment): Value[] {
  const { budget } = environment.runtime
  const shown: Value[] = []
  let left = MAX_RESULT
  const outcome = (node: Expression): { [key: string]: Value } => {
    const found = outcomeOf(node, environment)
    left -= measureJson(budget, found, left) ?? 0
    return left >= 0 ? found : { error: 'the value is not shown: with it the answer would be too large' }
  }
  const show = (node: Expression): void => {
    if (node.kind === 'lambda' || shown.length >= MAX_PARTS) return
    for (const child of children(node)) show(child)
    shown.push({ expression: print(node), ...outcome(node) })
  }
  show(expression)
  return shown
}

function outcomeOf(node: Expression, environment: Environment): { [key: string]: Value } {
  try {
    return { value: interpret(node, environment) }
  } catch (error) {
    if (error instanceof EvaluationError) return { error: error.message }
    throw error
  }
}

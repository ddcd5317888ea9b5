import {
  BudgetError,
  children,
  compile,
  EvaluationError,
  type Expression,
  interpret,
  isObject,
  LENIENT,
  measureJson,
  print,
  type Runtime,
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

/** What `--debug-mode` offers: decisions and expressions with everything that happened on the way. Answers are JSON text. */
export interface DebugService {
  execute(name: string, input: Value, request: DebugRun): Promise<string>
  /** Executes a ruleset that is not stored, with a signature as it would have to have to be stored. */
  executeInline(document: Value, input: Value, request: DebugRun): Promise<string>
  evaluate(expression: string, context: Value): Promise<string>
}

/** The request that an execution belongs to. */
export type DebugRun = Pick<RunOptions, 'span' | 'signal' | 'hops'>

/** @param check the ruleset of a document that could be stored; rejects with an `EngineError` */
export function createDebugService(
  programs: Programs,
  host: () => Host,
  check: (document: Value) => Promise<Ruleset>,
): DebugService {
  const inspected = async (ruleset: Ruleset, input: Value, { span, signal, hops }: DebugRun): Promise<string> => {
    if (!isObject(input)) throw failures.inputNotAnObject(describe(input))
    const context = new CallContext(span, hops)
    return jsonText((await inspect(ruleset, host(), input, { context, signal })) as unknown as Value)
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
    async evaluate(text, context) {
      const { requestMs = 0 } = host()
      const budget = createRequestBudget(requestMs)
      try {
        return await answer(text, context, { now: host().now(), budget })
      } catch (error) {
        throw error instanceof BudgetError ? overBudget(error) : error
      }
    },
  }
}

function answer(text: string, context: Value, runtime: Runtime): Awaitable<string> {
  const expression = parsed(text, runtime.budget)
  const { tokens } = tokenize(text)
  return jsonText({
    tokens: tokens.slice(0, -1).map(({ kind, text: written, start, end }) => ({ kind, text: written, start, end })),
    ast: toJsonForm(expression),
    parsed: print(expression),
    code: generated(expression),
    steps: parts(expression, context, runtime),
  })
}

/** The JavaScript of an expression; `k0` and so on are its constants. */
function generated(expression: Expression): string {
  let code = ''
  compile(expression, {
    policy: LENIENT,
    makeFunction: (_parameters, body) => {
      code = body
      return () => () => null
    },
  })
  return code
}

/** Sub-expressions whose value is shown. */
const MAX_PARTS = 200

/** Every sub-expression with its value, innermost first; what is inside a lambda has none of its own. */
function parts(expression: Expression, context: Value, runtime: Runtime): Value[] {
  const shown: Value[] = []
  let left = MAX_RESULT
  const outcome = (node: Expression): { [key: string]: Value } => {
    const found = outcomeOf(node, context, runtime)
    left -= measureJson(runtime.budget, found, left) ?? 0
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

function outcomeOf(node: Expression, context: Value, runtime: Runtime): { [key: string]: Value } {
  try {
    return {
      value: interpret(node, { input: context, variables: { get: () => undefined }, policy: LENIENT, runtime }),
    }
  } catch (error) {
    if (error instanceof EvaluationError) return { error: error.message }
    throw error
  }
}

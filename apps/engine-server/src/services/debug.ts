import {
  children,
  compile,
  EvaluationError,
  type Expression,
  interpret,
  isObject,
  LENIENT,
  print,
  toJsonForm,
  tokenize,
  type Value,
} from '@engine/expression'
import { type Host, inspect, type Ruleset } from '@engine/ruleset'
import { describe, failures } from '../errors.ts'
import { jsonText } from '../json-text.ts'
import { parsed } from './evaluation.ts'
import type { Programs } from './programs.ts'
import { invalid } from './rulesets.ts'

/** What `--debug-mode` offers: decisions and expressions with everything that happened on the way. Answers are JSON text. */
export interface DebugService {
  execute(name: string, input: Value): Promise<string>
  /** Executes a ruleset that is not stored. */
  executeInline(document: Value, input: Value): Promise<string>
  evaluate(expression: string, context: Value): Promise<string>
}

export function createDebugService(programs: Programs, host: () => Host): DebugService {
  const inspected = async (ruleset: Ruleset, input: Value): Promise<string> => {
    if (!isObject(input)) throw failures.inputNotAnObject(describe(input))
    return jsonText((await inspect(ruleset, host(), input)) as unknown as Value)
  }
  return {
    async execute(name, input) {
      const program = programs.get(name)
      if (program === undefined) throw failures.noSuchRuleset(name)
      return inspected(program.ruleset, input)
    },
    async executeInline(document, input) {
      const { ruleset, problems } = await programs.decode(document)
      if (ruleset === undefined) throw invalid(problems)
      return inspected(programs.limited(ruleset), input)
    },
    async evaluate(text, context) {
      const expression = parsed(text)
      const { tokens } = tokenize(text)
      return jsonText({
        tokens: tokens.slice(0, -1).map(({ kind, text: written, start, end }) => ({ kind, text: written, start, end })),
        ast: toJsonForm(expression),
        parsed: print(expression),
        code: generated(expression),
        steps: parts(expression, context, host().now()),
      })
    },
  }
}

/** The JavaScript of an expression; `k0` and so on are its constants. */
function generated(expression: Expression): string {
  let code = ''
  compile(expression, {
    missing: LENIENT,
    makeFunction: (_parameters, body) => {
      code = body
      return () => () => null
    },
  })
  return code
}

/** Sub-expressions whose value is shown. */
const MOST_PARTS = 200

/** Every sub-expression with its value, innermost first; what is inside a lambda has none of its own. */
function parts(expression: Expression, context: Value, now: number): Value[] {
  const shown: Value[] = []
  const show = (node: Expression): void => {
    if (node.kind === 'lambda' || shown.length >= MOST_PARTS) return
    for (const child of children(node)) show(child)
    shown.push({ expression: print(node), ...outcome(node, context, now) })
  }
  show(expression)
  return shown
}

function outcome(node: Expression, context: Value, now: number): { [key: string]: Value } {
  try {
    const runtime = { now, allocated: 0 }
    return {
      value: interpret(node, { input: context, variables: { get: () => undefined }, missing: LENIENT, runtime }),
    }
  } catch (error) {
    if (error instanceof EvaluationError) return { error: error.message }
    throw error
  }
}

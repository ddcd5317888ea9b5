import type { ErrorDetail } from '@engine/api'
import {
  check,
  EvaluationError,
  excerpt,
  interpret,
  LENIENT,
  locate,
  type Expression,
  parse,
  print,
  type Problem,
  type Span,
  type Value,
} from '@engine/expression'
import { performance } from 'node:perf_hooks'
import { EngineError } from '../errors.ts'
import { jsonText } from '../json-text.ts'
import type { Events } from './events.ts'

/** Evaluating one expression by itself (specification 4.1, `POST /eval`). */
export interface EvaluationService {
  /** Rejects with an `EngineError` with the place of every problem. */
  evaluate(expression: string, context: Value): Promise<Evaluation>
}

/** The value of an expression. */
export interface Evaluation {
  /** JSON text. */
  readonly resultJson: string
  /** The canonical, fully parenthesised print. */
  readonly parsed: string
}

export function createEvaluationService(events: Pick<Events, 'evaluated'>, now: () => number): EvaluationService {
  return {
    async evaluate(text, context) {
      const start = performance.now()
      let outcome: 'success' | 'error' = 'error'
      try {
        const expression = parsed(text)
        const result = evaluated(expression, text, context, now())
        const evaluation = { resultJson: await jsonText(result), parsed: print(expression) }
        outcome = 'success'
        return evaluation
      } finally {
        events.evaluated((performance.now() - start) / 1000, outcome)
      }
    },
  }
}

/** The expression of a text, checked. Throws an `EngineError`. */
export function parsed(text: string): Expression {
  const result = parse(text)
  const problems = result.kind === 'failed' ? result.problems : check(result.expression)
  if (result.kind === 'failed' || problems.length > 0) throw invalidExpression(text, problems)
  return result.expression
}

function evaluated(expression: Expression, text: string, context: Value, now: number): Value {
  const variables = { get: () => undefined }
  try {
    return interpret(expression, { input: context, variables, missing: LENIENT, runtime: { now, allocated: 0 } })
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error
    throw invalidExpression(text, [{ code: error.code, message: error.message, at: error.span }])
  }
}

function invalidExpression(text: string, problems: readonly Problem[]): EngineError {
  const details = problems.map((problem) => detailOf(text, problem))
  const [first] = details
  const more = details.length > 1 ? `; and ${details.length - 1} more` : ''
  const message = `${first?.message ?? ''} (line ${first?.line ?? 1}, column ${first?.column ?? 1})${more}`
  return new EngineError('invalid-expression', message, { details })
}

function detailOf(text: string, { code, message, at, suggestion }: Problem): ErrorDetail {
  return {
    path: '/expression',
    code,
    message,
    ...placeOf(text, at),
    ...(suggestion === undefined ? {} : { suggestion }),
  }
}

function placeOf(text: string, at: Span): { line: number; column: number; excerpt: string } {
  return { ...locate(text, at.start), excerpt: excerpt(text, at) }
}

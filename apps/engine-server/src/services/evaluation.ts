import type { ErrorDetail } from '@engine/api'
import {
  type Budget,
  type Environment,
  BudgetError,
  EvaluationError,
  excerpt,
  interpret,
  JsonTooLongError,
  LENIENT,
  locator,
  type Numbers,
  type Expression,
  print,
  type Problem,
  read,
  type Value,
} from '@engine/expression'
import { performance } from 'node:perf_hooks'
import { EngineError } from '../errors.ts'
import { createRequestBudget, jsonText } from '@engine/process'
import type { Events } from './events.ts'

/** Evaluates single expressions (specification 4.1, `POST /eval`). */
export interface EvaluationService {
  /** Rejects with an `EngineError` that locates every problem. */
  evaluate(expression: string, context: Value, numbers?: Numbers): Promise<Evaluation>
}

/** The value of an expression. */
export interface Evaluation {
  /** JSON text. */
  readonly resultJson: string
  /** The expression in canonical, fully parenthesised form. */
  readonly parsed: string
}

/** The settings of an evaluation. */
export interface EvaluationOptions {
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Time limit of one request in milliseconds. */
  readonly requestMs: number
}

export function createEvaluationService(
  events: Pick<Events, 'evaluated'>,
  { now, requestMs }: EvaluationOptions,
): EvaluationService {
  return {
    async evaluate(text, context, numbers = 'double') {
      const start = performance.now()
      let outcome: 'success' | 'error' = 'error'
      try {
        const budget = createRequestBudget(requestMs)
        const expression = parsed(text, budget, numbers)
        const policy = { ...LENIENT, numbers }
        const result = evaluated(expression, text, {
          input: context,
          variables: NO_VARIABLES,
          policy,
          runtime: { now: now(), budget },
        })
        const evaluation = { resultJson: await resultText(result), parsed: print(expression) }
        outcome = 'success'
        return evaluation
      } catch (error) {
        throw error instanceof BudgetError ? overBudget(error) : error
      } finally {
        events.evaluated((performance.now() - start) / 1000, outcome)
      }
    },
  }
}

/** Maximum number of characters of a returned value as JSON text. */
export const MAX_RESULT = 16 * 1024 * 1024

async function resultText(value: Value): Promise<string> {
  try {
    return await jsonText(value, MAX_RESULT)
  } catch (error) {
    if (!(error instanceof JsonTooLongError)) throw error
    const message = `the value has more than ${MAX_RESULT} characters as JSON`
    throw new EngineError('invalid-expression', message, {
      details: [{ path: '/expression', code: 'value-too-large', message }],
    })
  }
}

/** The error for an expression that exceeds its budget. */
export function overBudget({ reason, limit }: BudgetError): EngineError {
  switch (reason) {
    case 'deadline':
      return new EngineError('timeout', `the expression was not evaluated within ${limit} ms (--request-timeout-secs)`)
    case 'turn':
      return new EngineError(
        'timeout',
        `the expression computed for more than ${limit} ms of processor time, which is the limit of one expression`,
      )
    case 'memory': {
      const message = `the expression created more than ${limit} bytes of values`
      return new EngineError('invalid-expression', message, {
        details: [{ path: '/expression', code: 'execution-too-large', message }],
      })
    }
  }
}

/** Parses and checks an expression. Throws an `EngineError`, or a `BudgetError`. */
export function parsed(text: string, budget: Budget, numbers: Numbers = 'double'): Expression {
  const found = read(text, { budget, numbers })
  if ('problems' in found) throw invalidExpression(text, found.problems)
  return found.expression
}

const NO_VARIABLES = { get: () => undefined }

function evaluated(expression: Expression, text: string, environment: Environment): Value {
  try {
    return interpret(expression, environment)
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error
    throw invalidExpression(text, [{ code: error.code, message: error.message, at: error.span }])
  }
}

/** Maximum number of problems of one expression in the details; the message counts all. */
const MAX_DETAILS = 100

function invalidExpression(text: string, problems: readonly Problem[]): EngineError {
  const placeOf = locator(text)
  const details = problems.slice(0, MAX_DETAILS).map((problem) => detailOf(text, problem, placeOf))
  const [first] = details
  const more = problems.length > 1 ? `; and ${problems.length - 1} more` : ''
  const message = `${first?.message ?? ''} (line ${first?.line ?? 1}, column ${first?.column ?? 1})${more}`
  return new EngineError('invalid-expression', message, { details })
}

function detailOf(
  text: string,
  { code, message, at, suggestion }: Problem,
  placeOf: ReturnType<typeof locator>,
): ErrorDetail {
  return {
    path: '/expression',
    code,
    message,
    ...placeOf(at.start),
    excerpt: excerpt(text, at),
    ...(suggestion === undefined ? {} : { suggestion }),
  }
}

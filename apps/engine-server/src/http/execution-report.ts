import { type Awaitable, whenThere } from '@engine/process'
import type { IncomingHttpHeaders } from 'node:http'
import type { Program } from '@engine/ruleset'
import type { Answer } from '@engine/http-server'
import type { ExecutionService, RunOptions } from '../services/execution.ts'
import type { AnswerForm } from '../services/execution.ts'
import { asResponseError, failure } from './error-mapping.ts'
import type { ExecutionBody } from './execution-body.ts'
import { TEXT } from './execution-text.ts'

/** The value `1` requests the response headers below, so that a proxy can count results without reading the body. */
export const REPORT_HEADER = 'x-engine-report'
/** The digest of the deciding content. */
export const DIGEST_HEADER = 'x-ruleset-digest'
/** The code of the result, percent-encoded; absent after an error and for a refused input. */
export const CODE_HEADER = 'x-result-code'

export const asksReport = (headers: IncomingHttpHeaders): boolean => headers[REPORT_HEADER] === '1'

/** The header with the digest of a program. */
export async function digestHeader(execution: ExecutionService, program: Program): Promise<Record<string, string>> {
  return { [DIGEST_HEADER]: await execution.digestOf(program) }
}

interface Reported {
  readonly text: string
  readonly code: string
}

const REPORTED: AnswerForm<Reported, never> = {
  decided(decided, microseconds, violations) {
    const { code } = decided
    return whenThere(TEXT.decided(decided, microseconds, violations), (text) => ({ text, code }))
  },
  failed(error) {
    throw error
  },
}

/**
 * Answers an execution with its report. Also answers a failed execution and a refused input, since they have a digest;
 * other request errors and defects are thrown as usual.
 */
export async function reportedExecution(
  execution: ExecutionService,
  name: string,
  { input, trace, traceValues }: ExecutionBody,
  request: Omit<RunOptions, 'trace' | 'traceValues'>,
): Promise<Answer> {
  // Nothing runs between these two lines: this program decides.
  const program = execution.program(name)
  const deciding = attempted(() => execution.execute(name, input, REPORTED, { trace, traceValues, ...request }))
  const digest = await digestHeader(execution, program)
  const decided = await deciding
  if (decided.kind === 'done')
    return {
      status: 200,
      body: decided.answer.text,
      headers: { ...digest, [CODE_HEADER]: headerText(decided.answer.code) },
    }
  const error = asResponseError(decided.thrown)
  if (!FAILED.has(error.code)) throw decided.thrown
  const answer = failure(error)
  return { ...answer, headers: { ...answer.headers, ...digest } }
}

/** Maximum number of characters of a reported code. */
const MAX_CODE_CHARACTERS = 200

const headerText = (code: string) => encodeURIComponent(code.slice(0, MAX_CODE_CHARACTERS).toWellFormed())

const FAILED: ReadonlySet<string> = new Set(['execution-failed', 'invalid-input', 'timeout'])

type Attempted =
  | { readonly kind: 'done'; readonly answer: Reported }
  | { readonly kind: 'failed'; readonly thrown: unknown }

async function attempted(run: () => Awaitable<Reported>): Promise<Attempted> {
  try {
    return { kind: 'done', answer: await run() }
  } catch (thrown) {
    return { kind: 'failed', thrown }
  }
}

import { proto } from '@engine/api'
import { stringifyJson } from '@engine/expression'
import type { Decision, ExecutionResult, Trace } from '@engine/ruleset'
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import type { BatchItem } from '../services/batch.ts'
import type { AnswerForm } from '../services/execution.ts'

/** Decisions as the message of `Execute`. */
export const RESPONSE: AnswerForm<proto.ExecuteResponse, never> = {
  decided: (decided, microseconds) => create(proto.ExecuteResponseSchema, fieldsOf(decided, microseconds)),
  failed: (error) => {
    throw error
  },
}

/** One result of many. */
export interface ResultItem extends BatchItem {
  readonly result: proto.ExecuteResult
}

/** The same as items of a batch or a stream, where a failure is a result as well. */
export const RESULT: AnswerForm<ResultItem, ResultItem> = {
  decided: (decided, microseconds) => ({
    result: create(proto.ExecuteResultSchema, fieldsOf(decided, microseconds)),
    failed: false,
    microseconds,
  }),
  failed: ({ message }, microseconds) => ({
    result: create(proto.ExecuteResultSchema, {
      code: 'error',
      message,
      error: message,
      durationUs: BigInt(microseconds),
    }),
    failed: true,
    microseconds,
  }),
}

/** Decisions in which nothing is evaluated are one object for all executions: so is the text of their output. */
const outputs = new WeakMap<Decision, string>()

function outputOf(decided: Decision): string {
  const known = outputs.get(decided)
  if (known !== undefined) return known
  const text = stringifyJson(decided.output)
  if (Object.isFrozen(decided)) outputs.set(decided, text)
  return text
}

function fieldsOf(decided: Decision | ExecutionResult, microseconds: number) {
  const { code, message } = decided
  const fields = { code, message, outputJson: outputOf(decided), durationUs: BigInt(microseconds) }
  return 'trace' in decided && decided.trace !== undefined ? { ...fields, trace: traceOf(decided.trace) } : fields
}

function traceOf({ path, steps }: Trace): MessageInitShape<typeof proto.TraceInfoSchema> {
  return { path, steps: steps.map(({ id, name, duration_us: us }) => ({ id, name, durationUs: BigInt(us) })) }
}

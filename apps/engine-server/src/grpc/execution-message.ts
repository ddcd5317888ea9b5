import { proto } from '@engine/api/proto'
import { stringifyJson } from '@engine/expression'
import type { Decision, ExecutionResult, Trace, TraceStep } from '@engine/ruleset'
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import type { BatchItem } from '../services/batch.ts'
import { type Awaitable, jsonText, whenThere } from '@engine/process'
import type { AnswerForm } from '../services/execution.ts'
import type { Sendable } from '@engine/grpc-server'

/** Converts decisions to the response message of `Execute`, or to its bytes. */
export const RESPONSE: AnswerForm<Sendable<typeof proto.ExecuteResponseSchema>, never> = {
  decided: (decided, microseconds, violations) => {
    if (Object.isFrozen(decided) && !('trace' in decided) && violations === 0)
      return withDuration(headOf(decided), microseconds)
    return withOutput(decided, (output) =>
      create(proto.ExecuteResponseSchema, { ...fieldsOf(decided, output, microseconds), violations }),
    )
  },
  failed: (error) => {
    throw error
  },
}

/** One result of a batch or a stream. */
export interface ResultItem extends BatchItem {
  readonly result: proto.ExecuteResult
}

/** Converts decisions to items of a batch or a stream, where a failure is a result as well. */
export const RESULT: AnswerForm<ResultItem, ResultItem> = {
  decided: (decided, microseconds, violations) =>
    withOutput(decided, (output) => ({
      result: create(proto.ExecuteResultSchema, { ...fieldsOf(decided, output, microseconds), violations }),
      failed: false,
      microseconds,
      size: output.length + decided.message.length,
    })),
  failed: ({ message }, microseconds) => ({
    result: create(proto.ExecuteResultSchema, {
      code: 'error',
      message,
      error: message,
      durationUs: BigInt(microseconds),
    }),
    failed: true,
    microseconds,
    size: message.length,
  }),
}

/**
 * A decision without evaluated parts is one object for all executions, so all its bytes but the duration are cached.
 */
const heads = new WeakMap<Decision, Buffer>()

function headOf(decided: Decision): Buffer {
  const known = heads.get(decided)
  if (known !== undefined) return known
  const { code, message } = decided
  const response = create(proto.ExecuteResponseSchema, { code, message, outputJson: constantOutput(decided) })
  const head = Buffer.from(toBinary(proto.ExecuteResponseSchema, response))
  heads.set(decided, head)
  return head
}

/** Field 4 as a varint: seven bits per byte, lowest first. */
const DURATION_TAG = (proto.ExecuteResponseSchema.field.durationUs.number << 3) | 0
/** Length of a number below 2^53 as a varint, in bytes. */
const MAX_VARINT_BYTES = 8

function withDuration(head: Buffer, microseconds: number): Buffer {
  const bytes = Buffer.allocUnsafe(head.length + 1 + MAX_VARINT_BYTES)
  let end = head.copy(bytes)
  bytes[end++] = DURATION_TAG
  let rest = microseconds
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes[end++] = (rest % 128) | 128
  bytes[end++] = rest
  return bytes.subarray(0, end)
}

/** The cached text of their output. */
const outputs = new WeakMap<Decision, string>()

function constantOutput(decided: Decision): string {
  const known = outputs.get(decided)
  if (known !== undefined) return known
  const text = stringifyJson(decided.output)
  outputs.set(decided, text)
  return text
}

/** A message from a decision and the text of its output; a promise if the output is large. */
function withOutput<Made>(decided: Decision, make: (output: string) => Made): Awaitable<Made> {
  const output = Object.isFrozen(decided) ? constantOutput(decided) : jsonText(decided.output)
  return whenThere(output, make)
}

function fieldsOf(decided: Decision | ExecutionResult, outputJson: string, microseconds: number) {
  const { code, message } = decided
  const fields = { code, message, outputJson, durationUs: BigInt(microseconds) }
  return 'trace' in decided && decided.trace !== undefined ? { ...fields, trace: traceOf(decided.trace) } : fields
}

function traceOf({
  path,
  steps,
  values_truncated: isTruncated,
}: Trace): MessageInitShape<typeof proto.TraceInfoSchema> {
  return { path, steps: steps.map(stepOf), valuesTruncated: isTruncated === true }
}

/** The number of the default branch. */
const DEFAULT_BRANCH = -1

function stepOf(step: TraceStep): MessageInitShape<typeof proto.StepInfoSchema> {
  const { id, name, duration_us: microseconds, branch, condition, values, variables } = step
  return {
    id,
    name,
    durationUs: BigInt(microseconds),
    ...(branch !== undefined && { branch: branch ?? DEFAULT_BRANCH }),
    ...(condition !== undefined && { condition }),
    ...(values !== undefined && { valuesJson: stringifyJson(values) }),
    ...(variables !== undefined && { variablesJson: stringifyJson(variables) }),
  }
}

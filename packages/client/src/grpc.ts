import { create, type DescMethodUnary, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf'
import { BinaryReader } from '@bufbuild/protobuf/wire'
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'
import type { DecisionReceipt } from '@engine/api'
import { proto } from '@engine/api/proto'
import { stringifyJson } from '@engine/expression'
import { Client, credentials, type ChannelCredentials, Metadata, type ServiceError, status } from '@grpc/grpc-js'
import { objectOf, receiptOf, valueOf } from './answer.ts'
import { ClientError, type ClientErrorKind, type Repeatable } from './errors.ts'
import type { BatchItem, Decided, Sending, Trace, TraceStep, Transport } from './transport.ts'

export interface GrpcOptions {
  /** `127.0.0.1:50051` or `unix:/run/engine.sock`. */
  readonly address: string
  /** Undefined for plain text. */
  readonly tls: { readonly ca?: Buffer | undefined } | undefined
  /** Sent with each call: token and tenant. */
  readonly headers: Readonly<Record<string, string>>
}

/** An engine over gRPC, with one connection for all calls. */
export function createGrpcTransport({ address, tls, headers }: GrpcOptions): Transport {
  const security: ChannelCredentials =
    tls === undefined ? credentials.createInsecure() : credentials.createSsl(tls.ca ?? null)
  const client = new Client(address, security, {
    'grpc.max_receive_message_length': -1,
    'grpc.max_send_message_length': -1,
  })
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value)

  function ask<Method extends DescMethodUnary>(
    method: Method,
    request: MessageShape<Method['input']>,
    { timeoutMs, signal }: Sending,
  ): Promise<MessageShape<Method['output']>> {
    return new Promise((resolve, reject) => {
      const call = client.makeUnaryRequest(
        `/${method.parent.typeName}/${method.name}`,
        (value: MessageShape<Method['input']>) => Buffer.from(toBinary(method.input, value)),
        (bytes: Buffer) => fromBinary(method.output, bytes) as MessageShape<Method['output']>,
        request,
        metadata,
        { deadline: Date.now() + timeoutMs },
        (error: ServiceError | null, response?: MessageShape<Method['output']>) => {
          signal.removeEventListener('abort', abort)
          if (response !== undefined && error === null) resolve(response)
          else reject(signal.aborted && signal.reason instanceof ClientError ? signal.reason : failureOf(error))
        },
      )
      const abort = () => call.cancel()
      signal.addEventListener('abort', abort)
    })
  }

  const { method } = proto.EngineService
  return {
    async execute(name, input, { tracing, receipt }, sending) {
      const request = create(proto.ExecuteRequestSchema, {
        name,
        inputJson: stringifyJson(input),
        receipt,
        ...(tracing === false ? {} : { trace: true }),
        ...(tracing === 'values' ? { traceValues: true } : {}),
      })
      return decidedOf(await ask(method.execute, request, sending))
    },
    async batch(name, inputs, { receipt }, sending) {
      const inputsJson = inputs.map((input) => stringifyJson(input))
      const request = create(proto.BatchExecuteRequestSchema, { name, inputsJson, receipt })
      const { results, summary } = await ask(method.batchExecute, request, sending)
      const { total = 0, success = 0, failed = 0 } = summary ?? {}
      return { results: results.map(itemOf), summary: { total, success, failed } }
    },
    async evaluate(expression, context, sending) {
      const request = create(proto.EvalRequestSchema, { expression, contextJson: stringifyJson(context) })
      const { resultJson, parsed } = await ask(method.eval, request, sending)
      return { result: valueOf(resultJson), parsed }
    },
    filter() {
      return Promise.reject(new ClientError('invalid', 'searches need HTTP: gRPC has no call for filters'))
    },
    async ruleset(name, sending) {
      return (await ask(method.getRuleSet, create(proto.GetRuleSetRequestSchema, { name }), sending)).rulesetJson
    },
    close: async () => client.close(),
  }
}

function itemOf(result: proto.ExecuteResult): BatchItem {
  return result.error === '' ? decidedOf(result) : { error: result.error, ...receiptIn(result.receiptJson) }
}

function decidedOf({
  code,
  message,
  outputJson,
  durationUs,
  trace,
  receiptJson,
}: Omit<proto.ExecuteResponse, '$typeName'>): Decided {
  const output = objectOf(outputJson)
  const decided = { code, message, output, duration_us: Number(durationUs), ...receiptIn(receiptJson) }
  return trace === undefined ? decided : { ...decided, trace: traceOf(trace) }
}

/** The receipt; empty if there is none. Throws `ClientError`. */
function receiptIn(json: Uint8Array): { readonly receipt?: DecisionReceipt } {
  const receipt = json.length === 0 ? undefined : receiptOf(objectOf(new TextDecoder().decode(json)))
  return receipt === undefined ? {} : { receipt }
}

/** Field number of `details` in `google.rpc.Status`. */
const DETAILS_FIELD = 3

/** The details of a `google.rpc.Status`. Throws if the bytes are invalid. */
function detailsOf(bytes: Uint8Array): readonly Any[] {
  const reader = new BinaryReader(bytes)
  const details: Any[] = []
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag()
    if (field === DETAILS_FIELD) details.push(fromBinary(AnySchema, reader.bytes()))
    else reader.skip(type, field)
  }
  return details
}

/** The receipt in the details of the status of a failed call. */
function receiptInDetails(metadata: Metadata | undefined): DecisionReceipt | undefined {
  const [bytes] = metadata?.get('grpc-status-details-bin') ?? []
  if (!Buffer.isBuffer(bytes)) return undefined
  try {
    for (const { typeUrl, value } of detailsOf(bytes))
      if (typeUrl.endsWith(`/${proto.FailedExecutionSchema.typeName}`))
        return receiptIn(fromBinary(proto.FailedExecutionSchema, value).receiptJson).receipt
  } catch {
    // The details come from another server, such as a proxy.
  }
  return undefined
}

function traceOf({ path, steps, valuesTruncated }: proto.TraceInfo): Trace {
  return { path, steps: steps.map(stepOf), ...(valuesTruncated && { values_truncated: true }) }
}

function stepOf({ id, name, durationUs, branch, condition, valuesJson, variablesJson }: proto.StepInfo): TraceStep {
  return {
    id,
    name,
    duration_us: Number(durationUs),
    ...(branch !== undefined && { branch: branch < 0 ? null : branch }),
    ...(branch !== undefined && branch >= 0 && { condition }),
    ...(valuesJson !== '' && { values: objectOf(valuesJson) }),
    ...(variablesJson !== '' && { variables: objectOf(variablesJson) }),
  }
}

const KINDS: ReadonlyMap<status, readonly [ClientErrorKind, Repeatable]> = new Map([
  [status.INVALID_ARGUMENT, ['invalid', 'never']],
  [status.FAILED_PRECONDITION, ['execution', 'never']],
  [status.UNAUTHENTICATED, ['unauthorized', 'never']],
  [status.PERMISSION_DENIED, ['forbidden', 'never']],
  [status.NOT_FOUND, ['not-found', 'never']],
  [status.INTERNAL, ['server', 'never']],
  [status.RESOURCE_EXHAUSTED, ['too-many-requests', 'safe']],
  [status.DEADLINE_EXCEEDED, ['timeout', 'never']],
  [status.CANCELLED, ['closed', 'never']],
  // grpc-js uses the same status for a refused connection and an interrupted one.
  [status.UNAVAILABLE, ['unavailable', 'ambiguous']],
])

function failureOf(error: ServiceError | null): ClientError {
  // This status has two causes: rate limits and message size.
  if (error?.code === status.RESOURCE_EXHAUSTED && /larger than max/.test(error.details))
    return new ClientError('invalid', error.details, { cause: error })
  // This status has two causes: the client's deadline, and the time limit of the rules.
  if (error?.code === status.DEADLINE_EXCEEDED && /^(Deadline exceeded|the deadline of the call)/.test(error.details))
    return new ClientError('timeout', error.details, { repeatable: 'ambiguous', cause: error })
  const [kind, known] = KINDS.get(error?.code ?? status.UNKNOWN) ?? ['server' as const, 'never' as const]
  const wasNeverSent =
    kind === 'unavailable' && /No connection established|ECONNREFUSED|shutting down/.test(error?.details ?? '')
  return new ClientError(kind, error?.details ?? 'the call ended without an answer or a status', {
    receipt: receiptInDetails(error?.metadata),
    repeatable: wasNeverSent ? 'safe' : known,
    cause: error,
  })
}

import { create, type DescMessage } from '@bufbuild/protobuf'
import { MAX_BATCH_INPUTS } from '@engine/api'
import { proto } from '@engine/api/proto'
import { isObject, type Numbers, type ParsedJson, type Value } from '@engine/expression'
import type { Method, Sendable } from '@engine/grpc-server'
import type { Program } from '@engine/ruleset'
import { describe, EngineError, failures, quoted } from '../errors.ts'
import { type InputRunner, runBatch, Runner } from '../services/batch.ts'
import type { RulesetRow } from '../services/rulesets.ts'
import { type Awaitable, parsedJson, whenThere } from '@engine/process'
import { requireTraceValues } from '../access/trace-values.ts'
import { type CallContext, type CallParts, duplex, type DuplexContext, unary } from './calls.ts'
import { readExecute } from './execute-request.ts'
import { receiptedResponse, receiptedResult } from './execution-receipt.ts'
import { RESPONSE, RESULT, type ResultItem } from './execution-message.ts'

/** The service of specification 4.2, with batch, stream and eval (docs/grpc.md). Each method corresponds to the route of the same purpose. */
export function engineService(parts: CallParts): readonly Method[] {
  const { method } = proto.EngineService
  return [
    unary(parts, method.execute, 'execute', execute, readExecute),

    unary(parts, method.listRuleSets, 'read', (_request, { services }) =>
      create(proto.ListRuleSetsResponseSchema, { rulesets: services.rulesets.list().map(infoOf) }),
    ),

    unary(parts, method.getRuleSet, 'read', ({ name }, { services }) =>
      create(proto.GetRuleSetResponseSchema, { rulesetJson: services.rulesets.text(named(name)) }),
    ),

    unary(parts, method.health, undefined, async () => {
      const { record } = await parts.reception.server.health.check()
      return create(proto.HealthResponseSchema, {
        status: record.status,
        version: record.version,
        uptimeSeconds: BigInt(record.uptime_seconds),
        rulesCount: record.storage.rules_count,
      })
    }),

    unary(parts, method.eval, 'execute', evaluate),
    unary(parts, method.batchExecute, 'execute', batch),
    duplex(parts, method.executeStream, 'execute', executeStream),
  ]
}

type Response<Message extends DescMessage> = Awaitable<Sendable<Message>>

/** Decides on one input. */
export function execute(
  { name, inputJson, trace, traceValues, receipt }: proto.ExecuteRequest,
  context: CallContext,
): Response<typeof proto.ExecuteResponseSchema> {
  const { services, span, signal, by, hops } = context
  if (traceValues === true) checkTrace(trace, context)
  // Listed individually: rest properties would cost microseconds.
  const options = { trace, traceValues, span, signal, by, hops }
  const { execution } = services
  const run = receipt
    ? (input: Value) => receiptedResponse(execution, named(name), input, options)
    : (input: Value) => execution.execute(named(name), input, RESPONSE, options)
  return whenThere(jsonOf(inputJson, 'input_json', execution.numbersOf(name)), run)
}

/** Evaluates one expression. */
export async function evaluate(
  { expression, contextJson, numbers: setting }: proto.EvalRequest,
  { services }: CallContext,
): Promise<proto.EvalResponse> {
  const numbers = setting === '' ? 'double' : setting
  if (numbers !== 'double' && numbers !== 'decimal')
    throw invalid('numbers', `must be \`double\` or \`decimal\`, found ${quoted(numbers)}`)
  const context = contextJson === '' ? {} : await jsonOf(contextJson, 'context_json', numbers)
  if (!isObject(context)) throw invalid('context_json', `must be an object, found ${describe(context)}`)
  return create(proto.EvalResponseSchema, await services.evaluation.evaluate(expression, context, numbers))
}

/** Decides on many inputs. An input that cannot be parsed, or fails, is a failed result. */
export async function batch(
  {
    name,
    inputsJson,
    trace,
    traceValues,
    stopOnError,
    sequential,
    receipt,
  }: Omit<proto.BatchExecuteRequest, '$typeName'>,
  context: CallContext,
): Promise<proto.BatchExecuteResponse> {
  const { services, span, signal, by, hops } = context
  const { execution } = services
  if (traceValues === true) checkTrace(trace, context)
  const program = execution.program(named(name))
  const count = inputsJson.length
  if (count === 0 || count > MAX_BATCH_INPUTS)
    throw invalid('inputs_json', `must have 1 to ${MAX_BATCH_INPUTS} items, found ${count}`)
  const runner = new Runner(execution, program, RESULT, { trace, traceValues, span, signal, by, hops }, receipt)
  const ofTexts: InputRunner<number, ResultItem> = {
    run: (index) => runText(runner, inputsJson[index] ?? '', `inputs_json[${index}]`),
    refused: () => runner.refused(),
    pause: runner.pause,
  }
  const { items, summary } = await runBatch(ofTexts, [...inputsJson.keys()], {
    stopOnError,
    parallel: !sequential,
    isAbandoned: () => signal.aborted,
  })
  return create(proto.BatchExecuteResponseSchema, {
    results: receipt ? await Promise.all(items.map(receiptedResult)) : items.map(({ result }) => result),
    summary: { ...summary, totalDurationUs: BigInt(summary.total_duration_us) },
  })
}

/** A row of the list of rulesets. */
export function infoOf({ name, version, description, step_count: stepCount }: RulesetRow) {
  return { name, version, description: description ?? '', stepCount }
}

/** An input that cannot be parsed is a failed result; a missing ruleset ends the stream. */
async function executeStream({
  services: { execution },
  requests,
  answer,
  ...request
}: DuplexContext<proto.ExecuteStreamRequest, Sendable<typeof proto.ExecuteStreamResponseSchema>>): Promise<void> {
  let index = 0n
  let name = ''
  let current: { readonly program: Program; readonly runners: Map<string, Runner<ResultItem>> } | undefined
  for await (const { name: given, inputJson, trace, traceValues, receipt } of requests) {
    if (traceValues === true) checkTrace(trace, request)
    name = named(given === '' ? name : given)
    // Looked up for each input, so that changes apply from the next input on.
    const program = programOf(execution, name, request)
    if (current?.program !== program) current = { program, runners: new Map() }
    const way = `${trace === true} ${traceValues === true} ${receipt}`
    const options = { trace, traceValues, ...request }
    const runner = current.runners.get(way) ?? new Runner(execution, program, RESULT, options, receipt)
    current.runners.set(way, runner)
    const result = await receiptedResult(await runText(runner, inputJson, 'input_json'))
    const full = answer(create(proto.ExecuteStreamResponseSchema, { index: index++, result }))
    if (full !== undefined) await full
    if (request.signal.aborted) return
    const pause = runner.pause()
    if (pause !== undefined) await pause
  }
}

/** The program of a ruleset; throws an error that suggests the name that was probably meant. */
function programOf(
  execution: CallContext['services']['execution'],
  name: string,
  { suggesting }: Pick<CallContext, 'suggesting'>,
): Program {
  try {
    return execution.program(name)
  } catch (error) {
    throw suggesting(error, name)
  }
}

/** @param field the request field that contains the text */
function runText(runner: Runner<ResultItem>, text: string, field: string): Awaitable<ResultItem> {
  const failed = (error: unknown) => {
    // Nothing was executed, so the duration is 0.
    if (error instanceof EngineError) return RESULT.failed(error, 0)
    throw error
  }
  try {
    const input = jsonOf(text, field, runner.program.ruleset.config.numbers)
    return input instanceof Promise ? input.then((value) => runner.run(value), failed) : runner.run(input)
  } catch (error) {
    return failed(error)
  }
}

/** Refuses values if no trace is requested or the scope for values is missing. Throws `EngineError`. */
function checkTrace(trace: boolean | undefined, context: Pick<CallContext, 'valuesRefusal'>): void {
  const refuse = (message: string) => invalid('trace_values', message)
  requireTraceValues(true, trace === true, () => context.valuesRefusal(), refuse)
}

/** Throws `EngineError` if the name is missing. */
export function named(name: string): string {
  if (name === '') throw invalid('name', 'is missing: the name of a ruleset')
  return name
}

/**
 * The value of a JSON text; a promise for a long one, which is parsed in pieces between other requests. Throws
 * `EngineError`.
 */
function jsonOf(text: string, field: string, numbers: Numbers = 'double'): Awaitable<Value> {
  const value = (parsed: ParsedJson): Value => {
    if (parsed.kind === 'parsed') return parsed.value
    throw failures.notJson(`/${field}`, quoted(field), parsed.problem)
  }
  return whenThere(parsedJson(text, { duplicateKeys: 'last', numbers }), value)
}

function invalid(field: string, message: string): EngineError {
  return failures.invalidPart(`/${field}`, message, quoted(field))
}

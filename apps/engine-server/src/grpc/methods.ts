import { create } from '@bufbuild/protobuf'
import { MAX_BATCH_INPUTS, proto } from '@engine/api'
import { isObject, LONG_JSON, type ParsedJson, type Value } from '@engine/expression'
import type { Program } from '@engine/ruleset'
import type { UntypedServiceImplementation } from '@grpc/grpc-js'
import { describe, EngineError, failures, quoted } from '../errors.ts'
import { runBatch, Runner } from '../services/batch.ts'
import { parsedJson, pause as nextTurn } from '@engine/process'
import { type CallParts, duplex, type DuplexContext, unary } from './calls.ts'
import { RESPONSE, RESULT, type ResultItem } from './execution-message.ts'

/** The service of specification 4.2, with batch, stream and eval (docs/grpc.md). Each method corresponds to the route of the same purpose. */
export function engineService(parts: CallParts): UntypedServiceImplementation {
  const { method } = proto.EngineService
  const { health } = parts.reception.server
  return {
    // Named one by one: taking the rest of an object costs microseconds.
    Execute: unary(parts, method.execute, 'execute', ({ name, inputJson, trace }, context) => {
      const { services, span, signal, by, hops } = context
      const options = { trace: trace || undefined, span, signal, by, hops }
      const run = (input: Value) => services.execution.execute(named(name), input, RESPONSE, options)
      const input = jsonOf(inputJson, 'input_json')
      return input instanceof Promise ? input.then(run) : run(input)
    }),

    ListRuleSets: unary(parts, method.listRuleSets, 'read', (_request, { services }) =>
      create(proto.ListRuleSetsResponseSchema, {
        rulesets: services.rulesets.list().map(({ name, version, description }) => ({
          name,
          version,
          description: description ?? '',
        })),
      }),
    ),

    GetRuleSet: unary(parts, method.getRuleSet, 'read', ({ name }, { services }) =>
      create(proto.GetRuleSetResponseSchema, { rulesetJson: services.rulesets.text(named(name)) }),
    ),

    Health: unary(parts, method.health, undefined, async () => {
      const { record } = await health.check()
      return create(proto.HealthResponseSchema, {
        status: record.status,
        version: record.version,
        uptimeSeconds: BigInt(record.uptime_seconds),
        rulesCount: record.storage.rules_count,
      })
    }),

    Eval: unary(parts, method.eval, 'execute', async ({ expression, contextJson }, { services }) => {
      const context = contextJson === '' ? {} : await jsonOf(contextJson, 'context_json')
      if (!isObject(context)) throw invalid('context_json', `must be an object, found ${describe(context)}`)
      return create(proto.EvalResponseSchema, await services.evaluation.evaluate(expression, context))
    }),

    BatchExecute: unary(
      parts,
      method.batchExecute,
      'execute',
      async ({ name, inputsJson, trace, stopOnError, sequential }, { services, ...request }) => {
        const { execution } = services
        const program = execution.program(named(name))
        const count = inputsJson.length
        if (count === 0 || count > MAX_BATCH_INPUTS)
          throw invalid('inputs_json', `must have 1 to ${MAX_BATCH_INPUTS} items, found ${count}`)
        const inputs = await valuesOf(inputsJson)
        const runner = new Runner(execution, program, RESULT, { trace: trace || undefined, ...request })
        const { items, summary } = await runBatch(runner, inputs, {
          stopOnError,
          parallel: !sequential,
          isAbandoned: () => request.signal.aborted,
        })
        return create(proto.BatchExecuteResponseSchema, {
          results: items.map(({ result }) => result),
          summary: { ...summary, totalDurationUs: BigInt(summary.total_duration_us) },
        })
      },
    ),

    ExecuteStream: duplex(parts, method.executeStream, 'execute', executeStream),
  }
}

/** An input that cannot be read is a failed result; a ruleset that is not there ends the stream. */
async function executeStream({
  services: { execution },
  requests,
  answer,
  ...request
}: DuplexContext<proto.ExecuteStreamRequest, proto.ExecuteStreamResponse>): Promise<void> {
  let index = 0n
  let name = ''
  let current:
    | { readonly program: Program; readonly runners: Record<'plain' | 'traced', Runner<ResultItem>> }
    | undefined
  const runnersOf = (program: Program) => ({
    plain: new Runner(execution, program, RESULT, request),
    traced: new Runner(execution, program, RESULT, { trace: true, ...request }),
  })
  for await (const { name: given, inputJson, trace } of requests) {
    name = named(given === '' ? name : given)
    // Looked up each time: what is stored meanwhile counts from the next input on.
    const program = execution.program(name)
    if (current?.program !== program) current = { program, runners: runnersOf(program) }
    const runner = current.runners[trace ? 'traced' : 'plain']
    const { result } = await runText(runner, inputJson)
    const full = answer(create(proto.ExecuteStreamResponseSchema, { index: index++, result }))
    if (full !== undefined) await full
    if (request.signal.aborted) return
    const pause = runner.pause()
    if (pause !== undefined) await pause
  }
}

function runText(runner: Runner<ResultItem>, text: string): ResultItem | Promise<ResultItem> {
  const failed = (error: unknown) => {
    // Nothing was run, so it took no time.
    if (error instanceof EngineError) return RESULT.failed(error, 0)
    throw error
  }
  try {
    const input = jsonOf(text, 'input_json')
    return input instanceof Promise ? input.then((value) => runner.run(value), failed) : runner.run(input)
  } catch (error) {
    return failed(error)
  }
}

function named(name: string): string {
  if (name === '') throw invalid('name', 'is missing: the name of a ruleset')
  return name
}

/** The value of a JSON text; a promise of a long one, which is read in turns with other requests. Throws `EngineError`. */
function jsonOf(text: string, field: string): Value | Promise<Value> {
  const value = (parsed: ParsedJson): Value => {
    if (parsed.kind === 'parsed') return parsed.value
    throw failures.notJson(`/${field}`, quoted(field), parsed.problem)
  }
  const parsed = parsedJson(text, LAST)
  return parsed instanceof Promise ? parsed.then(value) : value(parsed)
}

const LAST = { duplicateKeys: 'last' } as const

/** The values of many texts, in turns with other requests when they are long together. */
async function valuesOf(texts: readonly string[]): Promise<readonly Value[]> {
  const values: Value[] = []
  let characters = 0
  for (const [index, text] of texts.entries()) {
    const value = jsonOf(text, `inputs_json[${index}]`)
    values.push(value instanceof Promise ? await value : value)
    characters += text.length
    if (characters <= LONG_JSON) continue
    characters = 0
    await nextTurn()
  }
  return values
}

function invalid(field: string, message: string): EngineError {
  return failures.invalidPart(`/${field}`, message, quoted(field))
}

import { create } from '@bufbuild/protobuf'
import { MAX_BATCH_INPUTS, proto } from '@engine/api'
import { isObject, parseJson, type Value } from '@engine/expression'
import type { Program } from '@engine/ruleset'
import type { UntypedServiceImplementation } from '@grpc/grpc-js'
import { describe, EngineError, failures, quoted } from '../errors.ts'
import { runBatch, Runner } from '../services/batch.ts'
import { type CallParts, duplex, type DuplexContext, unary } from './calls.ts'
import { RESPONSE, RESULT, type ResultItem } from './execution-message.ts'

/** The service of specification 4.2, and what design section 5 adds. Each method is as the route of the same purpose. */
export function engineService(parts: CallParts): UntypedServiceImplementation {
  const { method } = proto.EngineService
  const { health } = parts.reception.server
  return {
    Execute: unary(parts, method.execute, 'execute', ({ name, inputJson, trace }, { services, ...request }) => {
      const input = jsonOf(inputJson, 'input_json')
      return services.execution.execute(named(name), input, RESPONSE, { trace: trace || undefined, ...request })
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

    Eval: unary(parts, method.eval, 'execute', ({ expression, contextJson }, { services }) => {
      const context = contextJson === '' ? {} : jsonOf(contextJson, 'context_json')
      if (!isObject(context)) throw invalid('context_json', `must be an object, found ${describe(context)}`)
      return create(proto.EvalResponseSchema, services.evaluation.evaluate(expression, context))
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
        const inputs = inputsJson.map((text, index) => jsonOf(text, `inputs_json[${index}]`))
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
  try {
    return runner.run(jsonOf(text, 'input_json'))
  } catch (error) {
    // Nothing was run, so it took no time.
    if (error instanceof EngineError) return RESULT.failed(error, 0)
    throw error
  }
}

function named(name: string): string {
  if (name === '') throw invalid('name', 'is missing: the name of a ruleset')
  return name
}

function jsonOf(text: string, field: string): Value {
  const parsed = parseJson(text, { duplicateKeys: 'last' })
  if (parsed.kind === 'parsed') return parsed.value
  throw failures.notJson(`/${field}`, quoted(field), parsed.problem)
}

function invalid(field: string, message: string): EngineError {
  return failures.invalidPart(`/${field}`, message, quoted(field))
}

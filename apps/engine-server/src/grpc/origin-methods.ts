import { create, toBinary } from '@bufbuild/protobuf'
import { originProto, proto } from '@engine/api/proto'
import { type Method, nameOf } from '@engine/grpc-server'
import { type CallParts, unary } from './calls.ts'
import { readExecute } from './execute-request.ts'
import { batch, evaluate, execute, infoOf, named } from './methods.ts'

/**
 * The service of the specification's origin over the same handlers, so that its client libraries connect unchanged.
 * `Execute` and `Eval` differ only in names, which are not transmitted; in the other methods, the results have the same
 * field numbers and types.
 */
export function originService(parts: CallParts): readonly Method[] {
  const { method } = originProto.OrdoService
  const same = proto.EngineService.method
  return [
    { ...unary(parts, same.execute, 'execute', execute, readExecute), name: nameOf(method.execute) },
    { ...unary(parts, same.eval, 'execute', evaluate), name: nameOf(method.eval) },

    unary(parts, method.batchExecute, 'execute', async ({ rulesetName, inputsJson, options }, context) => {
      const answer = await batch(
        {
          name: rulesetName,
          inputsJson,
          stopOnError: false,
          receipt: false,
          sequential: options?.parallel === false,
          ...(options?.includeTrace === true ? { trace: true } : {}),
        },
        context,
      )
      return toBinary(proto.BatchExecuteResponseSchema, answer)
    }),

    unary(parts, method.getRuleSet, 'read', ({ name }, { services: { rulesets } }) => {
      const found = rulesets.summary(named(name))
      return create(originProto.GetRuleSetResponseSchema, { ...infoOf(found), rulesetJson: rulesets.text(name) })
    }),

    unary(parts, method.listRuleSets, 'read', ({ namePrefix, limit }, { services }) => {
      const found = services.rulesets.list().filter(({ name }) => name.startsWith(namePrefix))
      const shown = limit === 0 ? found : found.slice(0, limit)
      return create(originProto.ListRuleSetsResponseSchema, { rulesets: shown.map(infoOf), totalCount: found.length })
    }),

    unary(parts, method.health, undefined, async () => {
      const { record } = await parts.reception.server.health.check()
      const { SERVING, NOT_SERVING } = originProto.HealthResponse_Status
      return create(originProto.HealthResponseSchema, {
        status: record.status === 'healthy' ? SERVING : NOT_SERVING,
        version: record.version,
        rulesetCount: record.storage.rules_count,
        uptimeSeconds: BigInt(record.uptime_seconds),
      })
    }),
  ]
}

import { create } from '@bufbuild/protobuf'
import * as health from './generated/grpc/health/v1/health_pb.ts'
import type { Call } from './call.ts'
import { streaming, unary } from './method.ts'
import { GrpcError, shuttingDown } from './status.ts'

const { method } = health.Health
const Serving = health.HealthCheckResponse_ServingStatus

/**
 * The standard health service (grpc.health.v1) for a server and its services.
 *
 * @param names of the services; the server itself is known by an empty name
 */
export function createHealth(names: readonly string[]) {
  const known = new Set(['', ...names])
  const watching = new Map<Call, () => void>()
  let serving: health.HealthCheckResponse_ServingStatus = Serving.SERVING
  const answer = (name: string) =>
    create(health.HealthCheckResponseSchema, { status: known.has(name) ? serving : Serving.SERVICE_UNKNOWN })
  return {
    methods: [
      unary(method.check, () => ({ service }) => {
        if (known.has(service)) return answer(service)
        throw new GrpcError('NOT_FOUND', 'there is no such service')
      }),
      unary(method.list, () => () => {
        const statuses = Object.fromEntries(Array.from(known, (name) => [name, answer(name)]))
        return create(health.HealthListResponseSchema, { statuses })
      }),
      streaming(method.watch, async ({ requests, call, send }) => {
        let name = ''
        for await (const { service } of requests) name = service
        call.addEventListener('abort', () => {
          watching.get(call)?.()
          watching.delete(call)
        })
        while (!call.aborted) {
          const changed = new Promise<void>((resolve) => watching.set(call, resolve))
          await send(answer(name))
          if (call.isDraining) throw shuttingDown()
          await changed
        }
      }),
    ],
    /** Of the server and of all services. Tells those who watch. */
    set(isServing: boolean): void {
      serving = isServing ? Serving.SERVING : Serving.NOT_SERVING
      for (const tell of watching.values()) tell()
    },
  }
}

import { create } from '@bufbuild/protobuf'
import * as health from './generated/grpc/health/v1/health_pb.ts'
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
  const watching = new Set<() => void>()
  let status: health.HealthCheckResponse_ServingStatus = Serving.SERVING
  const answer = (name: string) =>
    create(health.HealthCheckResponseSchema, { status: known.has(name) ? status : Serving.SERVICE_UNKNOWN })
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
        if (call.aborted) return
        const drained = new Promise<void>((resolve) => {
          watching.add(resolve)
          call.addEventListener('abort', () => watching.delete(resolve))
        })
        await send(answer(name))
        await drained
        await send(answer(name))
        throw shuttingDown()
      }),
    ],
    /**
     * Reports all services, and the server itself, as not serving at shutdown. Watchers are notified, and their calls
     * end.
     */
    drain(): void {
      status = Serving.NOT_SERVING
      for (const tell of watching) tell()
    },
  }
}

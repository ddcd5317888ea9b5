import { create } from '@bufbuild/protobuf'
import {
  Health,
  HealthCheckResponse_ServingStatus as Serving,
  HealthCheckResponseSchema,
  HealthListResponseSchema,
} from './generated/grpc/health/v1/health_pb.ts'
import type { Call } from './call.ts'
import { type Method, streaming, unary } from './method.ts'
import { GrpcError, shuttingDown } from './status.ts'

/** The standard health service (grpc.health.v1) for a server and its services. */
export interface HealthService {
  readonly methods: readonly Method[]
  /** Of the server and of all services. Tells those who watch. */
  set(isServing: boolean): void
}

/** @param names of the services; the server itself is known by an empty name */
export function createHealth(names: readonly string[]): HealthService {
  const known = new Set(['', ...names])
  const watching = new Map<Call, () => void>()
  let serving: Serving = Serving.SERVING
  const answer = (name: string) =>
    create(HealthCheckResponseSchema, { status: known.has(name) ? serving : Serving.SERVICE_UNKNOWN })
  return {
    methods: [
      unary(Health.method.check, () => ({ service }) => {
        if (known.has(service)) return answer(service)
        throw new GrpcError('NOT_FOUND', 'there is no such service')
      }),
      unary(Health.method.list, () => () => {
        const statuses = Object.fromEntries(Array.from(known, (name) => [name, answer(name)]))
        return create(HealthListResponseSchema, { statuses })
      }),
      streaming(Health.method.watch, async ({ requests, call, send }) => {
        call.addEventListener('abort', () => {
          watching.get(call)?.()
          watching.delete(call)
        })
        for await (const { service } of requests)
          while (!call.aborted) {
            const changed = new Promise<void>((resolve) => watching.set(call, resolve))
            await send(answer(service))
            if (call.isDraining) throw shuttingDown()
            await changed
          }
      }),
    ],
    set(isServing) {
      serving = isServing ? Serving.SERVING : Serving.NOT_SERVING
      for (const tell of watching.values()) tell()
    },
  }
}

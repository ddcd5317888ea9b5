import { create } from '@bufbuild/protobuf'
import {
  Health,
  HealthCheckResponse_ServingStatus as Serving,
  HealthCheckResponseSchema,
  HealthListResponseSchema,
} from './generated/grpc/health/v1/health_pb.ts'
import { type Method, streaming, unary } from './method.ts'
import { GrpcError, shuttingDown } from './status.ts'
import type { Call } from './call.ts'

/** The standard health service (grpc.health.v1) for a server and its services. */
export interface HealthService {
  readonly methods: readonly Method[]
  /** Of the server and of all services. Tells those who watch. */
  set(isServing: boolean): void
}

/** @param names of the services; the server itself is known by an empty name */
export function createHealth(names: readonly string[]): HealthService {
  const known = new Set(['', ...names])
  const watching = new Set<() => void>()
  let serving: Serving = Serving.SERVING
  const answer = (name: string) =>
    create(HealthCheckResponseSchema, { status: known.has(name) ? serving : Serving.SERVICE_UNKNOWN })
  const nextChange = (call: Call) =>
    new Promise<void>((resolve) => {
      const tell = () => {
        watching.delete(tell)
        resolve()
      }
      watching.add(tell)
      call.addEventListener('abort', tell)
    })
  const { check, list, watch } = Health.method
  return {
    methods: [
      unary(check, () => ({ service }) => {
        if (known.has(service)) return answer(service)
        throw new GrpcError('NOT_FOUND', 'there is no such service')
      }),
      unary(list, () => () => {
        const statuses = Object.fromEntries(Array.from(known, (name) => [name, answer(name)]))
        return create(HealthListResponseSchema, { statuses })
      }),
      streaming(watch, async ({ requests, call, send }) => {
        for await (const { service } of requests)
          while (!call.aborted) {
            const changed = nextChange(call)
            await send(answer(service))
            if (call.isDraining) throw shuttingDown()
            await changed
          }
      }),
    ],
    set(isServing) {
      serving = isServing ? Serving.SERVING : Serving.NOT_SERVING
      for (const tell of watching) tell()
    },
  }
}

import { guardedLookup, portOf, refuseAddress, type Resolve } from '@engine/egress'
import { type Dispatcher, Pool } from 'undici'
import type { EngineAddresses } from './addresses.ts'

/** Milliseconds to connect, and without any progress of an answer. */
const TIMEOUT_MS = { connect: 2000, answer: 30_000 } as const
/** Connections to one engine. */
const MAX_CONNECTIONS = 128
/** Engines whose connections are kept; those that were used first are closed first. */
const MAX_POOLS = 1000
/** Bytes of the headers of an answer. */
const MAX_HEADER_BYTES = 16 * 1024

/** One registration of an engine, and where it is reached. */
export interface EngineEndpoint {
  readonly id: string
  /** Counts the registrations of the record. */
  readonly generation: number
  readonly origin: string
  /** The address that it registered from; null: not known. */
  readonly peer: string | null
}

/** The same for the same registration at the same place. */
export const endpointKey = ({ id, generation, origin, peer }: EngineEndpoint): string =>
  `${id} ${generation} ${origin} ${peer}`

/** Connections to engines. Every one of them is to an address that the engine may have. */
export interface EngineConnections {
  /**
   * The connections of one registration: another one, of whatever engine, never uses them. Throws `EgressRefusal` for an
   * address that it may not have; for names connecting does.
   */
  to(endpoint: EngineEndpoint): Dispatcher
  close(): Promise<void>
}

export function createEngineConnections(
  addresses: Pick<EngineAddresses, 'egressFor'>,
  resolve: Resolve,
): EngineConnections {
  const pools = new Map<string, Pool>()

  function open({ origin, peer }: EngineEndpoint): Pool {
    const url = new URL(origin)
    const egress = addresses.egressFor(peer)
    refuseAddress(egress, url)
    return new Pool(origin, {
      connections: MAX_CONNECTIONS,
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: TIMEOUT_MS.answer,
      bodyTimeout: TIMEOUT_MS.answer,
      connect: { timeout: TIMEOUT_MS.connect, lookup: guardedLookup(egress, resolve, portOf(url)) },
    })
  }

  return {
    to(endpoint) {
      const key = endpointKey(endpoint)
      const known = pools.get(key)
      if (known !== undefined) return known
      const pool = open(endpoint)
      const [oldest] = pools
      if (pools.size >= MAX_POOLS && oldest !== undefined) {
        pools.delete(oldest[0])
        // Requests under way are completed.
        void oldest[1].close()
      }
      pools.set(key, pool)
      return pool
    },
    close: async () => void (await Promise.all(Array.from(pools.values(), (pool) => pool.destroy()))),
  }
}

import { guardedLookup, portOf, refuseAddress, type Resolve } from '@engine/egress'
import { type Dispatcher, Pool } from 'undici'
import type { EngineAddresses } from './addresses.ts'

/** Timeouts for connecting, and for a response without progress. */
const TIMEOUT_MS = { connect: 2000, answer: 30_000 } as const
/** Maximum number of connections to one engine. */
const MAX_CONNECTIONS = 128
/** Maximum number of engines with open connection pools; the oldest pool is closed first. */
const MAX_POOLS = 1000
/** Maximum size of response headers in bytes. */
const MAX_HEADER_BYTES = 16 * 1024

/** One registration of an engine, with its address. */
export interface EngineEndpoint {
  readonly id: string
  /** Increases with each registration of the record. */
  readonly generation: number
  readonly origin: string
  /** The address from which it registered; null if unknown. */
  readonly peer: string | null
}

/** A key that identifies a registration and its address. */
export const endpointKey = ({ id, generation, origin, peer }: EngineEndpoint): string =>
  `${id} ${generation} ${origin} ${peer}`

/** Connections to engines, restricted to the addresses that each engine may have. */
export interface EngineConnections {
  /**
   * The connection pool of one registration, never shared with another registration or engine. Throws `EgressRefusal` for an
   * address that the engine may not have; for a host name, connecting fails instead.
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
        // Requests in flight complete.
        void oldest[1].close()
      }
      pools.set(key, pool)
      return pool
    },
    close: async () => void (await Promise.all(Array.from(pools.values(), (pool) => pool.destroy()))),
  }
}

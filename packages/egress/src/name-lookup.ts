import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { createCallQueue } from './queue.ts'

/** All addresses of a name. Rejects with the system's error. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>

/** Limits of concurrent look-ups: each occupies one of Node's four worker threads, which also do file I/O. */
const LIMITS = { running: 2, waiting: 254, total: 256 } as const

/**
 * Look-ups by the operating system, limited so that unresponsive name servers cannot block file I/O. Concurrent
 * look-ups of the same name are shared.
 */
export function createNameLookup(system: Resolve = (host) => lookup(host, { all: true })): Resolve {
  const queue = createCallQueue(LIMITS)
  const underWay = new Map<string, Promise<readonly LookupAddress[]>>()

  async function looked(host: string): Promise<readonly LookupAddress[]> {
    try {
      const done = await queue.turn('name look-ups', NEVER)
      return await system(host).finally(done)
    } finally {
      underWay.delete(host)
    }
  }

  return (host) => {
    const known = underWay.get(host)
    if (known !== undefined) return known
    const begun = looked(host)
    underWay.set(host, begun)
    return begun
  }
}

const NEVER = new AbortController().signal

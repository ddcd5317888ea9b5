import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { createCallQueue } from './queue.ts'

/** All addresses of a name. Rejects with the system's error. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>

/** Look-ups at a time: each holds one of the four threads of Node that also read and write files. */
const LIMITS = { running: 2, waiting: 254, total: 256 } as const

/**
 * Look-ups as the operating system does them, few at a time, so that names whose servers do not answer cannot stop the
 * writing of files. Calls that ask for one name at the same time share one look-up.
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

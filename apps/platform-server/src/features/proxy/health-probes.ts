import { type EngineEndpoint, endpointKey } from '../engines/connections.ts'
import type { Claimant } from '../engines/identity.ts'
import { discard } from './body-disposal.ts'
import type { Forwarder } from './forwarder.ts'

/** Timeout of a health probe. */
const PROBE_TIMEOUT_MS = 1000

/** Interval of probes of an excluded engine. */
const PROBE_INTERVAL_MS = 1000
/** Maximum number of tracked engines; the oldest entry is evicted first. */
const MAX_ENGINES = 1000

/** Engines that accept connections and do not answer. */
export interface Liveness<Endpoint extends EngineEndpoint> {
  /** True if an engine has failed its last health probe. Starts the next probe when it is due. */
  isOut(engine: Endpoint): boolean
  /** Probes an engine that did not answer a request: one that fails the probe is excluded until it passes one. */
  suspect(engine: Endpoint): void
}

interface Suspect {
  isOut: boolean
  isProbed: boolean
  /** Time of the next probe on the monotonic clock, in milliseconds. */
  nextProbe: number
}

/**
 * @param probe returns true if an engine is alive; never rejects
 * @param now monotonic milliseconds
 */
export function createLiveness<Endpoint extends EngineEndpoint>(
  probe: (engine: Endpoint) => Promise<boolean>,
  now: () => number,
): Liveness<Endpoint> {
  const suspects = new Map<string, Suspect>()

  async function start(key: string, engine: Endpoint, suspect: Suspect): Promise<void> {
    suspect.isProbed = true
    if (await probe(engine)) return void suspects.delete(key)
    suspect.isProbed = false
    suspect.isOut = true
    suspect.nextProbe = now() + PROBE_INTERVAL_MS
  }

  return {
    isOut(engine) {
      // The usual case needs no key.
      if (suspects.size === 0) return false
      const key = endpointKey(engine)
      const suspect = suspects.get(key)
      if (suspect === undefined) return false
      if (!suspect.isProbed && suspect.nextProbe <= now()) void start(key, engine, suspect)
      return suspect.isOut
    },
    suspect(engine) {
      const key = endpointKey(engine)
      if (suspects.has(key)) return
      const [oldest] = suspects.keys()
      if (suspects.size >= MAX_ENGINES && oldest !== undefined) suspects.delete(oldest)
      const suspect = { isOut: false, isProbed: false, nextProbe: 0 }
      suspects.set(key, suspect)
      void start(key, engine, suspect)
    },
  }
}

/** Returns a probe that uses the connections of decisions. */
export function probeBy(forwarder: Forwarder): (engine: Claimant) => Promise<boolean> {
  return async (engine) => {
    const { signal } = new AbortController()
    const path = '/healthz/live'
    const probe = { engine, path, method: 'GET', headers: {}, body: undefined, signal, limitMs: PROBE_TIMEOUT_MS }
    try {
      const { statusCode, body } = await forwarder.send(probe)
      discard(body)
      return statusCode === 200
    } catch {
      return false
    }
  }
}

import { type EngineEndpoint, endpointKey } from '../engines/connections.ts'
import type { Claimant } from '../engines/identity.ts'
import { discard } from './body-disposal.ts'
import type { Forwarder } from './forwarder.ts'

/** Milliseconds until an engine has answered a health probe. */
const PROBE_TIMEOUT_MS = 1000

/** Milliseconds between two probes of an excluded engine. */
const PROBE_INTERVAL_MS = 1000
/** Remembered engines; the one that was excluded first is forgotten first. */
const MAX_ENGINES = 1000

/** Engines that accept connections and do not answer. */
export interface Liveness<Endpoint extends EngineEndpoint> {
  /** Whether an engine has failed its last health probe. The next probe starts here once it is due. */
  isOut(engine: Endpoint): boolean
  /** Probe an engine that did not answer a request: one that fails the probe is excluded until it passes one. */
  suspect(engine: Endpoint): void
}

interface Suspect {
  isOut: boolean
  isProbed: boolean
  /** Monotonic milliseconds. */
  nextProbe: number
}

/**
 * @param probe whether an engine is alive; never rejects
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
      // The usual case costs no key.
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

/** Probes whether an engine is alive, over the connections that decisions have. */
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

import {
  BadWebOrigin,
  createEgress,
  type Egress,
  EgressRefusal,
  parseHostPattern,
  parseWebOrigin,
  peerPattern,
  portOf,
  refuseAddress,
  type Resolve,
} from '@engine/egress'
import { ADDRESS_REFUSED } from '@engine/api'
import { quote } from '@engine/expression'
import { TIMED_OUT, within } from '@engine/process'
import { PEER } from '../../config/value.ts'
import { failures } from '../../errors.ts'

/**
 * Timeout for resolving a host name at registration. A name that does not resolve in time is checked when it is
 * connected to.
 */
const RESOLVE_TIMEOUT_MS = 2000

/** The addresses that engines may have (`--engine-allow`). */
export interface EngineAddresses {
  /** @param peer the address from which the engine registered; null if unknown */
  egressFor(peer: string | null): Egress
  /**
   * The normalized origin of a registration. Throws 400 for anything other than an origin, and for an address that
   * engines may not have. A host name is resolved again for each connection, because its addresses can change.
   */
  admit(url: string, peer: string | null): Promise<string>
}

/** @param allow patterns of hosts, and `peer` */
export function createEngineAddresses(allow: readonly string[], resolve: Resolve): EngineAddresses {
  const patterns = allow.filter((one) => one !== PEER).map(parseHostPattern)
  const takesPeer = allow.includes(PEER)

  const egressFor = (peer: string | null): Egress =>
    createEgress(
      'allowlist',
      takesPeer && peer !== null ? [...patterns, peerPattern(peer)] : patterns,
      '--engine-allow',
    )

  async function refuse(origin: string, peer: string | null): Promise<void> {
    const egress = egressFor(peer)
    const url = new URL(origin)
    refuseAddress(egress, url)
    const found = await within(
      RESOLVE_TIMEOUT_MS,
      resolve(url.hostname).catch(() => []),
    )
    for (const { address } of found === TIMED_OUT ? [] : found) {
      const refusal = egress({ host: url.hostname, address, port: portOf(url) })
      if (refusal !== undefined) throw new EgressRefusal(refusal)
    }
  }

  return {
    egressFor,
    async admit(text, peer) {
      try {
        const origin = parseWebOrigin(text)
        await refuse(origin, peer)
        return origin
      } catch (error) {
        if (error instanceof BadWebOrigin)
          throw failures.invalid('/url', `must be an origin: ${error.message}`, ADDRESS_REFUSED)
        if (!(error instanceof EgressRefusal)) throw error
        const from =
          peer === null
            ? 'this engine registers through a proxy that is not in --trusted-proxies, or from the machine of the platform'
            : `this engine registers from ${quote(peer)}`
        throw failures.invalid(
          '/url',
          `is not an address that engines may have: ${error.message}; ${from}`,
          ADDRESS_REFUSED,
        )
      }
    },
  }
}

/** The origin of a stored address; undefined if an earlier version stored one that is not an origin. */
export function storedOrigin(url: string | null): string | undefined {
  if (url === null) return undefined
  try {
    return parseWebOrigin(url)
  } catch (error) {
    if (error instanceof BadWebOrigin) return undefined
    throw error
  }
}

import { quote } from '@engine/expression'
import type { LookupFunction } from 'node:net'
import { isAddress, withoutBrackets } from './address.ts'
import type { Egress } from './egress.ts'
import type { Resolve } from './name-lookup.ts'

/** A call to this target is not allowed. */
export class EgressRefusal extends Error {}

/** The port of a URL of http or https. */
export const portOf = ({ port, protocol }: URL): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)

/** Checked before name resolution: an address in the URL is connected to directly. Throws `EgressRefusal`. */
export function refuseAddress(egress: Egress, url: URL): void {
  const host = url.hostname
  if (!isAddress(host)) return
  const refusal = egress({ host, address: withoutBrackets(host), port: portOf(url) })
  if (refusal !== undefined) throw new EgressRefusal(refusal)
}

/**
 * Resolves a name once for both the check and the connection, so that it cannot change in between. A name with any
 * rejected address is rejected with `EgressRefusal`.
 */
export function guardedLookup(egress: Egress, resolve: Resolve, port: number): LookupFunction {
  return (host, options, callback) => {
    resolve(host).then(
      (addresses) => {
        for (const { address } of addresses) {
          const refusal = egress({ host, address, port })
          if (refusal !== undefined) return callback(new EgressRefusal(refusal), '', 0)
        }
        const [first] = addresses
        if (first === undefined) return callback(new Error(`${quote(host)} has no address`), '', 0)
        if (options.all === true) callback(null, [...addresses])
        else callback(null, first.address, first.family)
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), '', 0),
    )
  }
}

import { quote } from '@engine/expression'
import type { LookupFunction } from 'node:net'
import { isAddress, withoutBrackets } from './address.ts'
import type { Egress } from './egress.ts'
import type { Resolve } from './name-lookup.ts'

/** A call may not go where it wants to. */
export class EgressRefusal extends Error {}

/** The port of a URL of http or https. */
export const portOf = ({ port, protocol }: URL): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)

/**
 * Checked before anything is resolved: an address in the URL is connected to without a look-up. Throws `EgressRefusal`.
 */
export function refuseAddress(egress: Egress, url: URL): void {
  const host = url.hostname
  if (!isAddress(host)) return
  const refusal = egress({ host, address: withoutBrackets(host), port: portOf(url) })
  if (refusal !== undefined) throw new EgressRefusal(refusal)
}

/**
 * One look-up for the check and for the connection, so that a name cannot mean one address now and another then. A name of
 * which any address is refused is refused, with `EgressRefusal`.
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
      (error: unknown) => callback(error as NodeJS.ErrnoException, '', 0),
    )
  }
}

import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { TrustedProxies } from '../network/proxies.ts'

/** The address that a request comes from, for the audit and for limits. */
export type AddressOf = (request: IncomingMessage) => string

/**
 * The other end of the connection or, where that is a proxy of ours, the last address of `x-forwarded-for` that is none:
 * what stands before it came with the request and may be invented.
 */
export function addressBehind(proxies: TrustedProxies): AddressOf {
  return ({ socket, headers }) => {
    const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',')
    let address = plain(socket.remoteAddress ?? 'unix')
    while (proxies.has(address)) {
      const before = plain(forwarded.pop()?.trim() ?? '')
      if (isIP(before) === 0) break
      address = before
    }
    return address
  }
}

/** A socket for both families names a peer of IPv4 in its own way. */
const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, '')

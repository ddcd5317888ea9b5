import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { TrustedProxies } from '../network/proxies.ts'

/** Returns the client address of a request, for the audit and for limits. */
export type AddressOf = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string

/**
 * The peer address or, behind a trusted proxy, the last address in `x-forwarded-for` that is not a trusted proxy: the
 * ones before it come from the client and may be forged.
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

/** Headers that proxies add. */
const FORWARDED =
  /^(?:forwarded|via|x-real-ip|x-client-ip|x-(?:original-)?forwarded-.+|(?:cf|fastly)-.+|true-client-ip|x-envoy-.+)$/
/** Loopback addresses. */
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|::1)$/

/**
 * The address of the client itself, if the platform can determine it. Undefined otherwise: behind an untrusted proxy,
 * or a trusted one that does not name its client. The address of a proxy does not identify a client.
 *
 * @param isHere true if the public address of the platform belongs to this machine; otherwise a loopback client may be
 * a proxy that adds no header
 */
export function peerBehind(proxies: TrustedProxies, isHere: boolean): (request: IncomingMessage) => string | undefined {
  const addressOf = addressBehind(proxies)
  return (request) => {
    const address = addressOf(request)
    if (isIP(address) === 0 || proxies.has(address)) return undefined
    if (address !== plain(request.socket.remoteAddress ?? '')) return address
    const isProxied = Object.keys(request.headers).some((name) => FORWARDED.test(name))
    return isProxied || (LOOPBACK.test(address) && !isHere) ? undefined : address
  }
}

/** True if a host is a loopback name or address. */
export function isLoopback(host: string): boolean {
  return /^(?:.+\.)?localhost$/.test(host) || LOOPBACK.test(host.replace(/^\[(.*)\]$/, '$1'))
}

/** A dual-stack socket reports IPv4 peers as mapped IPv6 addresses. */
const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, '')

import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js'
import { isMetadata4, isMetadata6 } from './metadata-address.ts'

/**
 * The reach of an address. `forbidden`: link-local, and cloud metadata services with credentials; never called.
 * `private`: this machine, local networks, and anything that is not an ordinary internet address. `public`: the rest.
 */
export type Reach = 'forbidden' | 'private' | 'public'

/** True if the host of a URL is an address rather than a name; accepts IPv6 in brackets. */
export function isAddress(host: string): boolean {
  return ipaddr.isValid(withoutBrackets(host))
}

/** The reach of an IPv4 or IPv6 address; for one that embeds another address, the more restricted of the two. */
export function reachOf(address: string): Reach {
  const parsed = ipaddr.parse(withoutBrackets(address))
  return parsed instanceof ipaddr.IPv4 ? reachOf4(parsed) : reachOf6(parsed)
}

export const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1')

function reachOf4(address: IPv4): Reach {
  if (address.range() === 'linkLocal' || isMetadata4(address)) return 'forbidden'
  return address.range() === 'unicast' ? 'public' : 'private'
}

function reachOf6(address: IPv6): Reach {
  if (address.range() === 'linkLocal' || isMetadata6(address)) return 'forbidden'
  // A network may use its own NAT64 prefix of any length allowed by RFC 6052, which cannot be known here.
  if (NAT64_LENGTHS.some((length) => isMetadata4(ipv4Behind(address, length)))) return 'forbidden'
  const inside = carried(address)
  if (inside.some((other) => reachOf4(other) === 'forbidden')) return 'forbidden'
  if (inside.length > 0) return inside.every((other) => reachOf4(other) === 'public') ? 'public' : 'private'
  return address.range() === 'unicast' && address.match(GLOBAL) ? 'public' : 'private'
}

/** The assigned global unicast addresses (IANA); the rest, such as the old site-local `fec0::/10`, is not public. */
const GLOBAL = ipaddr.IPv6.parseCIDR('2000::/3')

/** Bits of a NAT64 prefix, RFC 6052 section 2.2. */
const NAT64_LENGTHS = [32, 40, 48, 56, 64, 96] as const

/**
 * IPv6 addresses that routers translate to IPv4: their prefix, and the bit positions where the IPv4 address may start.
 */
const CARRIERS = (
  [
    ['::ffff:0:0/96', [96]], // mapped, RFC 4291
    ['::ffff:0:0:0/96', [96]], // translated, RFC 6052
    ['::/96', [96]], // compatible, RFC 4291
    ['64:ff9b::/96', [96]], // NAT64, RFC 6052
    ['64:ff9b:1::/48', [48, 56, 64, 96]], // NAT64 of a site, RFC 8215: with a prefix of any length in it
    ['2002::/16', [16]], // 6to4, RFC 3056
    ['2001::/32', [32]], // Teredo, RFC 4380: its server; its client stands inverted at the end
  ] as const
).map(([cidr, lengths]) => ({ network: ipaddr.IPv6.parseCIDR(cidr), lengths }))

const TEREDO = ipaddr.IPv6.parseCIDR('2001::/32')

function carried(address: IPv6): readonly IPv4[] {
  const found = CARRIERS.filter(({ network }) => address.match(network)).flatMap(({ lengths }) =>
    lengths.map((length) => ipv4Behind(address, length)),
  )
  if (address.match(TEREDO)) found.push(inverted(ipv4Behind(address, 96)))
  // ISATAP, RFC 5214: any network, then 0000:5efe or 0200:5efe.
  if (((address.parts[4] ?? 0) & ~0x200) === 0 && address.parts[5] === 0x5efe) found.push(ipv4Behind(address, 96))
  // `::` and `::1` do not embed an IPv4 address.
  return address.range() === 'unspecified' || address.range() === 'loopback' ? [] : found
}

/** The IPv4 address after a prefix of this length in bits, skipping byte 8 (RFC 6052 section 2.2). */
function ipv4Behind(address: IPv6, length: number): IPv4 {
  const from = length / 8
  const bytes = address.toByteArray()
  if (from <= 8) bytes.splice(8, 1)
  return new ipaddr.IPv4(bytes.slice(from, from + 4))
}

function inverted({ octets }: IPv4): IPv4 {
  return new ipaddr.IPv4(octets.map((octet) => octet ^ 255))
}

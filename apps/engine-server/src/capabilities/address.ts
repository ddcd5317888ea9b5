import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js'

/**
 * How far away an address is. `forbidden`: link-local, and where clouds answer with credentials; never called. `private`:
 * this machine, the networks around it, and whatever is no ordinary address of the internet. `public`: the rest.
 */
export type Reach = 'forbidden' | 'private' | 'public'

/** Where clouds hand out credentials, beside 169.254.0.0/16: Alibaba, Azure, Oracle; AWS over IPv6. */
const METADATA: ReadonlySet<string> = new Set(['100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254'])

/** Whether a host of a URL is an address, and not a name; brackets of IPv6 included. */
export function isAddress(host: string): boolean {
  return ipaddr.isValid(withoutBrackets(host))
}

/** The reach of an IPv4 or IPv6 address; of one that carries another one inside, the nearer of both. */
export function reachOf(address: string): Reach {
  const parsed = ipaddr.parse(withoutBrackets(address))
  return parsed instanceof ipaddr.IPv4 ? reachOf4(parsed) : reachOf6(parsed)
}

export const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1')

function reachOf4(address: IPv4): Reach {
  if (address.range() === 'linkLocal' || METADATA.has(address.toString())) return 'forbidden'
  return address.range() === 'unicast' ? 'public' : 'private'
}

function reachOf6(address: IPv6): Reach {
  if (address.range() === 'linkLocal' || METADATA.has(address.toRFC5952String())) return 'forbidden'
  const inside = carried(address)
  if (inside.some((other) => reachOf4(other) === 'forbidden')) return 'forbidden'
  if (inside.length > 0) return inside.every((other) => reachOf4(other) === 'public') ? 'public' : 'private'
  return address.range() === 'unicast' ? 'public' : 'private'
}

/** IPv6 addresses that some router turns into IPv4: the first bits, and where the IPv4 address stands (in 16 bits). */
const CARRIERS: readonly (readonly [cidr: string, at: number])[] = [
  ['::ffff:0:0/96', 6], // mapped, RFC 4291
  ['::ffff:0:0:0/96', 6], // translated, RFC 6052
  ['::/96', 6], // compatible, RFC 4291
  ['64:ff9b::/96', 6], // NAT64, RFC 6052
  ['64:ff9b:1::/48', 6], // NAT64 of a site, RFC 8215
  ['2002::/16', 1], // 6to4, RFC 3056
  ['2001::/32', 2], // Teredo, RFC 4380: its server; its client stands inverted at the end
]

function carried(address: IPv6): readonly IPv4[] {
  const found = CARRIERS.filter(([cidr]) => address.match(ipaddr.IPv6.parseCIDR(cidr))).map(([, at]) =>
    ipv4At(address, at, 0),
  )
  if (address.match(ipaddr.IPv6.parseCIDR('2001::/32'))) found.push(ipv4At(address, 6, 0xffff))
  // ISATAP, RFC 5214: any network, then 0000:5efe or 0200:5efe.
  if (((address.parts[4] ?? 0) & ~0x200) === 0 && address.parts[5] === 0x5efe) found.push(ipv4At(address, 6, 0))
  // `::` and `::1` are addresses of their own.
  return address.range() === 'unspecified' || address.range() === 'loopback' ? [] : found
}

function ipv4At({ parts }: IPv6, at: number, inversion: number): IPv4 {
  const [high, low] = [(parts[at] ?? 0) ^ inversion, (parts[at + 1] ?? 0) ^ inversion]
  return new ipaddr.IPv4([high >> 8, high & 255, low >> 8, low & 255])
}

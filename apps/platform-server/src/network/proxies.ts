import { BlockList, isIP } from 'node:net'

/** Proxies by address or subnet, such as `10.0.0.0/8`. */
export interface TrustedProxies {
  has(address: string): boolean
}

/** Proxies of a list of addresses and subnets; undefined: one of them is neither. */
export function trustedProxies(entries: readonly string[]): TrustedProxies | undefined {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', bits, ...more] = entry.split('/')
    const family = isIP(address)
    const most = family === 4 ? 32 : 128
    const prefix = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : -1
    if (family === 0 || more.length > 0 || prefix < 0 || prefix > most) return undefined
    list.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6')
  }
  return { has: (address) => isIP(address) !== 0 && list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6') }
}

import { quote } from '@engine/expression'
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js'
import { withoutBrackets } from './address.ts'

/** An invalid host pattern. The message contains the expected form. */
export class BadHostPattern extends Error {}

/** The target of a call: host of the URL, resolved address, and port. */
export interface Target {
  readonly host: string
  readonly address: string
  readonly port: number
}

/** One entry of a list of allowed hosts. */
export type HostPattern = (target: Target) => boolean

/**
 * Parses a pattern: a name (`api.example.com`), all subdomains of a name (`*.example.com`), an address (`10.1.2.3`,
 * `[fd00::1]`) or a network (`10.0.0.0/8`), each with an optional `:port`. Throws `BadHostPattern`.
 */
export function parseHostPattern(text: string): HostPattern {
  const [, host = '', portText] = /^(\[[^\]]+\](?:\/\d+)?|[^:]+)(?::(\d{1,5}))?$/.exec(text) ?? []
  const port = portText === undefined ? undefined : Number(portText)
  const matches = hostMatcher(host)
  if (matches === undefined || port === 0 || (port ?? 1) > 65_535)
    throw new BadHostPattern(
      `${quote(text)} is no host pattern: expected for example \`api.example.com\`, \`*.example.com\`, \`10.0.0.0/8\` or \`[fd00::]/8\`, with or without \`:443\``,
    )
  return (target) => (port === undefined || target.port === port) && matches(target)
}

const NAME = /^(?=.{1,253}$)(?!-)[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/

function hostMatcher(text: string): ((target: Target) => boolean) | undefined {
  const bare = text.replace(/^\[(.*)\](\/\d+)?$/, '$1$2')
  if (ipaddr.isValidCIDR(bare)) return inNetwork(ipaddr.parseCIDR(bare))
  if (ipaddr.isValid(withoutBrackets(bare))) {
    const wanted = ipaddr.parse(bare)
    return inNetwork([wanted, wanted.kind() === 'ipv4' ? 32 : 128])
  }
  const name = text.toLowerCase().replace(/\.$/, '')
  if (name.startsWith('*.') && NAME.test(name.slice(2))) {
    const ending = name.slice(1)
    return ({ host }) => plain(host).endsWith(ending)
  }
  return NAME.test(name) ? ({ host }) => plain(host) === name : undefined
}

/** Matches the address of a peer in any notation. A loopback peer matches every loopback address. */
export function peerPattern(peer: string): HostPattern {
  const wanted = ipaddr.process(peer)
  const isHere = wanted.range() === 'loopback'
  return ({ address }) => {
    const found = ipaddr.process(withoutBrackets(address))
    if (isHere && found.range() === 'loopback') return true
    return found.toNormalizedString() === wanted.toNormalizedString()
  }
}

/** `api.example.com.` with the trailing dot of the root is the same host. */
const plain = (host: string) => host.toLowerCase().replace(/\.$/, '')

function inNetwork(network: [IPv4 | IPv6, number]): (target: Target) => boolean {
  return ({ address }) => {
    const parsed = ipaddr.parse(withoutBrackets(address))
    return parsed.kind() === network[0].kind() && parsed.match(network)
  }
}

import { quote } from '../quote.ts'
import ipaddr from 'ipaddr.js'
import type { Call } from '../ast.ts'
import { TYPE } from '../types.ts'
import { text } from './arguments.ts'
import type { Argument, FunctionDefinition, Parameter } from './definition.ts'
import { failures } from './failures.ts'

const { boolean, string } = TYPE

interface Network {
  readonly bytes: readonly number[]
  readonly bits: number
}

/** An address or network in CIDR notation; a bare address is a network of one. Undefined when the text is neither. */
function parse(subject: string): Network | undefined {
  if (subject.length > 100) return undefined
  try {
    if (!subject.includes('/')) return networkOf(ipaddr.parse(strict(subject)), undefined)
    const [address, bits] = ipaddr.parseCIDR(strict(subject))
    return networkOf(address, bits)
  } catch {
    return undefined
  }
}

/** IPv4 addresses are four decimal numbers here: `10.1` or `0x7f.1` would be read as an address that was not meant. */
function strict(subject: string): string {
  const [address = ''] = subject.split('/')
  if (!address.includes(':') && !/^\d{1,3}(?:\.\d{1,3}){3}$/.test(address))
    throw new TypeError('not four decimal numbers')
  return subject.replace(/(^|\.)0+(?=\d)/g, '$1')
}

/** IPv4 in its IPv6 form (`::ffff:10.0.0.1`) is the IPv4 address. */
function networkOf(address: ipaddr.IPv4 | ipaddr.IPv6, bits: number | undefined): Network {
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && (bits === undefined || bits >= 96))
    return networkOf(address.toIPv4Address(), bits === undefined ? undefined : bits - 96)
  const bytes = address.toByteArray()
  return { bytes, bits: bits ?? bytes.length * 8 }
}

function required(node: Call, index: number, argument: Argument): Network {
  const subject = text(node, index, argument)
  const found = parse(subject)
  if (found === undefined) throw failures.badArgument(node, index, fault(subject))
  return found
}

function fault(subject: string): string {
  return `${quote(subject)} is not an address or network such as \`10.0.0.0/8\``
}

function sameStart(left: Network, right: Network, bits: number): boolean {
  if (left.bytes.length !== right.bytes.length) return false
  for (let index = 0; index * 8 < bits; index++) {
    const mask = bits - index * 8 >= 8 ? 0xff : (0xff << (8 - (bits % 8))) & 0xff
    if (((left.bytes[index] as number) & mask) !== ((right.bytes[index] as number) & mask)) return false
  }
  return true
}

const address = (name: string): Parameter => ({
  name,
  type: string,
  refuses: (literal) => (parse(literal) === undefined ? fault(literal) : undefined),
})

/** IP addresses and networks, version 4 and 6. */
export const NETWORK: readonly FunctionDefinition[] = [
  {
    name: 'cidr_contains',
    parameters: [address('network'), address('ip')],
    returns: boolean,
    summary: 'Whether an address lies in a network; false when one is null.',
    example: { expression: 'cidr_contains("10.0.0.0/8", "10.1.2.3")', value: true },
    cost: 400,
    implementation: (_runtime, node, outer, inner) => {
      if (outer === null || inner === null) return false
      const range = required(node, 0, outer)
      const ip = required(node, 1, inner)
      return ip.bits >= range.bits && sameStart(range, ip, range.bits)
    },
  },
  {
    name: 'cidr_intersects',
    parameters: [address('a'), address('b')],
    returns: boolean,
    summary: 'Whether two networks have addresses in common; false when one is null.',
    example: { expression: 'cidr_intersects("10.0.0.0/8", "10.9.0.0/16")', value: true },
    cost: 400,
    implementation: (_runtime, node, left, right) => {
      if (left === null || right === null) return false
      const a = required(node, 0, left)
      const b = required(node, 1, right)
      return sameStart(a, b, Math.min(a.bits, b.bits))
    },
  },
]

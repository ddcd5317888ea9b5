import { quote } from '../quote.ts'
import ipaddr from 'ipaddr.js'
import type { Call } from '../ast.ts'
import { defined } from '../defined.ts'
import { TYPE } from '../types.ts'
import { text } from './arguments.ts'
import type { Argument, FunctionDefinition, Parameter } from '../function-definition.ts'
import { failures } from './failures.ts'

const { boolean, string } = TYPE

/** Characters of an address or network. */
const MAX_LENGTH = 100

interface Network {
  readonly bytes: readonly number[]
  readonly bits: number
}

/** An address or network in CIDR notation; a bare address is a network of one. Undefined when the text is neither. */
function parse(subject: string): Network | undefined {
  return isPlain(subject) ? parsePlain(subject) : undefined
}

/** The parsing of early versions: leading zeros of decimal numbers were ignored, and a zone was dropped. */
function parseAsBefore(subject: string): Network | undefined {
  const [address = ''] = subject.split('/')
  if (!address.includes(':') && !/^\d{1,3}(?:\.\d{1,3}){3}$/.test(address)) return undefined
  return parsePlain(subject.replaceAll(/(^|\.)0+(?=\d)/g, '$1'))
}

function parsePlain(subject: string): Network | undefined {
  if (subject.length > MAX_LENGTH) return undefined
  try {
    if (!subject.includes('/')) return networkOf(ipaddr.parse(subject), undefined)
    const [address, bits] = ipaddr.parseCIDR(subject)
    return networkOf(address, bits)
  } catch {
    return undefined
  }
}

const FOUR_NUMBERS = /^(?:(?:0|[1-9]\d{0,2})\.){3}(?:0|[1-9]\d{0,2})$/

/**
 * Whether every reader parses the text as the same address. `10.1`, `0x7f.1` and numbers with a leading zero are
 * ambiguous: C libraries read `010.0.0.1` as octal. An address with a zone (`fe80::1%eth0`) is meaningful on one
 * machine only.
 */
function isPlain(subject: string): boolean {
  if (subject.length > MAX_LENGTH) return false
  const [address = '', bits, more] = subject.split('/')
  if (more !== undefined || (bits !== undefined && !/^(?:0|[1-9]\d*)$/.test(bits)) || address.includes('%'))
    return false
  if (!address.includes(':')) return FOUR_NUMBERS.test(address)
  const last = address.slice(address.lastIndexOf(':') + 1)
  return !last.includes('.') || FOUR_NUMBERS.test(last)
}

/** An IPv4-mapped IPv6 address (`::ffff:10.0.0.1`) is the IPv4 address. */
function networkOf(address: ipaddr.IPv4 | ipaddr.IPv6, bits: number | undefined): Network {
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && (bits === undefined || bits >= 96))
    return networkOf(address.toIPv4Address(), bits === undefined ? undefined : bits - 96)
  const bytes = address.toByteArray()
  return { bytes, bits: bits ?? bytes.length * 8 }
}

function required(node: Call, index: number, argument: Argument): Network {
  const subject = text(node, index, argument)
  const found = node.isTolerated === true ? parseAsBefore(subject) : parse(subject)
  if (found === undefined) throw failures.badArgument(node, index, fault(subject))
  return found
}

function fault(subject: string): string {
  return `${quote(subject)} is not an address or network such as \`10.0.0.0/8\``
}

function addressFault(subject: string): string {
  return `${quote(subject)} is not an address such as \`10.1.2.3\``
}

/** An address, not a network. */
function requiredAddress(node: Call, index: number, argument: Argument): Network {
  if (node.isTolerated === true) return required(node, index, argument)
  const subject = text(node, index, argument)
  const found = subject.includes('/') ? undefined : parse(subject)
  if (found === undefined) throw failures.badArgument(node, index, addressFault(subject))
  return found
}

function sameStart(left: Network, right: Network, bits: number): boolean {
  if (left.bytes.length !== right.bytes.length) return false
  return left.bytes.every((byte, index) => {
    const compared = Math.max(0, Math.min(8, bits - index * 8))
    const mask = (0xff << (8 - compared)) & 0xff
    return (byte & mask) === (defined(right.bytes[index]) & mask)
  })
}

const refusedBefore = (literal: string) => (parseAsBefore(literal) === undefined ? fault(literal) : undefined)

const network = (name: string): Parameter => ({
  name,
  type: string,
  refuses: (literal) => (parse(literal) === undefined ? fault(literal) : undefined),
  refusedBefore,
})

const address: Parameter = {
  name: 'ip',
  type: string,
  refuses: (literal) => (literal.includes('/') || parse(literal) === undefined ? addressFault(literal) : undefined),
  refusedBefore,
}

/** IP addresses and networks, version 4 and 6. */
export const NETWORK: readonly FunctionDefinition[] = [
  {
    name: 'cidr_contains',
    parameters: [network('network'), address],
    returns: boolean,
    cost: 400,
    implementation: (_runtime, node, outer, inner) => {
      if (outer === null || inner === null) return false
      const range = required(node, 0, outer)
      const ip = requiredAddress(node, 1, inner)
      return ip.bits >= range.bits && sameStart(range, ip, range.bits)
    },
  },
  {
    name: 'cidr_intersects',
    parameters: [network('a'), network('b')],
    returns: boolean,
    cost: 400,
    implementation: (_runtime, node, left, right) => {
      if (left === null || right === null) return false
      const a = required(node, 0, left)
      const b = required(node, 1, right)
      return sameStart(a, b, Math.min(a.bits, b.bits))
    },
  },
]

import { quote } from '@engine/expression'
import ipaddr from 'ipaddr.js'
import { isAddress, withoutBrackets } from './address.ts'

/** An invalid origin. The message contains the expected form. */
export class BadWebOrigin extends Error {}

/**
 * Without the flag `i`, with which `\w` would match characters outside ASCII. A user, path, query, fragment or escape
 * does not match.
 */
const FORM = /^[Hh][Tt][Tt][Pp][Ss]?:\/\/([\w.:[\]-]+)\/?$/
const LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?'
const NAME = new RegExp(String.raw`^(?=.{1,253}$)${LABEL}(?:\.${LABEL})*$`)
const MAX_SHOWN = 200

/**
 * Parses an origin (RFC 6454) of HTTP: scheme, host and optional port, and nothing else. Scheme and host are
 * lower-cased, and the default port and a trailing dot removed, so that equal origins are equal texts.
 *
 * Ambiguous spellings of an address (octal, hexadecimal or shortened numbers, IPv4 inside IPv6, characters outside
 * ASCII) are rejected. Throws `BadWebOrigin`.
 */
export function parseWebOrigin(text: string): string {
  const authority = FORM.exec(text)?.[1]
  const url = authority === undefined ? null : URL.parse(text)
  if (authority === undefined || url === null) throw refused(text, expected(text))
  const { protocol, port } = url
  if (port === '0') throw refused(text, 'port 0 cannot be connected to')
  const written = authority.replace(/:\d*$/, '').toLowerCase()
  const host = isAddress(url.hostname) ? addressIn(text, written, url.hostname) : nameIn(text, url.hostname)
  return `${protocol}//${host}${port === '' ? '' : `:${port}`}`
}

/** The reason for a text of an entirely different form. */
function expected(text: string): string {
  if (/[^\x20-\x7e]/u.test(text)) return 'write names outside ASCII in their ASCII form (`xn--…`)'
  return 'expected `http://host`, `https://host` or either with `:port`, without user, path, query and fragment'
}

function addressIn(text: string, written: string, host: string): string {
  const address = ipaddr.parse(withoutBrackets(host))
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress())
    throw refused(text, `write the address as ${quote(address.toIPv4Address().toString())}`)
  if (address.kind() === 'ipv4' && written !== host) throw refused(text, `write the address as ${quote(host)}`)
  return host
}

function nameIn(text: string, host: string): string {
  const name = host.replace(/\.$/, '')
  if (!NAME.test(name)) throw refused(text, `${quote(host.slice(0, MAX_SHOWN))} is not the name of a host`)
  return name
}

function refused(text: string, reason: string): BadWebOrigin {
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
  return new BadWebOrigin(`${quote(shown)} is not an origin: ${reason}`)
}

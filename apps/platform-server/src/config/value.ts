import { hostPatterns } from '@engine/egress'
import { quote } from '@engine/expression'
import { InvalidValue } from '@engine/process'
import { type TrustedProxies, trustedProxies } from '../network/proxies.ts'

const refuse = (text: string, expected: string): never => {
  throw new InvalidValue(`${quote(text)} is not ${expected}`)
}

/** An origin as browsers send it: scheme, host, and the port unless it is the default of the scheme. */
export function origin(text: string): string {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.origin !== text.replace(/\/$/, ''))
    return refuse(text, 'an address such as `https://platform.example.com`, without a path (--base-path)')
  return url.origin
}

/** A path without a trailing slash; `/` becomes the empty path. */
export function basePath(text: string): string {
  const trimmed = text.replace(/\/+$/, '')
  return /^(?:\/[\w.~-]+)*$/.test(trimmed) ? trimmed : refuse(text, 'a path such as `/platform`')
}

const EMAIL = /^[^\s@<>",;:\\()[\]]{1,64}@[^\s@<>",;:\\()[\]]{1,188}$/u

/** A mail address in lower case; only its mail server knows if it exists. */
export function emailAddress(text: string): string {
  return isEmail(text) ? text.toLowerCase() : refuse(text, 'an address such as `admin@example.com`')
}

/** True if a text has the form of a mail address. */
export function isEmail(text: string): boolean {
  return EMAIL.test(text)
}

/** The URL of a database; it may hold a password, so messages do not repeat it. */
export function databaseUrl(text: string): string {
  const url = URL.parse(text)
  if (url !== null && /^postgres(?:ql)?:$/.test(url.protocol)) return text
  throw new InvalidValue('expected a URL such as `postgres://user:password@host:5432/database`')
}

/** The URL of a mail server; it may hold a password. */
export function smtpUrl(text: string): string {
  const url = URL.parse(text)
  if (url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== '') return text
  throw new InvalidValue('expected a URL such as `smtps://user:password@host:465`')
}

/** One secret or two, separated by a comma. Messages do not repeat them. */
export function secrets(text: string): readonly string[] {
  const parts = text.split(',')
  if (parts.length <= 2 && parts.every((part) => /^[\x21-\x7e]{16,512}$/.test(part))) return parts
  throw new InvalidValue(
    'expected one secret or two, separated by a comma, each of 16 to 512 printable characters without blanks',
  )
}

/** In `--engine-allow`: the address from which an engine registers. */
export const PEER = 'peer'

/** Patterns of hosts and `peer`, separated by commas. */
export function engineHosts(text: string): readonly string[] {
  return text.split(',').flatMap((part) => (part.trim() === PEER ? [PEER] : hostPatterns(part)))
}

/** Trusts no proxy. */
export const NO_PROXIES: TrustedProxies = { has: () => false }

/** Addresses and subnets, separated by commas. */
export function proxies(text: string): TrustedProxies {
  const list = trustedProxies(text.split(',').map((entry) => entry.trim()))
  return list ?? refuse(text, 'a list of addresses and subnets such as `10.0.0.0/8,127.0.0.1`')
}

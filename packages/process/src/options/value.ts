import { quote } from '@engine/expression'

/** The text of an option is not a valid value. The message contains the found and the expected value. */
export class InvalidValue extends Error {}

/** A listening address. If `host` is undefined: every interface, IPv6 and IPv4. */
export interface Address {
  readonly host: string | undefined
  readonly port: number | undefined
}

const refuse = (text: string, expected: string): never => {
  throw new InvalidValue(`${quote(text)} is not ${expected}`)
}

/** An integer in a range, both ends inclusive. */
export function integer(low: number, high: number): (text: string) => number {
  return (text) => {
    const value = /^[+-]?\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    return value >= low && value <= high ? value : refuse(text, `a whole number from ${low} to ${high}`)
  }
}

const TRUTH: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

/** `true` or `false` (also `1` and `0`). */
export function truth(text: string): boolean {
  return TRUTH.get(text.toLowerCase()) ?? refuse(text, '`true` or `false`')
}

/** One of a set of words. */
export function oneOf<const Word extends string>(...words: readonly Word[]): (text: string) => Word {
  return (text) =>
    words.find((word) => word === text) ?? refuse(text, `one of ${words.map((word) => `\`${word}\``).join(', ')}`)
}

/** Text that matches a pattern; `expected` names it for the message. */
export function matching(pattern: RegExp, expected: string): (text: string) => string {
  return (text) => (pattern.test(text) ? text : refuse(text, expected))
}

/** A file system path: any text without a NUL character. */
export const path = matching(/^[^\0]+$/, 'a path')

/** The path of a Unix domain socket, limited by the kernel (`sun_path` has 108 bytes including its terminator). */
export function socketPath(text: string): string {
  return Buffer.byteLength(path(text)) <= 107 ? text : refuse(text, 'a socket path of at most 107 bytes')
}

const port = integer(0, 65_535)

/**
 * `host:port`, `:port`, `host`, with IPv6 addresses in brackets. `0.0.0.0`, `::` and `*` are kept or mean every
 * interface; a missing port is set by `--port`.
 */
export function address(text: string): Address {
  const parts = /^(?:\[([0-9a-fA-F:.%]+)\]|([^:[\]/\s]*))(?::(\d{1,5}))?$/.exec(text)
  if (parts === null || text === '') return refuse(text, 'an address such as `127.0.0.1:8080`, `:8080` or `[::1]:8080`')
  const host = parts[1] ?? parts[2]
  return {
    host: host === '' || host === '*' ? undefined : host,
    port: parts[3] === undefined ? undefined : port(parts[3]),
  }
}

/** An `http:` or `https:` URL, without a trailing slash. */
export function webAddress(text: string): string {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return refuse(text, 'a URL such as `http://127.0.0.1:4318`')
  return text.replace(/\/+$/, '')
}

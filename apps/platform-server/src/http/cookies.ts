import type { IncomingMessage } from 'node:http'

/** Names of cookies, and how they are written, for one public address. */
export interface Cookies {
  /** The value of a cookie of a request; undefined: it has none, or several of this name. */
  read(request: Pick<IncomingMessage, 'headers'>, name: CookieName): string | undefined
  /** The header `set-cookie`. @param seconds of its life */
  write(name: CookieName, value: string, seconds: number): string
  /** The header that has a browser forget it. */
  clear(name: CookieName): string
}

/** A session, a browser that has signed in before, and one from which single sign-on has begun. */
export type CookieName = 'session' | 'device' | 'sso'

/**
 * Cookies of an address. Under https they have the prefix `__Host-`, with which no other host and no page without TLS can
 * set them, and those without it do not count. `Lax` lets a link from a mail arrive signed in.
 */
export function createCookies(isSecure: boolean): Cookies {
  const spelled = (name: CookieName) => (isSecure ? `__Host-${name}` : name)
  const attributes = `${isSecure ? '; Secure' : ''}; HttpOnly; SameSite=Lax; Path=/`
  const write = (name: CookieName, value: string, seconds: number) =>
    `${spelled(name)}=${value}${attributes}; Max-Age=${seconds}`
  return {
    read({ headers }, name) {
      const begin = `${spelled(name)}=`
      const values = (headers.cookie ?? '').split(/; */).filter((pair) => pair.startsWith(begin))
      // With two, one was planted by another path or host: neither counts.
      return values.length === 1 ? values[0]?.slice(begin.length) : undefined
    },
    write,
    clear: (name) => write(name, '', 0),
  }
}

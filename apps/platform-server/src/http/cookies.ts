import type { IncomingMessage } from 'node:http'

/** Reads and writes cookies for one public address. */
export interface Cookies {
  /** The value of a cookie of a request; undefined if it has none, or several of this name. */
  read(request: Pick<IncomingMessage, 'headers'>, name: CookieName): string | undefined
  /** The header `set-cookie`. @param lifetime in seconds */
  write(name: CookieName, value: string, seconds: number): string
  /** The `set-cookie` header that makes a browser delete it. */
  clear(name: CookieName): string
}

/** A session, a browser that has signed in before, and one from which single sign-on has begun. */
export type CookieName = 'session' | 'device' | 'sso'

/**
 * Cookies of an address. Under https they have the prefix `__Host-`, so that no other host and no page without TLS can
 * set them; cookies without it are ignored. `Lax` keeps a user signed in when following a link from a mail.
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
      // If there are two, another path or host has planted one: both are ignored.
      return values.length === 1 ? values[0]?.slice(begin.length) : undefined
    },
    write,
    clear: (name) => write(name, '', 0),
  }
}

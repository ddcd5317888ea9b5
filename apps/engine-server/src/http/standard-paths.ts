import type { IncomingMessage } from 'node:http'

/** An interface defined by an external standard: its errors have their own statuses and bodies. */
export type Standard = 'authzen' | 'ofrep'

export const ACCESS_PATH = '/access/v1'
export const FLAGS_PATH = '/ofrep/v1/evaluate/flags'
export const AUTHZEN_METADATA_PATH = '/.well-known/authzen-configuration'

const AUTHZEN = /^(?:\/[^/?#]+)?\/access\/v1(?:[/?#]|$)|^\/\.well-known\/authzen-configuration(?:[/?#]|$)/
const OFREP = /^\/ofrep\/v1(?:[/?#]|$)/

/** The standard of a request by its path; undefined for the engine's own interface. */
export function standardOf(request: Pick<IncomingMessage, 'url'> | undefined): Standard | undefined {
  const { url = '' } = request ?? {}
  if (OFREP.test(url)) return 'ofrep'
  return AUTHZEN.test(url) ? 'authzen' : undefined
}

/** The key of the flag that a request names; undefined if it names none. */
export function flagKeyOf({ url = '' }: Pick<IncomingMessage, 'url'>): string | undefined {
  const [path = ''] = url.split('?', 1)
  if (!path.startsWith(`${FLAGS_PATH}/`)) return undefined
  const key = path.slice(FLAGS_PATH.length + 1)
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

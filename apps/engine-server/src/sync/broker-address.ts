/** The parts of a broker URL: the client does not read credentials from it. */
export interface BrokerAddress {
  /** `host:port`, one or more of the same cluster. */
  readonly servers: readonly string[]
  readonly tls: boolean
  readonly user: string | undefined
  readonly password: string | undefined
  /** `nats://token@host`: a user without a password. */
  readonly token: string | undefined
}

/** The text is not a broker URL. The message states the expected form and contains no password. */
export class BadBrokerUrl extends Error {}

const EXAMPLE = 'a URL such as `nats://127.0.0.1:4222`, `tls://user:password@broker:4222`, or several with commas'

/** Parses `nats://[user[:password]@]host[:port][,…]`; `tls://` requires TLS. Throws `BadBrokerUrl`. */
export function parseBrokerUrl(text: string): BrokerAddress {
  const urls = text.split(',').map((part) => URL.parse(part.trim()))
  const [first] = urls
  if (first === null || first === undefined) throw new BadBrokerUrl(`it must be ${EXAMPLE}`)
  const servers = urls.map((url) => {
    if (url === null || !/^(?:nats|tls):$/.test(url.protocol) || url.hostname === '')
      throw new BadBrokerUrl(`it must be ${EXAMPLE}`)
    if (url.protocol !== first.protocol) throw new BadBrokerUrl('all of its addresses must begin alike')
    if (!/^\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '')
      throw new BadBrokerUrl('nothing may follow the port')
    return `${url.hostname}:${url.port === '' ? '4222' : url.port}`
  })
  const isOther = (url: URL | null) => url !== null && url.username !== '' && userOf(url) !== userOf(first)
  if (urls.some(isOther)) throw new BadBrokerUrl('only its first address may hold a user, who counts for all of them')
  const user = decoded(first.username)
  const password = decoded(first.password)
  return {
    servers,
    tls: first.protocol === 'tls:',
    ...(password === undefined ? { user: undefined, password, token: user } : { user, password, token: undefined }),
  }
}

const userOf = ({ username, password }: URL) => `${username}:${password}`

function decoded(part: string): string | undefined {
  if (part === '') return undefined
  try {
    return decodeURIComponent(part)
  } catch {
    throw new BadBrokerUrl('a percent sign in its credentials must be written as `%25`')
  }
}

/** The addresses for display and logs, without credentials. */
export function shownAddress({ servers, tls }: BrokerAddress): string {
  return `${tls ? 'tls' : 'nats'}://${servers.join(',')}`
}

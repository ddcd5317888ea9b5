import { randomUUID } from 'node:crypto'

/** The sender of a request, as the audit names it. */
export interface Requester {
  /** Name of the token; undefined: no token required, or none or an unknown one was sent. */
  readonly token: string | undefined
  /** Peer address of the connection: an IP address, or `unix` over a Unix domain socket. */
  readonly address: string
  /** From the request, or generated. */
  readonly requestId: string
}

/** The pattern of a request id; anything else is ignored. */
const REQUEST_ID = /^[\w.:/+=@-]{1,128}$/

/** A valid id that the request has; undefined: none. */
export const givenRequestId = (given: unknown) =>
  typeof given === 'string' && REQUEST_ID.test(given) ? given : undefined

/** The header, and over gRPC the metadata, that carries the id of a request. */
export const REQUEST_ID_HEADER = 'x-request-id'

/** Created for every request, so the id is computed on first use: most requests are not audited. */
export class LazyRequester implements Requester {
  readonly token: string | undefined
  readonly #address: string | undefined
  readonly #given: unknown
  #requestId: string | undefined

  /**
   * @param address of the other end of the connection; undefined: a Unix domain socket has none
   * @param given the unvalidated id from the request
   */
  constructor(token: string | undefined, address: string | undefined, given: unknown) {
    this.token = token
    this.#address = address
    this.#given = given
  }

  get address(): string {
    // How a socket for both families names a peer of IPv4.
    return this.#address?.replace(/^::ffff:(?=\d+\.)/i, '') ?? 'unix'
  }

  get requestId(): string {
    this.#requestId ??= givenRequestId(this.#given) ?? randomUUID()
    return this.#requestId
  }
}

import type { IncomingMessage } from 'node:http'
import { LazyRequester, REQUEST_ID_HEADER, type Requester } from '../requester.ts'

/**
 * The header in which a worker passes the address of the client to the owner. Workers drop this header from clients,
 * and only workers reach the owner, so it cannot be forged.
 */
export const PEER_HEADER = 'x-engine-peer-address'

/** @param token name of the token of the request */
export type RequesterOf = (request: Pick<IncomingMessage, 'headers' | 'socket'>, token: string | undefined) => Requester

/** The sender of a request that a client sent to this process. */
export const requesterOf: RequesterOf = ({ headers, socket }, token) =>
  new LazyRequester(token, socket.remoteAddress, headers[REQUEST_ID_HEADER])

/** The sender of a request that a worker passes on. */
export const requesterBehindWorker: RequesterOf = ({ headers }, token) => {
  const address = headers[PEER_HEADER]
  return new LazyRequester(token, typeof address === 'string' ? address : undefined, headers[REQUEST_ID_HEADER])
}

import type { IncomingMessage } from 'node:http'

/** The parts of a request that identify it and its sender, for both `node:http` and the fast lane. */
export type ReceivedRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'socket'>

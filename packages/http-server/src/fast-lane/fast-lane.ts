import type { Server } from 'node:http'
import { PlainAnswers } from '../plain-answer/plain-answer.ts'
import { type Lane, type LaneRules, PlainConnection, type PlainService } from './plain-connection.ts'
import { plainHeadReader } from './plain-head.ts'

export interface FastLane {
  /** Closes idle connections immediately, and others as soon as they are idle. */
  closeIdle(): void
  /** Closes all. */
  close(): void
}

const SWEEP_INTERVAL_MS = 125
/** The error with which `node:http` reports that nothing arrived in time. */
const LATE_HEAD = { code: 'ERR_HTTP_REQUEST_TIMEOUT' } as const

/** Answers requests in plain form for a server that is not listening yet; all other connections go to `node:http`. */
export function openFastLane<Operation>(server: Server, service: PlainService<Operation>, rules: LaneRules): FastLane {
  const speakHttp = server.listeners('connection')
  const connections = new Set<PlainConnection<Operation>>()
  const lane: Lane<Operation> = {
    ...service,
    ...rules,
    read: plainHeadReader(service, service.limits.maxBytes),
    answers: new PlainAnswers(rules.keepAliveMs),
    now: performance.now(),
    closesIdle: false,
    leave(connection) {
      connections.delete(connection)
      for (const listener of speakHttp) listener.call(server, connection.socket)
    },
    expire: (socket) => void server.emit('clientError', Object.assign(new Error(), LATE_HEAD), socket),
    closed: (connection) => void connections.delete(connection),
  }
  server.removeAllListeners('connection')
  server.on('connection', (socket) => void connections.add(new PlainConnection(lane, socket)))
  const sweep = () => {
    lane.now = performance.now()
    for (const connection of connections) connection.sweep()
  }
  const timer = setInterval(sweep, SWEEP_INTERVAL_MS).unref()
  return {
    closeIdle() {
      lane.closesIdle = true
      sweep()
    },
    close() {
      clearInterval(timer)
      for (const { socket } of connections) socket.destroy()
    },
  }
}

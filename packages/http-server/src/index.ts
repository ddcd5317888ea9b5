export { type AdoptedConnections, createAdoptedConnections } from './adopted-connections.ts'
export { limitConnections, tooManyConnections } from './connection-limit.ts'
export { type Deadline, Deadlines } from './deadlines.ts'
export { drained } from './drained.ts'
export {
  acceptNothing,
  type Address,
  connectionsOf,
  createServers,
  listening,
  type Places,
  replaceTls,
} from './listening.ts'
export { createOpenConnections, type OpenConnections } from './open-connections.ts'
export { shareWithHttp2 } from './protocol-detection.ts'
export { ResponseSignal } from './response-signal.ts'
export { readTls, type TlsFiles } from './tls-files.ts'

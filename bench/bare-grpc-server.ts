import {
  type GrpcObject,
  loadPackageDefinition,
  Server,
  ServerCredentials,
  type ServiceClientConstructor,
} from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { join } from 'node:path'

/** The least that a server of grpc-js can do with the same messages: read the request, write an answer of the same form. */
const definition = loadPackageDefinition(loadSync(join(import.meta.dirname, '../packages/api/proto/engine.proto')))
const { EngineService } = definition['engine'] as GrpcObject
const ANSWER = { code: 'P15', message: 'P15', outputJson: '{"level":3}', durationUs: 5 }

const server = new Server()
server.addService((EngineService as ServiceClientConstructor).service, {
  Execute: (call: { request: object }, answer: (error: null, response: object) => void) =>
    answer(null, 'name' in call.request ? ANSWER : {}),
})
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (_error, port) =>
  console.log(`listens on http://127.0.0.1:${port} and 127.0.0.1:${port} (gRPC)`),
)
process.on('SIGTERM', () => process.exit(0))

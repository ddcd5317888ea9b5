/** The gRPC messages, generated from `proto/engine.proto`. */
export * as proto from './proto/engine_pb.ts'
/** The gRPC messages under the names of the original service, generated from `proto/ordo/v1/ordo.proto`. */
export * as originProto from './proto/ordo_pb.ts'

/** What crosses the network over gRPC, made from `proto/engine.proto`. */
export * as proto from './proto/engine_pb.ts'
/** The same under the names of the specification's origin, made from `proto/ordo/v1/ordo.proto`. */
export * as originProto from './proto/ordo_pb.ts'

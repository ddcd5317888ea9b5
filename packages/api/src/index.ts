export * from './error.ts'
export * from './ruleset.ts'
export * from './execution.ts'
export * from './evaluation.ts'
export * from './filter.ts'
export * from './server.ts'
export * from './tenant.ts'
export * from './platform-link.ts'
/** What crosses the network over gRPC, made from `proto/engine.proto`. */
export * as proto from './proto/engine_pb.ts'
/** The same under the names of the specification's origin, made from `proto/ordo/v1/ordo.proto`. */
export * as originProto from './proto/ordo_pb.ts'

export type { Call, CallParts } from './call.ts'
export { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from './generated/google/rpc/error_details_pb.ts'
export { createHealth, type HealthService } from './health.ts'
export type { Memory, MessageLimits } from './messages.ts'
export {
  type Method,
  type Sendable,
  type StreamCall,
  type StreamMethod,
  streaming,
  unary,
  type UnaryMethod,
  type UnaryOptions,
} from './method.ts'
export { reflection } from './reflection.ts'
export { createGrpcServer, type GrpcServer, type GrpcServerOptions, type Tls } from './server.ts'
export { detail, GrpcError, type StatusName } from './status.ts'

import { create, toBinary } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { proto } from '@engine/api'
import { loadFileDescriptorSetFromBuffer, loadSync } from '@grpc/proto-loader'
import { ReflectionService } from '@grpc/reflection'
import { protoPath as healthProto } from 'grpc-health-check'

/** Tells clients that have no `.proto` file what the server offers (gRPC server reflection, v1 and v1alpha). */
export function reflectionService(): ReflectionService {
  const set = create(FileDescriptorSetSchema, { file: [proto.file_engine.proto] })
  const engine = loadFileDescriptorSetFromBuffer(Buffer.from(toBinary(FileDescriptorSetSchema, set)))
  return new ReflectionService({ ...engine, ...loadSync(healthProto) })
}

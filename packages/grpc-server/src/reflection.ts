import { create, createRegistry, type DescFile, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { nestedTypes } from '@bufbuild/protobuf/reflect'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { Code } from './generated/google/rpc/code_pb.ts'
import { file_grpc_health_v1_health } from './generated/grpc/health/v1/health_pb.ts'
import * as v1 from './generated/grpc/reflection/v1/reflection_pb.ts'
import * as v1alpha from './generated/grpc/reflection/v1alpha/reflection_pb.ts'
import { type Method, nameOf, streaming } from './method.ts'

type Answer = NonNullable<MessageInitShape<typeof v1.ServerReflectionResponseSchema>['messageResponse']>

/**
 * Server reflection, v1 and v1alpha, whose messages are the same: clients that have no `.proto` file learn what the server
 * offers. Descriptors are those that the code was generated from, with their options.
 *
 * @param services the files that define them; health and reflection are added
 */
export function reflection(services: readonly DescFile[]): readonly Method[] {
  const files = [
    ...services,
    file_grpc_health_v1_health,
    v1.file_grpc_reflection_v1_reflection,
    v1alpha.file_grpc_reflection_v1alpha_reflection,
  ]
  const names = files.flatMap((file) => file.services.map(({ typeName }) => ({ name: typeName })))
  const registry = createRegistry(...files.flatMap(withImports))
  let known: ReturnType<typeof indexOf> | undefined
  const answerTo = ({ messageRequest: asked }: v1.ServerReflectionRequest): Answer => {
    known ??= indexOf(files)
    switch (asked.case) {
      case 'listServices':
        return { case: 'listServicesResponse', value: { service: names } }
      case 'fileByFilename':
        return known.files.get(asked.value) ?? NOT_FOUND
      case 'fileContainingSymbol':
        return known.symbols.get(asked.value) ?? NOT_FOUND
      case 'fileContainingExtension':
        return NOT_FOUND
      case 'allExtensionNumbersOfType':
        if (registry.getMessage(asked.value) === undefined) return NOT_FOUND
        return { case: 'allExtensionNumbersResponse', value: { baseTypeName: asked.value } }
      case undefined:
        return failed(Code.INVALID_ARGUMENT, 'the request asks for nothing')
    }
  }
  const { serverReflectionInfo } = v1.ServerReflection.method
  return [serverReflectionInfo, v1alpha.ServerReflection.method.serverReflectionInfo].map((method) =>
    streaming(
      serverReflectionInfo,
      async ({ requests, send }) => {
        for await (const request of requests) {
          const answer = { validHost: request.host, originalRequest: request, messageResponse: answerTo(request) }
          await send(create(v1.ServerReflectionResponseSchema, answer))
        }
      },
      nameOf(method),
    ),
  )
}

const failed = (errorCode: number, errorMessage: string): Answer => ({
  case: 'errorResponse',
  value: { errorCode, errorMessage },
})
const NOT_FOUND = failed(Code.NOT_FOUND, 'there is no such file or symbol')

/** What is answered about each file and symbol. A method, a field or a value of an enum is in the file of what has it. */
function indexOf(offered: readonly DescFile[]) {
  const [files, symbols] = [new Map<string, Answer>(), new Map<string, Answer>()]
  for (const file of new Set(offered.flatMap(withImports))) {
    const fileDescriptorProto = withImports(file).map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto))
    const answer: Answer = { case: 'fileDescriptorResponse', value: { fileDescriptorProto } }
    files.set(file.proto.name, answer)
    for (const type of nestedTypes(file)) {
      symbols.set(type.typeName, answer)
      const members =
        'members' in type ? type.members : 'methods' in type ? type.methods : 'values' in type ? type.values : []
      for (const { name } of members) symbols.set(`${type.typeName}.${name}`, answer)
    }
  }
  return { files, symbols }
}

/** A file and all that it imports, each once, the file itself first. */
function withImports(file: DescFile): readonly DescFile[] {
  const files = new Set([file])
  for (const found of files) for (const imported of found.dependencies) files.add(imported)
  return [...files]
}

import { create, createRegistry, type DescFile, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import {
  file_grpc_reflection_v1_reflection,
  ServerReflection,
  type ServerReflectionRequest,
  ServerReflectionResponseSchema,
} from './generated/grpc/reflection/v1/reflection_pb.ts'
import {
  file_grpc_reflection_v1alpha_reflection,
  ServerReflection as AlphaReflection,
} from './generated/grpc/reflection/v1alpha/reflection_pb.ts'
import { file_grpc_health_v1_health } from './generated/grpc/health/v1/health_pb.ts'
import { type Method, streaming } from './method.ts'
import { STATUS } from './status.ts'

/** What a message, a service or an enum may have. */
type MembersOfAny = Readonly<
  Partial<Record<'field' | 'oneofDecl' | 'method' | 'value', readonly { readonly name: string }[]>>
>

type Answer = NonNullable<MessageInitShape<typeof ServerReflectionResponseSchema>['messageResponse']>

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
    file_grpc_reflection_v1_reflection,
    file_grpc_reflection_v1alpha_reflection,
  ]
  const all = new Map(files.flatMap(withImports).map((file) => [file.proto.name, file]))
  const registry = createRegistry(...all.values())
  const answers = new Map<DescFile, Answer>()
  const names = files.flatMap((file) => file.services.map(({ typeName }) => ({ name: typeName })))
  const answerFor = (request: ServerReflectionRequest['messageRequest']): Answer => {
    switch (request.case) {
      case 'listServices':
        return { case: 'listServicesResponse', value: { service: names } }
      case 'fileByFilename':
        return answerWith(all.get(request.value))
      case 'fileContainingSymbol':
        return answerWith(fileOf(request.value))
      case 'fileContainingExtension':
        return answerWith(undefined)
      case 'allExtensionNumbersOfType':
        return registry.getMessage(request.value) === undefined
          ? NOT_FOUND
          : { case: 'allExtensionNumbersResponse', value: { baseTypeName: request.value } }
      case undefined:
        return failed(STATUS.INVALID_ARGUMENT, 'the request asks for nothing')
    }
  }
  /** A method, a field or a value of an enum is in the file of what has it. */
  const fileOf = (symbol: string): DescFile | undefined => {
    const dot = symbol.lastIndexOf('.')
    const found = registry.get(symbol) ?? ownerOf(symbol.slice(0, dot), symbol.slice(dot + 1))
    return found?.file
  }
  const ownerOf = (owner: string, member: string) => {
    const found = registry.get(owner)
    if (found === undefined || found.kind === 'extension') return undefined
    const { field = [], oneofDecl = [], method = [], value = [] } = found.proto as MembersOfAny
    return [...field, ...oneofDecl, ...method, ...value].some(({ name }) => name === member) ? found : undefined
  }
  const answerWith = (file: DescFile | undefined): Answer => {
    if (file === undefined) return NOT_FOUND
    const known = answers.get(file)
    if (known !== undefined) return known
    const fileDescriptorProto = withImports(file).map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto))
    const answer: Answer = { case: 'fileDescriptorResponse', value: { fileDescriptorProto } }
    answers.set(file, answer)
    return answer
  }
  return [undefined, `${AlphaReflection.typeName}/${AlphaReflection.method.serverReflectionInfo.name}`].map((name) =>
    streaming(
      ServerReflection.method.serverReflectionInfo,
      async ({ requests, send }) => {
        for await (const request of requests) {
          const { host, messageRequest } = request
          const messageResponse = answerFor(messageRequest)
          await send(
            create(ServerReflectionResponseSchema, { validHost: host, originalRequest: request, messageResponse }),
          )
        }
      },
      name,
    ),
  )
}

const failed = (errorCode: number, errorMessage: string): Answer => ({
  case: 'errorResponse',
  value: { errorCode, errorMessage },
})
const NOT_FOUND = failed(STATUS.NOT_FOUND, 'there is no such file or symbol')

/** A file and all that it imports, each once, the file itself first. */
function withImports(file: DescFile): readonly DescFile[] {
  const files = new Set([file])
  for (const found of files) for (const imported of found.dependencies) files.add(imported)
  return [...files]
}

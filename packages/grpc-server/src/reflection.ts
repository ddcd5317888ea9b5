import { create, type DescFile, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { nestedTypes } from '@bufbuild/protobuf/reflect'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { pause } from '@engine/process'
import { Code } from './generated/google/rpc/code_pb.ts'
import { file_grpc_health_v1_health } from './generated/grpc/health/v1/health_pb.ts'
import * as v1 from './generated/grpc/reflection/v1/reflection_pb.ts'
import * as v1alpha from './generated/grpc/reflection/v1alpha/reflection_pb.ts'
import { type Method, nameOf, streaming } from './method.ts'

const REFLECTION = [v1.file_grpc_reflection_v1_reflection, v1alpha.file_grpc_reflection_v1alpha_reflection]

type Answer = NonNullable<MessageInitShape<typeof v1.ServerReflectionResponseSchema>['messageResponse']>

/**
 * Server reflection, v1 and v1alpha, which share their messages: lets clients without `.proto` files discover the
 * services. Descriptors are those used for code generation, with their options.
 *
 * @param services the files that define them; health and reflection are added
 */
export function reflection(services: readonly DescFile[]): readonly Method[] {
  let answers: ReadonlyMap<string, Answer> | undefined
  const answerTo = ({ case: kind, value }: v1.ServerReflectionRequest['messageRequest']): Answer => {
    answers ??= answersAbout([...services, file_grpc_health_v1_health, ...REFLECTION])
    if (kind === undefined) return failed(Code.INVALID_ARGUMENT, 'the request is empty')
    const name = kind === 'listServices' || kind === 'fileContainingExtension' ? '' : value
    return answers.get(`${kind} ${name}`) ?? failed(Code.NOT_FOUND, 'there is no such file or symbol')
  }
  const method = streaming(v1.ServerReflection.method.serverReflectionInfo, async ({ requests, send }) => {
    for await (const originalRequest of requests) {
      const messageResponse = answerTo(originalRequest.messageRequest)
      const answer = { validHost: originalRequest.host, originalRequest, messageResponse }
      await send(create(v1.ServerReflectionResponseSchema, answer))
      // Answering costs a hundred times more than sending a request.
      await pause()
    }
  })
  return [method, { ...method, name: nameOf(v1alpha.ServerReflection.method.serverReflectionInfo) }]
}

const failed = (errorCode: Code, errorMessage: string) =>
  ({ case: 'errorResponse', value: { errorCode, errorMessage } }) as const

/** By request kind and name. A method, a field or an enum value belongs to the file of its parent. */
function answersAbout(offered: readonly DescFile[]): ReadonlyMap<string, Answer> {
  const service = offered.flatMap((file) => file.services.map(({ typeName: name }) => ({ name })))
  const answers = new Map<string, Answer>([['listServices ', { case: 'listServicesResponse', value: { service } }]])
  for (const file of new Set(offered.flatMap(withImports))) {
    const fileDescriptorProto = withImports(file).map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto))
    const found: Answer = { case: 'fileDescriptorResponse', value: { fileDescriptorProto } }
    answers.set(`fileByFilename ${file.proto.name}`, found)
    for (const type of nestedTypes(file)) {
      const { typeName: name } = type
      const members =
        'members' in type ? type.members : 'values' in type ? type.values : 'methods' in type ? type.methods : []
      for (const symbol of [name, ...members.map((member) => `${name}.${member.name}`)])
        answers.set(`fileContainingSymbol ${symbol}`, found)
      const extensions: Answer = { case: 'allExtensionNumbersResponse', value: { baseTypeName: name } }
      if (type.kind === 'message') answers.set(`allExtensionNumbersOfType ${name}`, extensions)
    }
  }
  return answers
}

/** A file and its transitive imports, without duplicates, the file itself first. */
function withImports(file: DescFile): readonly DescFile[] {
  const files = new Set([file])
  for (const found of files) for (const imported of found.dependencies) files.add(imported)
  return [...files]
}

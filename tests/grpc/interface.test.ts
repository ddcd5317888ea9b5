import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { once } from 'node:events'
import { join } from 'node:path'
import { proto } from '@engine/api/proto'
import { loadPackageDefinition } from '@grpc/grpc-js'
import { loadFileDescriptorSetFromBuffer, loadSync } from '@grpc/proto-loader'
import { describe, expect, onTestFinished, test } from 'vitest'
import { adultCheck } from '../http/server.testing.ts'
import { clientOf, LOADING, type Message, PROTO } from './client.testing.ts'
import { adult, connected } from './connected-client.testing.ts'

const PROTO_FOLDER = join(import.meta.dirname, '../../packages/grpc-server/proto')

describe.each(['v1', 'v1alpha'])('a client without the file uses reflection, %s', (version) => {
  const PATH = `grpc/reflection/${version}/reflection.proto`

  async function asking() {
    const { server } = await connected('--grpc-origin-service')
    const definition = loadPackageDefinition(loadSync(PATH, { ...LOADING, includeDirs: [PROTO_FOLDER] }))
    const reflection = clientOf(definition, `grpc.reflection.${version}.ServerReflection`, server.grpc)
    onTestFinished(() => reflection.close())
    const ask = async (request: object) => {
      const stream = reflection.stream('ServerReflectionInfo').on('error', () => {})
      stream.write(request)
      const [answer] = (await once(stream, 'data')) as [Message]
      stream.end()
      return answer
    }
    return { server, ask }
  }

  test('lists the services, and calls one that it has discovered', async () => {
    const { server, ask } = await asking()
    await server.post('/api/v1/rulesets', adultCheck())
    const { list_services_response: listed } = await ask({ list_services: '*' })
    expect(listed.service.map(({ name }: Message) => name)).toEqual([
      'engine.EngineService',
      'ordo.v1.OrdoService',
      'grpc.health.v1.Health',
      'grpc.reflection.v1.ServerReflection',
      'grpc.reflection.v1alpha.ServerReflection',
    ])
    const { file_descriptor_response: found } = await ask({ file_containing_symbol: 'engine.EngineService' })
    const set = create(FileDescriptorSetSchema, { file: found.file_descriptor_proto.map(fileOf) })
    const bytes = Buffer.from(toBinary(FileDescriptorSetSchema, set))
    const learned = loadPackageDefinition(loadFileDescriptorSetFromBuffer(bytes, LOADING))
    const client = clientOf(learned, 'engine.EngineService', server.grpc)
    onTestFinished(() => client.close())
    expect(await client.call('Execute', adult)).toMatchObject({ message: { code: 'ADULT' } })
  })

  test('gets descriptors as a compiler makes them', async () => {
    const { ask } = await asking()
    const symbols = ['engine.EngineService.Execute', 'engine.ExecuteRequest.input_json', 'grpc.health.v1.Health']
    const [byMethod, byField, health] = await Promise.all(
      symbols.map(async (symbol) => {
        const { file_descriptor_response: found } = await ask({ file_containing_symbol: symbol })
        return fileOf(found.file_descriptor_proto[0])
      }),
    )
    expect(byMethod).toEqual(byField)
    expect(byMethod?.options).toMatchObject({ goPackage: 'engine/proto;enginepb', javaPackage: 'engine.grpc' })
    const execute = byMethod?.messageType.find(({ name }) => name === 'ExecuteRequest')
    expect(execute?.field.map(({ jsonName }) => jsonName)).toEqual([
      'name',
      'inputJson',
      'trace',
      'traceValues',
      'receipt',
    ])
    expect(execute?.field[2]?.proto3Optional).toBe(true)
    const list = health?.messageType.find(({ name }) => name === 'HealthListResponse')
    expect(list?.nestedType).toMatchObject([{ name: 'StatusesEntry', options: { mapEntry: true } }])
    expect(list?.field[0]?.typeName).toBe('.grpc.health.v1.HealthListResponse.StatusesEntry')
    const { file_descriptor_response: named } = await ask({ file_by_filename: 'grpc/health/v1/health.proto' })
    expect(fileOf(named.file_descriptor_proto[0])).toEqual(health)
  })

  test.each([
    { file_by_filename: 'no.proto' },
    { file_containing_symbol: 'engine.No' },
    { file_containing_symbol: '' },
  ])('gets not found for %j', async (request) => {
    const { ask } = await asking()
    expect(await ask(request)).toMatchObject({ error_response: { error_code: 5 } })
  })
})

const fileOf = (bytes: Buffer) => fromBinary(FileDescriptorProtoSchema, bytes)

test('the code that is committed was made from the file that is published', () => {
  const published = loadPackageDefinition(loadSync(PROTO, LOADING))['engine'] as Record<string, Message>
  for (const message of proto.file_engine.messages) {
    const fields = message.fields.map(({ name, number }) => [name, number])
    expect(published[message.name].type.field.map(({ name, number }: Message) => [name, number])).toEqual(fields)
  }
  const methods = proto.EngineService.methods.map(({ name, methodKind }) => [name, methodKind === 'bidi_streaming'])
  const service = published['EngineService'].service as Record<string, Message>
  expect(Object.entries(service).map(([name, { requestStream }]) => [name, requestStream])).toEqual(methods)
})

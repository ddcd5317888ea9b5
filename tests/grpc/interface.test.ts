import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { proto } from '@engine/api'
import { loadPackageDefinition } from '@grpc/grpc-js'
import { loadFileDescriptorSetFromBuffer, loadSync } from '@grpc/proto-loader'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { adultCheck } from '../http/server.testing.ts'
import { clientOf, LOADING, type Message, PROTO } from './client.testing.ts'
import { adult, connected } from './connected.testing.ts'

const scratch = mkdtempSync(join(tmpdir(), 'engine-grpc-'))
afterAll(() => rmSync(scratch, { recursive: true }))

describe('a client without the file uses reflection', () => {
  const REFLECTION = `
    syntax = "proto3";
    package grpc.reflection.v1;
    service ServerReflection { rpc ServerReflectionInfo(stream Request) returns (stream Response); }
    message Request { string host = 1; oneof message_request { string file_containing_symbol = 4; string list_services = 7; } }
    message Response {
      oneof message_response { Files file_descriptor_response = 4; Services list_services_response = 6; }
    }
    message Files { repeated bytes file_descriptor_proto = 1; }
    message Services { repeated Service service = 1; }
    message Service { string name = 1; }
  `

  test('lists the services, and calls one that it has only now learned of', async () => {
    const { server } = await connected()
    await server.post('/api/v1/rulesets', adultCheck())
    const file = join(scratch, 'reflection.proto')
    writeFileSync(file, REFLECTION)
    const definition = loadPackageDefinition(loadSync(file, LOADING))
    const reflection = clientOf(definition, 'grpc.reflection.v1.ServerReflection', server.grpc)
    onTestFinished(() => reflection.close())
    const ask = async (request: object) => {
      const stream = reflection.stream('ServerReflectionInfo').on('error', () => {})
      stream.write(request)
      const [answer] = (await once(stream, 'data')) as [Message]
      stream.end()
      return answer
    }
    const { list_services_response: listed } = await ask({ list_services: '*' })
    expect(listed.service.map(({ name }: Message) => name)).toEqual([
      'engine.EngineService',
      'grpc.health.v1.Health',
      'grpc.reflection.v1.ServerReflection',
      'grpc.reflection.v1alpha.ServerReflection',
    ])
    const { file_descriptor_response: found } = await ask({ file_containing_symbol: 'engine.EngineService' })
    const files: Buffer[] = found.file_descriptor_proto
    // FileDescriptorSet: repeated FileDescriptorProto file = 1.
    const set = Buffer.concat(files.flatMap((bytes) => [Buffer.from([0x0a, ...varint(bytes.length)]), bytes]))
    const learned = loadPackageDefinition(loadFileDescriptorSetFromBuffer(set, LOADING))
    const client = clientOf(learned, 'engine.EngineService', server.grpc)
    onTestFinished(() => client.close())
    expect(await client.call('Execute', adult)).toMatchObject({ message: { code: 'ADULT' } })
  })

  function varint(value: number): readonly number[] {
    return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)]
  }
})

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

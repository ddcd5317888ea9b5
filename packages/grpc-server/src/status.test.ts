import { anyPack, StringValueSchema } from '@bufbuild/protobuf/wkt'
import { create, fromBinary } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { StatusSchema } from './generated/google/rpc/status_pb.ts'
import { GrpcError, trailersOf } from './status.ts'

const messageOf = (text: string) => trailersOf(new GrpcError('INTERNAL', text))['grpc-message'] ?? ''

test.each([
  ['plain text', 'plain text'],
  ['100 %', '100 %25'],
  ['a\nb', 'a%0Ab'],
  ['é€', '%C3%A9%E2%82%AC'],
])('the message %j is sent as %s', (text, sent) => {
  expect(messageOf(text)).toBe(sent)
})

test.each(
  ['%', 'é', '€', '😀', 'a€'].flatMap((character) => [0, 1, 2, 3, 5, 8].map((before) => [before, character] as const)),
)('a long message is cut between two characters: %i letters, then %j', (before, character) => {
  const text = 'a'.repeat(before) + character.repeat(4000)
  const sent = messageOf(text)
  expect(sent.length).toBeLessThanOrEqual(2048)
  expect(sent.length).toBeGreaterThan(2048 - 13)
  expect(text.startsWith(decodeURIComponent(sent))).toBe(true)
})

test.each([
  [2048, 'a'.repeat(2048)],
  [2049, 'a'.repeat(2048)],
])('a message of %i characters is sent up to the longest', (length, sent) => {
  expect(messageOf('a'.repeat(length))).toBe(sent)
})

const detailOf = (size: number) => anyPack(StringValueSchema, create(StringValueSchema, { value: 'a'.repeat(size) }))

// 3,008 bytes of content and 64 of type, code and lengths are 4,096 characters.
test.each([
  ['are sent up to the longest', 3008, true],
  ['beyond are omitted, and the message stays', 3009, false],
])('details %s', (_title, size, isSent) => {
  const trailers = trailersOf(new GrpcError('INTERNAL', 'no', [detailOf(size)]))
  expect(trailers).toMatchObject({ 'grpc-status': '13', 'grpc-message': 'no' })
  expect(trailers['grpc-status-details-bin']?.length).toBe(isSent ? 4096 : undefined)
})

test.each([
  [2048, 'a'.repeat(2048)],
  [2049, `${'a'.repeat(2048)}…`],
])('details have the code, and a message of %i characters up to the longest', (length, message) => {
  const trailers = trailersOf(new GrpcError('INTERNAL', 'a'.repeat(length), [detailOf(1)]))
  const bytes = Buffer.from(trailers['grpc-status-details-bin'] ?? '', 'base64')
  expect(fromBinary(StatusSchema, bytes)).toMatchObject({ code: 13, message })
})

import { expect, test } from 'vitest'
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

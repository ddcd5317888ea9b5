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

test.each([0, 1, 2, 3])('a long message is cut at an escape as a whole, %i characters on', (before) => {
  const sent = messageOf('a'.repeat(before) + 'é'.repeat(4000))
  expect(sent.length).toBeLessThanOrEqual(2048)
  expect(sent.length).toBeGreaterThan(2040)
  expect(sent).toMatch(/^a*(?:%[0-9A-F]{2})*$/)
})

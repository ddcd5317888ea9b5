import { describe, expect, test } from 'vitest'
import { BadEvent, type SyncEvent, envelopeText, messageBytes, readMessage } from './event.ts'
import { LAST_REVISION } from './revisions.ts'
import {
  eventText,
  checkpointBytes,
  checkpointOf,
  isTombstone,
  leaseBytes,
  leaseOf,
  outboxEvent,
  outboxEventOf,
  recordOf,
} from './state.ts'

const put: SyncEvent = { type: 'RulePut', tenant: 't', name: 'a"b', version: '1', text: '{"revision":1}' }
const envelope = { instanceId: 'w', event: put, timestampMs: 5 }
const entry = (value: Uint8Array | string) => ({ key: 'k', value: Buffer.from(value), place: 1 })

describe('a change in the outbox', () => {
  const change = outboxEvent(envelope, 7)

  test('is the envelope with two more fields', () => {
    expect(change).toMatchObject({ revision: 7, subject: 't.a=22b', type: 'RulePut' })
    expect(JSON.parse(change.text)).toEqual({
      revision: 7,
      subject: 't.a=22b',
      ...(JSON.parse(envelopeText(envelope)) as object),
    })
  })

  test('is read back from its text, and gives the event as the stream gets it', () => {
    const read = outboxEventOf(change.text)
    expect(read).toEqual(change)
    expect(eventText(read ?? change)).toBe(envelopeText(envelope))
  })

  test('is the record of the state bucket, packed or not', () => {
    const record = { subject: 't.a=22b', revision: 7, envelope }
    expect(recordOf('t.a=22b', readMessage(Buffer.from(change.text)))).toEqual(record)
    expect(recordOf('t.a=22b', readMessage(messageBytes(change.text, 0)))).toEqual(record)
  })

  test.each(['', '{', '[]', 'null', '{"revision":"7","subject":"s","event":{}}', '{"revision":7,"event":{}}'])(
    'is not `%s`',
    (text) => {
      expect(outboxEventOf(text)).toBeUndefined()
    },
  )

  test('is incomplete without its last line', () => {
    for (let length = 0; length < change.text.length; length++)
      expect(outboxEventOf(change.text.slice(0, length))).toBeUndefined()
  })
})

test.each([
  ['[]', 'it is not an object'],
  ['{}', '`revision` is not an integer from 1'],
  ['{"revision":"1"}', '`revision` is not an integer from 1'],
  ['{"revision":0.5}', '`revision` is not an integer from 1'],
  ['{"revision":9007199254740993}', '`revision` is not an integer from 1'],
  ['{"revision":1}', '`event` is not an object'],
  [
    '{"revision":1,"instance_id":"w","timestamp_ms":1,"event":{"type":"RuleDeleted","tenant_id":"t","name":"n"}}',
    'its subject is `k`, and it is about `t.n`',
  ],
])('a record of the bucket is not `%s`', (text, message) => {
  expect(() => recordOf('k', readMessage(Buffer.from(text)))).toThrow(new BadEvent(message))
})

test.each<[event: SyncEvent, is: boolean]>([
  [put, false],
  [{ type: 'RuleDeleted', tenant: 't', name: 'n' }, true],
  [{ type: 'TenantConfigChanged', text: '' }, false],
])('%o is a tombstone: %s', (event, is) => {
  expect(isTombstone(event)).toBe(is)
})

describe('the writer’s records about itself', () => {
  const checkpoint = { instanceId: 'w', revision: 9, digest: 'abc', rulesets: 2, timestampMs: 5 }
  const lease = { instanceId: 'w', session: 's', began: 7 }

  test('the head is read back', () => {
    expect(checkpointOf(entry(checkpointBytes(checkpoint)))).toEqual(checkpoint)
    expect(checkpointOf(entry('{"instance_id":"w","revision":9,"digest":"abc"}'))).toEqual({
      ...checkpoint,
      rulesets: 0,
      timestampMs: 0,
    })
  })

  test('the lease is read back', () => {
    for (const one of [lease, { ...lease, began: LAST_REVISION }]) expect(leaseOf(entry(leaseBytes(one)))).toEqual(one)
    for (const began of ['', ',"began":"7"', ',"began":7.5', ',"began":0', `,"began":${LAST_REVISION + 1}`])
      expect(leaseOf(entry(`{"instance_id":"w","session":"s"${began}}`)), began).toEqual({ ...lease, began: undefined })
  })

  test.each([
    '',
    'no JSON',
    '[]',
    '{}',
    '{"instance_id":1}',
    '{"instance_id":"w","revision":"9","digest":"abc","session":1}',
  ])('`%s` is neither', (text) => {
    expect(checkpointOf(entry(text))).toBeUndefined()
    expect(leaseOf(entry(text))).toBeUndefined()
  })
})

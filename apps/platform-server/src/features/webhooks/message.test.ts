import { describe, expect, test } from 'vitest'
import type { Value } from '@engine/expression'
import type { EventType } from './events.ts'
import { bodyOf, contentTypeOf, newSecret, signatureHeaders } from './message.ts'

const at = new Date('2026-01-31T12:00:00.999Z')
const body = (
  format: 'json' | 'cloudevents',
  data: { readonly [name: string]: Value },
  type: EventType = 'stage_passed',
) => bodyOf(format, 'm1', { type, at, summary: 'a', data })

describe('the body of a message', () => {
  test.each([
    ['a release', { org_id: 'o', project_id: 'p', release_id: 'r', webhook_id: 'w' }, '/orgs/o/projects/p', 'r'],
    ['a webhook', { org_id: 'o', project_id: 'p', webhook_id: 'w' }, '/orgs/o/projects/p', 'w'],
    ['nothing', {}, '/orgs//projects/', ''],
  ])('as an event of CloudEvents is about %s', (_what, data, source, subject) => {
    expect(JSON.parse(body('cloudevents', data))).toEqual({
      specversion: '1.0',
      id: 'm1',
      source,
      type: 'engine.stage.passed',
      subject,
      time: '2026-01-31T12:00:00.999Z',
      datacontenttype: 'application/json',
      data: { type: 'stage_passed', timestamp: '2026-01-31T12:00:00.999Z', data },
    })
  })

  test.each([
    ['json', 'application/json'],
    ['cloudevents', 'application/cloudevents+json'],
  ] as const)('in the format %s is %s', (format, type) => expect(contentTypeOf(body(format, {}))).toBe(type))
})

test('a signature is over id, time and body, by the example of Standard Webhooks', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek'
  const time = new Date(1_614_265_330_999)
  expect(signatureHeaders(secret, id, time, '{"test": 2432232314}')).toEqual({
    'webhook-id': id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

test('secrets have 32 random bytes', () => {
  const secrets = [newSecret(), newSecret()]
  expect(new Set(secrets).size).toBe(2)
  for (const secret of secrets) {
    expect(secret).toMatch(/^whsec_/)
    expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32)
  }
})

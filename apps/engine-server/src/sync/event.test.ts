import fc from 'fast-check'
import { zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import {
  BadEvent,
  checkSubject,
  type Envelope,
  envelopeOf,
  envelopeText,
  largestMessage,
  messageBytes,
  readMessage,
  readMessageInTurns,
  ruleSubject,
  subjectOf,
  type SyncEvent,
} from './event.ts'

const put: SyncEvent = { type: 'RulePut', tenant: 'acme', name: 'a.b', version: '1.0.0', text: '{"config":{}}' }

describe('an envelope follows specification 6.1', () => {
  test.each<[event: SyncEvent, text: string]>([
    [
      put,
      '{"instance_id":"w","event":{"type":"RulePut","tenant_id":"acme","name":"a.b",' +
        '"ruleset_json":"{\\"config\\":{}}","version":"1.0.0"},"timestamp_ms":5}',
    ],
    [
      { type: 'RuleDeleted', tenant: 'default', name: 'ü' },
      '{"instance_id":"w","event":{"type":"RuleDeleted","tenant_id":"default","name":"ü"},"timestamp_ms":5}',
    ],
    [
      { type: 'TenantConfigChanged', text: '{"tenants":[]}' },
      '{"instance_id":"w","event":{"type":"TenantConfigChanged","config_json":"{\\"tenants\\":[]}"},"timestamp_ms":5}',
    ],
  ])('%o', (event, text) => {
    const envelope = { instanceId: 'w', event, timestampMs: 5 }
    expect(envelopeText(envelope)).toBe(text)
    expect(envelopeOf(readMessage(Buffer.from(text)))).toEqual(envelope)
  })

  test('unknown fields are ignored', () => {
    const message = Buffer.from(
      '{"instance_id":"w","timestamp_ms":5,"event":{"type":"RuleDeleted","tenant_id":"t","name":"n","colour":"red"},"more":[1]}',
    )
    expect(envelopeOf(readMessage(message))).toEqual({
      instanceId: 'w',
      event: { type: 'RuleDeleted', tenant: 't', name: 'n' },
      timestampMs: 5,
    })
  })
})

const text = fc.string({ unit: 'binary', maxLength: 30 })
const events: fc.Arbitrary<SyncEvent> = fc.oneof(
  fc.record({ type: fc.constant('RulePut' as const), tenant: text, name: text, version: text, text }),
  fc.record({ type: fc.constant('RuleDeleted' as const), tenant: text, name: text }),
  fc.record({ type: fc.constant('TenantConfigChanged' as const), text }),
)
const envelopes: fc.Arbitrary<Envelope> = fc.record({
  instanceId: fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }),
  event: events,
  timestampMs: fc.maxSafeNat(),
})

test('an event arrives unchanged, compressed or not', () => {
  fc.assert(
    fc.property(envelopes, fc.boolean(), (envelope, isPacked) => {
      const bytes = messageBytes(envelopeText(envelope), isPacked ? 0 : Number.MAX_SAFE_INTEGER)
      expect(envelopeOf(readMessage(bytes))).toEqual(envelope)
    }),
  )
})

describe('in turns', () => {
  const several = JSON.stringify(Array.from({ length: 200_000 }, (_, at) => ({ at, text: `"${at}"` })))

  test.each([
    ['as it is', Buffer.from(several)],
    ['packed', zstdCompressSync(several)],
  ])('a long message is read %s, and others continue meanwhile', async (_what, bytes) => {
    let turns = 0
    let isRead = false
    const others = () => {
      turns++
      if (!isRead) setImmediate(others)
    }
    setImmediate(others)
    const value = await readMessageInTurns(bytes)
    isRead = true
    expect(turns).toBeGreaterThan(2)
    expect(value).toEqual(readMessage(bytes))
  })

  test.each<[what: string, bytes: Uint8Array]>([
    ['a long text that breaks off', Buffer.from(several.slice(0, -1))],
    ['a short text that breaks off', Buffer.from('{')],
    ['a packed one that breaks off', zstdCompressSync(several).subarray(0, -100)],
    ['one that is too large', zstdCompressSync(Buffer.alloc(largestMessage(10_485_760) + 1))],
  ])('errors have the same text: %s', async (_what, bytes) => {
    const errorOf = async (read: () => unknown) => {
      try {
        return await read()
      } catch (error) {
        return error
      }
    }
    const error = await errorOf(() => readMessage(bytes))
    expect(error).toBeInstanceOf(BadEvent)
    expect(await errorOf(() => readMessageInTurns(bytes))).toEqual(error)
  })
})

describe('packing', () => {
  test('only events that the broker would not accept unpacked', () => {
    const long = 'ä'.repeat(1000)
    expect(messageBytes(long, 2000)).toEqual(Buffer.from(long))
    expect(messageBytes(long, 1999).length).toBeLessThan(100)
  })

  test('up to the largest size, and no byte more', () => {
    const whole = JSON.stringify({ a: 'x'.repeat(1000) })
    const bytes = zstdCompressSync(whole)
    expect(readMessage(bytes, whole.length)).toEqual({ a: 'x'.repeat(1000) })
    expect(() => readMessage(bytes, whole.length - 1)).toThrow(BadEvent)
  })

  test('an event that would unpack beyond the limit is refused without unpacking it', () => {
    const bomb = zstdCompressSync(Buffer.alloc(largestMessage(1_000_000) + 1))
    expect(bomb.length).toBeLessThan(1000)
    const message = 'it does not declare a size of at most 2065536 bytes unpacked (--max-request-body-bytes)'
    expect(() => readMessage(bomb, largestMessage(1_000_000))).toThrow(new BadEvent(message))
    // A header with a smaller size ends it there.
    const liar = Buffer.from(bomb)
    liar.writeUInt32LE(1000, liar.indexOf(Buffer.from(Uint32Array.of(2_065_537).buffer)))
    expect(() => readMessage(liar, largestMessage(1_000_000))).toThrow(new BadEvent('it cannot be unpacked'))
  })

  test.each([1, 100, 255, 256, 300, 65_535, 65_536, 70_000, 1_000_000])(
    '%i characters are unpacked again',
    (length) => {
      const whole = JSON.stringify('x'.repeat(length))
      expect(readMessage(zstdCompressSync(whole))).toBe('x'.repeat(length))
    },
  )
})

describe('invalid events are reported', () => {
  const packed = zstdCompressSync(Buffer.from(envelopeText({ instanceId: 'w', event: put, timestampMs: 5 })))
  test.each<[what: string, bytes: string | Uint8Array, message: RegExp]>([
    ['nothing', '', /./],
    ['no JSON', 'hello', /./],
    ['JSON that ends too early', '{"event":', /./],
    ['nesting without end', '['.repeat(100_000), /nest|deep/],
    ['bytes that are not text', Uint8Array.of(0xff, 0xfe, 0x00), /./],
    ['another value', '[1]', /^it is not an object$/],
    ['null', 'null', /^it is not an object$/],
    ['no event', '{"instance_id":"w"}', /^`event` is not an object$/],
    ['an invalid event', '{"event":"RulePut"}', /^`event` is not an object$/],
    ['an event without type', '{"event":{}}', /^`event.type` is not a text$/],
    ['an unknown type', '{"event":{"type":"Surprise"}}', /^an event `Surprise` is not known$/],
    ['a long unknown type', `{"event":{"type":"${'x'.repeat(100)}"}}`, /^an event `x{80}…` is not known$/],
    ['a type of every object', '{"event":{"type":"constructor"}}', /^an event `constructor` is not known$/],
    ['no tenant', '{"event":{"type":"RuleDeleted","name":"n"}}', /^`event.tenant_id` is not a text$/],
    ['a number as name', '{"event":{"type":"RuleDeleted","tenant_id":"t","name":1}}', /^`event.name` is not a text$/],
    ['no version', '{"event":{"type":"RulePut","tenant_id":"t","name":"n"}}', /^`event.version` is not a text$/],
    [
      'a ruleset that is not text',
      '{"event":{"type":"RulePut","tenant_id":"t","name":"n","version":"1","ruleset_json":{}}}',
      /^`event.ruleset_json` is not a text$/,
    ],
    ['no tenants', '{"event":{"type":"TenantConfigChanged"}}', /^`event.config_json` is not a text$/],
    [
      'no sender',
      '{"event":{"type":"RuleDeleted","tenant_id":"t","name":"n"},"timestamp_ms":1}',
      /^`instance_id` is not a text, or empty$/,
    ],
    [
      'an empty sender',
      '{"event":{"type":"RuleDeleted","tenant_id":"t","name":"n"},"timestamp_ms":1,"instance_id":""}',
      /^`instance_id` is not a text, or empty$/,
    ],
    [
      'a number as sender',
      '{"event":{"type":"RuleDeleted","tenant_id":"t","name":"n"},"timestamp_ms":1,"instance_id":1}',
      /^`instance_id` is not a text, or empty$/,
    ],
    [
      'no time',
      '{"event":{"type":"RuleDeleted","tenant_id":"t","name":"n"},"instance_id":"w"}',
      /^`timestamp_ms` is not an integer$/,
    ],
    [
      'a text as time',
      '{"event":{"type":"RuleDeleted","tenant_id":"t","name":"n"},"instance_id":"w","timestamp_ms":"1"}',
      /^`timestamp_ms` is not an integer$/,
    ],
    ['half of a packed message', packed.subarray(0, packed.length / 2), /^it cannot be unpacked$/],
    [
      'only the beginning of a packed message',
      packed.subarray(0, 4),
      /^it does not declare a size of at most \d+ bytes unpacked/,
    ],
  ])('%s', (_what, bytes, message) => {
    const read = () => envelopeOf(readMessage(Buffer.from(bytes)))
    expect(read).toThrow(BadEvent)
    expect(read).toThrow(message)
  })
})

describe('the subject', () => {
  test.each([
    ['default', 'flights', 'default.flights'],
    ['default', 'a-b_C9', 'default.a-b_C9'],
    ['default', 'a.b', 'default.a=2Eb'],
    ['default', 'a*', 'default.a=2A'],
    ['default', '>', 'default.=3E'],
    ['default', 'a b\r\n', 'default.a=20b=0D=0A'],
    ['default', '=2E', 'default.=3D2E'],
    ['ü', '日本', '=C3=BC.=E6=97=A5=E6=9C=AC'],
    ['t', '😀', 't.=F0=9F=98=80'],
    ['tenants', 'x', 'tenants.x'],
  ])('of the tenant `%s` and its ruleset `%s`', (tenant, name, subject) => {
    expect(ruleSubject(tenant, name)).toBe(subject)
    expect(subjectOf({ ...put, tenant, name })).toBe(subject)
    expect(subjectOf({ type: 'RuleDeleted', tenant, name })).toBe(subject)
  })

  test.each<[subject: string, event: SyncEvent, fault: string | undefined]>([
    ['acme.a=2Eb', put, undefined],
    ['acme.a.b', put, undefined],
    ['globex.a=2Eb', put, 'its subject is `globex.a=2Eb`, and it is about `acme.a=2Eb`'],
    ['acme.a', put, 'its subject is `acme.a`, and it is about `acme.a=2Eb`'],
    ['acme.b.c', { ...put, tenant: 'acme.b', name: 'c' }, 'its subject is `acme.b.c`, and it is about `acme=2Eb.c`'],
    ['tenants', put, 'its subject is `tenants`, and it is about `acme.a=2Eb`'],
    ['tenants', { type: 'TenantConfigChanged', text: '{}' }, undefined],
    ['acme.a', { type: 'TenantConfigChanged', text: '{}' }, 'its subject is `acme.a`, and it is about `tenants`'],
    [
      'acme.a',
      { type: 'RuleDeleted', tenant: 'globex', name: 'a' },
      'its subject is `acme.a`, and it is about `globex.a`',
    ],
  ])('`%s` agrees with %o, or does not: %s', (subject, event, fault) => {
    const check = () => checkSubject(subject, event)
    if (fault === undefined) expect(check).not.toThrow()
    else expect(check).toThrow(new BadEvent(fault))
  })

  test('of all tenants is not a ruleset of any tenant', () => {
    expect(subjectOf({ type: 'TenantConfigChanged', text: '' })).toBe('tenants')
  })

  test('differs between rulesets, and has no character with a meaning for the broker', () => {
    const wellFormed = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 10 })
    fc.assert(
      fc.property(wellFormed, wellFormed, wellFormed, wellFormed, (tenant, name, otherTenant, otherName) => {
        const subject = ruleSubject(tenant, name)
        expect(subject).toMatch(/^[A-Za-z0-9_=-]+\.[A-Za-z0-9_=-]+$/)
        expect(subject === ruleSubject(otherTenant, otherName)).toBe(tenant === otherTenant && name === otherName)
      }),
    )
  })
})

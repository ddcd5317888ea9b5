import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { parse } from 'yaml'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { envelopeText, type SyncEvent, subjectOf } from '../apps/engine-server/src/sync/event.ts'
import { REVISION } from '../apps/engine-server/src/sync/jetstream-answers.ts'
import { CHECKPOINT, checkpointBytes, LEASE, leaseBytes, outboxEvent } from '../apps/engine-server/src/sync/state.ts'
import { EVENT_TYPES, TEST_EVENT } from '../apps/platform-server/src/features/webhooks/events.ts'
import {
  bodyOf,
  contentTypeOf,
  newSecret,
  signatureHeaders,
} from '../apps/platform-server/src/features/webhooks/message.ts'
import type { WebhookFormat } from '../apps/platform-server/src/database/tables.ts'
import { adultCheck, startServer, type TestServer } from './http/server.testing.ts'
import { ROOT } from './docs/page.testing.ts'
import { useDatabase } from './platform/databases.testing.ts'
import { grading } from './platform/drafts.testing.ts'
import { readEvents } from './platform/events.testing.ts'
import { startPlatform, type TestPlatform } from './platform/platform.testing.ts'
import { made, newTeam } from './platform/team.testing.ts'

interface Reference {
  readonly $ref: string
}
interface Channel {
  readonly address: string | null
  readonly messages: Readonly<Record<string, Reference>>
}
interface Message {
  readonly payload: object
  readonly headers?: Reference
  readonly contentType?: string
}
interface Description {
  readonly info: { readonly version: string }
  readonly channels: Readonly<Record<string, Channel>>
  readonly operations: Readonly<Record<string, { readonly channel: Reference }>>
  readonly components: {
    readonly messages: Readonly<Record<string, Message>>
    readonly schemas: Readonly<Record<string, { readonly enum?: readonly string[] }>>
  }
}

/** Each format of webhooks: another one does not compile. */
const WEBHOOK_FORMATS = Object.keys({
  json: true,
  cloudevents: true,
  slack: true,
  teams: true,
} satisfies Record<WebhookFormat, true>) as readonly WebhookFormat[]

const TEXT = readFileSync(join(ROOT, 'docs/asyncapi.yaml'), 'utf8')
const description = parse(TEXT) as Description
const { channels, operations, components } = description

const database = useDatabase('postgres')
const directory = mkdtempSync(join(tmpdir(), 'engine-asyncapi-'))
let engine: TestServer
let platform: TestPlatform
let ajv: Ajv2020
beforeAll(async () => {
  ;[engine, platform] = await Promise.all([
    startServer('--rules-dir', directory),
    startPlatform(database(), ['--rate-limit', '0']),
  ])
  ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
  ajv.addSchema(description, 'asyncapi')
  ajv.addSchema((await engine.request('GET', '/api/v1/openapi.json')).body as object, 'engine-openapi.json')
  const described = await platform.browser().request('GET', '/api/v1/openapi.json')
  ajv.addSchema(described.body as object, 'platform-openapi.json')
})
afterAll(async () => {
  await Promise.all([engine.stop(), platform.stop()])
  rmSync(directory, { recursive: true })
})

/** The places of a message that do not fit its description; empty: it fits. */
function faultsOf(message: string, part: 'payload' | 'headers', value: unknown): readonly string[] {
  const validate = ajv.compile({ $ref: `asyncapi#/components/messages/${message}/${part}` })
  validate(value)
  return (validate.errors ?? []).map(({ instancePath, message: fault }) => `${instancePath} ${fault}`)
}

const EVENTS: readonly SyncEvent[] = [
  { type: 'RulePut', tenant: 'default', name: 'a.b', version: '1.0.0', text: '{}' },
  { type: 'RuleDeleted', tenant: 'acme', name: 'limits' },
  { type: 'TenantConfigChanged', text: '{}' },
]

describe('replication', () => {
  test.each(EVENTS)('$type is described, with its subject and its record in the bucket', (event) => {
    const envelope = { instanceId: 'writer', event, timestampMs: 1_767_225_600_000 }
    expect(faultsOf(event.type, 'payload', JSON.parse(envelopeText(envelope)))).toEqual([])
    const { text } = outboxEvent(envelope, 7)
    expect(faultsOf('ChangeRecord', 'payload', JSON.parse(text))).toEqual([])
    const channel = event.type === 'TenantConfigChanged' ? channels['tenantChanges'] : channels['rulesetChanges']
    expect(Object.keys(channel?.messages ?? {})).toContain(event.type)
    const pattern = channel?.address?.replace('{prefix}.', '').replaceAll(/\{\w+\}/g, '[\\w=-]+') ?? ''
    expect(subjectOf(event)).toMatch(new RegExp(`^${pattern}$`))
  })

  test('the messages are those of the code, and no others', () => {
    const described = ['rulesetChanges', 'tenantChanges'].flatMap((name) => Object.keys(channels[name]?.messages ?? {}))
    const source = readFileSync(join(ROOT, 'apps/engine-server/src/sync/event.ts'), 'utf8')
    const types = Array.from(source.matchAll(/readonly type: '(\w+)'/g), ([, type]) => type)
    expect(new Set(described)).toEqual(new Set(types))
  })

  test('checkpoint and lease', () => {
    const checkpoint = { instanceId: 'w', revision: 0, digest: '0'.repeat(64), rulesets: 0, timestampMs: 1 }
    const text = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes)) as unknown
    expect(faultsOf('Checkpoint', 'payload', text(checkpointBytes(checkpoint)))).toEqual([])
    expect(faultsOf('Lease', 'payload', text(leaseBytes({ instanceId: 'w', session: 's', began: 1 })))).toEqual([])
    expect(channels['checkpoint']?.address).toBe(`$KV.engine-rules-state.{prefix}.${CHECKPOINT}`)
    expect(channels['lease']?.address).toBe(`$KV.engine-rules-state.{prefix}.${LEASE}`)
  })

  test('the headers are those that the writer sets', () => {
    expect(
      faultsOf('RulePut', 'headers', { 'Nats-Msg-Id': 'w-1', [REVISION]: '1', 'Nats-Expected-Stream': 'engine-rules' }),
    ).toEqual([])
  })
})

test('lines of decisions', async () => {
  await engine.post('/api/v1/rulesets', adultCheck())
  const answer = await engine.request('POST', '/api/v1/execute/adult-check/batch?key=id', {
    body: '{"age": 20, "id": "a"}\n{"age": 2, "id": 7}\nnone\n',
    headers: { 'content-type': 'application/x-ndjson' },
  })
  const lines = answer.text.trim().split('\n')
  expect(lines).toHaveLength(3)
  for (const line of lines) expect(faultsOf('DecisionLine', 'payload', JSON.parse(line))).toEqual([])
})

test('lines of a replay', async () => {
  const { steps, config } = adultCheck() as unknown as { readonly steps: object; readonly config: object }
  const named = (version: string) => ({ config: { ...config, name: 'replayed', version }, steps })
  for (const version of ['1.0.0', '2.0.0']) await engine.post('/api/v1/rulesets', named(version))
  const answer = await engine.request('POST', '/api/v1/rulesets/replayed/replay?seq=1', {
    body: '{"input": {"age": 20}}\n{"input": {"age": 20}, "code": "OTHER"}\n{"age": 2}\n',
    headers: { 'content-type': 'application/x-ndjson' },
  })
  const lines = answer.text.trim().split('\n')
  expect(lines.length, answer.text).toBe(4)
  for (const line of lines) expect(faultsOf('ReplayLine', 'payload', JSON.parse(line)), line).toEqual([])
})

describe('events of the platform', () => {
  test('those of a project and of a ruleset as they arrive', async () => {
    const team = await newTeam(platform)
    const { id } = await made(team.owner.request('POST', `${team.path}/projects`, { name: 'Shop' }))
    const project = `${team.path}/projects/${id}`
    const headers = { cookie: `session=${team.owner.cookies.get('session')}` }
    const save = (seq: number) =>
      team.owner.request('POST', `${project}/rulesets/limits`, { ruleset: grading('limits'), expected_seq: seq })
    await made(save(0))
    const streams = await Promise.all(
      // A client that was disconnected for too long must reload everything.
      [`${project}/events?last_event_id=old`, `${project}/rulesets/limits/events`].map((path) =>
        readEvents(`${platform.url}${path}`, headers),
      ),
    )
    await save(1)
    await team.owner.request('PUT', `${project}/rulesets/limits/presence`, { step_id: 'start' })
    for (const [index, name] of ['projectEvents', 'rulesetEvents'].entries()) {
      const described = Object.keys(channels[name]?.messages ?? {}).toSorted()
      const arrived = () => [...new Set(streams[index]?.events.map(({ type }) => type))].toSorted()
      await expect.poll(arrived, { timeout: 20_000 }).toEqual(described)
      for (const { type, data } of streams[index]?.events ?? [])
        expect(faultsOf(type, 'payload', data), type).toEqual([])
    }
  })
})

describe('webhooks', () => {
  test('the types are those that are sent', () => {
    expect(components.schemas['WebhookEventType']?.enum).toEqual([...EVENT_TYPES, TEST_EVENT])
  })

  test('the formats are those that a webhook can have', () => {
    expect(Object.keys(channels['webhook']?.messages ?? {}).toSorted()).toEqual([...WEBHOOK_FORMATS].toSorted())
  })

  test.each(WEBHOOK_FORMATS)('a message with the format %s', (format) => {
    const data = { org_id: 'o', project_id: 'p', release_id: 'r' }
    for (const type of [...EVENT_TYPES, TEST_EVENT] as const) {
      const body = bodyOf(format, 'm1', { type, at: new Date(0), summary: 'Release #1 is live.', data })
      expect(faultsOf(format, 'payload', JSON.parse(body)), type).toEqual([])
      expect(contentTypeOf(body)).toBe(components.messages[format]?.contentType ?? 'application/json')
      const signed = signatureHeaders(newSecret(), 'm1', new Date(), body)
      expect(faultsOf(format, 'headers', signed)).toEqual([])
    }
  })
})

describe('the description', () => {
  test.each(['RulePut', 'ChangeRecord', 'DecisionLine', 'ReleaseEvent', 'cloudevents'])(
    '%s refuses another message',
    (name) => expect(faultsOf(name, 'payload', { event: { type: 'other' } })).not.toEqual([]),
  )

  test('names each channel in an operation, each message in a channel, and the version of the packages', () => {
    const used = new Set(Object.values(operations).map(({ channel }) => channel.$ref))
    expect(used).toEqual(new Set(Object.keys(channels).map((name) => `#/channels/${name}`)))
    const sent = Object.values(channels).flatMap(({ messages }) => Object.values(messages).map(({ $ref }) => $ref))
    expect(new Set(sent)).toEqual(
      new Set(Object.keys(components.messages).map((name) => `#/components/messages/${name}`)),
    )
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string }
    expect(description.info.version).toBe(version)
  })

  test('the addresses of streams are routes of the servers', async () => {
    const pathsOf = async (request: Promise<{ readonly body: unknown }>) =>
      Object.keys(((await request).body as { readonly paths: object }).paths).map((path) =>
        path.replaceAll(/\{\w+\}/g, '{}'),
      )
    const paths = new Set([
      ...(await pathsOf(engine.request('GET', '/api/v1/openapi.json'))),
      ...(await pathsOf(platform.browser().request('GET', '/api/v1/openapi.json'))),
    ])
    for (const { address } of Object.values(channels))
      if (address?.startsWith('/') === true) expect(paths).toContain(address.replaceAll(/\{\w+\}/g, '{}'))
  })
})

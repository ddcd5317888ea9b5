import { isObject, jsonValue, type Value } from '@engine/expression'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { cheaperToAustria, thirdCoupon, unfinishedTable } from './changes.ts'
import { makeHistory } from './history.ts'

const TEMPLATES = join(import.meta.dirname, '../../platform-server/templates')
const template = (id: string, name: string) =>
  jsonValue(readFileSync(join(TEMPLATES, id, 'rulesets', `${name}.json`), 'utf8'))
const coupons = template('ecommerce-coupon', 'ecommerce_coupon')
const shipping = template('shipping', 'shipping_quote')

/** A platform whose releases end at the second look, and whose engine registers at the second one. */
async function startPlatform(known: readonly Value[] = []) {
  const asked: { readonly call: string; readonly body: Value; readonly by: string }[] = []
  const looks = new Map<string, number>()
  const look = (path: string) => {
    looks.set(path, (looks.get(path) ?? 0) + 1)
    return looks.get(path) ?? 0
  }
  let releases = 0
  let url = ''
  const answerOf = (call: string, body: Value): Value => {
    if (call === 'GET releases?limit=1') return { items: [...known] }
    if (call === 'GET /api/v1/projects/p') return { org_id: 'o' }
    if (call === 'GET /api/v1/servers')
      return { items: look(call) === 1 ? [] : [{ id: 's', name: 'live', healthy: true }] }
    if (call === 'POST /api/v1/orgs/o/members')
      return { invitation: { url: `${url}/invitation#token=${textIn(body, 'email')}` } }
    if (call.includes('/decisions?')) return { items: Array.from({ length: 40 }, () => ({})) }
    if (call.startsWith('GET rulesets/')) return { seq: 1, ruleset: call.endsWith('quote') ? shipping : coupons }
    if (call === 'POST releases') return { id: `release-${(releases += 1)}` }
    if (!call.startsWith('GET releases/')) return {}
    return { status: look(call) === 1 ? 'executing' : 'completed' }
  }
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (part: Buffer) => (text += part.toString()))
    request.on('end', () => {
      const call = `${request.method} ${(request.url ?? '').replace('/api/v1/projects/p/', '')}`
      const body = text === '' ? null : jsonValue(text)
      const { cookie, authorization, origin } = request.headers
      const isPerson = cookie !== undefined && origin === url
      asked.push({ call, body, by: isPerson ? cookie : (authorization ?? '') })
      if (call.endsWith('/accept')) response.setHeader('set-cookie', `session=${textIn(body, 'token')}; Path=/`)
      response.end(JSON.stringify(answerOf(call, body)))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const demo = {
    connectToken: '',
    apiKey: '',
    adminKey: 'key',
    platformUrl: url,
    projectId: 'p',
    environment: 'dev',
    ruleset: 'r',
    input: {},
    engineUrl: undefined,
  }
  let isLive = false
  const make = (hasTraffic: boolean) =>
    makeHistory({
      demo,
      engine: 'live',
      hasTraffic,
      onLive: () => {
        isLive = true
        asked.push({ call: 'live', body: null, by: '' })
      },
      signal: new AbortController().signal,
    })
  return { make, asked, isLive: () => isLive }
}

const member = (value: Value | undefined, name: string) =>
  value !== undefined && isObject(value) ? value[name] : undefined

function textIn(value: Value, name: string): string {
  const text = member(value, name)
  return typeof text === 'string' ? text : ''
}

const ADMIN = 'Bearer key'
const ANA = 'session=ana.keller@example.com'
const MIRA = 'session=mira.okafor@example.com'

/** Releases until rules are live everywhere. */
const BEGINNING = [
  ['POST releases', ANA],
  ['POST releases/release-1/approve', MIRA],
  ['POST releases/release-1/execute', ANA],
  ['live', ''],
]

/** The draft, the release that waits, and a question about it. */
const endingWith = (release: string) => [
  ['PUT environments/prod/canary', ADMIN],
  ['POST rulesets/ecommerce_coupon', ANA],
  ['POST rulesets/shipping_quote', ANA],
  ['POST releases', ANA],
  [`POST releases/${release}/comments`, MIRA],
]

/** The requests that change something from the first release on, each with its caller. */
const story = (asked: Awaited<ReturnType<typeof startPlatform>>['asked']) =>
  asked
    .slice(asked.findIndex(({ call }) => call === 'POST releases'))
    .filter(({ call }) => !call.startsWith('GET'))
    .map(({ call, by }) => [call, by])

test('with traffic, two releases run before the third waits, and a draft is ahead', async () => {
  const { make, asked } = await startPlatform()
  await make(true)
  expect(story(asked)).toEqual([
    ...BEGINNING,
    ['PUT environments/prod/canary', ADMIN],
    ['POST rulesets/ecommerce_coupon', ANA],
    ['POST releases', ANA],
    ['POST releases/release-2/approve', MIRA],
    ['POST releases/release-2/execute', ANA],
    ...endingWith('release-3'),
  ])
  // The canary of the mistake waits for an alarm; a canary of a person ends without one.
  const canaries = asked.filter(({ call }) => call.endsWith('/canary')).map(({ body }) => body)
  expect(canaries.map((body) => member(body, 'on_inconclusive'))).toEqual(['hold', 'promote'])
  const saves = asked.filter(({ call }) => call.startsWith('POST rulesets/')).map(({ body }) => body)
  expect(saves).toEqual([
    { expected_seq: 1, ruleset: thirdCoupon(coupons) },
    // It starts from the first save, which lacks the mistake.
    { expected_seq: 2, ruleset: unfinishedTable(coupons) },
    { expected_seq: 1, ruleset: cheaperToAustria(shipping) },
  ])
  const released = asked.filter(({ call }) => call === 'POST releases').map(({ body }) => member(body, 'rulesets'))
  expect(released).toEqual([
    ['ecommerce_coupon', 'shipping_quote', 'fraud_screening'].map((name) => ({ name, from_seq: 1 })),
    [{ name: 'ecommerce_coupon', from_seq: 2 }],
    [{ name: 'shipping_quote', from_seq: 2 }],
  ])
})

test('the engine of staging and prod is bound once it has registered, before people join', async () => {
  const { make, asked } = await startPlatform()
  await make(false)
  const calls = asked.map(({ call }) => call)
  const bound = asked.filter(({ call }) => call === 'PUT server').map(({ body }) => body)
  expect(bound).toEqual(['staging', 'prod'].map((environment) => ({ environment, server_ids: ['s'] })))
  expect(calls.filter((call) => call === 'GET /api/v1/servers')).toHaveLength(2)
  expect(calls.lastIndexOf('PUT server')).toBeLessThan(calls.indexOf('POST /api/v1/orgs/o/members'))
})

test('without traffic no canary runs', async () => {
  const { make, asked } = await startPlatform()
  await make(false)
  expect(story(asked)).toEqual([...BEGINNING, ...endingWith('release-2')])
})

test('a project with releases is left as it is, and its rules are live', async () => {
  const { make, asked, isLive } = await startPlatform([{}])
  await make(true)
  expect(asked.map(({ call }) => call)).toEqual(['GET releases?limit=1', 'live'])
  expect(isLive()).toBe(true)
})

test.each([
  ['thirdCoupon', thirdCoupon, shipping],
  ['cheaperToAustria', cheaperToAustria, coupons],
  ['unfinishedTable', unfinishedTable, shipping],
])('%s refuses a ruleset without its step', (_, change, other) => {
  expect(() => change(other)).toThrow('the ruleset has no step')
})

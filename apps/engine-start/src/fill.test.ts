import { isObject, jsonValue, type Value } from '@engine/expression'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { CHANGES, changed, fillDemo } from './fill.ts'

const TEMPLATE = join(import.meta.dirname, '../../platform-server/templates/ecommerce-coupon/rulesets')
const template = jsonValue(readFileSync(join(TEMPLATE, 'ecommerce_coupon.json'), 'utf8'))

test.each([
  ['volume', template],
  ['mistake', template],
  ['minimum', template],
  ['draft', changed(template, CHANGES.minimum)],
] as const)('the change `%s` has one place in the ruleset', (name, ruleset) => {
  const { from, to } = CHANGES[name]
  const count = (value: Value, text: string) =>
    JSON.stringify(value).split(JSON.stringify(text).slice(1, -1)).length - 1
  expect(count(ruleset, from)).toBe(1)
  expect(count(changed(ruleset, CHANGES[name]), to)).toBe(1)
})

/** A platform whose releases end at the second look, with 60 recorded decisions. */
async function startPlatform(known: readonly Value[] = []) {
  const asked: (readonly [call: string, body: Value | undefined])[] = []
  const looks = new Map<string, number>()
  let releases = 0
  const answerOf = (call: string, path: string): Value => {
    if (call === 'GET releases?limit=1') return { items: known }
    if (call === 'GET rulesets/r') return { seq: 1, ruleset: template }
    if (call.startsWith('GET rulesets/r/decisions')) return { items: Array.from({ length: 60 }, () => ({})) }
    if (call === 'POST releases') return { id: `release-${(releases += 1)}` }
    if (!call.startsWith('GET releases/')) return {}
    const look = (looks.get(path) ?? 0) + 1
    looks.set(path, look)
    return { status: look === 1 ? 'executing' : 'completed' }
  }
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (part: Buffer) => (text += part.toString()))
    request.on('end', () => {
      const path = (request.url ?? '').replace('/api/v1/projects/p/', '')
      const call = `${request.method} ${path}`
      asked.push([call, text === '' ? undefined : jsonValue(text)])
      response.end(JSON.stringify(answerOf(call, path)))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const demo = {
    connectToken: '',
    apiKey: '',
    authorKey: 'key',
    platformUrl: `http://127.0.0.1:${port}`,
    projectId: 'p',
    environment: 'dev',
    ruleset: 'r',
    input: {},
    engineUrl: undefined,
  }
  return { demo, asked }
}

const signal = new AbortController().signal
const changing = (asked: readonly (readonly [string, Value | undefined])[]) =>
  asked.map(([call]) => call).filter((call) => !call.startsWith('GET'))
const member = (value: Value | undefined, name: string) =>
  value !== undefined && isObject(value) ? value[name] : value

test('with traffic, two releases run before the third waits, and the draft is ahead', async () => {
  const { demo, asked } = await startPlatform()
  await fillDemo(demo, true, signal)
  expect(changing(asked)).toEqual([
    'PUT environments/dev/recording',
    'PUT environments/dev/canary',
    'POST rulesets/r',
    'POST releases',
    'POST releases/release-1/execute',
    'PUT environments/dev/canary',
    'POST rulesets/r',
    'POST releases',
    'POST releases/release-2/execute',
    'PUT environments/dev/canary',
    'POST rulesets/r',
    'POST releases',
    'POST rulesets/r',
  ])
  const saves = asked.filter(([call]) => call === 'POST rulesets/r').map(([, body]) => body)
  expect(saves.map((body) => member(body, 'expected_seq'))).toEqual([1, 2, 3, 4])
  // The third release is made from the first one, without the mistake of the second.
  const live = changed(template, CHANGES.volume)
  expect(member(saves[2], 'ruleset')).toEqual(changed(live, CHANGES.minimum))
  const requested = asked.filter(([call]) => call === 'POST releases').map(([, body]) => member(body, 'rulesets'))
  expect(requested).toEqual([2, 3, 4].map((seq) => [{ name: 'r', from_seq: seq }]))
})

test('without traffic no release runs', async () => {
  const { demo, asked } = await startPlatform()
  await fillDemo(demo, false, signal)
  expect(changing(asked)).toEqual([
    'PUT environments/dev/recording',
    'PUT environments/dev/canary',
    'POST rulesets/r',
    'POST releases',
    'POST rulesets/r',
  ])
})

test('a project with releases is left as it is', async () => {
  const { demo, asked } = await startPlatform([{}])
  await fillDemo(demo, true, signal)
  expect(changing(asked)).toEqual(['PUT environments/dev/recording'])
})

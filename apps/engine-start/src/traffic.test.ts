import { isObject, jsonValue, type Value } from '@engine/expression'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { generateTraffic, requestOf, seeded } from './traffic.ts'

const TEMPLATES = join(import.meta.dirname, '../../platform-server/templates')
const CONTRACTS = {
  ecommerce_coupon: 'ecommerce-coupon',
  shipping_quote: 'shipping',
  fraud_screening: 'fraud-screening',
} as const

/** A contract's input, or a concept. */
interface Shape {
  readonly fields: readonly { readonly name: string; readonly type: string; readonly required?: boolean }[]
}

const requests = (seed: number) => {
  const random = seeded(seed)
  return Array.from({ length: 2000 }, () => requestOf(random))
}

test('traffic is the same at each start, and another with another seed', () => {
  expect(requests(1)).toEqual(requests(1))
  expect(requests(1)).not.toEqual(requests(2))
})

/** A member of an input by its path. */
const at = (input: Value, path: string): Value | undefined =>
  path
    .split('.')
    .reduce<Value | undefined>(
      (value, name) => (value !== undefined && isObject(value) ? value[name] : undefined),
      input,
    )

const kinds: readonly (readonly [ruleset: keyof typeof CONTRACTS, what: string, is: (input: Value) => boolean])[] = [
  ['ecommerce_coupon', 'no promotion', (input) => at(input, 'promotion_active') === false],
  ['ecommerce_coupon', 'a cart below the minimum', (input) => Number(at(input, 'cart_amount')) < 30],
  ['ecommerce_coupon', 'a large cart', (input) => Number(at(input, 'cart_amount')) >= 300],
  ['ecommerce_coupon', 'no level', (input) => at(input, 'user_vip_level') === 0],
  ['ecommerce_coupon', 'too many coupons', (input) => coupons(input) >= 5],
  ['ecommerce_coupon', 'a coupon, but no third one', (input) => coupons(input) === 1 || coupons(input) === 2],
  ['shipping_quote', 'free delivery at home', (input) => isTo(input, 'DE') && Number(at(input, 'order.value')) >= 50],
  [
    'shipping_quote',
    'free delivery to Austria by the waiting release',
    (input) => isTo(input, 'AT') && Number(at(input, 'order.value')) >= 100 && Number(at(input, 'order.value')) < 150,
  ],
  ['shipping_quote', 'a country without delivery', (input) => isTo(input, 'BR')],
  ['fraud_screening', 'a blocked card', (input) => at(input, 'card.blocked') === true],
  ['fraud_screening', 'an attempt', (input) => Number(at(input, 'account.failed_24h')) >= 3],
]
const coupons = (input: Value) => {
  const used = at(input, 'coupons_used_30d')
  return Array.isArray(used) ? used.length : 0
}
const isTo = (input: Value, country: string) => at(input, 'destination.country') === country

test.each(kinds)('requests of %s include %s', (ruleset, _what, is) => {
  const some = requests(1).filter((request) => request.ruleset === ruleset && is(request.input))
  expect(some.length).toBeGreaterThan(0)
})

test.each(Object.entries(CONTRACTS))('requests of %s keep the contract of the template', (ruleset, id) => {
  const read = (file: string) => jsonValue(readFileSync(join(TEMPLATES, id, file), 'utf8'))
  const { input } = read(`contracts/${ruleset}.json`) as unknown as { readonly input: Shape }
  const isOf = (type: string, value: unknown): boolean => {
    if (type === 'array<concept:coupon>') {
      const coupon = read('concepts/coupon.json') as unknown as Shape
      return Array.isArray(value) && value.every((one: Value) => fits(coupon, one))
    }
    return type === 'integer' ? Number.isSafeInteger(value) : typeof value === type
  }
  const fits = ({ fields }: Shape, value: Value) =>
    fields.every(({ name, type, required = false }) => {
      const one = at(value, name)
      return one === undefined ? !required : isOf(type, one)
    })
  const asked = requests(1).filter((request) => request.ruleset === ruleset)
  expect(asked.length).toBeGreaterThan(100)
  expect(asked.filter((request) => !fits(input, request.input))).toEqual([])
})

test('requests go to the project of the demonstration with its key, and end with the signal', async () => {
  const ending = new AbortController()
  const seen: { readonly url: string | undefined; readonly key: string | undefined; readonly body: string }[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (part: Buffer) => (body += part.toString()))
    request.on('end', () => {
      seen.push({ url: request.url, key: request.headers.authorization, body })
      response.writeHead(seen.length === 1 ? 500 : 200).end('{}')
      if (seen.length === 3) ending.abort()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const demo = {
    connectToken: '',
    apiKey: 'eng_key_a',
    adminKey: '',
    platformUrl: `http://127.0.0.1:${port}`,
    projectId: 'p',
    environment: 'dev',
    ruleset: 'coupons',
    input: {},
    engineUrl: undefined,
  }
  await generateTraffic(demo, ending.signal)
  server.close()
  expect(seen).toHaveLength(3)
  expect(seen.map(({ key }) => key)).toEqual(Array(3).fill('Bearer eng_key_a'))
  const random = seeded(1)
  const { ruleset, input } = requestOf(random)
  expect(seen[0]).toMatchObject({ url: `/api/v1/engine/p/execute/${ruleset}`, body: JSON.stringify({ input }) })
})

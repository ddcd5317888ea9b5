import { jsonValue } from '@engine/expression'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { cartOf, generateTraffic, seeded } from './traffic.ts'

const TEMPLATE = join(import.meta.dirname, '../../platform-server/templates/ecommerce-coupon')

/** A contract's input, or a concept. */
interface Shape {
  readonly fields: readonly { readonly name: string; readonly type: string }[]
}

const carts = (seed: number) => {
  const random = seeded(seed)
  return Array.from({ length: 500 }, () => cartOf(random))
}

test('traffic is the same at each start, and another with another seed', () => {
  expect(carts(1)).toEqual(carts(1))
  expect(carts(1)).not.toEqual(carts(2))
})

test('carts are of every kind that the rules distinguish', () => {
  const all = carts(1)
  const some = (of: (cart: ReturnType<typeof cartOf>) => boolean) => all.filter(of).length
  expect(some(({ promotion_active: active }) => active === false)).toBeGreaterThan(10)
  expect(some(({ cart_amount: amount }) => Number(amount) < 30)).toBeGreaterThan(50)
  expect(some(({ cart_amount: amount }) => Number(amount) >= 30 && Number(amount) < 40)).toBeGreaterThan(10)
  expect(some(({ cart_amount: amount }) => Number(amount) >= 300)).toBeGreaterThan(10)
  expect(some(({ coupons_used_30d: used }) => Array.isArray(used) && used.length >= 5)).toBeGreaterThan(5)
  expect(some(({ user_vip_level: level }) => level === 0)).toBeGreaterThan(100)
})

test('carts keep the contract of the template', () => {
  const read = (file: string) => jsonValue(readFileSync(join(TEMPLATE, file), 'utf8'))
  const { input } = read('contracts/ecommerce_coupon.json') as unknown as { readonly input: Shape }
  const coupon = read('concepts/coupon.json') as unknown as Shape
  const isOf = (type: string, value: unknown): boolean => {
    if (type === 'array<concept:coupon>') return Array.isArray(value) && value.every((one: object) => fits(coupon, one))
    return type === 'integer' ? Number.isSafeInteger(value) : typeof value === type
  }
  const fits = ({ fields }: Shape, value: object) => {
    const known = new Map(fields.map(({ name, type }) => [name, type]))
    return Object.entries(value).every(([name, member]) => isOf(known.get(name) ?? '', member))
  }
  expect(carts(1).filter((cart) => !fits(input, cart))).toEqual([])
})

test('requests go to the ruleset of the demonstration with its key, and end with the signal', async () => {
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
    authorKey: '',
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
  expect(seen[2]).toMatchObject({ url: '/api/v1/engine/p/execute/coupons', key: 'Bearer eng_key_a' })
  expect(seen[0]?.body).toMatch(/^\{"input":\{"cart_amount":/)
})

import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { Egress } from './egress.ts'
import { EgressRefusal, guardedLookup, portOf, refuseAddress } from './guarded-lookup.ts'

/** Rejects loopback addresses, and records its calls. */
function observed() {
  const calls: object[] = []
  const egress: Egress = (target) => {
    calls.push(target)
    return /^(?:127\.|::1$)/.test(target.address) ? `${target.host} is refused` : undefined
  }
  return { calls, egress }
}

describe('an address in a URL', () => {
  test.each([
    ['http://127.0.0.1/x', { host: '127.0.0.1', address: '127.0.0.1', port: 80 }],
    ['https://127.0.0.1/x', { host: '127.0.0.1', address: '127.0.0.1', port: 443 }],
    ['http://127.0.0.1:8080/x', { host: '127.0.0.1', address: '127.0.0.1', port: 8080 }],
    ['http://[::1]:8080/x', { host: '[::1]', address: '::1', port: 8080 }],
    // Numeric spellings of an address in a URL.
    ['http://2130706433/', { host: '127.0.0.1', address: '127.0.0.1', port: 80 }],
    ['http://0x7f.1/', { host: '127.0.0.1', address: '127.0.0.1', port: 80 }],
  ])('is checked before anything is resolved: %s', (url, target) => {
    const { calls, egress } = observed()
    expect(() => refuseAddress(egress, new URL(url))).toThrow(new EgressRefusal(`${target.host} is refused`))
    expect(calls).toEqual([target])
  })

  test('that is allowed passes', () => {
    const { calls, egress } = observed()
    refuseAddress(egress, new URL('http://8.8.8.8/'))
    expect(calls).toHaveLength(1)
  })

  test('a name is checked when it is resolved', () => {
    const { calls, egress } = observed()
    refuseAddress(egress, new URL('http://localhost/'))
    expect(calls).toEqual([])
  })
})

describe('a name', () => {
  const found = (...addresses: string[]) =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  const look = (egress: Egress, resolve: Parameters<typeof guardedLookup>[1], all: boolean) =>
    promisify((done: (error: Error | null, address: unknown) => void) =>
      guardedLookup(egress, resolve, 8080)('api.example.com', { all }, done),
    )()

  test('is connected to at the addresses that were checked', async () => {
    const { calls, egress } = observed()
    const addresses = found('8.8.8.8', '2a00::1')
    expect(await look(egress, () => Promise.resolve(addresses), true)).toEqual(addresses)
    expect(await look(egress, () => Promise.resolve(addresses), false)).toBe('8.8.8.8')
    expect(calls.slice(0, 2)).toEqual([
      { host: 'api.example.com', address: '8.8.8.8', port: 8080 },
      { host: 'api.example.com', address: '2a00::1', port: 8080 },
    ])
  })

  test.each([
    ['first', found('127.0.0.1', '8.8.8.8')],
    ['last', found('8.8.8.8', '2a00::1', '::1')],
    ['only', found('127.0.0.1')],
  ])('is refused where its %s address is', async (_, addresses) => {
    const { egress } = observed()
    for (const all of [true, false])
      await expect(look(egress, () => Promise.resolve(addresses), all)).rejects.toThrow(EgressRefusal)
  })

  test('without an address, or that cannot be resolved, is an error', async () => {
    const { egress } = observed()
    await expect(look(egress, () => Promise.resolve([]), true)).rejects.toThrow('`api.example.com` has no address')
    await expect(look(egress, () => Promise.reject(new Error('ENOTFOUND')), true)).rejects.toThrow('ENOTFOUND')
  })
})

test.each([
  ['http://a.example', 80],
  ['https://a.example', 443],
  ['http://a.example:443', 443],
  ['https://a.example:80', 80],
])('the port of %s is %d', (url, port) => expect(portOf(new URL(url))).toBe(port))

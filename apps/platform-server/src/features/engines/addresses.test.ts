import { describe, expect, test } from 'vitest'
import { createEngineAddresses } from './addresses.ts'
import { createEngineConnections } from './connections.ts'

const at = (address: string) => ({ address, family: 4 })

describe('a registration', () => {
  const named: Readonly<Record<string, readonly string[]>> = {
    'engine.internal': ['10.0.0.5'],
    'mixed.internal': ['10.0.0.5', '169.254.169.254'],
    'other.internal': ['10.0.0.9'],
  }
  const resolve = async (host: string) => {
    const found = named[host]
    if (found === undefined) throw new Error('no such name')
    return found.map(at)
  }
  const admit = (url: string, peer: string | null, ...allow: readonly string[]) =>
    createEngineAddresses(allow.length === 0 ? ['peer'] : allow, resolve).admit(url, peer)

  test.each<[url: string, peer: string | null, allow: readonly string[], origin: string]>([
    ['http://10.0.0.5:8080', '10.0.0.5', [], 'http://10.0.0.5:8080'],
    ['HTTP://Engine.Internal.:8080/', '10.0.0.5', [], 'http://engine.internal:8080'],
    ['http://10.0.0.9', '10.0.0.5', ['peer', '10.0.0.9'], 'http://10.0.0.9'],
    ['https://other.internal', null, ['*.internal'], 'https://other.internal'],
    // A name that does not resolve yet is checked when it is connected to.
    ['http://unknown.internal', '10.0.0.5', [], 'http://unknown.internal'],
  ])('of %s from %s, where %j is allowed, is kept as %s', async (url, peer, allow, origin) => {
    expect(await admit(url, peer, ...allow)).toBe(origin)
  })

  test.each<[url: string, peer: string | null, allow: readonly string[], message: RegExp]>([
    ['http://10.0.0.9:8080', '10.0.0.5', [], /--engine-allow; this engine registers from `10\.0\.0\.5`/],
    ['http://10.0.0.5:8080', null, [], /proxy that is not in --trusted-proxies/],
    ['http://other.internal', '10.0.0.5', [], /--engine-allow/],
    ['http://mixed.internal', '10.0.0.5', ['*.internal'], /never called/],
    ['http://169.254.169.254', '169.254.169.254', [], /never called/],
    ['http://10.0.0.5/api', '10.0.0.5', [], /must be an origin/],
    ['http://user@10.0.0.5', '10.0.0.5', [], /must be an origin/],
    ['http://167772165:8080', '10.0.0.5', [], /write the address as `10\.0\.0\.5`/],
    ['http://[::ffff:10.0.0.5]', '10.0.0.5', [], /write the address as `10\.0\.0\.5`/],
  ])('of %s from %s, where %j is allowed, is refused', async (url, peer, allow, message) => {
    await expect(admit(url, peer, ...allow)).rejects.toThrow(message)
    await expect(admit(url, peer, ...allow)).rejects.toMatchObject({
      code: 'invalid-request',
      details: [{ path: '/url', code: 'address_refused' }],
    })
  })
})

test('a name that resolves to another address after the registration is not connected to', async () => {
  let address = '127.0.0.1'
  const resolve = async () => [at(address)]
  const addresses = createEngineAddresses(['peer'], resolve)
  const origin = await addresses.admit('http://engine.internal:1', '127.0.0.1')
  address = '10.0.0.9'
  const connections = createEngineConnections(addresses, resolve)
  const pool = connections.to({ id: 'e', generation: 1, origin, peer: '127.0.0.1' })
  await expect(pool.request({ path: '/', method: 'GET' })).rejects.toThrow('--engine-allow')
  await connections.close()
})

test('registrations share no connections', async () => {
  const resolve = async () => [at('127.0.0.1')]
  const connections = createEngineConnections(createEngineAddresses(['peer'], resolve), resolve)
  const first = { id: 'a', generation: 1, origin: 'http://engine:1', peer: '127.0.0.1' }
  expect(connections.to({ ...first })).toBe(connections.to(first))
  for (const other of [{ id: 'b' }, { generation: 2 }, { origin: 'http://engine:2' }, { peer: '127.0.0.2' }])
    expect(connections.to({ ...first, ...other })).not.toBe(connections.to(first))
  await connections.close()
})

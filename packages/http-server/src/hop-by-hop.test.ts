import { expect, test } from 'vitest'
import { HOP_BY_HOP } from './hop-by-hop.ts'

test('the headers of one connection are those of RFC 9110, and of proxies that keep connections', () => {
  const named = ['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade']
  const ofProxies = ['proxy-authenticate', 'proxy-authorization', 'proxy-connection']
  expect(HOP_BY_HOP.toSorted()).toEqual([...named, ...ofProxies].toSorted())
})

import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { trustedProxies } from '../network/proxies.ts'
import { addressBehind, isLoopback, peerBehind } from './address.ts'

const addressOf = (proxies: readonly string[], remoteAddress: string, forwarded?: string) => {
  const trusted = trustedProxies(proxies)
  if (trusted === undefined) throw new Error('no proxies')
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  return addressBehind(trusted)({ socket: { remoteAddress }, headers } as unknown as IncomingMessage)
}

test.each([
  ['without proxies the peer counts', [], '203.0.113.9', '198.51.100.1', '203.0.113.9'],
  ['the header of a proxy', ['10.0.0.0/8'], '10.1.2.3', '198.51.100.1', '198.51.100.1'],
  ['the last address before several proxies', ['10.0.0.0/8'], '10.1.2.3', '198.51.100.1, 10.9.9.9', '198.51.100.1'],
  [
    'an address invented by the client does not count',
    ['10.0.0.0/8'],
    '10.1.2.3',
    '1.1.1.1, 198.51.100.1',
    '198.51.100.1',
  ],
  ['a proxy without a header counts itself', ['10.0.0.0/8'], '10.1.2.3', undefined, '10.1.2.3'],
  ['nonsense is not an address', ['10.0.0.0/8'], '10.1.2.3', 'unknown', '10.1.2.3'],
  ['IPv6', ['fd00::/8'], 'fd00::1', '2001:db8::7', '2001:db8::7'],
  ['IPv4 at a socket of both families', ['127.0.0.1'], '::ffff:127.0.0.1', '198.51.100.1', '198.51.100.1'],
] as const)('%s', (_name, proxies, peer, forwarded, expected) => {
  expect(addressOf(proxies, peer, forwarded)).toBe(expected)
})

test.each<[string, readonly string[], string, Readonly<Record<string, string>>, string | undefined]>([
  ['of a direct connection is its other end', [], '203.0.113.9', {}, '203.0.113.9'],
  [
    'behind a proxy is that of its header',
    ['10.0.0.0/8'],
    '10.1.2.3',
    { 'x-forwarded-for': '198.51.100.1' },
    '198.51.100.1',
  ],
  ['is not that of a proxy without a header', ['10.0.0.0/8'], '10.1.2.3', {}, undefined],
  ['is not known behind a proxy that is not trusted', [], '10.1.2.3', { 'x-forwarded-for': '198.51.100.1' }, undefined],
  ['is not known behind any kind of proxy', [], '127.0.0.1', { via: '1.1 proxy' }, undefined],
  ['is not known of a proxy by its real ip', [], '127.0.0.1', { 'x-real-ip': '198.51.100.1' }, undefined],
  ['is not known of a proxy by RFC 7239', [], '127.0.0.1', { forwarded: 'for=198.51.100.1' }, undefined],
  ['is not known of a proxy by the host that it forwards', [], '10.1.2.3', { 'x-forwarded-host': 'a.test' }, undefined],
  ['is not known of a content delivery network', [], '203.0.113.9', { 'cf-connecting-ip': '198.51.100.1' }, undefined],
  ['is not known of a Unix socket', [], '', {}, undefined],
])('the peer %s', (_name, proxies, remoteAddress, headers, expected) => {
  const trusted = trustedProxies(proxies)
  if (trusted === undefined) throw new Error('no proxies')
  expect(peerBehind(trusted, true)({ socket: { remoteAddress }, headers } as unknown as IncomingMessage)).toBe(expected)
})

test.each([
  ['127.0.0.1', undefined],
  ['::ffff:127.0.0.1', undefined],
  ['127.9.9.9', undefined],
  ['::1', undefined],
  ['203.0.113.9', '203.0.113.9'],
])('a peer at %s of a platform with a public address may be a proxy without a header', (remoteAddress, expected) => {
  const trusted = trustedProxies([])
  if (trusted === undefined) throw new Error('no proxies')
  const request = { socket: { remoteAddress }, headers: {} } as unknown as IncomingMessage
  expect(peerBehind(trusted, false)(request)).toBe(expected)
})

test.each([
  ['localhost', true],
  ['platform.localhost', true],
  ['127.0.0.1', true],
  ['[::1]', true],
  ['platform.example.com', false],
  ['localhost.example.com', false],
  ['127.0.0.1.example.com', false],
  ['10.0.0.1', false],
])('whether %s is this machine alone: %s', (host, expected) => expect(isLoopback(host)).toBe(expected))

test.each(['', 'proxy', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '::/129', '10.0.0/8'])('%j is refused', (entry) => {
  expect(trustedProxies([entry])).toBeUndefined()
})

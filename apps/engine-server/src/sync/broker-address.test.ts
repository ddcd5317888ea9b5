import { describe, expect, test } from 'vitest'
import { BadBrokerUrl, type BrokerAddress, parseBrokerUrl, shownAddress } from './broker-address.ts'

const printable: BrokerAddress = { servers: [], tls: false, user: undefined, password: undefined, token: undefined }

test.each<[text: string, address: Partial<BrokerAddress>]>([
  ['nats://broker', { servers: ['broker:4222'] }],
  ['nats://broker:1234', { servers: ['broker:1234'] }],
  ['nats://broker:4222/', { servers: ['broker:4222'] }],
  ['  nats://broker  ', { servers: ['broker:4222'] }],
  ['nats://127.0.0.1:4222', { servers: ['127.0.0.1:4222'] }],
  ['nats://[::1]:4222', { servers: ['[::1]:4222'] }],
  ['tls://broker', { servers: ['broker:4222'], tls: true }],
  ['nats://a,nats://b:1, nats://c', { servers: ['a:4222', 'b:1', 'c:4222'] }],
  ['nats://u:p@broker', { servers: ['broker:4222'], user: 'u', password: 'p' }],
  ['nats://u:p%40%3A%25%2F@broker', { servers: ['broker:4222'], user: 'u', password: 'p@:%/' }],
  ['nats://%C3%BC:%F0%9F%98%80@broker', { servers: ['broker:4222'], user: 'ü', password: '😀' }],
  ['nats://s3cret@broker', { servers: ['broker:4222'], token: 's3cret' }],
  ['nats://u:p@a,nats://u:p@b', { servers: ['a:4222', 'b:4222'], user: 'u', password: 'p' }],
  ['tls://u:p@a,tls://b', { servers: ['a:4222', 'b:4222'], tls: true, user: 'u', password: 'p' }],
])('`%s`', (text, address) => {
  expect(parseBrokerUrl(text)).toEqual({ ...printable, ...address })
})

const FORM = /^it must be a URL such as `nats:\/\/127\.0\.0\.1:4222`/

describe('an error message omits the password', () => {
  test.each<[text: string, message: RegExp]>([
    ['', FORM],
    ['broker', FORM],
    ['broker:4222', FORM],
    ['nats://', FORM],
    ['nats://u:hunter2@', FORM],
    ['http://u:hunter2@broker', FORM],
    ['nats://u:hunter2@bro ker', FORM],
    ['nats://u:hunter2@broker:99999', FORM],
    ['nats://a,', FORM],
    ['nats://u:hunter2@a,tls://u:hunter2@b', /^all of its addresses must begin alike$/],
    ['nats://a,nats://u:hunter2@b', /^only its first address may hold a user, who counts for all of them$/],
    ['nats://u:hunter2@a,nats://v:hunter2@b', /^only its first address may hold a user/],
    ['nats://u:hunter2@broker/stream', /^nothing may follow the port$/],
    ['nats://u:hunter2@broker?tls=true', /^nothing may follow the port$/],
    ['nats://u:hunter2@broker#x', /^nothing may follow the port$/],
    ['nats://u:hunter2%@broker', /^a percent sign in its credentials must be written as `%25`$/],
    ['nats://u:hunter2%zz@broker', /^a percent sign in its credentials must be written as `%25`$/],
    ['nats://u%ff:hunter2@broker', /^a percent sign in its credentials must be written as `%25`$/],
  ])('`%s`', (text, message) => {
    let told: unknown
    try {
      parseBrokerUrl(text)
    } catch (error) {
      told = error
    }
    expect(told).toBeInstanceOf(BadBrokerUrl)
    expect((told as Error).message).toMatch(message)
    expect(JSON.stringify([(told as Error).message, String((told as Error).cause)])).not.toContain('hunter2')
  })
})

test.each([
  ['nats://u:hunter2@a,nats://b:1', 'nats://a:4222,b:1'],
  ['tls://s3cret@a', 'tls://a:4222'],
])('`%s` is shown as `%s`', (text, shown) => {
  expect(shownAddress(parseBrokerUrl(text))).toBe(shown)
})

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PeerCertificate } from 'node:tls'
import { nkeys } from '@nats-io/transport-node'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  authenticatorOf,
  BadIdentity,
  checkCredentials,
  checkDialled,
  checkNkey,
  type Dialled,
} from './broker-identity.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'engine-identity-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const none = { credentials: undefined, nkey: undefined, certificate: undefined }
const seed = () => Buffer.from(nkeys.createUser().getSeed()).toString()
const creds = (jwt: string) =>
  `-----BEGIN NATS USER JWT-----\n${jwt}\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n${seed()}\n------END USER NKEY SEED------\n`

test('renewed credentials apply from the next connection on; a half-written file does not', () => {
  const file = join(folder, 'a.creds')
  writeFileSync(file, creds('first'))
  const authenticator = authenticatorOf({ ...none, credentials: file })
  expect(authenticator?.('nonce')).toMatchObject({ jwt: 'first' })
  writeFileSync(file, creds('second'))
  expect(authenticator?.('nonce')).toMatchObject({ jwt: 'second' })
  writeFileSync(file, creds('third').slice(0, 60))
  expect(authenticator?.('nonce')).toMatchObject({ jwt: 'second' })
  rmSync(file)
  expect(authenticator?.('nonce')).toMatchObject({ jwt: 'second' })
})

test('a renewed nkey applies from the next connection on', () => {
  const file = join(folder, 'a.nk')
  const keys = [nkeys.createUser(), nkeys.createUser()]
  writeFileSync(file, keys[0]?.getSeed() ?? '')
  const authenticator = authenticatorOf({ ...none, nkey: file })
  expect(authenticator?.('nonce')).toMatchObject({ nkey: keys[0]?.getPublicKey() })
  writeFileSync(file, `${Buffer.from(keys[1]?.getSeed() ?? '').toString()}\n`)
  expect(authenticator?.('nonce')).toMatchObject({ nkey: keys[1]?.getPublicKey() })
})

describe('an invalid credentials file', () => {
  test.each([
    ['nothing', ''],
    ['a text', 'hello'],
    ['a JWT without a seed', '-----BEGIN NATS USER JWT-----\nx\n------END NATS USER JWT------\n'],
    ['an invalid seed', creds('x').replace(/SU[A-Z2-7]{56}/, 'SUAAAA')],
  ])('%s', (_what, content) => {
    const file = join(folder, 'a')
    writeFileSync(file, content)
    expect(() => checkCredentials(file)).toThrow(BadIdentity)
    expect(() => checkNkey(file)).toThrow(BadIdentity)
  })
})

describe('the certificate is checked against the dialled name', () => {
  const certificate = (names: string) => ({ subject: { CN: 'x' }, subjectaltname: names }) as unknown as PeerCertificate
  test.each<[what: string, dialled: Dialled | undefined, names: string, isGood: boolean]>([
    ['a name', { servername: 'broker' }, 'DNS:broker', true],
    ['another name', { servername: 'broker' }, 'DNS:localhost', false],
    ['an address', { socket: { remoteAddress: '10.0.0.7' } }, 'IP Address:10.0.0.7', true],
    ['another address', { socket: { remoteAddress: '10.0.0.8' } }, 'IP Address:10.0.0.7', false],
    ['localhost at an address', { socket: { remoteAddress: '127.0.0.2' } }, 'DNS:localhost', false],
    ['an address of IPv6', { socket: { remoteAddress: '::1' } }, 'IP Address:0:0:0:0:0:0:0:1', true],
    ['an address of IPv4 in IPv6', { socket: { remoteAddress: '::ffff:10.0.0.7' } }, 'IP Address:10.0.0.7', true],
    ['no mention of the dialled name', undefined, 'DNS:broker', false],
  ])('%s', (_what, dialled, names, isGood) => {
    expect(checkDialled(dialled, 'localhost', certificate(names)) === undefined).toBe(isGood)
  })
})

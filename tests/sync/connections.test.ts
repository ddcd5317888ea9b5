import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { readFileSync } from 'node:fs'
import { nkeys } from '@nats-io/transport-node'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { parseBrokerUrl } from '../../apps/engine-server/src/sync/broker-address.ts'
import { createJetStreamBroker, type JetStreamOptions } from '../../apps/engine-server/src/sync/jetstream.ts'
import { killAll, run } from '../engine-server.testing.ts'
import { systemProgram } from '../programs.testing.ts'
import { temporaryFolder } from './fleet.testing.ts'
import { killAllNats, type Nats, startNats } from './nats.testing.ts'

/** How operators let an instance in, against real brokers: what connects, and what is refused, with which word. */
const folder = temporaryFolder()
const at = (name: string) => join(folder.path, name)

const user = nkeys.createUser()
const stranger = nkeys.createUser()

/** A certificate of our authority. */
function certify(name: string, alternatives: string, days: readonly string[] = ['-days', '2']): void {
  const openssl = (...args: string[]) =>
    execFileSync(systemProgram('openssl'), args, { cwd: folder.path, stdio: 'pipe' })
  openssl(
    'req',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    `${name}.key`,
    '-subj',
    `/CN=${name}`,
    '-out',
    `${name}.csr`,
  )
  writeFileSync(at(`${name}.ext`), `subjectAltName=${alternatives}`)
  const issuer = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', `${name}.ext`]
  openssl('x509', '-req', '-in', `${name}.csr`, ...issuer, ...days, '-out', `${name}.pem`)
}

const authorities = getCACertificates()

beforeAll(() => {
  mkdirSync(folder.path, { recursive: true })
  const openssl = (...args: string[]) =>
    execFileSync(systemProgram('openssl'), args, { cwd: folder.path, stdio: 'pipe' })
  openssl(
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    'ca.key',
    '-subj',
    '/CN=ca',
    '-days',
    '2',
    '-out',
    'ca.pem',
  )
  certify('name', 'DNS:localhost')
  certify('address', 'IP:127.0.0.1')
  certify('other', 'DNS:elsewhere.example')
  certify('past', 'DNS:localhost,IP:127.0.0.1', ['-days', '-1'])
  certify('client', 'DNS:engine')
  setDefaultCACertificates([...authorities, readFileSync(at('ca.pem'), 'utf8')])
  writeFileSync(at('good.nk'), user.getSeed())
  writeFileSync(at('bad.nk'), stranger.getSeed())
}, 60_000)

afterEach(async () => {
  await killAll()
  await killAllNats()
})

afterAll(() => {
  setDefaultCACertificates(authorities)
  folder.remove()
})

/** What comes of a try to connect: undefined when it works, with JetStream, else the first reason. */
async function outcome(
  options: Partial<JetStreamOptions> & Pick<JetStreamOptions, 'address'>,
): Promise<string | undefined> {
  const broker = createJetStreamBroker({
    identity: { credentials: undefined, nkey: undefined, certificate: undefined },
    tlsFirst: false,
    domain: undefined,
    prefix: 'engine.rules',
    instanceId: 'w',
    isRandomId: false,
    replicas: 1,
    makes: true,
    ...options,
  })
  try {
    return await new Promise((resolve) => {
      broker.connect({ up: () => resolve(broker.prepare().then(() => undefined, String)), down: resolve })
    })
  } finally {
    await broker.close()
  }
}

const tls = (name: string, more = '') =>
  `tls { cert_file: "${at(`${name}.pem`)}", key_file: "${at(`${name}.key`)}", ca_file: "${at('ca.pem')}"${more} }`
const identity = (over: Partial<JetStreamOptions['identity']>) => ({
  identity: { credentials: undefined, nkey: undefined, certificate: undefined, ...over },
})
const client = () => ({ certFile: at('client.pem'), keyFile: at('client.key') })

interface Row {
  readonly what: string
  readonly config: () => string
  readonly url: (nats: Nats) => string
  readonly options?: () => Partial<JetStreamOptions>
  /** Undefined: it connects. */
  readonly refused?: RegExp
}

const atName = ({ port }: Nats) => `tls://localhost:${port}`
const atAddress = ({ port }: Nats) => `tls://127.0.0.1:${port}`
const plain = ({ url }: Nats) => url

const rows: readonly Row[] = [
  { what: 'no TLS and no user', config: () => '', url: plain },
  { what: 'the right name', config: () => tls('name'), url: atName },
  { what: 'the right address', config: () => tls('address'), url: atAddress },
  { what: 'a name at an address', config: () => tls('name'), url: atAddress, refused: /altnames|IP: 127\.0\.0\.1/ },
  { what: 'an address at a name', config: () => tls('address'), url: atName, refused: /altnames|localhost/ },
  { what: 'another name', config: () => tls('other'), url: atName, refused: /altnames|localhost/ },
  { what: 'another name at an address', config: () => tls('other'), url: atAddress, refused: /altnames|IP: 127/ },
  { what: 'an expired certificate', config: () => tls('past'), url: atName, refused: /expired/ },
  { what: 'a broker without TLS', config: () => '', url: atName, refused: /tls/i },
  {
    what: 'a client certificate',
    config: () => tls('address', ', verify: true'),
    url: atAddress,
    options: () => identity({ certificate: client() }),
  },
  {
    what: 'no client certificate where one is asked for',
    config: () => tls('address', ', verify: true'),
    url: atAddress,
    refused: /./,
  },
  {
    what: 'an nkey',
    config: () => `authorization { users: [{ nkey: ${user.getPublicKey()} }] }`,
    url: plain,
    options: () => identity({ nkey: at('good.nk') }),
  },
  {
    what: 'the nkey of somebody else',
    config: () => `authorization { users: [{ nkey: ${user.getPublicKey()} }] }`,
    url: plain,
    options: () => identity({ nkey: at('bad.nk') }),
    refused: /authorization/i,
  },
  { what: 'a user and a password', config: () => USER, url: ({ port }) => `nats://u:p@127.0.0.1:${port}` },
  {
    what: 'a wrong password',
    config: () => USER,
    url: ({ port }) => `nats://u:wrong@127.0.0.1:${port}`,
    refused: /authorization/i,
  },
  {
    what: 'a token',
    config: () => 'authorization { token: t0ken }',
    url: ({ port }) => `nats://t0ken@127.0.0.1:${port}`,
  },
  {
    what: 'a JetStream domain',
    config: () => 'jetstream { domain: hub }',
    url: plain,
    options: () => ({ domain: 'hub' }),
  },
  {
    what: 'another JetStream domain',
    config: () => 'jetstream { domain: hub }',
    url: plain,
    options: () => ({ domain: 'leaf' }),
    refused: /./,
  },
]
const USER = 'authorization { users: [{ user: u, password: p }] }'

describe('a connection with', () => {
  test.each(rows)(
    '$what',
    async ({ config, url, options, refused }) => {
      const nats = await startNats({ config: config() })
      const reason = await outcome({ address: parseBrokerUrl(url(nats)), ...options?.() })
      if (refused === undefined) expect(reason).toBeUndefined()
      else expect(reason).toMatch(refused)
    },
    60_000,
  )
})

describe('the start ends where a file is not what its option asks for', () => {
  test.each([
    [
      '--broker-credentials-file',
      'a text',
      /--broker-credentials-file: cannot use `.*`: it must be a credentials file of NATS/,
    ],
    ['--broker-nkey-file', 'a text', /--broker-nkey-file: cannot use `.*`: it must be the seed of an nkey/],
    ['--broker-credentials-file', undefined, /--broker-credentials-file: cannot use `.*`: no such file/],
  ])(
    '%s (%s)',
    async (option, content, message) => {
      const file = at(content === undefined ? 'missing' : 'text')
      if (content !== undefined) writeFileSync(file, content)
      const one = run([
        '--role',
        'writer',
        '--broker-url',
        'nats://127.0.0.1:1',
        option,
        file,
        '--http-addr',
        '127.0.0.1:0',
      ])
      expect(await one.ended).toBe(1)
      expect(one.stderr()).toMatch(message)
    },
    60_000,
  )
})

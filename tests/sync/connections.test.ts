import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { nkeys } from '@nats-io/transport-node'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { parseBrokerUrl } from '../../apps/engine-server/src/sync/broker-address.ts'
import type { JetStreamOptions } from '../../apps/engine-server/src/sync/jetstream.ts'
import { brokerAt } from './broker.testing.ts'
import { killAll, run } from '../engine-server.testing.ts'
import { systemProgram } from '../programs.testing.ts'
import { temporaryFolder, until } from './fleet.testing.ts'
import { killAllNats, type Nats, startNats } from './nats.testing.ts'

/**
 * Credentials and permissions of instances against real brokers: accepted connections, and refused ones with their messages.
 */
const folder = temporaryFolder()
const at = (name: string) => join(folder.path, name)

const user = nkeys.createUser()
const stranger = nkeys.createUser()

type Keys = ReturnType<typeof nkeys.createUser>
const operator = nkeys.createOperator()
const account = nkeys.createAccount()
const system = nkeys.createAccount()

/** A JWT as NATS has it: claims of a subject, signed with the nkey of the issuer. */
function jwt(issuer: Keys, subject: Keys, nats: object, seconds?: number): string {
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    jti: `${subject.getPublicKey()}${now}`,
    iat: now,
    iss: issuer.getPublicKey(),
    sub: subject.getPublicKey(),
    name: 'engine',
    ...(seconds === undefined ? {} : { exp: now + seconds }),
    nats: { version: 2, ...nats },
  }
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const signed = `${encoded({ typ: 'JWT', alg: 'ed25519-nkey' })}.${encoded(claims)}`
  return `${signed}.${Buffer.from(issuer.sign(Buffer.from(signed))).toString('base64url')}`
}

const UNLIMITED = { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 }
const STORAGE = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 }

/** A broker that trusts an operator, with one account that may use JetStream. */
function trustedConfig(): string {
  const accountJwt = (keys: Keys, limits: object) =>
    `${keys.getPublicKey()}: ${jwt(operator, keys, { type: 'account', limits: { ...UNLIMITED, ...limits } })}`
  return `operator: ${jwt(operator, operator, { type: 'operator' })}
system_account: ${system.getPublicKey()}
resolver: MEMORY
resolver_preload: { ${accountJwt(account, STORAGE)}, ${accountJwt(system, {})} }`
}

/** Write a credentials file, replacing an earlier one. */
function credentials(name: string, seconds: number, issuer: Keys = account): string {
  const claims = { type: 'user', pub: {}, sub: {}, subs: -1, data: -1, payload: -1 }
  const block = (kind: string, content: string) => `-----BEGIN ${kind}-----\n${content}\n------END ${kind}------\n\n`
  const seed = new TextDecoder().decode(user.getSeed())
  writeFileSync(
    at(`${name}.new`),
    block('NATS USER JWT', jwt(issuer, user, claims, seconds)) + block('USER NKEY SEED', seed),
  )
  renameSync(at(`${name}.new`), at(name))
  return at(name)
}

const openssl = (...args: readonly string[]) =>
  execFileSync(systemProgram('openssl'), args, { cwd: folder.path, stdio: 'pipe' })
const newKey = (name: string) => ['-newkey', 'rsa:2048', '-nodes', '-keyout', `${name}.key`, '-subj', `/CN=${name}`]

/** An authority that issues certificates. */
function found(name: string): void {
  openssl('req', '-x509', ...newKey(name), '-days', '2', '-out', `${name}.pem`)
}

/** A certificate of an authority, which is trusted unless another one is named. */
function certify(name: string, alternatives: string, days = '2', authority = 'ca'): void {
  openssl('req', ...newKey(name), '-out', `${name}.csr`)
  writeFileSync(at(`${name}.ext`), `subjectAltName=${alternatives}`)
  const issuer = ['-CA', `${authority}.pem`, '-CAkey', `${authority}.key`, '-CAcreateserial', '-extfile', `${name}.ext`]
  openssl('x509', '-req', '-in', `${name}.csr`, ...issuer, '-days', days, '-out', `${name}.pem`)
}

const authorities = getCACertificates()

beforeAll(() => {
  mkdirSync(folder.path, { recursive: true })
  found('ca')
  found('foreign')
  certify('name', 'DNS:localhost')
  certify('address', 'IP:127.0.0.1')
  certify('other', 'DNS:elsewhere.example')
  certify('past', 'DNS:localhost,IP:127.0.0.1', '-1')
  certify('strange', 'DNS:localhost,IP:127.0.0.1', '2', 'foreign')
  certify('client', 'DNS:engine')
  certify('past-client', 'DNS:engine', '-1')
  certify('strange-client', 'DNS:engine', '2', 'foreign')
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

/** The result of an attempt to connect: undefined when it works, with JetStream, else the first reason. */
async function outcome(
  options: Partial<JetStreamOptions> & Pick<JetStreamOptions, 'address'>,
): Promise<string | undefined> {
  const broker = brokerAt(options)
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
const client = (name = 'client') => ({ certFile: at(`${name}.pem`), keyFile: at(`${name}.key`) })

interface Row {
  readonly what: string
  readonly config: () => string
  readonly url: (nats: Nats) => string
  readonly options?: () => Partial<JetStreamOptions>
  /** Undefined: it connects. */
  readonly refused?: RegExp
  /** Only brokers from nats-server 2.10 on know this setting. */
  readonly isNew?: boolean
}

const program = process.env['NATS_BIN'] ?? systemProgram('nats-server')
const [, major = '0', minor = '0'] =
  /v(\d+)\.(\d+)/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' })) ?? []
const isOld = Number(major) * 1000 + Number(minor) < 2010

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
  { what: 'an expired certificate at an address', config: () => tls('past'), url: atAddress, refused: /expired/ },
  { what: 'a certificate of another authority', config: () => tls('strange'), url: atName, refused: /certificate/ },
  { what: 'a broker without TLS', config: () => '', url: atName, refused: /tls/i },
  {
    what: 'a client certificate',
    config: () => tls('address', ', verify: true'),
    url: atAddress,
    options: () => identity({ certificate: client() }),
  },
  {
    what: 'no client certificate where one is required',
    config: () => tls('address', ', verify: true'),
    url: atAddress,
    refused: /./,
  },
  {
    what: 'a client certificate of another authority',
    config: () => tls('address', ', verify: true'),
    url: atAddress,
    options: () => identity({ certificate: client('strange-client') }),
    refused: /./,
  },
  {
    what: 'an expired client certificate',
    config: () => tls('address', ', verify: true'),
    url: atAddress,
    options: () => identity({ certificate: client('past-client') }),
    refused: /./,
  },
  {
    what: 'a client certificate, at another name',
    config: () => tls('other', ', verify: true'),
    url: atName,
    options: () => identity({ certificate: client() }),
    refused: /altnames|localhost/,
  },
  {
    what: 'an nkey',
    config: () => `authorization { users: [{ nkey: ${user.getPublicKey()} }] }`,
    url: plain,
    options: () => identity({ nkey: at('good.nk') }),
  },
  {
    what: 'the nkey of another user',
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
  { what: 'no user where one is required', config: () => USER, url: plain, refused: /authorization/i },
  {
    what: 'a wrong token',
    config: () => 'authorization { token: t0ken }',
    url: ({ port }) => `nats://wrong@127.0.0.1:${port}`,
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
  {
    what: 'TLS before the first word (handshake_first)',
    config: () => tls('name', ', handshake_first: true'),
    url: atName,
    options: () => ({ tlsFirst: true }),
    isNew: true,
  },
  {
    what: 'TLS before the first word, and another name',
    config: () => tls('other', ', handshake_first: true'),
    url: atName,
    options: () => ({ tlsFirst: true }),
    refused: /altnames|localhost/,
    isNew: true,
  },
  {
    what: 'TLS after the first word, of a broker that waits for it before',
    config: () => tls('name', ', handshake_first: true'),
    url: atName,
    refused: /./,
    isNew: true,
  },
  {
    what: 'TLS before the first word, of a broker that speaks first',
    config: () => tls('name'),
    url: atName,
    options: () => ({ tlsFirst: true }),
    refused: /./,
  },
  {
    what: 'no right to use JetStream',
    config: () =>
      'accounts { A { jetstream: enabled, users: [{ user: u, password: p, permissions { publish: ["engine.rules.>"] } }] } }',
    url: ({ port }) => `nats://u:p@127.0.0.1:${port}`,
    refused: /permissions violation/i,
  },
  {
    what: 'no right to make the stream',
    config: () =>
      'accounts { A { jetstream: enabled, users: [{ user: u, password: p, permissions { publish: ["$JS.API.INFO", "$JS.API.STREAM.INFO.>"] } }] } }',
    url: ({ port }) => `nats://u:p@127.0.0.1:${port}`,
    refused: /permissions violation|timeout/i,
  },
  {
    what: 'a JWT',
    config: trustedConfig,
    url: plain,
    options: () => identity({ credentials: credentials('good.creds', 3600) }),
  },
  {
    what: 'a JWT that has expired',
    config: trustedConfig,
    url: plain,
    options: () => identity({ credentials: credentials('past.creds', -60) }),
    refused: /authorization|expired/i,
  },
  {
    what: 'a JWT of another account',
    config: trustedConfig,
    url: plain,
    options: () => identity({ credentials: credentials('stranger.creds', 3600, nkeys.createAccount()) }),
    refused: /authorization/i,
  },
]
const USER = 'authorization { users: [{ user: u, password: p }] }'

describe('a connection with', () => {
  test.for(rows)('$what', { timeout: 60_000 }, async ({ config, url, options, refused, isNew = false }, { skip }) => {
    skip(isNew && isOld, `nats-server ${major}.${minor} does not know handshake_first: NATS_BIN names a newer one`)
    const nats = await startNats({ config: config() })
    const reason = await outcome({ address: parseBrokerUrl(url(nats)), ...options?.() })
    if (refused === undefined) expect(reason).toBeUndefined()
    else expect(reason).toMatch(refused)
  })
})

/** The connection holds. With credentials that are about to expire one may come up and be lost again. */
const answers = (broker: { prepare(): Promise<{ readonly firstSeq: number }> }) =>
  until('the broker answers', () =>
    broker.prepare().then(
      ({ firstSeq }) => firstSeq === 0,
      () => false,
    ),
  )

describe('credentials with an end', () => {
  /** A connection with credentials that expire after some seconds, and its log. */
  async function expiring() {
    const nats = await startNats({ config: trustedConfig() })
    const file = credentials('renewed.creds', 4)
    const broker = brokerAt({ ...identity({ credentials: file }), address: parseBrokerUrl(nats.url) })
    const told: string[] = []
    broker.connect({ up: () => void told.push('up'), down: (reason) => void told.push(reason) })
    await until('it connects', () => told.includes('up'))
    await broker.prepare()
    return { broker, told, file }
  }

  test('that are renewed while the server runs are read for the next connection', async () => {
    const { broker, told } = await expiring()
    credentials('renewed.creds', 3600)
    await until('the first ones have ended, and it has connected again', () => told.lastIndexOf('up') > 0)
    expect(told.join()).toMatch(/expired|lost/i)
    await answers(broker)
    await broker.close()
  }, 60_000)

  test('that are not renewed are reported, and retried until they are', async () => {
    const { broker, told } = await expiring()
    await until('the broker refuses them', () => told.some((reason) => /authorization|expired/i.test(reason)))
    await until('it is away', () => !broker.isConnected)
    const before = told.length
    credentials('renewed.creds', 3600)
    await until('it has connected again', () => told.indexOf('up', before) >= 0)
    await answers(broker)
    await broker.close()
  }, 60_000)
})

describe('a file of the wrong kind for its option ends the start', () => {
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

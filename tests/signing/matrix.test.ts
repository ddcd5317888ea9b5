import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringifyJson } from '@engine/expression'
import { encodeBinary, generateKeys, parsePrivateKey, sign, signatureOf } from '@engine/signing'
import type { RulesetDocument } from '@engine/ruleset'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { adultCheck, startServer, type TestServer } from '../http/server.testing.ts'

let directory: string
let server: TestServer | undefined

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'engine-signatures-'))
})

afterEach(async () => {
  await server?.stop()
  server = undefined
  await rm(directory, { recursive: true })
})

const ours = generateKeys()
const strangers = generateKeys()
const signedBy = (keys: typeof ours, document = adultCheck() as RulesetDocument) =>
  sign(document, parsePrivateKey(keys.privateKey), '2026-11-21T00:00:00.000Z')

const good = signedBy(ours)
const signature = signatureOf(good) ?? expect.unreachable()
const withSignature = (changes: object): RulesetDocument => ({
  ...good,
  _signature: { ...(good['_signature'] as object), ...changes },
})

/** The 64 bytes of another signature. */
const OTHER_SIGNATURE = signatureOf(signedBy(strangers))?.signature ?? ''

/** The documents that are sent or stored, by the word of the table. */
const KINDS = {
  unsigned: adultCheck() as RulesetDocument,
  good,
  'wrong key': signedBy(strangers),
  'altered content': { ...good, extra: 1 } as RulesetDocument,
  'altered signature': withSignature({ signature: OTHER_SIGNATURE }),
  'bad base64': withSignature({ public_key: `${signature.public_key}!` }),
} as const
type Kind = keyof typeof KINDS

const ON = ['--signature-enabled', '--signature-trusted-keys', ours.publicKey]
const MODES = {
  off: [],
  optional: ON,
  'no unsigned files': [...ON, '--signature-allow-unsigned-local=false'],
  required: [...ON, '--signature-require'],
  strict: [...ON, '--signature-require', '--signature-allow-unsigned-local=false'],
} as const
type Mode = keyof typeof MODES

const OK = 'accepted'
const NONE = 'no signature found'
const KEY = 'untrusted public key'
const BAD = 'invalid signature'
const BASE64 = 'invalid public key base64'

/** The outcome of each mode for each kind; of unsigned files at start, `required` exempts them (specification 5.7). */
const verifying = (optional: string): Record<Mode, string> => ({
  off: OK,
  optional,
  'no unsigned files': optional,
  required: optional,
  strict: optional,
})
const VERDICTS: Record<Kind, Record<Mode, string>> = {
  unsigned: { ...verifying(NONE), optional: OK, 'no unsigned files': OK },
  good: verifying(OK),
  'wrong key': verifying(KEY),
  'altered content': verifying(BAD),
  'altered signature': verifying(BAD),
  'bad base64': verifying(BASE64),
}

/** A stored ruleset is a file at the next start: where unsigned files are refused, storing it is refused now. */
const ON_DISK = { ...VERDICTS, unsigned: { ...VERDICTS.unsigned, 'no unsigned files': NONE } }

const rows = (kinds: Record<string, Record<Mode, string>>) =>
  Object.entries(kinds).flatMap(([kind, verdicts]) =>
    Object.entries(verdicts).map(([mode, verdict]) => [mode as Mode, kind as Kind, verdict] as const),
  )

const forbidden = (message: string) => ({ status: 403, body: { error: 'Forbidden', message } })
const outcome = ({ status, body }: { status: number; body: unknown }) => ({ status, body })

describe('POST /rulesets with the signature in the body', () => {
  test.each(rows(VERDICTS))('%s, %s: %s', async (mode, kind, verdict) => {
    server = await startServer(...MODES[mode])
    const reply = outcome(await server.post('/api/v1/rulesets', KINDS[kind]))
    const stored = await server.request('GET', '/api/v1/rulesets/adult-check')
    if (verdict === OK) {
      expect(reply).toMatchObject({ status: 201, body: { status: 'created' } })
      expect(stored.body).toEqual(KINDS[kind])
    } else {
      expect(reply).toEqual(forbidden(verdict))
      expect(stored.status).toBe(404)
    }
  })
})

describe('POST /rulesets with the signature in the headers', () => {
  const headers = (kind: Kind) => {
    const { public_key = '', signature: text = '' } = (KINDS[kind]['_signature'] ?? {}) as Record<string, string>
    return { 'x-engine-public-key': public_key, 'x-engine-signature': text }
  }
  const body = (kind: Kind) => {
    const { _signature: _, ...rest } = KINDS[kind]
    return rest
  }

  test.each(rows(VERDICTS))('%s, %s: %s', async (mode, kind, verdict) => {
    server = await startServer(...MODES[mode])
    const reply = outcome(await server.post('/api/v1/rulesets', body(kind), headers(kind)))
    if (verdict !== OK) return expect(reply).toEqual(forbidden(verdict))
    expect(reply.status).toBe(201)
    // A signature from headers is stored with the ruleset: it must survive a restart.
    const { text } = await server.request('GET', '/api/v1/rulesets/adult-check')
    const { _signature: stored } = JSON.parse(text) as RulesetDocument
    const { public_key, signature: bytes } = (KINDS[kind]['_signature'] ?? {}) as Record<string, string>
    expect(stored).toEqual(kind === 'unsigned' ? undefined : { algorithm: 'ed25519', public_key, signature: bytes })
  })

  test.each([
    ['x-engine-signature', signature.signature],
    ['x-engine-public-key', signature.public_key],
  ])('only %s: no signature was found, in every mode that verifies', async (name, value) => {
    for (const mode of ['off', 'optional', 'required'] as const) {
      server = await startServer(...MODES[mode])
      const reply = outcome(await server.post('/api/v1/rulesets', body('good'), { [name]: value }))
      if (mode === 'off') expect(reply.status).toBe(201)
      else expect(reply).toEqual(forbidden(NONE))
      await server.stop()
    }
    server = undefined
  })

  test('with one in the body as well, both must be valid, and the one of the body is kept', async () => {
    server = await startServer(...MODES.required)
    const bad = await server.post('/api/v1/rulesets', good, headers('altered signature'))
    const other = await server.post('/api/v1/rulesets', KINDS['wrong key'], headers('good'))
    expect([outcome(bad), outcome(other)]).toEqual([forbidden(BAD), forbidden(KEY)])
    expect((await server.post('/api/v1/rulesets', good, headers('good'))).status).toBe(201)
    expect((await server.request('GET', '/api/v1/rulesets/adult-check')).body).toEqual(good)
  })
})

describe('POST /rulesets as a compiled binary', () => {
  const { 'bad base64': _, ...kinds } = VERDICTS
  test.each(rows(kinds))('%s, %s: %s', async (mode, kind, verdict) => {
    server = await startServer(...MODES[mode])
    const body = encodeBinary(KINDS[kind])
    const headers = { 'content-type': 'application/octet-stream' }
    const reply = outcome(await server.request('POST', '/api/v1/rulesets', { body, headers }))
    if (verdict === OK) expect(reply).toMatchObject({ status: 201, body: { status: 'created', name: 'adult-check' } })
    else expect(reply).toEqual(forbidden(verdict))
  })
})

describe('a file at start', () => {
  const atStart = { ...ON_DISK, unsigned: { ...ON_DISK.unsigned, required: OK } }
  test.each(['json', 'engine'] as const)('%s', async (ending) => {
    for (const [mode, kind, verdict] of rows(atStart)) {
      if (ending === 'engine' && kind === 'bad base64') continue
      const rules = join(directory, `${mode}-${kind}`)
      await mkdir(rules)
      const bytes = ending === 'engine' ? encodeBinary(KINDS[kind]) : JSON.stringify(KINDS[kind])
      await writeFile(join(rules, `adult-check.${ending}`), bytes)
      server = await startServer(...MODES[mode], '--rules-dir', rules)
      const { storage } = (await server.request('GET', '/health')).body
      const rejected = verdict === OK ? [] : [{ file: `adult-check.${ending}`, reason: verdict }]
      expect([storage.rules_count, storage.rejected], `${mode}, ${kind}`).toEqual([
        rejected.length === 0 ? 1 : 0,
        rejected,
      ])
      await server.stop()
    }
    server = undefined
  })
})

test.each(rows({ unsigned: ON_DISK.unsigned, good: ON_DISK.good }))(
  'what is stored with a rules directory is served after a restart: %s, %s: %s',
  async (mode, kind, verdict) => {
    const options = [...MODES[mode], '--rules-dir', directory]
    server = await startServer(...options)
    const { status } = await server.post('/api/v1/rulesets', KINDS[kind])
    expect(status).toBe(verdict === OK ? 201 : 403)
    await server.stop()
    server = await startServer(...options)
    expect((await server.request('GET', '/api/v1/rulesets/adult-check')).status).toBe(verdict === OK ? 200 : 404)
  },
)

test('unsigned files that are served though signatures are required are logged', async () => {
  await writeFile(join(directory, 'adult-check.json'), JSON.stringify(KINDS.unsigned))
  const warnings = (one: TestServer) => one.logged.filter((line) => line.includes('unsigned'))
  server = await startServer(...MODES.required, '--rules-dir', directory)
  expect(warnings(server)).toEqual([
    expect.stringMatching(/^warn: unsigned rule files are served though signatures are required/),
  ])
  await server.stop()
  await writeFile(join(directory, 'adult-check.json'), JSON.stringify(KINDS.good))
  server = await startServer(...MODES.required, '--rules-dir', directory)
  expect(warnings(server)).toEqual([])
})

describe('a ruleset that is executed without being stored', () => {
  test.each(rows(VERDICTS))('%s, %s: %s', async (mode, kind, verdict) => {
    server = await startServer('--debug-mode', ...MODES[mode])
    const request = { ruleset: KINDS[kind], input: { age: 20 } }
    const reply = outcome(await server.post('/api/v1/debug/execute-inline', request))
    if (verdict === OK) expect(reply).toMatchObject({ status: 200, body: { result: { code: 'ADULT' } } })
    else expect(reply).toEqual(forbidden(verdict))
  })
})

describe('with tenants', () => {
  const signed = (tenant: string | undefined) =>
    signedBy(ours, adultCheck({ config: tenant === undefined ? {} : { tenant_id: tenant } }))
  const REASON = '`config.tenant_id` must be `acme` (--signature-bind-tenant)'
  test.each<[string, boolean, RulesetDocument, number, string | undefined]>([
    ['no tenant', false, signed(undefined), 201, undefined],
    ['its tenant', false, signed('acme'), 201, undefined],
    ['another tenant', false, signed('globex'), 400, undefined],
    ['no tenant, bound', true, signed(undefined), 403, REASON],
    ['its tenant, bound', true, signed('acme'), 201, undefined],
    ['another tenant, bound', true, signed('globex'), 403, REASON],
  ])('a signed document that names %s', async (_what, isBound, document, status, message) => {
    const bound = isBound ? ['--signature-bind-tenant'] : []
    server = await startServer(...MODES.required, '--multi-tenancy-enabled', ...bound)
    await server.post('/api/v1/tenants', { id: 'acme' })
    const reply = await server.post('/api/v1/rulesets', document, { 'x-tenant-id': 'acme' })
    expect(reply.status, reply.text).toBe(status)
    if (message !== undefined) expect(reply.body).toEqual({ error: 'Forbidden', message })
  })
})

describe('a rollback', () => {
  test.each(rows(ON_DISK))('%s, to %s: %s', async (mode, kind, verdict) => {
    const versions = join(directory, '.versions', 'adult-check')
    await mkdir(versions, { recursive: true })
    const current = signedBy(ours, adultCheck({ config: { version: '2.0.0' } }))
    await writeFile(join(directory, 'adult-check.json'), JSON.stringify(current))
    await writeFile(join(versions, 'v1_1763600000.json'), JSON.stringify(KINDS[kind]))
    server = await startServer(...MODES[mode], '--rules-dir', directory)
    const reply = outcome(await server.post('/api/v1/rulesets/adult-check/rollback', { seq: 1 }))
    const { body } = await server.request('GET', '/api/v1/rulesets/adult-check')
    if (verdict === OK) expect([reply.status, body]).toEqual([200, KINDS[kind]])
    else expect([reply, body]).toEqual([forbidden(verdict), current])
  })
})

describe('an unverifiable signature is a fault of the document', () => {
  test.each<[what: string, document: object, path: string]>([
    ['a signature that is not an object', { ...adultCheck(), _signature: 'x' }, '/_signature'],
    ['another algorithm', { ...adultCheck(), _signature: { algorithm: 'rsa' } }, '/_signature/algorithm'],
  ])('%s', async (_what, document, path) => {
    server = await startServer(...MODES.optional)
    const { status, body } = await server.post('/api/v1/rulesets', document)
    expect([status, body.code, body.details[0].path]).toEqual([400, 'BAD_REQUEST', path])
  })

  test('a text with half a surrogate pair', async () => {
    server = await startServer(...MODES.optional)
    const text = JSON.stringify(good).replace('may order', String.raw`\ud800`)
    const { status, body } = await server.post('/api/v1/rulesets', text)
    expect([status, body.details]).toEqual([
      400,
      [{ path: '/steps/yes/result/message', message: expect.stringContaining('half a surrogate pair') }],
    ])
  })
})

test('an integer beyond 2^53 is signed by its digits, stored, and still signed after a restart', async () => {
  const { steps, ...rest } = adultCheck()
  const yes = { ...steps.yes, result: { ...steps.yes.result, limit: 9007199254740993n } }
  const text = stringifyJson(signedBy(ours, { ...rest, steps: { ...steps, yes } }))
  server = await startServer(...MODES.strict, '--rules-dir', directory)
  const limit = (digits: string) => text.replace('9007199254740993', digits)
  for (const other of ['9007199254740992', '9007199254740994', '9007199254740993.0', '9.007199254740993e15'])
    expect(outcome(await server.post('/api/v1/rulesets', limit(other))), other).toEqual(forbidden(BAD))
  expect((await server.post('/api/v1/rulesets', text)).status).toBe(201)
  await server.stop()
  server = await startServer(...MODES.strict, '--rules-dir', directory)
  const reply = await server.post('/api/v1/execute/adult-check', { input: { age: 20 } })
  expect(reply.text).toContain('"limit":9007199254740993}')
})

test('rejections are counted by reason, and written to the audit', async () => {
  server = await startServer(...MODES.required, '--audit-dir', directory)
  await server.post('/api/v1/rulesets', KINDS['wrong key'])
  await server.post('/api/v1/rulesets', KINDS.unsigned)
  const { text } = await server.request('GET', '/metrics')
  expect(text).toContain('engine_signature_rejected_total{reason="untrusted public key"} 1')
  expect(text).toContain('engine_signature_rejected_total{reason="no signature found"} 1')
  await server.stop()
  server = undefined
  const [file = ''] = await readdir(directory)
  const lines = (await readFile(join(directory, file), 'utf8')).trim().split('\n')
  const events = lines.map((line): Record<string, unknown> => JSON.parse(line))
  const rejected = { event: 'signature_rejected', rule_name: 'adult-check', origin: 'api' }
  expect(events.filter(({ event }) => event === 'signature_rejected')).toMatchObject([
    { ...rejected, reason: 'untrusted public key' },
    { ...rejected, reason: 'no signature found' },
  ])
})

describe('an old version whose signature is still good', () => {
  const version = (text: string) => signedBy(ours, adultCheck({ config: { version: text } }))

  test('is counted when it replaces a newer one', async () => {
    server = await startServer(...MODES.required)
    for (const text of ['1.0.0', '1.10.0', '1.9.0', '1.9.1'])
      expect((await server.post('/api/v1/rulesets', version(text))).status).toBeLessThan(300)
    expect((await server.request('GET', '/metrics')).text).toContain('engine_ruleset_version_lowered_total 1')
  })

  test('is refused below the minimum of the policy file', async () => {
    const policy = join(directory, 'minimum')
    await writeFile(policy, '# after the incident\nadult-check 1.5.0\n')
    server = await startServer(...MODES.required, '--signature-min-version', policy)
    const replies = []
    for (const text of ['1.5.0', '1.4.9', '1.10.0', 'latest'])
      replies.push(outcome(await server.post('/api/v1/rulesets', version(text))))
    expect(replies).toMatchObject([
      { status: 201 },
      forbidden('version 1.4.9 is below the minimum 1.5.0'),
      { status: 200 },
      forbidden('version `latest` is not a SemVer version, and at least 1.5.0 is required'),
    ])
  })
})

import { TENANT_LIMITS } from '@engine/api'
import { stringifyJson, type Value } from '@engine/expression'
import fc from 'fast-check'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { casesOf, casesOfProperty, printSeed } from '../cases.testing.ts'
import { adultCheck, endless, JSON_TYPE, type Reply, startServer, type TestServer } from './server.testing.ts'

let directory: string
let rules: string
let server: TestServer | undefined

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'engine-tenant-changes-'))
  rules = join(directory, 'inner', 'rules')
})

afterEach(async () => {
  await server?.stop()
  server = undefined
  rmSync(directory, { recursive: true })
})

async function started(...options: readonly string[]): Promise<TestServer> {
  await server?.stop()
  server = await startServer('--multi-tenancy-enabled', '--rules-dir', rules, ...options)
  return server
}

const as = (tenant: string) => ({ 'x-tenant-id': tenant })
const put = (one: TestServer, id: string, body: string): Promise<Reply> =>
  one.request('PUT', `/api/v1/tenants/${id}`, { headers: JSON_TYPE, body })
const list = async (one: TestServer) => (await one.request('GET', '/api/v1/tenants')).body
const store = (one: TestServer, tenant: string, config: object = {}) =>
  one.post('/api/v1/rulesets', adultCheck({ config: { name: 'limit', ...config } }), as(tenant))

/** One server for the requests that change nothing, which is looked at after each. */
let refusing: TestServer
let above: string
beforeAll(async () => {
  above = mkdtempSync(join(tmpdir(), 'engine-tenant-refusals-'))
  refusing = await startServer('--multi-tenancy-enabled', '--rules-dir', join(above, 'inner', 'rules'))
})
afterAll(async () => {
  await refusing.stop()
  rmSync(above, { recursive: true })
})

async function expectNothingChanged(): Promise<void> {
  expect(await list(refusing)).toEqual([expect.objectContaining({ id: 'default', name: 'default', metadata: {} })])
  expect([above, join(above, 'inner')].flatMap((path) => readdirSync(path))).toEqual(['inner', 'rules'])
  expect(readdirSync(join(above, 'inner', 'rules'))).toEqual(['.lock', '.owner', 'default'])
}

describe('the identity of a tenant is the one in the path', () => {
  test.each([
    ['{"id": "../../evil"}', '/id'],
    ['{"id": 5}', '/id'],
    ['{"id": null}', '/id'],
    ['{"id": "other"}', '/id'],
    ['{"id": "default"}', '/id'],
    ['{"\\u0069d": "../../evil"}', '/id'],
    ['{"__proto__": {"id": "../../evil"}}', '/__proto__'],
    ['{"rules_count": 0}', '/rules_count'],
  ])('PUT %s is refused, and changes nothing', async (body, path) => {
    const reply = await put(refusing, 'default', body)
    expect([reply.status, reply.body.details]).toEqual([400, [expect.objectContaining({ path })]])
    expect((await store(refusing, '../../evil')).status).toBe(403)
    await expectNothingChanged()
  })

  test.each(['5', 'null', '[]', '{}', '"../x"', '""', '"a/b"', '"Tenants"', `"${'x'.repeat(65)}"`])(
    'POST with the id %s is refused',
    async (id) => {
      const reply = await refusing.post('/api/v1/tenants', `{"id": ${id}}`)
      expect([reply.status, reply.body.details]).toEqual([400, [expect.objectContaining({ path: '/id' })]])
      await expectNothingChanged()
    },
  )
})

describe('settings', () => {
  const long = 'x'.repeat(2000)
  const many = Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`k${index}`, '']))
  const deep = `${'['.repeat(120)}${']'.repeat(120)}`
  test.each<[settings: string, message: RegExp | string]>([
    ['"x": 1e16', '`/x` is not known: the settings are'],
    ['"x": 9007199254740993', '`/x` is not known'],
    [`"x": ${deep}`, '`/x` is not known'],
    ['"qps_limt": 5', '`/qps_limt` is not known'],
    ['"qps_limit": 1e16', '`/qps_limit` must be at most 1000000000'],
    ['"qps_limit": 9007199254740993', '`/qps_limit` must be at most 1000000000'],
    ['"max_rulesets": 1e300', '`/max_rulesets` must be'],
    ['"execution_timeout_ms": 1000000001', '`/execution_timeout_ms` must be at most 1000000000'],
    ['"qps_limit": 0.5', '`/qps_limit` must be'],
    ['"qps_limit": -1', '`/qps_limit` must be at least 1'],
    ['"qps_limit": 5, "qps_limit": 6', 'twice'],
    [`"name": "${long}"`, '`/name` must have at most 256 characters, found 2000'],
    [`"name": "e${'\u0301'.repeat(300)}"`, '`/name` must have at most 256 characters, found 301'],
    [`"metadata": ${JSON.stringify(many)}`, '`/metadata` must have at most 64 entries, found 65'],
    [`"metadata": {"k": "${long}"}`, '`/metadata` `k` must have at most 1024 characters'],
    [`"metadata": {"${long}": ""}`, '`/metadata` has the key'],
    ['"metadata": {"k": 5}', '`/metadata/k` must be a string'],
    ['"metadata": []', '`/metadata` must be an object'],
    ['"enabled": "yes"', '`/enabled` must be `true` or `false`'],
  ])('%s are refused, by POST and PUT, and change nothing', async (settings, message) => {
    for (const reply of [
      await refusing.post('/api/v1/tenants', `{"id": "a", ${settings}}`),
      await put(refusing, 'default', `{${settings}}`),
    ]) {
      expect(reply.status).toBe(400)
      expect(reply.body.error).toContain(message)
      expect(reply.text.length).toBeLessThan(2000)
    }
    await expectNothingChanged()
  })

  test('with typing errors get a suggestion', async () => {
    const { body } = await put(refusing, 'default', '{"qps_limt": 5}')
    expect(body.details).toEqual([expect.objectContaining({ path: '/qps_limt', suggestion: 'qps_limit' })])
  })

  test('null is the same as leaving it out', async () => {
    const one = await started()
    const nothing = '"name": null, "enabled": null, "qps_limit": null, "max_rulesets": null, "metadata": null'
    const created = await one.post('/api/v1/tenants', `{"id": "a", ${nothing}}`)
    expect([created.status, created.body]).toEqual([
      201,
      {
        id: 'a',
        name: 'a',
        enabled: true,
        qps_limit: null,
        max_rulesets: null,
        execution_timeout_ms: null,
        metadata: {},
        rules_count: 0,
      },
    ])
  })

  /** Odd names, numbers around every limit, escapes, and members that are none. */
  const text = (most: number) =>
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom('__proto__', 'constructor', '\u2028', '\ud800', '\u0000', '"\\/', '', '\ufeff', '😀'),
      fc.integer({ min: most - 4, max: most + 1 }).map((length) => '"'.repeat(length)),
    )
  const limit: fc.Arbitrary<Value> = fc.oneof(
    fc.constantFrom<Value>(null, 1, 0, -0, 1e9, 1e9 + 1, 1e16, 2 ** 53, 0.5, 10n ** 18n, 1e300, '5', true),
    ...Array.from({ length: 6 }, () => fc.integer({ min: 1, max: 1e9 })),
  )
  const metadata = fc
    .array(fc.tuple(text(TENANT_LIMITS.metadataKey), text(TENANT_LIMITS.metadataValue)), {
      maxLength: TENANT_LIMITS.metadataEntries + 2,
      size: 'small',
    })
    .map((entries): Value => Object.fromEntries(entries))
  const settings = fc.record(
    {
      name: fc.oneof(text(TENANT_LIMITS.name), fc.constantFrom<Value>(null, 5)),
      enabled: fc.constantFrom<Value>(true, false, null, 0),
      qps_limit: limit,
      max_rulesets: limit,
      execution_timeout_ms: limit,
      metadata,
    },
    { requiredKeys: [] },
  )
  const ids = fc.constantFrom('a', 'B', '-', '_', '__proto__', 'constructor', 'toString', 'x'.repeat(64), '0')

  test('that were acknowledged are unchanged after a restart', async () => {
    const rounds = casesOf(1000)
    printSeed(rounds)
    let one = await started()
    let accepted = 0
    for (const [index, [id, sent, creates]] of fc
      .sample(fc.tuple(ids, settings, fc.boolean()), casesOfProperty(1000))
      .entries()) {
      const before = await list(one)
      const body = stringifyJson(creates ? { id, ...sent } : sent)
      const reply = creates ? await one.post('/api/v1/tenants', body) : await put(one, id, body)
      expect([200, 201, 400, 404, 409], reply.text).toContain(reply.status)
      if (reply.status < 300) {
        accepted++
        expect((await one.request('GET', `/api/v1/tenants/${id}`)).body).toEqual(reply.body)
      } else expect(await list(one)).toEqual(before)
      if (index % 40 !== 39) continue
      const told = await list(one)
      one = await started()
      expect(await list(one)).toEqual(told)
    }
    expect(accepted).toBeGreaterThan(rounds / 20)
  }, 600_000)
})

test('a whole file that a start would not read is not written', async () => {
  const metadata = Object.fromEntries(Array.from({ length: 64 }, (_, index) => [`k${index}`, '\u0001'.repeat(1024)]))
  const many = Object.fromEntries(Array.from({ length: 41 }, (_, index) => [`t${index}`, { metadata }]))
  mkdirSync(rules, { recursive: true })
  writeFileSync(join(rules, 'tenants.json'), JSON.stringify(many))
  const one = await started()
  const create = async (id: string) => (await one.post('/api/v1/tenants', { id, metadata })).status
  expect([await create('fits'), await create('does-not')]).toEqual([201, 413])
  const ids = (of: TestServer) => list(of).then((tenants: { id: string }[]) => tenants.map(({ id }) => id))
  expect(await ids(one)).toHaveLength(43)
  expect(await ids(await started())).toContain('fits')
})

describe('a deleted tenant', () => {
  test('leaves neither rulesets nor versions to one of the same id; its files are moved aside', async () => {
    const one = await started()
    await one.post('/api/v1/tenants', { id: 'acme' })
    for (const version of ['1.0.0', '1.1.0']) expect((await store(one, 'acme', { version })).status).toBeLessThan(300)
    await one.request('DELETE', '/api/v1/rulesets/limit', { headers: as('acme') })
    expect((await one.request('DELETE', '/api/v1/tenants/acme')).status).toBe(204)
    expect(existsSync(join(rules, 'acme'))).toBe(false)
    const [aside = ''] = readdirSync(join(rules, '.deleted-tenants'))
    expect(aside).toMatch(/^acme-\d+$/)
    expect(existsSync(join(rules, '.deleted-tenants', aside, '.versions', 'limit'))).toBe(true)
    await one.post('/api/v1/tenants', { id: 'acme' })
    expect((await store(one, 'acme', { version: '5.0.0' })).status).toBe(201)
    const none = { name: 'limit', current_version: '5.0.0', versions: [] }
    const versions = (each: TestServer) =>
      each.request('GET', '/api/v1/rulesets/limit/versions', { headers: as('acme') })
    expect((await versions(one)).body).toEqual(none)
    expect((await versions(await started())).body).toEqual(none)
  })

  test('can be deleted while its files are watched, and its id can be used again', async () => {
    const one = await started('--watch-rules')
    for (let round = 0; round < 3; round++) {
      expect((await one.post('/api/v1/tenants', { id: 'acme' })).status).toBe(201)
      expect((await store(one, 'acme')).status).toBe(201)
      expect((await one.request('DELETE', '/api/v1/rulesets/limit', { headers: as('acme') })).status).toBe(204)
      expect((await one.request('DELETE', '/api/v1/tenants/acme')).status).toBe(204)
    }
    expect(one.logged.filter((line) => line.startsWith('error'))).toEqual([])
    expect(readdirSync(join(rules, '.deleted-tenants'))).toHaveLength(3)
  })

  test('whose entry was removed from tenants.json leaves no files to a new one either', async () => {
    mkdirSync(join(rules, 'acme'), { recursive: true })
    writeFileSync(join(rules, 'acme', 'limit.json'), JSON.stringify(adultCheck({ config: { name: 'limit' } })))
    const one = await started()
    expect(one.logged).toContain('warn: folders of tenants that tenants.json does not name are not served')
    expect((await one.post('/api/v1/tenants', { id: 'acme' })).body).toMatchObject({ rules_count: 0 })
    expect(readdirSync(join(rules, 'acme'))).toEqual([])
    expect(readdirSync(join(rules, '.deleted-tenants'))).toHaveLength(1)
  })

  test('and a ruleset that is stored in it at the same time: one of the two is refused', async () => {
    const one = await started()
    const outcomes = new Set<string>()
    for (let round = 0; round < 60; round++) {
      expect((await one.post('/api/v1/tenants', { id: 't' })).status).toBe(201)
      const [stored, deleted] = await Promise.all([
        store(one, 't'),
        round % 2 === 0 ? one.request('DELETE', '/api/v1/tenants/t') : laterDelete(one, round),
      ])
      outcomes.add(`${stored.status} ${deleted.status}`)
      const read = await one.request('GET', '/api/v1/rulesets/limit', { headers: as('t') })
      expect(read.status, `${stored.status} ${deleted.status}`).toBe(stored.status === 201 ? 200 : 403)
      if (stored.status !== 201) continue
      expect((await one.request('DELETE', '/api/v1/rulesets/limit', { headers: as('t') })).status).toBe(204)
      expect((await one.request('DELETE', '/api/v1/tenants/t')).status).toBe(204)
    }
    for (const outcome of outcomes) expect(['201 409', '409 204', '403 204']).toContain(outcome)
  })

  async function laterDelete(one: TestServer, round: number): Promise<Reply> {
    for (let turn = 0; turn < round % 7; turn++) await new Promise((resolve) => setImmediate(resolve))
    return one.request('DELETE', '/api/v1/tenants/t')
  }
})

describe('tenants.json', () => {
  const file = () => join(rules, 'tenants.json')

  test('that is missing for a moment removes no tenant', async () => {
    mkdirSync(rules, { recursive: true })
    writeFileSync(file(), '{"a": {}, "b": {}}')
    const one = await started()
    renameSync(file(), `${file()}.bak`)
    await expect
      .poll(() => one.logged)
      .toContain(
        'warn: tenants.json is missing: the tenants are unchanged, and the next change of a tenant writes the file',
      )
    expect((await store(one, 'a')).status).toBe(201)
    await one.post('/api/v1/tenants', { id: 'c' })
    expect(Object.keys(JSON.parse(readFileSync(file(), 'utf8')))).toEqual(['a', 'b', 'c'])
  })

  test('half-written leftovers of a crash are removed at start', async () => {
    mkdirSync(rules, { recursive: true })
    for (const name of ['.tenants.json.tmp-0123456789ab', '.health_probe.tmp-0123456789ab'])
      writeFileSync(join(rules, name), '{"a": {}')
    await started()
    expect(readdirSync(rules).filter((name) => name.includes('.tmp-'))).toEqual([])
  })

  test.each<[what: string, make: () => void, reason: string]>([
    [
      'is not UTF-8',
      () => writeFileSync(file(), Buffer.from('{"a": {"name": "\xe9"}}', 'latin1')),
      'tenants.json: it is not valid UTF-8',
    ],
    [
      'is a link',
      () => symlinkSync('/dev/null', file()),
      'tenants.json: it is a symbolic link, and links are not followed',
    ],
    ['is a folder', () => mkdirSync(file()), 'tenants.json: it is not a regular file'],
    [
      'has an invalid setting',
      () => writeFileSync(file(), '{"a": {"qps_limt": 5}}'),
      'tenants.json: `a` /qps_limt is not known',
    ],
    [
      'has an identity besides the key',
      () => writeFileSync(file(), '{"a": {"id": "../../b"}}'),
      'tenants.json: `a` /id is not a setting',
    ],
  ])('that %s ends the start with the reason', async (_what, make, reason) => {
    mkdirSync(rules, { recursive: true })
    make()
    await expect(started()).rejects.toThrow(reason)
  })
})

test('the longest time of a tenant counts for a ruleset that sets none for itself', async () => {
  const one = await started()
  await one.post('/api/v1/tenants', { id: 'a', execution_timeout_ms: 15 })
  expect((await one.post('/api/v1/rulesets', endless('loops', { timeout_ms: 0 }), as('a'))).status).toBe(201)
  const reply = await one.post('/api/v1/execute/loops', { input: {} }, as('a'))
  expect(reply.body.error).toContain('exceeded 15 ms')
})

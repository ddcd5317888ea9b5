import { canonicalJson, encodeBinary } from '@engine/signing'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { adultCheck, type Reply, startServer, type TestServer } from './server.testing.ts'

/** Conditions of changes, digests, trials of rulesets, versions by their number, pages of lists, unknown parameters. */

const RULESETS = '/api/v1/rulesets'
const ONE = `${RULESETS}/adult-check`

const directory = mkdtempSync(join(tmpdir(), 'engine-changes-'))
let server: TestServer

beforeAll(async () => {
  server = await startServer('--rules-dir', directory, '--max-versions', '5000')
})
afterAll(async () => {
  await server.stop()
  rmSync(directory, { recursive: true })
})
beforeEach(async () => {
  await server.request('DELETE', ONE)
  await server.post(RULESETS, adultCheck())
})

const etagOf = (reply: Reply) => reply.headers.get('etag') ?? ''
const current = async () => etagOf(await server.request('GET', ONE))
const versions = async (): Promise<readonly { seq: number; version: string }[]> =>
  (await server.request('GET', `${ONE}/versions`)).body.versions
const changed = (version: string) => adultCheck({ config: { version } })

describe('entity tags', () => {
  test('a stored ruleset has one, and every change answers with the new one', async () => {
    const first = await current()
    expect(first).toMatch(/^"[0-9a-f]{32}"$/)
    expect(etagOf(await server.request('HEAD', ONE))).toBe(first)
    const second = etagOf(await server.post(RULESETS, changed('2')))
    expect([second === first, await current()]).toEqual([false, second])
    const [{ seq } = { seq: 0 }] = await versions()
    expect(etagOf(await server.post(`${ONE}/rollback`, { seq }))).toBe(first)
    expect(await current()).toBe(first)
  })

  test.each([
    ['if-none-match', '@', 304],
    ['if-none-match', '"a", @', 304],
    ['if-none-match', 'W/@', 304],
    ['if-none-match', '*', 304],
    ['if-none-match', '"a"', 200],
    ['if-match', '@', 200],
    ['if-match', '*', 200],
    ['if-match', '"a"', 412],
    ['if-match', 'W/@', 412],
  ])('GET with %s: %s is %i', async (name, value, status) => {
    const tag = await current()
    for (const method of ['GET', 'HEAD']) {
      const reply = await server.request(method, ONE, { headers: { [name]: value.replace('@', tag) } })
      expect([reply.status, etagOf(reply)]).toEqual([status, tag])
      if (status === 304) expect([reply.text, reply.headers.get('content-type')]).toEqual(['', null])
    }
  })

  const CHANGES: Readonly<Record<string, (headers: Record<string, string>) => Promise<Reply>>> = {
    store: (headers) => server.post(RULESETS, changed('2'), headers),
    'store on trial': (headers) => server.post(`${RULESETS}?dry_run=true`, changed('2'), headers),
    delete: (headers) => server.request('DELETE', ONE, { headers }),
    'roll back': async (headers) => server.post(`${ONE}/rollback`, { seq: (await versions())[0]?.seq }, headers),
  }
  describe.each(Object.keys(CHANGES))('%s', (what) => {
    test.each([
      ['if-match', '@', true],
      ['if-match', '"a",@', true],
      ['if-match', '*', true],
      ['if-match', '"a"', false],
      ['if-match', 'W/@', false],
      ['if-match', '', false],
      ['if-none-match', '"a"', true],
      ['if-none-match', '*', false],
      ['if-none-match', '@', false],
    ])('with %s: %s: %s', async (name, value, isMade) => {
      await server.post(RULESETS, changed('0'))
      const tag = await current()
      const before = (await versions()).length
      const reply = await CHANGES[what]?.({ [name]: value.replace('@', tag) })
      if (isMade) {
        expect([200, 204]).toContain(reply?.status)
        return
      }
      expect([reply?.status, reply?.body.code, reply && etagOf(reply)]).toEqual([412, 'PRECONDITION_FAILED', tag])
      expect([await current(), (await versions()).length]).toEqual([tag, before])
    })
  })

  test('a missing name: `*` fails, `if-none-match: *` creates', async () => {
    await server.request('DELETE', ONE)
    for (const value of ['*', '"a"']) {
      expect((await server.post(RULESETS, adultCheck(), { 'if-match': value })).status).toBe(412)
      expect((await server.request('DELETE', ONE, { headers: { 'if-match': value } })).status).toBe(412)
    }
    expect((await server.post(RULESETS, adultCheck(), { 'if-none-match': '*' })).status).toBe(201)
    expect((await server.post(RULESETS, changed('2'), { 'if-none-match': '*' })).status).toBe(412)
  })

  test('of many simultaneous changes under one tag, one succeeds', async () => {
    const headers = { 'if-match': await current() }
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => server.post(RULESETS, changed(`2.${index}`), headers)),
    )
    const made = replies.filter(({ status }) => status === 200)
    const refused = replies.filter(({ status }) => status === 412)
    expect([made.length, refused.length]).toEqual([1, 19])
  })
})

describe('digests', () => {
  const shuffled = () => {
    const { config, steps } = adultCheck()
    return { steps: Object.fromEntries(Object.entries(steps).reverse()), config }
  }

  test('are of the canonical JSON, whatever the form and the order of the keys', async () => {
    const document = adultCheck() as unknown as Parameters<typeof canonicalJson>[0]
    const expected = `sha256:${createHash('sha256').update(canonicalJson(document)).digest('hex')}`
    const headers = { 'content-type': 'application/octet-stream' }
    for (const reply of [
      await server.post(RULESETS, adultCheck()),
      await server.post(RULESETS, shuffled()),
      await server.request('POST', RULESETS, { body: encodeBinary(document), headers }),
      await server.post(`${RULESETS}/validate`, shuffled()),
    ])
      expect(reply.body.digest).toBe(expected)
    expect((await server.request('GET', RULESETS)).body[0].digest).toBe(expected)
    expect((await server.post(RULESETS, changed('2'))).body.digest).not.toBe(expected)
  })

  test('the health record has one of everything that is stored', async () => {
    const all = async (of: TestServer) => (await of.request('GET', '/health')).body.storage.digest as unknown
    const other = await startServer()
    const empty = await all(other)
    expect(empty).toMatch(/^sha256:[0-9a-f]{64}$/)
    await other.post(RULESETS, shuffled())
    await other.post(RULESETS, adultCheck({ config: { name: 'b' } }))
    const both = await all(other)
    const third = await startServer()
    await third.post(RULESETS, adultCheck({ config: { name: 'b' } }))
    await third.post(RULESETS, adultCheck())
    expect([await all(third), both === empty]).toEqual([both, false])
    for (const name of ['b', 'adult-check']) await other.request('DELETE', `${RULESETS}/${name}`)
    expect(await all(other)).toBe(empty)
    await Promise.all([other.stop(), third.stop()])
  })

  test('a text without UTF-8 has one too', async () => {
    const reply = await server.post(RULESETS, JSON.stringify(adultCheck({ rest: { note: '\ud800' } })))
    expect(reply.body.digest).toMatch(/^sha256:/)
  })
})

test('storing the same content again creates no version', async () => {
  await server.post(RULESETS, changed('2'))
  const [tag, before] = [await current(), await versions()]
  const reply = await server.post(RULESETS, changed('2'))
  expect([reply.status, reply.body]).toEqual([
    200,
    { status: 'updated', name: 'adult-check', digest: reply.body.digest, unchanged: true },
  ])
  expect([etagOf(reply), await current(), await versions()]).toEqual([tag, tag, before])
  expect((await server.post(RULESETS, changed('3'))).body.unchanged).toBeUndefined()
  expect(await versions()).toHaveLength(before.length + 1)
})

describe('a trial', () => {
  const TRIAL = `${RULESETS}?dry_run=true`
  const stored = async () => [await current(), await versions(), (await server.request('GET', RULESETS)).text]

  test.each([
    ['a new one', adultCheck({ config: { name: 'newer' } }), 200, { status: 'created', name: 'newer', dry_run: true }],
    ['another version', changed('2'), 200, { status: 'updated', dry_run: true }],
    ['the same', adultCheck(), 200, { status: 'updated', dry_run: true, unchanged: true }],
    ['with a warning', adultCheck({ rest: { odd: 1 } }), 200, { dry_run: true, warnings: [{ path: '/odd' }] }],
    ['no ruleset', { config: {} }, 400, { code: 'BAD_REQUEST' }],
    ['a name that differs by case', adultCheck({ config: { name: 'Adult-check' } }), 409, { code: 'CONFLICT' }],
  ])('%s', async (_what, body, status, expected) => {
    const before = await stored()
    const reply = await server.post(TRIAL, body)
    expect([reply.status, reply.body]).toEqual([status, expect.objectContaining(expectedOf(expected))])
    expect(reply.headers.get('location')).toBeNull()
    expect(await stored()).toEqual(before)
  })

  test('`dry_run=false` stores', async () => {
    expect((await server.post(`${RULESETS}?dry_run=false`, changed('2'))).body.dry_run).toBeUndefined()
    expect((await server.request('GET', ONE)).body.config.version).toBe('2')
  })

  test.each([
    ['a good one', adultCheck(), { valid: true, name: 'adult-check', version: '1.0.0' }],
    ['an odd one', adultCheck({ rest: { odd: 1 } }), { valid: true, warnings: [{ path: '/odd' }] }],
    ['a wrong one', { config: { name: 'x', timeout_ms: -1 } }, { valid: false }],
    ['a list', [], { valid: false }],
  ])('validate: %s', async (_what, body, expected) => {
    const before = await stored()
    const reply = await server.post(`${RULESETS}/validate`, body)
    expect([reply.status, reply.body]).toEqual([200, expect.objectContaining(expectedOf(expected))])
    expect(reply.body.errors?.length > 0).toBe(!reply.body.valid)
    expect(await stored()).toEqual(before)
  })

  test('a ruleset called `validate` is one like any other', async () => {
    const name = 'validate'
    expect((await server.post(RULESETS, adultCheck({ config: { name } }))).status).toBe(201)
    expect((await server.request('GET', `${RULESETS}/${name}`)).body.config.name).toBe(name)
    expect((await server.request('DELETE', `${RULESETS}/${name}`)).status).toBe(204)
  })
})

/** Objects of an expectation may have further members. */
function expectedOf(value: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([key, member]: [string, unknown]) => [
      key,
      Array.isArray(member) ? member.map((item: object) => expect.objectContaining(item) as unknown) : member,
    ]),
  )
}

describe('a version by its number', () => {
  test('is the content that was replaced', async () => {
    const [tag, text] = [await current(), (await server.request('GET', ONE)).text]
    await server.post(RULESETS, changed('2'))
    const [{ seq } = { seq: 0 }] = await versions()
    const reply = await server.request('GET', `${ONE}/versions/${seq}`)
    expect([reply.status, reply.text, etagOf(reply)]).toEqual([200, text, tag])
    const known = await server.request('GET', `${ONE}/versions/${seq}`, { headers: { 'if-none-match': tag } })
    expect(known.status).toBe(304)
  })

  test.each([
    ['adult-check/versions/9999', 404, /version 9999 of ruleset `adult-check` not found/],
    ['adult-check/versions/0', 404, /version 0/],
    ['adult-check/versions/one', 400, /the version `one` must be a number/],
    ['adult-check/versions/1.5', 400, /must be a number/],
    ['adult-check/versions/-1', 400, /must be a number/],
    ['adult-check/versions/99999999999999999999', 400, /must be a number/],
    ['nope/versions/1', 404, /ruleset `nope` not found/],
  ])('%s is %i', async (path, status, error) => {
    const reply = await server.request('GET', `${RULESETS}/${path}`)
    expect([reply.status, reply.body.error]).toEqual([status, expect.stringMatching(error)])
  })
})

describe('pages', () => {
  const NAMES = ['Alpha', 'adult-check', 'beta-1', 'beta-2', 'gamma']
  beforeAll(async () => {
    for (const name of NAMES)
      await server.post(
        RULESETS,
        adultCheck({ config: { name, description: name === 'gamma' ? 'Ein BETA-Test' : null } }),
      )
  })
  const list = async (query: string) => {
    const reply = await server.request('GET', `${RULESETS}${query}`)
    const names = (reply.body as readonly { name: string }[]).map(({ name }) => name)
    return { names, next: reply.headers.get('x-next-cursor'), link: reply.headers.get('link') }
  }

  test.each([
    ['', NAMES, null],
    ['?limit=5', NAMES, null],
    ['?limit=2', NAMES.slice(0, 2), 'adult-check'],
    ['?limit=2&cursor=adult-check', NAMES.slice(2, 4), 'beta-2'],
    ['?cursor=beta-2', ['gamma'], null],
    ['?cursor=zzz', [], null],
    ['?q=BETA', ['beta-1', 'beta-2', 'gamma'], null],
    ['?q=beta&limit=1&cursor=beta-1', ['beta-2'], 'beta-2'],
    ['?q=nothing', [], null],
  ])('%s', async (query, names, next) => {
    expect(await list(query)).toEqual({ names, next, link: next === null ? null : expect.any(String) })
  })

  test('the links lead through all pages', async () => {
    const found: string[] = []
    let query = '?limit=2&q=a'
    for (let pages = 0; pages < 10 && query !== ''; pages++) {
      const { names, link } = await list(query)
      found.push(...names)
      query = /^<\/api\/v1\/rulesets(\?.*)>; rel="next"$/.exec(link ?? '')?.[1] ?? ''
    }
    expect(found).toEqual(NAMES)
  })

  test.each([
    ['?limit=0', 'the query parameter `limit` must be a whole number from 1 to 10000, found `0`'],
    ['?limit=', 'the query parameter `limit` must be a whole number'],
    ['?limit=10001', 'the query parameter `limit` must be a whole number'],
    ['?limit=2.5', 'the query parameter `limit` must be a whole number'],
    ['?limit=1&limit=2', 'the query parameter `limit` must be given once'],
    ['?limt=1', 'the query parameter `limt` is unknown: did you mean `limit`?'],
    ['?x', 'the query parameter `x` is unknown: there are `limit`, `cursor`, `q`'],
  ])('%s is refused', async (query, message) => {
    const reply = await server.request('GET', `${RULESETS}${query}`)
    expect([reply.status, reply.body.error]).toEqual([400, expect.stringContaining(message)])
  })
})

test.each([
  ['POST', `${RULESETS}?dryrun=true`, adultCheck(), '`dryrun` is unknown: did you mean `dry_run`?'],
  ['POST', `${RULESETS}?dry_run=yes`, adultCheck(), '`dry_run` must be `true` or `false`, found `yes`'],
  ['POST', '/api/v1/execute/adult-check?trace=true', { input: {} }, '`trace` is unknown: there are none'],
  [
    'POST',
    '/api/v1/execute/adult-check/batch?trase=true',
    { inputs: [{}] },
    '`trase` is unknown: did you mean `trace`?',
  ],
  ['POST', '/api/v1/eval?__proto__=1', { expression: '1' }, '`__proto__` is unknown: there are none'],
  ['DELETE', `${ONE}?force=true`, undefined, '`force` is unknown: there are none'],
])('%s %s: a parameter that would be ignored is refused', async (method, path, body, message) => {
  const before = await current()
  const reply = await server.request(method, path, {
    headers: { 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  })
  expect([reply.status, reply.body.error]).toEqual([400, expect.stringContaining(message)])
  expect(await current()).toBe(before)
})

test('a batch as one document takes `?trace=true` as well; its options come first', async () => {
  const path = '/api/v1/execute/adult-check/batch?trace=true'
  expect((await server.post(path, { inputs: [{}] })).body.results[0].trace.path).toBe('check -> no')
  const told = await server.post(path, { inputs: [{}], options: { trace: false } })
  expect(told.body.results[0].trace).toBeUndefined()
})

test.each(['/health', '/healthz/live', '/healthz/ready'])('%s ignores what a probe adds', async (path) => {
  expect((await server.request('GET', `${path}?_=1&_=2`)).status).toBe(200)
})

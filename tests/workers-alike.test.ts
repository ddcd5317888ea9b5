import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { killAll } from './engine-server.testing.ts'
import {
  answering,
  type Connection,
  connections,
  type Crew,
  startCrew,
  RULESETS,
  EXECUTE,
  put,
  codes,
  same,
} from './workers.testing.ts'

/** Two workers that live as long as these tests: whichever process answers, the answer is the same. */
let crew: Crew
let url: string
const rules = mkdtempSync(join(tmpdir(), 'engine-workers-'))
const open: Connection[] = []

beforeAll(async () => {
  crew = await startCrew('--rules-dir', rules, '--cors-origin', 'https://a.example')
  url = crew.url
})
afterEach(() => {
  for (const one of open.splice(0)) one.close()
})
afterAll(async () => {
  await killAll()
  rmSync(rules, { recursive: true })
})

async function connected(place: string, count = 8): Promise<readonly Connection[]> {
  const made = await connections(place, count)
  open.push(...made)
  return made
}

test('a change over any connection is visible to all of them when it is acknowledged', async () => {
  const all = await connected(url)
  for (let round = 0; round < 24; round++) {
    const writer = all[round % all.length] as Connection
    expect((await put(writer, `C${round}`)).status).toBe(round === 0 ? 201 : 200)
    const fresh = await connected(url, 2)
    expect(await codes([...all, ...fresh])).toEqual(same([...all, ...fresh], `C${round}`))
  }
  expect((await all[0]?.request('DELETE', `${RULESETS}/rule`))?.status).toBe(204)
  for (const one of all) expect((await one.request('POST', EXECUTE, { input: {} })).status).toBe(404)
})

test('simultaneous changes of one ruleset have the same result everywhere', async () => {
  const all = await connected(url)
  for (let round = 0; round < 5; round++) {
    await Promise.all(Array.from({ length: 24 }, (_, index) => put(all[index % 8] as Connection, `R${round}N${index}`)))
    const texts = await Promise.all(all.map(async (one) => (await one.request('GET', `${RULESETS}/rule`)).text))
    expect(new Set(texts).size).toBe(1)
    const stored = JSON.parse(readFileSync(join(rules, 'rule.json'), 'utf8')) as unknown
    expect(JSON.parse(texts[0] ?? '')).toEqual(stored)
  }
})

test('requests for the owner are answered over any connection', async () => {
  const all = await connected(url)
  const one = all[0] as Connection
  for (const code of ['A', 'B', 'C']) await put(one, code, 'versioned')
  for (const any of all) {
    const { body } = await any.request('GET', `${RULESETS}/versioned/versions`)
    expect(body.versions).toHaveLength(2)
    expect((await any.request('GET', '/healthz/ready')).body.workers).toEqual({ configured: 2, ready: 2 })
    expect((await any.request('GET', '/api/v1/openapi.json')).body.openapi).toBe('3.1.0')
    expect((await any.request('PATCH', RULESETS)).body.code).toBe('METHOD_NOT_ALLOWED')
  }
  // However a path is spelt, only the owner changes anything.
  for (const path of [`${RULESETS}#x`, `${RULESETS};x`, `${RULESETS}/`, `/${RULESETS}`, `${RULESETS}?x`])
    for (const any of all) await any.request('POST', path, answering('X', 'other'))
  const texts = await Promise.all(all.map(async (any) => (await any.request('GET', `${RULESETS}/other`)).text))
  expect(new Set(texts).size).toBe(1)
  await all[5]?.request('POST', `${RULESETS}/versioned/rollback`, { seq: 1 })
  expect(await codes(all, '/api/v1/execute/versioned')).toEqual(same(all, 'A'))
})

test('HEAD, entity tags and pages of other origins, whichever process answers', async () => {
  const [any] = await connected(url)
  await put(any as Connection, 'OK')
  const headers = { origin: 'https://a.example' }
  // The first is answered by a worker, the others by the owner.
  for (const path of [`${RULESETS}/rule`, `${RULESETS}/rule/versions`, '/health', '/nowhere']) {
    const [get, head] = await Promise.all([
      fetch(url + path, { headers }),
      fetch(url + path, { method: 'HEAD', headers }),
    ])
    for (const { headers: said } of [get, head])
      expect([path, said.get('access-control-allow-origin')]).toEqual([path, 'https://a.example'])
    expect([head.status, await head.text()]).toEqual([get.status, ''])
    await get.text()
  }
  const tag = (await fetch(`${url}${RULESETS}/rule`)).headers.get('etag') ?? ''
  const known = await fetch(`${url}${RULESETS}/rule`, { headers: { 'if-none-match': tag } })
  const refused = await fetch(`${url}${RULESETS}/rule`, { method: 'DELETE', headers: { 'if-match': '"a"' } })
  expect([known.status, refused.status, refused.headers.get('etag')]).toEqual([304, 412, tag])
  await refused.text()
})

test('after all of this it stops like an idle server', async () => expect(await crew.stop()).toBe(0))

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { adultCheck, startServer, type TestServer } from './server.testing.ts'

const NDJSON = { 'content-type': 'application/x-ndjson' }
const PATH = '/api/v1/rulesets/adult-check'

const directory = mkdtempSync(join(tmpdir(), 'engine-analysis-'))
let server: TestServer

/** `adult-check` with these branches, each to the step `yes`. */
const withBranches = (conditions: readonly string[], config: object = {}) =>
  adultCheck({
    config,
    steps: {
      check: {
        id: 'check',
        type: 'decision',
        branches: conditions.map((condition) => ({ condition, next_step: 'yes' })),
        default_next: 'no',
      },
    },
  })

beforeAll(async () => {
  server = await startServer('--rules-dir', join(directory, 'rules'))
  await server.post('/api/v1/rulesets', adultCheck())
  await server.post('/api/v1/rulesets', withBranches(['age >= 21'], { version: '2.0.0' }))
})

afterAll(async () => {
  await server.stop()
  rmSync(directory, { recursive: true })
})

const replay = (body: string, path = `${PATH}/replay?seq=1`) => server.request('POST', path, { body, headers: NDJSON })
const linesOf = (text: string): readonly unknown[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)

test('analyze answers the report of the stored ruleset, with its digest', async () => {
  const { body } = await server.post(`${PATH}/analyze`, {})
  const [{ digest }] = (await server.request('GET', '/api/v1/rulesets')).body
  expect(body).toMatchObject({ ruleset: 'adult-check', digest, domain: 'any', truncated: false })
  expect(body.findings).toEqual([
    expect.objectContaining({ kind: 'can_fail', place: '/steps/check/branches/0', severity: 'info' }),
  ])
})

test('the largest example is decided whole, within the memory of a thread', async () => {
  const document = readFileSync(new URL('../../examples/shipping-rates/ruleset.json', import.meta.url), 'utf8')
  await server.post('/api/v1/rulesets', document)
  // A thread has ten seconds, which end sooner than a second of processor time on a busy machine.
  const found = async () => {
    const { status, body } = await server.post('/api/v1/rulesets/shipping-rates/analyze', {})
    return [status, body.truncated, body.questions.unknown]
  }
  await expect.poll(found).toEqual([200, false, 0])
})

test('an exhausted budget is an answer: truncated', async () => {
  await server.post('/api/v1/rulesets', { ...withBranches(['a > b && b > c', 'a > c'], { name: 'budget' }) })
  const { status, body } = await server.post('/api/v1/rulesets/budget/analyze', { budget: 1 })
  expect([status, body.truncated]).toEqual([200, true])
})

test('the contract narrows the domain on request', async () => {
  const fields = [{ name: 'age', type: 'integer', required: true, minimum: 30 }]
  const contract = { mode: 'warn', contract: { name: 'assumed', version: '1.0.0', input: { fields }, outputs: [] } }
  const document = withBranches(['age < 18', 'age >= 30'], { name: 'assumed', contract })
  expect(await server.post('/api/v1/rulesets', document)).toMatchObject({ status: 201 })
  const kinds = async (domain: string) => {
    const { body } = await server.post('/api/v1/rulesets/assumed/analyze', { domain })
    return [body.domain, (body.findings as readonly { kind: string }[]).map(({ kind }) => kind)]
  }
  expect((await kinds('any'))[1]).not.toContain('dead_branch')
  expect(await kinds('contract')).toEqual(['contract', expect.arrayContaining(['dead_branch', 'always_true'])])
})

describe('impact', () => {
  test('compares a replaced version with the stored one', async () => {
    const { body } = await server.post(`${PATH}/impact`, { seq: 1, forbid: ['MINOR->ADULT', 'ADULT -> MINOR'] })
    expect(body.diff.verdict).toBe('different')
    expect(body.diff.regions[0]).toMatchObject({ before: { code: 'ADULT' }, after: { code: 'MINOR' } })
    expect(body.gates).toEqual([
      { gate: 'MINOR->ADULT', verdict: 'proved' },
      { gate: 'ADULT->MINOR', verdict: 'refuted', witness: { input: { age: expect.any(Number) } } },
    ])
  })

  test('compares the stored one with a new one in the body', async () => {
    const { body } = await server.post(`${PATH}/impact`, { ruleset: withBranches(['!(age < 21)']) })
    expect(body.diff.no_new_failure).toBe('proved')
    expect((await server.post(`${PATH}/impact`, { ruleset: withBranches(['age >= 21']) })).body.diff).toMatchObject({
      verdict: 'equivalent',
      regions: [],
    })
  })

  test('a document that does not load is 422 with the places in the body', async () => {
    const { status, body } = await server.post(`${PATH}/impact`, { ruleset: withBranches(['age >= ']) })
    expect([status, body.code]).toEqual([422, 'INVALID_RULESET'])
    expect(body.details).toEqual([
      expect.objectContaining({ path: '/ruleset/steps/check/branches/0/condition', message: expect.any(String) }),
    ])
  })
})

test('why-not names the smallest change', async () => {
  const { body } = await server.post(`${PATH}/why-not`, { input: { age: 20 }, code: 'ADULT' })
  expect(body).toMatchObject({ verdict: 'found', changes: [{ path: 'age', from: 20, to: 21 }], fewest: 'proved' })
  const none = await server.post(`${PATH}/why-not`, { input: { age: 20 }, code: 'ADULT', changeable: ['name'] })
  expect(none.body.verdict).toBe('impossible')
})

describe('replay', () => {
  test('answers each line in order, and sums up', async () => {
    const { status, text, headers } = await replay(
      '{"input": {"age": 19}, "code": "ADULT"}\n\n{"input": {"age": 30}}\nnonsense\n{"input": 3}\n{"input": {"age": 1}, "code": "ADULT"}',
    )
    expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8'])
    expect(linesOf(text)).toEqual([
      {
        line: 1,
        changed: true,
        before: expect.objectContaining({ code: 'ADULT' }),
        after: expect.objectContaining({ code: 'MINOR' }),
      },
      { line: 3, changed: false },
      { line: 4, error: expect.any(String) },
      { line: 5, error: '`input` must be an object' },
      { line: 6, reason: 'the old version does not decide what was recorded' },
      {
        summary: expect.objectContaining({
          total: 3,
          replayed: 2,
          changed: 1,
          share: 0.5,
          transitions: [{ from: 'ADULT', to: 'MINOR', count: 1, examples: [{ age: 19 }] }],
          codes: [
            { code: 'ADULT', before: 2, after: 1 },
            { code: 'MINOR', before: 0, after: 1 },
          ],
        }),
      },
    ])
  })

  test('adds up lines that come in many parts', async () => {
    const { text } = await replay(
      Array.from({ length: 20_000 }, (_, index) => `{"input": {"age": ${index % 40}}}\n`).join(''),
    )
    const all = linesOf(text)
    expect(all.length).toBe(20_001)
    expect(all.at(-1)).toMatchObject({ summary: { total: 20_000, replayed: 20_000, changed: 1500 } })
  })

  test('an empty request gets an empty summary', async () => {
    const { text } = await replay('\n')
    expect(linesOf(text)).toEqual([{ summary: expect.objectContaining({ total: 0, share: 0, interval: [0, 1] }) }])
  })
})

describe('a write', () => {
  const dead = withBranches(['age >= 18', 'age >= 20'], { name: 'dead' })

  test('that is denied stores nothing, and answers the findings', async () => {
    const { status, body } = await server.post('/api/v1/rulesets?analyze=deny', dead)
    expect([status, body.code]).toEqual([422, 'ANALYSIS_FINDINGS'])
    expect(body.error).toContain('`/steps/check/branches/1` shadowed')
    expect(body.findings).toEqual([
      expect.objectContaining({ kind: 'shadowed', by: ['/steps/check/branches/0'], verdict: 'proved' }),
    ])
    expect((await server.request('GET', '/api/v1/rulesets/dead')).status).toBe(404)
  })

  test('that warns is stored with its findings', async () => {
    const { status, body } = await server.post('/api/v1/rulesets?analyze=warn', dead)
    expect([status, body.findings.length]).toEqual([201, 1])
    expect((await server.request('GET', '/api/v1/rulesets/dead')).status).toBe(200)
  })

  test('of clean rules passes, as a dry run too', async () => {
    const { status, body } = await server.post('/api/v1/rulesets?analyze=deny&dry_run=true', adultCheck())
    expect([status, body.findings]).toEqual([200, []])
  })
})

describe('called rulesets are those that are stored', () => {
  /** Decides by the code of another ruleset. */
  const calling = (name: string, called: string, condition: string) => ({
    config: { name, version: '1.0.0', entry_step: 'ask' },
    steps: {
      ask: {
        id: 'ask',
        name: 'ask',
        type: 'action',
        actions: [
          {
            action: 'call_ruleset',
            ruleset_name: called,
            input_mapping: '{"age": age}',
            result_variable: 'found',
          },
        ],
        next_step: 'check',
      },
      check: {
        id: 'check',
        name: 'check',
        type: 'decision',
        branches: [{ condition, next_step: 'yes' }],
        default_next: 'no',
      },
      yes: { id: 'yes', name: 'yes', type: 'terminal', result: { code: 'YES', message: '' } },
      no: { id: 'no', name: 'no', type: 'terminal', result: { code: 'NO', message: '' } },
    },
  })
  const AT = '/api/v1/rulesets/calling'

  beforeAll(async () => {
    await server.post('/api/v1/rulesets', calling('between', 'adult-check', '$found.code == "ADULT"'))
    for (const expected of ['NO', 'YES']) {
      const document = calling('calling', 'between', `$found.code == "${expected}"`)
      await server.post('/api/v1/rulesets', document)
    }
  })

  test('analyze names them with their digests, and executes witnesses with them', async () => {
    const { body } = await server.post(`${AT}/analyze`, { seeds: [{ age: 30 }, { age: 3 }] })
    const list = (await server.request('GET', '/api/v1/rulesets')).body as readonly { name: string; digest: string }[]
    const digestOf = (of: string) => ({ name: of, digest: list.find(({ name }) => name === of)?.digest })
    expect(body.callees).toEqual([digestOf('between'), digestOf('adult-check')])
    const places = body.findings.map(({ place, verdict }: { place: string; verdict: string }) => [place, verdict])
    expect(places).not.toContainEqual(['/steps/check/branches/0', 'unknown'])
  })

  test('impact finds inputs that they decide otherwise, for a stored version and for one in the body', async () => {
    const stored = await server.post(`${AT}/impact`, { seq: 1, seeds: [{ age: 30 }] })
    expect(stored.body.diff.verdict).toBe('different')
    const document = calling('calling', 'adult-check', '$found.code == "MINOR"')
    const sent = await server.post(`${AT}/impact`, { ruleset: document, seeds: [{ age: 30 }] })
    expect(sent.body.diff.regions).toContainEqual(
      expect.objectContaining({
        before: expect.objectContaining({ code: 'YES' }),
        after: expect.objectContaining({ code: 'NO' }),
      }),
    )
  })

  test('why-not finds a change that leads to the code', async () => {
    await server.post('/api/v1/rulesets', calling('limited', 'between', '$found.code == "YES" && limit > 5'))
    const input = { age: 30, limit: 1 }
    const { body } = await server.post('/api/v1/rulesets/limited/why-not', { input, code: 'YES' })
    expect(body).toMatchObject({ verdict: 'found', changes: [{ path: 'limit', from: 1 }] })
  })

  test('replay makes decisions again', async () => {
    const { text } = await replay('{"input": {"age": 30}, "code": "NO"}\n', `${AT}/replay?seq=1`)
    expect(linesOf(text)[0]).toMatchObject({ changed: true, before: { code: 'NO' }, after: { code: 'YES' } })
  })

  test('a write is checked with them', async () => {
    // The message for minors has 16 characters.
    const document = calling('written', 'adult-check', '1 / (len($found.message) - 16) > 0')
    const { status, body } = await server.post('/api/v1/rulesets?analyze=deny&dry_run=true', document)
    expect([status, body.findings]).toEqual([
      422,
      [expect.objectContaining({ kind: 'can_fail', place: '/steps/check/branches/0', verdict: 'refuted' })],
    ])
  })

  test('one that is not stored leaves the claim unknown', async () => {
    await server.post('/api/v1/rulesets', calling('lost', 'nowhere', '$found.code == "ADULT"'))
    const { body } = await server.post('/api/v1/rulesets/lost/analyze', {})
    expect(body.callees).toEqual([])
    expect(body.questions.unknown).toBeGreaterThan(0)
  })
})

test('a long analysis delays no other request, and ends with its sender', async () => {
  // A hard search: every pair of fields is compared.
  const names = Array.from({ length: 24 }, (_, index) => `f${index}`)
  const conditions = names.flatMap((one, index) =>
    names.slice(index + 1).map((other) => `${one} * ${other} > ${one} + 7`),
  )
  await server.post('/api/v1/rulesets', withBranches(conditions, { name: 'hard' }))
  const gone = new AbortController()
  const asked = fetch(`${server.url}/api/v1/rulesets/hard/analyze`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"budget": 60000000}',
    signal: gone.signal,
  }).then(
    () => 'answered',
    () => 'gone',
  )
  for (let count = 0; count < 20; count++) expect((await server.request('GET', '/healthz/live')).status).toBe(200)
  gone.abort()
  expect(['answered', 'gone']).toContain(await asked)
  expect((await server.post(`${PATH}/analyze`, {})).status).toBe(200)
  expect(server.logged.filter((line) => line.startsWith('error'))).toEqual([])
})

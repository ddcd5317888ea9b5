import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseReceiptKeys, type Receipt, reexecute, verifyReceipt } from '@engine/receipts'
import { parseJson } from '@engine/expression'
import type { RulesetDocument } from '@engine/ruleset'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemProgram } from '../programs.testing.ts'
import { startCollector } from '../../packages/process/src/collector.testing.ts'
import { JSON_TYPE, startHost, startServer, type TestServer } from '../http/server.testing.ts'
import { type ReceiptFolder, receiptFolder } from './server.testing.ts'

/* An engine with `--receipts`: its answers, its log, and both verifiers on that log. */

const ROOT = join(import.meta.dirname, '../..')
const adult = (more: object = {}) => ({
  config: { name: 'adult', version: '1.2.0', entry_step: 'start', ...more },
  steps: {
    start: {
      id: 'start',
      type: 'decision',
      branches: [{ condition: 'date_diff(now(), born, "years") >= 18', next_step: 'yes' }],
      default_next: 'no',
    },
    yes: { id: 'yes', type: 'terminal', result: { code: 'ADULT', message: 'welcome', output: [['born', 'born']] } },
    no: { id: 'no', type: 'terminal', result: { code: 'MINOR', message: '' } },
  },
})
/** Calls `adult`, and a service. */
const outer = {
  config: { name: 'outer', entry_step: 'ask' },
  steps: {
    ask: {
      id: 'ask',
      type: 'action',
      actions: [
        { action: 'call_ruleset', ruleset_name: 'adult', input: '{"born": born}', result_variable: 'inner' },
        {
          action: 'external_call',
          service: 'test.rates',
          method: 'get',
          params: [['of', 'born']],
          result_variable: 'rate',
        },
      ],
      next_step: 'end',
    },
    end: {
      id: 'end',
      type: 'terminal',
      result: {
        code: 'DONE',
        message: '',
        output: [
          ['code', '$inner.code'],
          ['rate', '$rate.payload.rate'],
        ],
      },
    },
  },
}
const BORN = { born: '2001-01-01' }

const rates = {
  name: 'test.rates',
  operations: ['get'],
  call: async () => ({ payload: { rate: 1.5 }, metadata: { status: 200 } }),
}

async function startWith(options: readonly string[]): Promise<TestServer> {
  const server = await startHost([rates], ...options)
  for (const document of [adult(), outer]) {
    const { status, text } = await server.post('/api/v1/rulesets', document)
    if (status >= 300) throw new Error(text)
  }
  return server
}

const keysOf = (file: string) => parseReceiptKeys(readFileSync(file, 'utf8'))

/** The entry of a receipt that holds. */
function verified(receipt: unknown, file: string) {
  const { faults, entry, receipt: read } = verifyReceipt(JSON.stringify(receipt), keysOf(file))
  expect(faults).toEqual([])
  if (entry === undefined || read === undefined) throw new Error('no entry')
  return { entry, receipt: read }
}

/** The contents that a server has kept. */
function contentsIn({ directory }: ReceiptFolder) {
  return (digest: string): RulesetDocument | undefined => {
    const parsed = parseJson(readFileSync(join(directory, 'content', `${digest}.json`), 'utf8'), {
      duplicateKeys: 'refuse',
    })
    return parsed.kind === 'parsed' ? (parsed.value as unknown as RulesetDocument) : undefined
  }
}

const executedAgain = (receipt: unknown, folder: ReceiptFolder) => {
  const { entry, receipt: read } = verified(receipt, folder.publicFile)
  return reexecute(entry, read.evidence ?? {}, { engine: entry.engine, content: contentsIn(folder) })
}

/** Verifies all chains of a directory with both verifiers. */
function verifyLogs({ directory }: ReceiptFolder, ...keys: readonly string[]) {
  const engine = ['--no-install', 'engine', 'verify-receipt', '--log', directory, '--json']
  const ours = JSON.parse(
    execFileSync('npx', [...engine, ...keys.flatMap((key) => ['--key', key])], { cwd: ROOT, encoding: 'utf8' }),
  )
  const python = systemProgram('python3')
  const chains = readdirSync(directory).filter((name) => name.startsWith('eu-1.'))
  for (const chain of python === undefined ? [] : chains)
    execFileSync(python, [
      join(ROOT, 'tools/verify_receipt.py'),
      ...keys.flatMap((key) => ['--key', key]),
      '--log',
      join(directory, chain),
    ])
  return ours.logs as { entries: number; checkpoints: number; lost: number; anchor: number | null }[]
}

const RECEIPTS = '/api/v1/receipts'
const pathOf = (instance: string, seq: number) => `${RECEIPTS}/${encodeURIComponent(instance)}/${seq}`

describe('receipts on request', () => {
  const folder = receiptFolder('ask')
  let server: TestServer
  beforeAll(async () => (server = await startWith(folder.options)))
  afterAll(() => server.stop())

  test('a decision is answered with a receipt that holds and can be executed again', async () => {
    const { status, body, headers } = await server.post('/api/v1/execute/adult', { input: BORN, receipt: true })
    expect(status).toBe(200)
    expect(body).toMatchObject({ code: 'ADULT', message: 'welcome', output: BORN })
    const { entry } = verified(body.receipt, folder.publicFile)
    expect(entry).toMatchObject({
      ruleset: { name: 'adult', version: '1.2.0' },
      tenant: 'default',
      result: { code: 'ADULT' },
    })
    expect(headers.get('x-engine-receipt')).toBe(`${entry.instance}#${entry.seq}`)
    expect(await executedAgain(body.receipt, folder)).toEqual({ kind: 'equal' })
  })

  test('a decision that does not ask has no receipt, and no entry', async () => {
    const { body, headers } = await server.post('/api/v1/execute/adult', { input: BORN, receipt: false })
    expect(body.receipt).toBeUndefined()
    expect(headers.get('x-engine-receipt')).toBeNull()
  })

  test('used rulesets and answers of services are in it', async () => {
    const { body } = await server.post('/api/v1/execute/outer', { input: BORN, receipt: true, trace: true })
    expect(body.output).toEqual({ code: 'ADULT', rate: 1.5 })
    const { entry, receipt } = verified(body.receipt, folder.publicFile)
    expect(entry.uses.map(({ name }) => name)).toEqual(['adult'])
    expect(JSON.parse(receipt.evidence?.calls?.[1] ?? '')).toEqual([
      {
        step: 'ask',
        service: 'test.rates',
        method: 'get',
        parameters: { of: BORN.born },
        answer: { payload: { rate: 1.5 }, metadata: { status: 200 } },
      },
    ])
    expect(await executedAgain(body.receipt, folder)).toEqual({ kind: 'equal' })
  })

  test('a failed execution has a receipt in its error', async () => {
    const { status, body } = await server.post('/api/v1/execute/adult', { input: { born: true }, receipt: true })
    expect({ status, code: body.code }).toEqual({ status: 500, code: 'INTERNAL_ERROR' })
    expect(verified(body.receipt, folder.publicFile).entry).toMatchObject({
      error: expect.any(String),
      result: undefined,
    })
    expect(await executedAgain(body.receipt, folder)).toEqual({ kind: 'equal' })
  })

  test('with a report, a receipt as well', async () => {
    const { body, headers } = await server.post(
      '/api/v1/execute/adult',
      { input: BORN, receipt: true },
      { 'x-engine-report': '1' },
    )
    expect(headers.get('x-ruleset-digest')).toBe(verified(body.receipt, folder.publicFile).entry.ruleset.digest)
  })

  test('a batch has one for each result', async () => {
    const { body } = await server.post('/api/v1/execute/adult/batch', {
      inputs: [BORN, { born: '2020-01-01' }, { born: true }, 'nothing'],
      options: { receipt: true },
    })
    const entries = body.results
      .slice(0, 3)
      .map(({ receipt }: { receipt: Receipt }) => verified(receipt, folder.publicFile).entry)
    expect(entries.map((entry: { result?: { code: string } }) => entry.result?.code)).toEqual([
      'ADULT',
      'MINOR',
      undefined,
    ])
    expect(body.results[3]).toMatchObject({ code: 'error' })
    expect(body.results[3].receipt).toBeUndefined()
    expect(new Set(body.results.slice(0, 3).map(({ receipt }: { receipt: Receipt }) => receipt.signature)).size).toBe(1)
  })

  test('lines have one each', async () => {
    const lines = Array.from({ length: 2500 }, (_, index) => JSON.stringify({ born: `${1990 + (index % 30)}-01-01` }))
    const { text } = await server.request('POST', '/api/v1/execute/adult/batch?receipt=true', {
      headers: { 'content-type': 'application/x-ndjson' },
      body: `${lines.join('\n')}\nnothing\n`,
    })
    const answers = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(answers.length).toBe(2501)
    for (const { receipt } of answers.slice(0, 2500)) verified(receipt, folder.publicFile)
    expect(answers.map(({ line }) => line)).toEqual(Array.from({ length: 2501 }, (_, index) => index + 1))
    expect(answers[2500].receipt).toBeUndefined()
  })

  test('requests of one turn share a signature', async () => {
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => server.post('/api/v1/execute/adult', { input: BORN, receipt: true })),
    )
    const receipts = replies.map(({ body }) => verified(body.receipt, folder.publicFile).receipt)
    expect(new Set(receipts.map(({ signature }) => signature)).size).toBeLessThan(50)
    expect(new Set(receipts.map(({ entry }) => JSON.parse(entry).seq)).size).toBe(50)
  })

  test('it can be read again, without evidence that was not kept', async () => {
    const { body } = await server.post('/api/v1/execute/adult', { input: BORN, receipt: true })
    const { evidence: _, ...bare } = body.receipt
    const { entry } = verified(body.receipt, folder.publicFile)
    const again = await server.request('GET', pathOf(entry.instance, entry.seq))
    expect(again.body).toEqual(bare)
  })

  test('witnesses get the latest checkpoint, verifiers the keys', async () => {
    const { body } = await server.post('/api/v1/execute/adult', { input: BORN, receipt: true })
    const { body: heads } = await server.request('GET', `${RECEIPTS}/checkpoint`)
    expect(heads.checkpoints).toHaveLength(1)
    expect(heads.checkpoints[0]).toMatchObject({
      checkpoint: body.receipt.checkpoint,
      signature: body.receipt.signature,
    })
    const { text } = await server.request('GET', `${RECEIPTS}/keys`)
    expect([...parseReceiptKeys(text).keys()]).toEqual([JSON.parse(body.receipt.checkpoint).key])
  })

  test('both verifiers hold the log', () => {
    const [log] = verifyLogs(folder, folder.publicFile)
    expect(log).toMatchObject({ lost: 0, anchor: null })
    expect(log?.entries).toBeGreaterThan(2500)
  })
})

test('salts are in no line of the log, no audit event and no trace', async () => {
  const collector = await startCollector()
  const folder = receiptFolder('all', '--receipts-evidence', 'keep', '--access-log', '--log-level', 'debug')
  const audits = join(folder.folder, 'audits')
  const audited = ['--audit-dir', audits, '--audit-sample-rate', '100', '--audit-include-payload']
  const server = await startWith([...folder.options, ...audited, '--otlp-endpoint', collector.endpoint])
  const salts: string[] = []
  for (const input of [BORN, { born: true }]) {
    const { body } = await server.post('/api/v1/execute/outer', { input, receipt: true, trace: true })
    salts.push(...Object.values(body.receipt.evidence as Record<string, [string, string]>).map(([salt]) => salt))
  }
  await server.stop()
  await collector.close()
  const events = readdirSync(audits).map((name) => readFileSync(join(audits, name), 'utf8'))
  const written = [JSON.stringify([server.logged, server.loggedFields, collector.spans]), ...events].join('\n')
  // Four parts of a decision that called a service, and the input of one that failed.
  expect(salts.length).toBeGreaterThanOrEqual(5)
  expect(collector.spans.length).toBeGreaterThan(0)
  expect(events.join()).toContain(BORN.born)
  for (const salt of salts) expect(written).not.toContain(salt)
})

test('a server that keeps none refuses to be asked', async () => {
  const server = await startWith([])
  const asked = { input: BORN, receipt: true }
  const refused = { status: 400, body: { code: 'RECEIPTS_OFF', error: 'this engine keeps no receipts (--receipts)' } }
  expect(await server.post('/api/v1/execute/adult', asked)).toMatchObject(refused)
  const batch = '/api/v1/execute/adult/batch'
  expect(await server.post(batch, { inputs: [BORN], options: { receipt: true } })).toMatchObject(refused)
  const headers = { 'content-type': 'application/x-ndjson' }
  expect(await server.request('POST', `${batch}?receipt=true`, { headers, body: '{}' })).toMatchObject(refused)
  expect((await server.request('GET', `${RECEIPTS}/keys`)).status).toBe(404)
  await server.stop()
})

describe('receipts of every decision', () => {
  test('each answer names its place; the checkpoint follows', async () => {
    const folder = receiptFolder('all', '--receipts-interval-ms', '60000')
    const server = await startWith(folder.options)
    const { body, headers } = await server.post('/api/v1/execute/adult', { input: BORN })
    expect(body.receipt).toBeUndefined()
    const [instance = '', seq = ''] = headers.get('x-engine-receipt')?.split('#') ?? []
    expect(await server.request('GET', pathOf(instance, Number(seq)))).toMatchObject({
      status: 409,
      body: { code: 'NOT_SIGNED_YET' },
    })
    const failed = await server.post('/api/v1/execute/adult', { input: { born: true } })
    expect(failed.status).toBe(500)
    // A requested receipt does not wait, and signs the entries before it.
    const asked = await server.post('/api/v1/execute/adult', { input: BORN, receipt: true })
    expect(verified(asked.body.receipt, folder.publicFile).entry.seq).toBe(Number(seq) + 2)
    const again = await server.request('GET', pathOf(instance, Number(seq)))
    expect(verified(again.body, folder.publicFile).entry.result?.code).toBe('ADULT')
    await server.post('/api/v1/execute/adult', { input: BORN })
    await server.stop()
    expect(verifyLogs(folder, folder.publicFile)).toMatchObject([{ entries: 4, lost: 0 }])
  })

  test('a restart continues the chain', async () => {
    const folder = receiptFolder('all')
    for (let run = 0; run < 3; run++) {
      const server = await startWith(folder.options)
      await server.post('/api/v1/execute/adult', { input: BORN })
      await server.stop()
    }
    expect(verifyLogs(folder, folder.publicFile)).toMatchObject([{ entries: 3, checkpoints: 3, anchor: null }])
  })
})

test('stored evidence is shown to administrators, and can be erased', async () => {
  const folder = receiptFolder('all', '--receipts-evidence', 'keep', '--receipts-interval-ms', '1')
  const tokens = join(folder.folder, 'tokens')
  const digest = (token: string) => hash('sha256', token)
  writeFileSync(tokens, `reader:read,execute:${digest('r')}\nadmin:read,execute,write,admin:${digest('a')}\n`)
  const server = await startHost([], ...folder.options, '--api-tokens-file', tokens)
  const as = (token: string) => ({ ...JSON_TYPE, authorization: `Bearer ${token}` })
  await server.post('/api/v1/rulesets', adult({ receipt_fields: ['born'] }), as('a'))
  const places: string[] = []
  for (let index = 0; index < 3; index++) {
    const { headers } = await server.post('/api/v1/execute/adult', { input: BORN, receipt: index === 2 }, as('r'))
    const [instance = '', seq = ''] = headers.get('x-engine-receipt')?.split('#') ?? []
    places.push(pathOf(instance, Number(seq)))
  }
  const [first = '', second = ''] = places
  const read = async (path: string, token: string) => (await server.request('GET', path, { headers: as(token) })).body
  expect((await read(first, 'r')).evidence).toBeUndefined()
  expect(await executedAgain(await read(first, 'a'), folder)).toEqual({ kind: 'equal' })
  const erase = (path: string, token: string) => server.request('DELETE', `${path}/evidence`, { headers: as(token) })
  expect((await erase(first, 'r')).status).toBe(403)
  expect((await erase(first, 'a')).status).toBe(204)
  expect((await erase(first, 'a')).status).toBe(404)
  expect(await executedAgain(await read(first, 'a'), folder)).toMatchObject({ kind: 'not-reproducible' })
  expect(await executedAgain(await read(second, 'a'), folder)).toEqual({ kind: 'equal' })
  await server.stop()
  expect(verifyLogs(folder, folder.publicFile)).toMatchObject([{ entries: 3 }])
  const chain = join(folder.directory, readdirSync(folder.directory).find((name) => name.startsWith('eu-1.')) ?? '')
  expect(statSync(join(chain, 'evidence-0.jsonl')).mode & 0o777).toBe(0o600)
})

test('a new key signs from the next checkpoint on', async () => {
  const folder = receiptFolder('ask')
  const server = await startWith(folder.options)
  const first = await server.post('/api/v1/execute/adult', { input: BORN, receipt: true })
  await server.stop()
  const second = folder.rotate('second')
  const again = await startWith(folder.options)
  const { body } = await again.post('/api/v1/execute/adult', { input: BORN, receipt: true })
  verified(first.body.receipt, folder.publicFile)
  verified(body.receipt, second)
  const { text } = await again.request('GET', `${RECEIPTS}/keys`)
  const listed = join(folder.folder, 'keys.json')
  writeFileSync(listed, text)
  verified(first.body.receipt, listed)
  verified(body.receipt, listed)
  await again.stop()
  expect(verifyLogs(folder, listed)).toMatchObject([{ entries: 2 }])
})

test('tenants see only their own receipts', async () => {
  const folder = receiptFolder('ask', '--multi-tenancy-enabled')
  const server = await startServer(...folder.options)
  await server.post('/api/v1/tenants', { id: 'acme', name: 'Acme' })
  const acme = { 'x-tenant-id': 'acme' }
  await server.post('/api/v1/rulesets', adult(), acme)
  const { body } = await server.post('/api/v1/execute/adult', { input: BORN, receipt: true }, acme)
  const { entry } = verified(body.receipt, folder.publicFile)
  expect(entry.tenant).toBe('acme')
  const path = pathOf(entry.instance, entry.seq)
  expect((await server.request('GET', path, { headers: acme })).status).toBe(200)
  expect((await server.request('GET', path)).status).toBe(404)
  await server.stop()
})

describe('receipts that are not there', () => {
  const folder = receiptFolder('ask')
  let server: TestServer
  beforeAll(async () => (server = await startWith(folder.options)))
  afterAll(() => server.stop())
  const some = 'eu-1/01990000-0000-7000-8000-000000000000'
  test.each([
    ['another instance', pathOf(some, 0), 404, 'NOT_FOUND'],
    ['a path out of the directory', pathOf('../../etc/passwd', 0), 404, 'NOT_FOUND'],
    ['a number that is none', `${RECEIPTS}/${encodeURIComponent(some)}/first`, 400, 'BAD_REQUEST'],
    ['a negative number', pathOf(some, -1), 400, 'BAD_REQUEST'],
    ['a number beyond 2^53', `${RECEIPTS}/${encodeURIComponent(some)}/9007199254740993`, 400, 'BAD_REQUEST'],
    ['an unknown parameter', `${pathOf(some, 0)}?evidence=true`, 400, 'BAD_REQUEST'],
  ])('%s', async (_, path, status, code) => {
    expect(await server.request('GET', path)).toMatchObject({ status, body: { code } })
  })
})

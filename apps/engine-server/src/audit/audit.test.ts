import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Audit, type AuditOptions, openAudit } from './audit.ts'
import type { Events } from '../services/events.ts'
import { tenantOf } from '../tenants/tenant.ts'
import { memoryLog } from '../../../../packages/process/src/log.testing.ts'

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'engine-audit-'))
})

afterEach(() => rm(directory, { recursive: true, force: true }))

const NOON = Date.UTC(2026, 10, 20, 12)

async function opened(options: Partial<AuditOptions> = {}) {
  const { log, lines } = memoryLog()
  const lost: number[] = []
  const audit = await openAudit({
    directory,
    sampleRate: 100,
    includePayload: false,
    instanceId: 'one',
    log,
    lost: (count) => lost.push(count),
    now: () => NOON,
    ...options,
  })
  return { audit, lost, logged: lines }
}

type Execution = Parameters<Events['executed']>[0]

const EXECUTION: Execution = {
  name: 'tax',
  version: '1.2.0',
  seconds: 0.000_123_4,
  code: 'OK',
  error: undefined,
  violations: 0,
  traceId: undefined,
  input: { secret: 1 },
  output: { rate: 19 },
}

/** An input that an enforced contract refused. */
const REFUSED = {
  code: undefined,
  output: undefined,
  error: 'the input breaks the contract tax 1.0.0 in 101 places',
  refused: Array.from({ length: 101 }, (_, index) => ({
    path: `/input/a${index}`,
    rule: 'enum' as const,
    expected: 'one of 1',
    found: '"secret"',
  })),
}

async function written(file = 'audit-2026-11-20.jsonl'): Promise<readonly Record<string, unknown>[]> {
  const text = await readFile(join(directory, file), 'utf8')
  expect(text).toMatch(/\n$/)
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

describe('an event', () => {
  const stamped = { timestamp: '2026-11-20T12:00:00.000Z', instance_id: 'one' }
  test.each<[event: string, say: (audit: Audit) => unknown, fields: object]>([
    [
      'rule_created',
      (audit) => audit.forTenant(undefined).created({ name: 'a', version: '1' }),
      { rule_name: 'a', version: '1' },
    ],
    [
      'rule_updated',
      (audit) => audit.forTenant(undefined).updated({ name: 'a', from: '1', to: '2' }),
      { rule_name: 'a', from_version: '1', to_version: '2' },
    ],
    [
      'rule_deleted',
      (audit) => audit.forTenant(undefined).deleted({ name: 'a', version: '2' }),
      { rule_name: 'a', version: '2' },
    ],
    [
      'rule_rollback',
      (audit) => audit.forTenant(undefined).rolledBack({ name: 'a', from: '2', to: '1', seq: 1 }),
      { rule_name: 'a', from_version: '2', to_version: '1', seq: 1 },
    ],
    ['config_changed', (audit) => audit.sampleRate.set(7), { setting: 'audit_sample_rate', from: 100, to: 7 }],
    ['server_started', (audit) => audit.serverStarted(), {}],
    ['server_stopped', (audit) => audit.serverStopped(), {}],
    [
      'rule_executed',
      (audit) => audit.forTenant(undefined).executed(EXECUTION),
      { tenant_id: 'default', rule_name: 'tax', version: '1.2.0', code: 'OK', duration_us: 123 },
    ],
    [
      'rule_executed',
      (audit) =>
        audit
          .forTenant(undefined)
          .executed({ ...EXECUTION, code: undefined, output: undefined, error: 'step `a`: no branch' }),
      { tenant_id: 'default', rule_name: 'tax', version: '1.2.0', duration_us: 123, error: 'step `a`: no branch' },
    ],
    [
      'rule_executed',
      (audit) => audit.forTenant(undefined).executed({ ...EXECUTION, ...REFUSED }),
      {
        tenant_id: 'default',
        rule_name: 'tax',
        version: '1.2.0',
        duration_us: 123,
        error: 'the input breaks the contract tax 1.0.0 in 101 places',
        outcome: 'refused',
        violations: Array.from({ length: 100 }, (_, index) => ({ path: `/input/a${index}`, code: 'enum' })),
      },
    ],
  ])('%s is a line of its own', async (event, say, fields) => {
    const { audit } = await opened()
    await say(audit)
    await audit.close()
    expect(await written()).toEqual([{ event, ...stamped, ...fields }])
  })

  const A = tenantOf('a', { qps_limit: 5 })
  const { id: _, ...settings } = A
  const ADA = { token: 'ada', address: '::1', requestId: 'r' }
  const byAda = { origin: 'api', token: 'ada', address: '::1', request_id: 'r' }
  test.each<[event: string, say: (audit: Audit) => Promise<void>, fields: object]>([
    ['tenant_created', ({ tenants }) => tenants.created(A, ADA), { settings, ...byAda }],
    ['tenant_created', ({ tenants }) => tenants.created(A, 'file'), { settings, origin: 'file' }],
    [
      'tenant_updated',
      ({ tenants }) => tenants.updated(A, tenantOf('a', { qps_limit: 6, enabled: false }), ADA),
      { from: { enabled: true, qps_limit: 5 }, to: { enabled: false, qps_limit: 6 }, ...byAda },
    ],
    ['tenant_deleted', ({ tenants }) => tenants.deleted('a', 'sync'), { origin: 'sync' }],
    [
      'tenant_deleted',
      ({ tenants }) => tenants.deleted('a', { address: '::1', requestId: 'r', token: undefined }),
      { origin: 'api', address: '::1', request_id: 'r' },
    ],
  ])('%s names the tenant and who changed it', async (event, say, fields) => {
    const { audit } = await opened()
    await say(audit)
    await audit.close()
    expect(await written()).toEqual([{ event, ...stamped, tenant_id: 'a', ...fields }])
  })

  test('of a tenant goes to its own folder', async () => {
    const { audit } = await opened()
    await audit.forTenant('a').created({ name: 'tax', version: '1' }, ADA)
    audit.forTenant('a').executed(EXECUTION)
    await audit.close()
    expect(await written(join('a', 'audit-2026-11-20.jsonl'))).toMatchObject([
      { event: 'rule_created', tenant_id: 'a', token: 'ada' },
      { event: 'rule_executed', tenant_id: 'a' },
    ])
  })

  test('shortens texts of a sender to 300 characters', async () => {
    const { audit } = await opened()
    const [fits, long] = ['x'.repeat(300), 'x'.repeat(301)]
    audit.changeRefused({ method: 'PUT', path: long, status: 403, reason: fits, tenant: long }, ADA)
    audit.forTenant(undefined).signatureRejected({ name: long, origin: 'api', reason: 'no signature' }, ADA)
    await audit.close()
    expect(await written()).toMatchObject([
      { event: 'change_refused', path: `${fits}…`, reason: fits, tenant_id: `${fits}…` },
      { event: 'signature_rejected', rule_name: `${fits}…`, reason: 'no signature', token: 'ada' },
    ])
  })

  test('holds input and output only with the option', async () => {
    const { audit } = await opened({ includePayload: true })
    audit.forTenant(undefined).executed(EXECUTION)
    audit.forTenant(undefined).executed({ ...EXECUTION, output: undefined })
    await audit.close()
    expect((await written()).map(({ input, output }) => [input, output])).toEqual([
      [{ secret: 1 }, { rate: 19 }],
      [{ secret: 1 }, undefined],
    ])
  })

  test.each(['a\nb', '\r\n{"event":"forged"}', '\u2028', '\u0000\u001B[31m', '"}', '\uD800'])(
    'stays one line whatever characters a name has: %j',
    async (name) => {
      const { audit } = await opened()
      void audit.forTenant(undefined).created({ name, version: '1' })
      await audit.close()
      expect(await written()).toMatchObject([{ event: 'rule_created', rule_name: name }])
    },
  )
})

test('events go to the file of their day in order, readable by the owner only', async () => {
  let now = Date.UTC(2026, 10, 20, 23, 59, 59, 999)
  const { audit } = await opened({ now: () => now })
  void audit.forTenant(undefined).created({ name: 'a', version: '1' })
  void audit.forTenant(undefined).created({ name: 'b', version: '1' })
  now++
  void audit.forTenant(undefined).created({ name: 'c', version: '1' })
  await audit.close()
  expect((await written()).map((line) => line['rule_name'])).toEqual(['a', 'b'])
  expect((await written('audit-2026-11-21.jsonl')).map((line) => line['rule_name'])).toEqual(['c'])
  expect((await stat(join(directory, 'audit-2026-11-21.jsonl'))).mode & 0o007).toBe(0)
})

test('lines are flushed soon, many per write', async () => {
  const texts: string[] = []
  const { audit } = await opened({ append: async (_path, text) => void texts.push(text) })
  for (let count = 0; count < 1000; count++) audit.forTenant(undefined).executed(EXECUTION)
  expect(texts).toEqual([])
  await expect.poll(() => texts.map((text) => text.split('\n').length - 1)).toEqual([1000])
  await audit.close()
})

describe('sampling', () => {
  test.each<[rate: number, least: number, most: number]>([
    [0, 0, 0],
    [10, 700, 1300],
    [100, 10_000, 10_000],
  ])('%i percent of executions', async (sampleRate, least, most) => {
    const { audit } = await opened({ sampleRate })
    audit.serverStarted()
    for (let count = 0; count < 10_000; count++) audit.forTenant(undefined).executed(EXECUTION)
    await audit.close()
    const executions = (await written()).length - 1
    expect(executions).toBeGreaterThanOrEqual(least)
    expect(executions).toBeLessThanOrEqual(most)
  })

  test('takes effect immediately, and does not affect changes of rulesets', async () => {
    const { audit } = await opened({ sampleRate: 0 })
    audit.forTenant(undefined).executed(EXECUTION)
    expect(await audit.sampleRate.set(100)).toBe(0)
    expect(audit.sampleRate.get()).toBe(100)
    audit.forTenant(undefined).executed(EXECUTION)
    expect(await audit.sampleRate.set(0)).toBe(100)
    audit.forTenant(undefined).executed(EXECUTION)
    void audit.forTenant(undefined).deleted({ name: 'a', version: '1' })
    await audit.close()
    expect((await written()).map(({ event }) => event)).toEqual([
      'config_changed',
      'rule_executed',
      'config_changed',
      'rule_deleted',
    ])
  })
})

test('the rate stays while an earlier change is not written: nothing changes without its event', async () => {
  const append = async () => {
    throw new Error('ENOSPC')
  }
  const { audit } = await opened({ append })
  await expect(audit.forTenant(undefined).deleted({ name: 'a', version: '1' })).rejects.toThrow('not written yet')
  await expect(audit.sampleRate.set(5)).rejects.toThrow('nothing was changed')
  expect(audit.sampleRate.get()).toBe(100)
  await audit.close()
})

test('refused changes have twenty lines a second, and the next line has the number of the others', async () => {
  let now = NOON
  const { audit } = await opened({ now: () => now })
  const refuse = (count: number) => {
    for (let done = 0; done < count; done++)
      audit.changeRefused(
        { method: 'PUT', path: '/x', status: 403, reason: 'no', tenant: undefined },
        { token: 't', address: '::1', requestId: 'r' },
      )
  }
  refuse(23)
  now += 1000
  refuse(2)
  await audit.close()
  const lines = await written()
  const line = { event: 'change_refused', method: 'PUT', path: '/x', status: 403, reason: 'no' }
  expect(lines[0]).toMatchObject({ ...line, token: 't', address: '::1', request_id: 'r' })
  expect(lines.map(({ refused_without_line: unlisted }) => unlisted)).toEqual([
    ...Array.from({ length: 20 }, () => undefined),
    3,
    undefined,
  ])
})

test('without a directory nothing is written, and the rate can still be changed', async () => {
  const { audit } = await opened({ directory: undefined })
  audit.serverStarted()
  audit.forTenant(undefined).executed(EXECUTION)
  expect([await audit.sampleRate.set(5), audit.sampleRate.get(), audit.dropped]).toEqual([100, 5, 0])
  await audit.close()
  expect(await readdir(directory)).toEqual([])
})

describe('an unwritable event', () => {
  test('is counted, logged once, and later events are written', async () => {
    let isFull = true
    const kept: string[] = []
    const append = async (_path: string, text: string) => {
      if (isFull) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
      kept.push(text)
    }
    const { audit, lost, logged } = await opened({ append })
    expect(await audit.fault()).toBeUndefined()
    for (let batch = 0; batch < 2; batch++) {
      for (let count = 0; count < 3; count++) audit.forTenant(undefined).executed(EXECUTION)
      await expect.poll(() => lost.length).toBe(batch + 1)
    }
    expect([audit.dropped, lost]).toEqual([6, [3, 3]])
    expect(await audit.fault()).toBe('the disk that holds the audit directory is full')
    isFull = false
    void audit.forTenant(undefined).deleted({ name: 'a', version: '1' })
    await audit.close()
    expect([audit.dropped, kept.length]).toEqual([6, 1])
    expect(logged.map(([level, , message]) => [level, message])).toEqual([
      ['error', 'audit events cannot be written; decisions continue'],
      ['info', 'audit events are written again'],
    ])
  })

  test('does not take more than 32 MiB of memory while a disk hangs', async () => {
    let open: () => void = () => undefined
    const gate = new Promise<void>((resolve) => (open = resolve))
    let characters = 0
    const append = async (_path: string, text: string) => {
      await gate
      characters += text.length
    }
    const { audit, lost } = await opened({ append, includePayload: true })
    const input = { text: 'x'.repeat(1024 * 1024) }
    for (let count = 0; count < 40; count++) audit.forTenant(undefined).executed({ ...EXECUTION, input })
    expect(audit.dropped).toBe(9)
    expect(lost.length).toBe(9)
    open()
    await audit.close()
    expect(characters).toBeGreaterThan(31 * 1024 * 1024)
    expect(characters).toBeLessThanOrEqual(32 * 1024 * 1024)
    // The room is free again.
    audit.forTenant(undefined).executed({ ...EXECUTION, input })
    await audit.close()
    expect(audit.dropped).toBe(9)
  })
})

test('a half-written line of a killed process does not corrupt the next one', async () => {
  await writeFile(join(directory, 'audit-2026-11-20.jsonl'), '{"event":"a"}\n{"event":"rule_exe')
  const { audit } = await opened()
  audit.serverStarted()
  await audit.close()
  const lines = (await readFile(join(directory, 'audit-2026-11-20.jsonl'), 'utf8')).split('\n')
  expect(lines.slice(0, 2)).toEqual(['{"event":"a"}', '{"event":"rule_exe'])
  expect(JSON.parse(lines[2] ?? '')).toMatchObject({ event: 'server_started' })
})

test.runIf(process.getuid?.() === 0)('on a real full disk (tmpfs) every stored line is complete', async () => {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', directory])
  try {
    const { audit } = await opened()
    audit.serverStarted()
    await new Promise((resolve) => setTimeout(resolve, 300))
    for (let count = 0; count < 2000; count++) audit.forTenant(undefined).executed(EXECUTION)
    await audit.close()
    expect(audit.dropped).toBe(2000)
    expect((await written()).map(({ event }) => event)).toEqual(['server_started'])
    audit.serverStopped()
    await audit.close()
    expect((await written()).map(({ event }) => event)).toEqual(['server_started', 'server_stopped'])
  } finally {
    execFileSync('umount', [directory])
  }
})

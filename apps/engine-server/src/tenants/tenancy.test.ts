import type { Tenant } from '@engine/api'
import { describe, expect, test } from 'vitest'
import type { TenantAudit } from './tenancy.ts'
import { EngineError } from '../errors.ts'
import type { Requester } from '../requester.ts'
import type { Services } from '../services/services.ts'
import { StoreError } from '../store/store.ts'
import { memoryLog } from '../../../../packages/process/src/log.testing.ts'
import { type ChangeGate, createChangeGate } from '../services/change-gate.ts'
import { createTenancy, type TenancyParts } from './tenancy.ts'
import { parseTenants, TenantsFileError } from './tenant.ts'
import type { TenantsFile } from './tenants-file.ts'
import type { Workspace } from './workspace.ts'

const ADA: Requester = { token: 'ada', address: '127.0.0.1', requestId: 'r-1' }

/** A tenancy over a file and folders in memory. */
async function opened({ text, ...parts }: Partial<TenancyParts> & { readonly text?: string } = {}) {
  const { log, lines } = memoryLog()
  const state = { text, full: false, look: () => {}, sizes: new Map<string, number>() }
  const done: string[] = []
  const file: TenantsFile = {
    read: async () => state.text,
    write: async (now) => {
      done.push('write')
      if (state.full) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
      state.text = now
    },
    watch: (changed) => void (state.look = changed),
    close: () => {},
  }
  const gates = new Map<string, ChangeGate>()
  const open = async ({ id }: Tenant): Promise<Workspace> => {
    const changes = createChangeGate()
    gates.set(id, changes)
    return {
      tenant: id,
      catalog: {
        get size() {
          return state.sizes.get(id) ?? 0
        },
      },
      services: {} as Services,
      pause: () => changes.close(),
      resume: () => changes.open(),
      configure: () => {},
      close: async () => void done.push(`close ${id}`),
    } as unknown as Workspace
  }
  const told = async (event: string) => void done.push(event)
  const audit: TenantAudit = {
    auditable: async () => {},
    created: ({ id }, by) => told(`created ${id} by ${nameOf(by)}`),
    updated: (_before, { id }, by) => told(`updated ${id} by ${nameOf(by)}`),
    deleted: (id, by) => told(`deleted ${id} by ${nameOf(by)}`),
  }
  const moveToDeleted = async (id: string) => {
    done.push(`aside ${id}`)
    return async () => void done.push(`back ${id}`)
  }
  const tenancy = await createTenancy({ file, open, moveToDeleted, limited: () => {}, audit, log, ...parts })
  const ids = () => tenancy.tenants.list().map(({ id }) => id)
  /** As when the file may have changed; resolves when that was looked at. */
  const look = async () => {
    state.look()
    await expect(tenancy.replicate('no tenants')).rejects.toThrow(TenantsFileError)
  }
  return { tenancy, state, done, ids, look, gates, logged: lines }
}

const nameOf = (by: Requester | 'file' | 'sync') => (typeof by === 'string' ? by : by.token)

test('a workspace is closed again when the file of its tenant is not written', async () => {
  const { tenancy, state, done, ids } = await opened()
  state.full = true
  await expect(tenancy.tenants.create('b', {}, ADA)).rejects.toThrow('tenants.json was not written')
  expect([done, ids()]).toEqual([['aside b', 'write', 'close b', 'back b'], ['default']])
})

describe('limits', () => {
  test('a change of another setting does not refill the requests of a tenant', async () => {
    const { tenancy } = await opened({ text: '{"a": {"qps_limit": 1}}' })
    tenancy.services('a')
    for (const change of [
      () => tenancy.tenants.create('b', {}, ADA),
      () => tenancy.tenants.replace('a', { qps_limit: 1, name: 'A' }, ADA),
    ]) {
      await change()
      expect(() => tenancy.services('a')).toThrow('the tenant `a` is limited to 1 requests per second')
    }
    await tenancy.tenants.replace('a', { qps_limit: 2 }, ADA)
    tenancy.services('a')
  })

  test('each of several processes grants its share', async () => {
    const { tenancy } = await opened({ text: '{"a": {"qps_limit": 40}}', share: 1 / 4 })
    let granted = 0
    const ask = () => {
      for (;;) {
        tenancy.services('a')
        granted++
      }
    }
    expect(ask).toThrow(EngineError)
    expect(granted).toBeGreaterThanOrEqual(10)
    expect(granted).toBeLessThan(20)
  })
})

describe('a missing tenants.json', () => {
  test('changes nothing: it is logged once, and the next change writes all tenants', async () => {
    const { tenancy, state, ids, look, logged } = await opened({ text: '{"a": {}, "b": {}}' })
    state.text = undefined
    for (let count = 0; count < 3; count++) await look()
    expect(ids()).toEqual(['a', 'b', 'default'])
    expect(logged.map(([level, , message]) => [level, message])).toEqual([
      ['warn', 'tenants.json is missing: the tenants are unchanged, and the next change of a tenant writes the file'],
    ])
    await tenancy.tenants.create('c', {}, ADA)
    expect([...parseTenants(state.text ?? '').keys()]).toEqual(['a', 'b', 'c'])
  })

  test('that comes back is read again', async () => {
    const { state, ids, look, logged } = await opened({ text: '{"a": {}}' })
    state.text = undefined
    await look()
    state.text = '{"b": {}}'
    await look()
    expect(ids()).toEqual(['b', 'default'])
    expect(logged.map(([, , message]) => message)).toContain('tenants.json exists again')
  })

  test('at start logs that there are no tenants yet', async () => {
    const { ids, logged } = await opened()
    expect([ids(), logged]).toEqual([['default'], []])
  })
})

describe('a change by request', () => {
  test('keeps manual edits of the file made meanwhile', async () => {
    const { tenancy, state } = await opened({ text: '{"a": {}}' })
    state.text = '{"a": {}, "by-hand": {"max_rulesets": 3}}'
    await tenancy.tenants.create('b', {}, ADA)
    expect([...parseTenants(state.text).keys()]).toEqual(['a', 'by-hand', 'b'])
  })

  test('is not made while the file has mistakes: they would be lost', async () => {
    const { tenancy, state, done } = await opened({ text: '{"a": {}}' })
    state.text = '{"a": {"qps_limt": 5}}'
    await expect(tenancy.tenants.create('b', {}, ADA)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('`a` /qps_limt is not known'),
    })
    expect([state.text, done]).toEqual(['{"a": {"qps_limt": 5}}', []])
  })

  test('is not made when other instances cannot be notified', async () => {
    const subscriber = {
      accept: () => {
        throw new StoreError('too-large', 'tenants.json has 2 bytes as an event, and the broker takes 1')
      },
      changed: async () => {},
    }
    const { tenancy, ids, done } = await opened({ subscribers: [subscriber] })
    await expect(tenancy.tenants.create('a', {}, ADA)).rejects.toMatchObject({ code: 'payload-too-large' })
    expect([ids(), done]).toEqual([['default'], []])
  })

  test('that would make the file larger than a start reads is not made', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 64 }, (_, index) => [`k${index}`, '\u0001'.repeat(1024)]))
    const many = Object.fromEntries(Array.from({ length: 42 }, (_, index) => [`t${index}`, { metadata }]))
    const { tenancy, state, done } = await opened({ text: JSON.stringify(many) })
    const before = state.text
    await expect(tenancy.tenants.create('more', { metadata }, ADA)).rejects.toMatchObject({
      code: 'payload-too-large',
      message: expect.stringContaining('16777216 is the limit for all tenants together'),
    })
    expect([state.text === before, done]).toEqual([true, []])
  })

  test('that cannot be written changes nothing, and gives the reason', async () => {
    const { tenancy, state, ids, done, gates } = await opened({ text: '{"a": {}}' })
    state.full = true
    for (const change of [
      () => tenancy.tenants.delete('a', ADA),
      () => tenancy.tenants.replace('a', { enabled: false }, ADA),
    ])
      await expect(change()).rejects.toMatchObject({
        code: 'storage-failed',
        message: 'tenants.json was not written: the disk that holds the rules directory is full',
      })
    expect(ids()).toEqual(['a', 'default'])
    expect(done.filter((step) => !step.startsWith('write'))).toEqual(['aside a', 'back a'])
    await expect(gates.get('a')?.run(async () => 'open again')).resolves.toBe('open again')
  })

  test('is audited with its sender, before it is acknowledged', async () => {
    const { tenancy, done } = await opened()
    await tenancy.tenants.create('a', {}, ADA)
    await tenancy.tenants.replace('a', { name: 'A' }, ADA)
    await tenancy.tenants.replace('default', { name: 'D' }, ADA)
    await tenancy.tenants.delete('a', ADA)
    expect(done.filter((step) => step.includes(' by '))).toEqual([
      'created a by ada',
      'updated a by ada',
      'updated default by ada',
      'deleted a by ada',
    ])
  })
})

describe('a deletion', () => {
  test('waits for changes under way, and refuses later ones', async () => {
    const { tenancy, gates, state, ids } = await opened({ text: '{"a": {}}' })
    const changes = gates.get('a') as ChangeGate
    let finish = () => {}
    const underWay = changes.run(() => new Promise<void>((resolve) => (finish = resolve)))
    const deletion = tenancy.tenants.delete('a', ADA)
    await expect.poll(() => changes.run(async () => 'late').catch((error: EngineError) => error.code)).toBe('conflict')
    state.sizes.set('a', 1)
    finish()
    await underWay
    await expect(deletion).rejects.toMatchObject({
      code: 'conflict',
      message: 'the tenant `a` still has 1 rulesets: delete them first',
    })
    expect(ids()).toEqual(['a', 'default'])
    await expect(changes.run(async () => 'open again')).resolves.toBe('open again')
  })

  test.each<[what: string, size: number, steps: readonly string[]]>([
    ['moves the files of a tenant that is empty aside', 0, ['aside a', 'write', 'close a', 'deleted a by sync']],
    ['leaves the files of a tenant that has rulesets: it may come back', 2, ['write', 'close a', 'deleted a by sync']],
  ])('elsewhere %s', async (_what, size, steps) => {
    const { tenancy, state, done } = await opened({ text: '{"a": {}}' })
    state.sizes.set('a', size)
    expect(await tenancy.replicate('{}')).toBe('applied')
    expect(done).toEqual(steps)
  })

  test('by hand leaves the files where they are', async () => {
    const { state, done, look } = await opened({ text: '{"a": {}}' })
    state.text = '{}'
    await look()
    expect(done).toEqual(['close a', 'deleted a by file'])
  })
})

test('an unwritable audit delays neither the file nor changes from other instances', async () => {
  const refused = async () => {
    throw new EngineError('storage-failed', 'the audit directory is full')
  }
  const audit = { auditable: refused, created: refused, updated: refused, deleted: refused }
  const { tenancy, state, ids, look } = await opened({ text: '{"a": {}}', audit })
  state.text = '{"b": {}}'
  await look()
  expect(ids()).toEqual(['b', 'default'])
  expect(await tenancy.replicate('{"c": {}}')).toBe('applied')
  expect(ids()).toEqual(['c', 'default'])
  await expect(tenancy.tenants.create('d', {}, ADA)).rejects.toThrow('the audit directory is full')
  expect(ids()).toEqual(['c', 'default'])
})

test('settings of a newer instance are applied without the unknown ones', async () => {
  const { tenancy } = await opened()
  expect(await tenancy.replicate('{"a": {"max_rulesets": 3, "colour": "red"}}')).toBe('applied')
  expect(tenancy.tenants.get('a')).toMatchObject({ max_rulesets: 3 })
  expect(tenancy.tenants.get('a')).not.toHaveProperty('colour')
  await expect(tenancy.replicate('{"../a": {}}')).rejects.toThrow(TenantsFileError)
})

describe('a change from another instance', () => {
  test.each<[title: string, before: string, text: string, outcome: 'applied' | 'unchanged']>([
    ['with the same tenants is none', '{"a": {}}', '', 'unchanged'],
    ['with another setting is applied', '{"a": {}}', '{"a": {"qps_limit": 5}}', 'applied'],
    ['without tenants is applied', '{"a": {}}', '{}', 'applied'],
  ])('%s', async (_title, before, text, outcome) => {
    const { tenancy, done } = await opened({ text: before })
    expect(await tenancy.replicate(text === '' ? tenancy.text() : text)).toBe(outcome)
    expect(done.includes('write')).toBe(outcome === 'applied')
  })

  test('leaves the files of the default tenant where they are', async () => {
    const { tenancy, done, ids } = await opened({ text: '{"default": {"name": "D"}, "a": {}}' })
    await tenancy.replicate('{}')
    expect([ids(), done.filter((step) => step.startsWith('aside'))]).toEqual([['default'], ['aside a']])
  })

  test('is told to subscribers as theirs, and one by request or by hand as what it is', async () => {
    const told: string[] = []
    const subscriber = {
      accept: (_text: string, origin: string) => void told.push(`accept ${origin}`),
      changed: async ({ list }: { readonly list: readonly Tenant[] }, origin: string) =>
        void told.push(
          `${origin}: ${list
            .map(({ id }) => id)
            .toSorted()
            .join(' ')}`,
        ),
    }
    const { tenancy, state, look } = await opened({ text: '{"a": {}}', subscribers: [subscriber] })
    await tenancy.replicate('{"b": {}}')
    await tenancy.tenants.create('c', {}, ADA)
    state.text = '{"d": {}}'
    await look()
    expect(told).toEqual([
      'start: a default',
      'accept sync',
      'sync: b default',
      'accept api',
      'api: b c default',
      'accept file',
      'file: d default',
    ])
  })

  test('that a subscriber refuses is not made', async () => {
    const accept = () => {
      throw new StoreError('conflict', 'another change is newer')
    }
    const { tenancy, ids } = await opened({ text: '{"a": {}}', subscribers: [{ accept, changed: async () => {} }] })
    await expect(tenancy.replicate('{}')).rejects.toMatchObject({
      code: 'conflict',
      message: 'another change is newer',
    })
    expect(ids()).toEqual(['a', 'default'])
  })
})

describe('the id of a new tenant', () => {
  test.each<[title: string, id: string, code: string]>([
    ['exists', 'a', 'conflict'],
    ['differs only by case', 'A', 'conflict'],
    ['is that of the default tenant in another case', 'Default', 'conflict'],
    ['is no id', '../a', 'invalid-request'],
  ])('that %s is refused', async (_title, id, code) => {
    const { tenancy, ids, done } = await opened({ text: '{"a": {}}' })
    await expect(tenancy.tenants.create(id, {}, ADA)).rejects.toMatchObject({ code })
    expect([ids(), done]).toEqual([['a', 'default'], []])
  })

  test('may be that of the default tenant once, whose files stay', async () => {
    const { tenancy, done } = await opened()
    expect(await tenancy.tenants.create('default', { qps_limit: 5 }, ADA)).toMatchObject({ qps_limit: 5 })
    expect(done).toEqual(['write', 'updated default by ada'])
    await expect(tenancy.tenants.create('default', {}, ADA)).rejects.toMatchObject({ code: 'conflict' })
    await expect(tenancy.tenants.delete('default', ADA)).rejects.toMatchObject({ code: 'conflict' })
  })
})

test('a tenant that is disabled, unknown or beyond its rate is refused, and only the last one is counted', async () => {
  const limited: string[] = []
  const { tenancy } = await opened({
    text: '{"off": {"enabled": false}, "slow": {"qps_limit": 1}}',
    limited: (id) => void limited.push(id),
  })
  const refusal = (id: string) => {
    try {
      tenancy.services(id)
      return undefined
    } catch (error) {
      return error
    }
  }
  expect(refusal('off')).toMatchObject({ code: 'forbidden', message: 'the tenant `off` is disabled' })
  expect(refusal('Slow')).toMatchObject({ code: 'forbidden', message: 'the tenant `Slow` is unknown' })
  expect([refusal('slow'), refusal('slow')]).toEqual([
    undefined,
    expect.objectContaining({ code: 'too-many-requests', retryAfterSeconds: 1 }),
  ])
  expect(limited).toEqual(['slow'])
})

test('a close waits for the change under way, and closes every workspace', async () => {
  const { tenancy, done } = await opened({ text: '{"a": {}}' })
  const change = tenancy.tenants.create('b', {}, ADA)
  await tenancy.close()
  expect(done.filter((step) => step.startsWith('close') || step === 'write').toSorted()).toEqual([
    'close a',
    'close b',
    'close default',
    'write',
  ])
  await change
})

test('the workspace of a tenant is found by its id alone, whatever its limits are', async () => {
  const { tenancy } = await opened({ text: '{"off": {"enabled": false, "qps_limit": 1}}' })
  expect([tenancy.workspace('off')?.tenant, tenancy.workspace('gone'), tenancy.workspace('OFF')]).toEqual([
    'off',
    undefined,
    undefined,
  ])
  expect(
    Array.from(tenancy.workspaces(), ({ tenant }) => tenant ?? '').toSorted((left, right) => (left < right ? -1 : 1)),
  ).toEqual(['default', 'off'])
})

test('the tenants of another process are followed, without a file and an audit of them', async () => {
  const { tenancy, done, ids, state } = await opened({ text: '{"a": {}}' })
  await tenancy.follow([...parseTenants('{"b": {"qps_limit": 5}}').values()])
  expect([ids(), done, state.text]).toEqual([['b', 'default'], ['close a'], '{"a": {}}'])
  expect(tenancy.tenants.get('b')).toMatchObject({ qps_limit: 5, rules_count: 0 })
})

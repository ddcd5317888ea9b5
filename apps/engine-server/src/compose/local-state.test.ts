import { describe, expect, test } from 'vitest'
import { EngineError } from '../errors.ts'
import { DEFAULT_TENANT } from '../store/tenant-id.ts'
import type { SyncEvent } from '../sync/event.ts'
import type { Tenancy } from '../tenants/tenancy.ts'
import { TenantsFileError } from '../tenants/tenant.ts'
import type { Workspace } from '../tenants/workspace.ts'
import { localStateOf } from './local-state.ts'

/** A workspace with rulesets of these names, and the changes made in it. */
function workspaceOf(tenant: string | undefined, names: readonly string[], isNew = false) {
  const done: unknown[] = []
  const service = (way: string) => ({
    put: async (event: { name: string }, meetsPrecondition?: () => boolean) => {
      done.push([way, 'put', event.name, meetsPrecondition?.()])
      return { kind: 'applied' }
    },
    delete: async (name: string) => {
      done.push([way, 'delete', name])
      return { kind: 'unchanged' }
    },
  })
  const workspace = {
    tenant,
    catalog: { list: () => names, isNew, isWithheld: (name: string) => name === 'withheld' },
    replication: service('replication'),
    adoption: service('adoption'),
  } as unknown as Workspace
  return { workspace, done }
}

const event = (type: SyncEvent['type'], tenant: string, name = 'loan') =>
  ({ type, tenant, name, text: '{}' }) as unknown as SyncEvent

function tenancyOf(workspaces: Record<string, Workspace>, replicate: () => Promise<unknown>): Tenancy {
  return {
    workspace: (id: string) => workspaces[id],
    text: () => '{"tenants":{}}',
    replicate,
  } as unknown as Tenancy
}
const unused = () => Promise.reject(new Error('not called'))

describe('an instance without tenants', () => {
  const stored = () => {
    const { workspace, done } = workspaceOf(undefined, ['loan', 'fee'])
    return { local: localStateOf(() => [workspace], undefined), done }
  }

  test('has the rulesets of the default one', () => {
    const { local } = stored()
    expect([...local.rulesets()]).toEqual([
      [DEFAULT_TENANT, 'loan'],
      [DEFAULT_TENANT, 'fee'],
    ])
    expect(local.tenantsText()).toBeUndefined()
  })

  test('knows withheld files of the default tenant alone', () => {
    const { local } = stored()
    const withheld = [DEFAULT_TENANT, 'a'].map((tenant) => local.isWithheld(tenant, 'withheld'))
    expect([...withheld, local.isWithheld(DEFAULT_TENANT, 'loan')]).toEqual([true, false, false])
  })

  test('applies and adopts changes of the default tenant, each by its own service', async () => {
    const { local, done } = stored()
    expect(await local.apply(event('RulePut', DEFAULT_TENANT), () => false)).toEqual({ kind: 'applied' })
    expect(await local.apply(event('RuleDeleted', DEFAULT_TENANT))).toEqual({ kind: 'unchanged' })
    await local.adopt(event('RulePut', DEFAULT_TENANT, 'fee'))
    expect(done).toEqual([
      ['replication', 'put', 'loan', false],
      ['replication', 'delete', 'loan'],
      ['adoption', 'put', 'fee', undefined],
    ])
  })

  test.each([event('RulePut', 'a'), event('RuleDeleted', 'a'), event('TenantConfigChanged', 'a')])(
    'refuses $type of a tenant',
    async (of) => {
      const { local } = stored()
      expect(await local.apply(of)).toEqual({ kind: 'refused', reason: expect.stringContaining('no tenants') })
    },
  )
})

describe('an instance with tenants', () => {
  const stored = (replicate: () => Promise<unknown>) => {
    const [a, b] = [workspaceOf('a', ['loan']), workspaceOf(undefined, ['fee'])]
    const workspaces = { a: a.workspace, [DEFAULT_TENANT]: b.workspace }
    return { a, b, local: localStateOf(() => Object.values(workspaces), tenancyOf(workspaces, replicate)) }
  }

  test('has the rulesets of all, and applies a change to the tenant that it names', async () => {
    const { a, b, local } = stored(unused)
    expect([...local.rulesets()]).toEqual([
      ['a', 'loan'],
      [DEFAULT_TENANT, 'fee'],
    ])
    expect(local.tenantsText()).toBe('{"tenants":{}}')
    await local.apply(event('RulePut', 'a'))
    expect([a.done, b.done]).toEqual([[['replication', 'put', 'loan', undefined]], []])
    expect(await local.apply(event('RulePut', 'c'))).toEqual({ kind: 'refused', reason: 'the tenant `c` is unknown' })
  })

  test.each([
    ['are replaced', async () => 'applied', { kind: 'applied' }],
    [
      'are refused where they cannot be read',
      () => Promise.reject(new TenantsFileError('no object')),
      { kind: 'refused', reason: 'no object' },
    ],
    [
      'fail where they cannot be stored, and are tried again',
      () => Promise.reject(new EngineError('storage-failed', 'disk full')),
      { kind: 'failed', reason: 'disk full' },
    ],
  ])('its tenants %s', async (_title, replicate, applied) => {
    expect(await stored(replicate).local.apply(event('TenantConfigChanged', 'a'))).toEqual(applied)
  })
})

test.each([
  [[true, true], true],
  [[true, false], false],
])('stores that are new (%j) make a new instance: %s', (stores, isNew) => {
  const workspaces = stores.map((one) => workspaceOf('a', [], one).workspace)
  expect(localStateOf(() => workspaces, undefined).isNew).toBe(isNew)
})

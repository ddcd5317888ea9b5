import { expect, test } from 'vitest'
import { DEFAULT_TENANT } from '../store/tenant-id.ts'
import type { Tenancy } from '../tenants/tenancy.ts'
import type { Workspace } from '../tenants/workspace.ts'
import { deliveryPlaceOf } from './delivery-place.ts'

const workspaceOf = (name: string) => ({ delivery: name }) as unknown as Workspace
const BY = { token: 'platform', address: 'p', requestId: 'r' }

/** An engine with the tenant `a`, and how tenants were created. */
function tenants() {
  const created: unknown[] = []
  const workspaces = new Map([['a', workspaceOf('of a')]])
  const tenancy = {
    workspace: (id: string) => workspaces.get(id),
    tenants: {
      create: async (...parts: unknown[]) => {
        created.push(parts)
        await Promise.resolve()
        workspaces.set(String(parts[0]), workspaceOf(`of ${String(parts[0])}`))
      },
    },
  } as unknown as Tenancy
  return { place: deliveryPlaceOf(workspaceOf('first'), tenancy), created }
}

test('an engine without tenants takes deliveries for the default one alone', async () => {
  const place = deliveryPlaceOf(workspaceOf('first'), undefined)
  expect([place.find(DEFAULT_TENANT), place.find('a')]).toEqual(['first', undefined])
  expect(await place.open(DEFAULT_TENANT, BY)).toBe('first')
  await expect(place.open('a', BY)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('no tenants'),
  })
})

test('a delivery for a tenant that is there goes to its workspace', async () => {
  const { place, created } = tenants()
  expect([place.find('a'), await place.open('a', BY), created]).toEqual(['of a', 'of a', []])
})

test('a delivery creates the tenant that it names, once and by the platform; looking for one does not', async () => {
  const { place, created } = tenants()
  expect([place.find('b'), created]).toEqual([undefined, []])
  expect([await place.open('b', BY), await place.open('b', BY)]).toEqual(['of b', 'of b'])
  expect(created).toEqual([['b', {}, BY]])
})

import { describe, expect, test, vi } from 'vitest'
import type { Cause, Change } from '../catalog/change-feed.ts'
import type { StoredRuleset } from '../store/store.ts'
import { createOwnership } from './ownership.ts'

const FEE = { tenant: 'default', name: 'fee', digest: 'd1' }
const put = (name: string): Change => ({ kind: 'put', ruleset: { name } as StoredRuleset })
const deleted = (name: string): Change => ({ kind: 'deleted', name })
const by = (origin: Cause['origin']) => ({ origin }) as Cause

describe('a change of a ruleset that the platform delivers', () => {
  test.each<[title: string, change: Change, origin: Cause['origin'], tenant: string | undefined, isRefused: boolean]>([
    ['by a request is refused', put('fee'), 'api', undefined, true],
    ['by a file is refused', put('fee'), 'watch', undefined, true],
    ['back to a version is refused', put('fee'), 'rollback', undefined, true],
    ['of another implementation is refused', put('fee'), 'adopted', undefined, true],
    ['that deletes it is refused', deleted('fee'), 'api', undefined, true],
    ['in its tenant by name is refused', put('fee'), 'api', 'default', true],
    ['by the platform is made', put('fee'), 'platform', undefined, false],
    ['by the writer is made', put('fee'), 'sync', undefined, false],
    ['of another ruleset is made', put('rate'), 'api', undefined, false],
    ['of another tenant is made', put('fee'), 'api', 'b', false],
  ])('%s', (_title, change, origin, tenant, isRefused) => {
    const accept = () => createOwnership([FEE]).subscriber(tenant).accept?.(change, by(origin))
    if (isRefused) expect(accept).toThrow('`fee` is delivered by the platform')
    else expect(accept).not.toThrow()
  })

  test.each<[title: string, change: Change, origin: Cause['origin'], isLost: boolean]>([
    ['of its file that is removed is a loss', deleted('fee'), 'watch', true],
    ['of its file is none', put('fee'), 'watch', false],
    ['by the platform is none', deleted('fee'), 'platform', false],
    ['by the writer is none', deleted('fee'), 'sync', false],
    ['of another file is none', deleted('rate'), 'watch', false],
  ])('%s', (_title, change, origin, isLost) => {
    const ownership = createOwnership([FEE])
    const listeners = [vi.fn<() => void>(), vi.fn<() => void>()]
    for (const listener of listeners) ownership.onLost(listener)
    void ownership.subscriber(undefined).changed(change, by(origin), undefined)
    for (const listener of listeners) expect(listener).toHaveBeenCalledTimes(isLost ? 1 : 0)
  })
})

test('rulesets are owned by tenant and name until they are released', () => {
  const ownership = createOwnership([FEE])
  ownership.own({ tenant: 'b', name: 'fee', digest: 'd2' })
  ownership.own({ ...FEE, digest: 'd3' })
  expect(ownership.list()).toEqual([
    { ...FEE, digest: 'd3' },
    { tenant: 'b', name: 'fee', digest: 'd2' },
  ])
  ownership.release('default', 'fee')
  expect([ownership.has('default', 'fee'), ownership.has('b', 'fee'), ownership.list().length]).toEqual([
    false,
    true,
    1,
  ])
  expect(() => ownership.subscriber(undefined).accept?.(put('fee'), by('api'))).not.toThrow()
})

import { expect, test } from 'vitest'
import { sample } from '../store/store.testing.ts'
import { sampleCatalog } from './catalog.testing.ts'
import { digestOfAll, type TenantContents } from './content-digest.ts'

const API = { origin: 'api' } as const

test('the overall digest follows each change, and is not recomputed without one', async () => {
  const catalog = sampleCatalog()
  let listed = 0
  const counting = { list: () => (listed++, catalog.list()), onShown: catalog.onShown.bind(catalog) }
  const digest = digestOfAll(() => [{ tenant: 'default', catalog: counting }])
  const empty = await digest()
  await catalog.put(sample('a', '1.0.0'), API)
  const one = await digest()
  expect(await digest()).toBe(one)
  expect(listed).toBe(2)
  await catalog.put(sample('b', '1.0.0'), API)
  const two = await digest()
  await catalog.delete('b', API)
  expect(await digest()).toBe(one)
  expect(listed).toBe(4)
  expect(new Set([empty, one, two]).size).toBe(3)
})

test('the digest of all rulesets follows the tenants, regardless of their order', async () => {
  const [first, second] = [sampleCatalog(), sampleCatalog()]
  await first.put(sample('a', '1.0.0'), API)
  let tenants: readonly TenantContents[] = [{ tenant: 'acme', catalog: first }]
  const digest = digestOfAll(() => tenants)
  const one = await digest()
  tenants = [
    { tenant: 'globex', catalog: second },
    { tenant: 'acme', catalog: first },
  ]
  expect(await digest()).toBe(one)
  await second.put(sample('a', '1.0.0'), API)
  const two = await digest()
  expect(two).not.toBe(one)
  tenants = tenants.toReversed()
  expect(await digest()).toBe(two)
  tenants = [{ tenant: 'initech', catalog: first }]
  expect(await digest()).not.toBe(one)
})

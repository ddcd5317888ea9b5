import type { LookupAddress } from 'node:dns'
import { expect, test } from 'vitest'
import { createNameLookup } from './name-lookup.ts'

const ADDRESS = [{ address: '192.0.2.1', family: 4 }]

/** A name service that answers on demand. */
function names() {
  const asked = new Map<string, PromiseWithResolvers<readonly LookupAddress[]>>()
  const resolve = createNameLookup((host) => {
    const pending = Promise.withResolvers<readonly LookupAddress[]>()
    asked.set(host, pending)
    return pending.promise
  })
  return { resolve, asked }
}

test('two look-ups at a time leave threads to files', async () => {
  const { resolve, asked } = names()
  const found = ['a', 'b', 'c'].map(resolve)
  await expect.poll(() => [...asked.keys()]).toEqual(['a', 'b'])
  asked.get('a')?.resolve(ADDRESS)
  expect(await found[0]).toEqual(ADDRESS)
  await expect.poll(() => [...asked.keys()]).toEqual(['a', 'b', 'c'])
})

test('calls that ask for one name together share a look-up, later ones have one of their own', async () => {
  const { resolve, asked } = names()
  const found = [resolve('a'), resolve('a')]
  await expect.poll(() => asked.size).toBe(1)
  asked.get('a')?.reject(new Error('no such name'))
  for (const one of found) await expect(one).rejects.toThrow('no such name')
  asked.clear()
  const later = resolve('a')
  await expect.poll(() => asked.size).toBe(1)
  asked.get('a')?.resolve(ADDRESS)
  expect(await later).toEqual(ADDRESS)
})

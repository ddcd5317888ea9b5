import { expect, test } from 'vitest'
import { createMemoryStore } from './memory.ts'
import { storedRuleset, type StoredRuleset } from './store.ts'

const ruleset = (name: string, version = '1.0.0') =>
  storedRuleset({ config: { name, version, entry_step: 'end' }, steps: {} })

test('a store in memory puts, replaces and deletes rulesets, and forgets their versions', async () => {
  const store = createMemoryStore()
  const [one, two] = [ruleset('fee'), ruleset('fee', '2.0.0')]
  expect(await store.replace(one)).toBeUndefined()
  expect(store.size).toBe(0)
  expect(await store.put(one)).toEqual({ status: 'created', previous: undefined })
  expect(await store.put(two)).toEqual({ status: 'updated', previous: one })
  expect([await store.replace(one), store.get('fee'), store.size]).toEqual([two, one, 1])
  await expect(store.put(ruleset('FEE'))).rejects.toMatchObject({ code: 'conflict' })
  expect([await store.versions('fee'), await store.version('fee', 1)]).toEqual([[], undefined])
  expect([await store.delete('fee'), await store.delete('fee'), store.get('fee'), store.size]).toEqual([
    one,
    undefined,
    undefined,
    0,
  ])
  expect(await store.probe(100)).toEqual({ ok: true })
  await store.close()
  await expect(store.put(one)).rejects.toMatchObject({ code: 'closed' })
})

test('a change of a store in memory is not made where its condition does not hold', async () => {
  const store = createMemoryStore()
  const [one, two] = [ruleset('fee'), ruleset('fee', '2.0.0')]
  await store.put(one)
  const seen: (StoredRuleset | undefined)[] = []
  const never = (previous: StoredRuleset | undefined) => {
    seen.push(previous)
    return false
  }
  expect(await store.put(two, never)).toEqual({ status: 'unchanged', previous: one })
  expect(await store.delete('fee', never)).toBeUndefined()
  expect([store.get('fee'), seen]).toEqual([one, [one, one]])
})

import type { HeartbeatAnswer } from '@engine/api'
import { describe, expect, test } from 'vitest'
import { memoryLog } from '../../../../packages/process/src/log.testing.ts'
import type { Applied } from '../services/replication.ts'
import { createDelivery, createNoDelivery, type DeliveryParts } from './delivery.ts'
import { createOwnership, type OwnedRuleset } from './ownership.ts'
import type { PlatformState } from './state-file.ts'

const SOURCE = { serverId: 's', databaseId: 'd' }
const owned = (name: string): OwnedRuleset => ({ tenant: 'default', name, digest: `of ${name}` })
const put = (name: string, digest = `of ${name}`) => ({ name, digest })
const gone = (name: string) => ({ name, deleted: true as const })
const answer = (revision: number, ...changes: HeartbeatAnswer['changes']): HeartbeatAnswer => ({ revision, changes })

/** A delivery into a map of digests by name, which records its steps in order. */
function deliveryOf(known: {
  readonly revision?: number
  readonly owned?: readonly string[]
  readonly local?: string
}) {
  const steps: string[] = []
  const stored = new Map((known.owned ?? []).map((name) => [name, `of ${name}`]))
  if (known.local !== undefined) stored.set(known.local, 'local')
  const faults: { disk: boolean; put: Applied | undefined; isAway?: boolean } = { disk: false, put: undefined }
  const counted: string[] = []
  const rulesets = (known.owned ?? []).map(owned)
  const { log, lines } = memoryLog()
  const ownership = createOwnership(rulesets)
  const service = {
    digest: async (name: string) => stored.get(name),
    async put({ name, digest }: { readonly name: string; readonly digest: string }): Promise<Applied> {
      steps.push(`put ${name}`)
      if (faults.put !== undefined) return faults.put
      stored.set(name, digest)
      return { kind: 'applied' }
    },
    async delete(name: string): Promise<Applied> {
      steps.push(`delete ${name}`)
      return stored.delete(name) ? { kind: 'applied' } : { kind: 'unchanged' }
    },
  }
  const parts = {
    place: { open: async () => service, find: () => service },
    ownership,
    state: {
      initial: { ...SOURCE, revision: known.revision ?? 0, rulesets },
      async write({ revision, rulesets: kept }: PlatformState) {
        if (faults.disk) throw Object.assign(new Error('full'), { code: 'ENOSPC' })
        steps.push(`keep ${revision}: ${kept.map(({ name }) => name).join()}`)
      },
    },
    fetch: async (digest: string) => (faults.isAway === true ? undefined : digest),
    by: { kind: 'platform' },
    counted: (result: string) => void counted.push(result),
    log,
  } as unknown as DeliveryParts
  return { delivery: createDelivery(parts), steps, stored, faults, ownership, counted, lines }
}

describe('an answer to revision 0', () => {
  test('is the complete state: owned rulesets that it does not name are deleted', async () => {
    const { delivery, steps, stored } = deliveryOf({ owned: ['a', 'b'], local: 'mine' })
    await delivery.apply(SOURCE, answer(5, put('a')))
    expect([...stored.keys()]).toEqual(['a', 'mine'])
    expect(steps).toEqual(['keep 0: a,b', 'delete b', 'keep 5: a'])
    expect(delivery.revision).toBe(5)
  })

  test('of revision 0 deletes nothing: the platform has lost its state', async () => {
    const { delivery, stored } = deliveryOf({ owned: ['a', 'b'] })
    await delivery.apply(SOURCE, answer(0, put('c')))
    expect([...stored.keys()]).toEqual(['a', 'b', 'c'])
  })
})

test('an answer to another revision deletes only the rulesets that it names', async () => {
  const { delivery, stored } = deliveryOf({ revision: 4, owned: ['a', 'b'] })
  await delivery.apply(SOURCE, answer(5, gone('a')))
  expect([[...stored.keys()], delivery.revision]).toEqual([['b'], 5])
})

test('a ruleset that the platform does not own is not deleted', async () => {
  const { delivery, steps, stored } = deliveryOf({ revision: 4, local: 'mine' })
  await delivery.apply(SOURCE, answer(5, gone('mine')))
  expect([[...stored.keys()], steps]).toEqual([['mine'], ['keep 5: ']])
})

test('ownership is durable before the ruleset is stored, and the revision after it', async () => {
  const { delivery, steps } = deliveryOf({ revision: 4 })
  await delivery.apply(SOURCE, answer(5, put('a')))
  expect(steps).toEqual(['keep 4: a', 'put a', 'keep 5: a'])
})

test('nothing is stored while the disk cannot keep the state', async () => {
  const { delivery, steps, faults } = deliveryOf({ revision: 4 })
  faults.disk = true
  await delivery.apply(SOURCE, answer(5, put('a')))
  expect([steps, delivery.revision, delivery.isBehind]).toEqual([[], 4, true])
  expect(delivery.problems).toMatchObject([{ name: 'a', retried: true, message: expect.stringContaining('state') }])
  faults.disk = false
  await delivery.apply(SOURCE, answer(5, put('a')))
  expect([delivery.revision, delivery.isBehind, delivery.problems]).toEqual([5, false, []])
})

test('a disk that stays full is logged once, until the state is written again', async () => {
  const { delivery, faults, lines } = deliveryOf({ revision: 4 })
  const apply = () => delivery.apply(SOURCE, answer(5, put('a')))
  const logged = () => lines.filter(([, , message]) => message.includes('cannot be written')).length
  faults.disk = true
  await apply()
  await apply()
  expect(logged()).toBe(1)
  faults.disk = false
  await apply()
  faults.disk = true
  await delivery.apply(SOURCE, answer(6, put('a', 'other')))
  expect(logged()).toBe(2)
})

test('a lower revision means a restored platform: the complete state is requested', async () => {
  const { delivery } = deliveryOf({ revision: 9 })
  await delivery.apply(SOURCE, answer(3))
  expect(delivery.revision).toBe(0)
})

test.each<[kind: 'failed' | 'refused', revision: number, isBehind: boolean]>([
  ['failed', 4, true],
  ['refused', 5, false],
])('content that is %s leaves revision %i', async (kind, revision, isBehind) => {
  const { delivery, steps, faults } = deliveryOf({ revision: 4 })
  faults.put = { kind, reason: 'no' } as Applied
  await delivery.apply(SOURCE, answer(5, put('a')))
  expect([delivery.revision, delivery.isBehind]).toEqual([revision, isBehind])
  expect(delivery.problems).toMatchObject([{ name: 'a', message: 'no', retried: isBehind }])
  // A restart may load other keys, and tries the content again.
  expect(steps.at(-1)).toBe('keep 0: a')
})

test('the complete state is requested where stored content differs from the delivered one', async () => {
  const { delivery, stored } = deliveryOf({ revision: 4, owned: ['a', 'b'] })
  await delivery.verify()
  expect(delivery.revision).toBe(4)
  stored.set('b', 'edited')
  await delivery.verify()
  expect(delivery.revision).toBe(0)
})

describe('a change', () => {
  test('that is refused is a problem that is not tried again, and one that fails is', async () => {
    for (const [kind, isRetried] of [
      ['refused', false],
      ['failed', true],
    ] as const) {
      const { delivery, faults } = deliveryOf({ revision: 3 })
      faults.put = { kind, reason: 'because' }
      await delivery.apply(SOURCE, answer(4, put('a')))
      expect(delivery.problems).toMatchObject([{ name: 'a', message: 'because' }])
      expect([delivery.isBehind, delivery.revision]).toEqual([isRetried, isRetried ? 3 : 4])
      faults.put = undefined
      await delivery.apply(SOURCE, answer(5, put('a', 'other')))
      expect([delivery.problems, delivery.isBehind, delivery.revision]).toEqual([[], false, 5])
    }
  })

  test('to what is stored already is none', async () => {
    const { delivery, steps } = deliveryOf({ revision: 3, owned: ['a'] })
    await delivery.apply(SOURCE, answer(4, put('a')))
    expect(steps.filter((step) => step.startsWith('put'))).toEqual([])
    expect(delivery.revision).toBe(4)
  })

  test('replaces another content, of the engine itself as well', async () => {
    const { delivery, stored, ownership, counted } = deliveryOf({ revision: 3, owned: ['a'], local: 'mine' })
    await delivery.apply(SOURCE, answer(4, put('a', 'new'), put('mine')))
    expect([...stored]).toEqual([
      ['a', 'new'],
      ['mine', 'of mine'],
    ])
    expect(ownership.list().map(({ name, digest }) => [name, digest])).toEqual([...stored])
    expect(counted).toEqual(['applied', 'applied'])
  })

  test('whose content the platform does not have fails, and is tried again', async () => {
    const { delivery, faults, counted } = deliveryOf({ revision: 3 })
    faults.isAway = true
    await delivery.apply(SOURCE, answer(4, put('a')))
    expect([delivery.problems, delivery.isBehind, delivery.revision, counted]).toEqual([
      [expect.objectContaining({ name: 'a', digest: 'of a', message: expect.stringContaining('does not have') })],
      true,
      3,
      ['failed'],
    ])
  })

  test('that deletes a ruleset which is gone already ends the ownership of its name', async () => {
    const { delivery, stored, ownership, counted } = deliveryOf({ revision: 3, owned: ['a', 'b'] })
    stored.delete('a')
    await delivery.apply(SOURCE, answer(4, gone('a'), gone('b')))
    expect([ownership.list(), counted]).toEqual([[], ['unchanged', 'applied']])
  })

  test('of a ruleset that is not owned deletes nothing', async () => {
    const { delivery, stored } = deliveryOf({ revision: 3, local: 'mine' })
    await delivery.apply(SOURCE, answer(4, gone('mine')))
    expect([...stored.keys()]).toEqual(['mine'])
  })
})

test('an owned ruleset that is missing or has another content has everything requested again', async () => {
  for (const change of [
    (stored: Map<string, string>) => stored.delete('a'),
    (stored: Map<string, string>) => stored.set('a', 'changed by hand'),
  ]) {
    const { delivery, stored } = deliveryOf({ revision: 3, owned: ['a'] })
    await delivery.verify()
    expect(delivery.revision).toBe(3)
    change(stored)
    await delivery.verify()
    expect(delivery.revision).toBe(0)
  }
})

test('a reader follows the revision and applies nothing', async () => {
  const delivery = createNoDelivery()
  await delivery.apply(SOURCE, answer(4, put('a')))
  await delivery.verify()
  expect([delivery.revision, delivery.problems, delivery.isBehind]).toEqual([4, [], false])
})

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openSampleStore, sample } from '../store/store.testing.ts'
import { StoreError } from '../store/store.ts'
import { sampleCatalog } from './catalog.testing.ts'
import type { RulesetCatalog } from './catalog.ts'
import type { Cause, Change } from './change-feed.ts'

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'engine-catalog-'))
})

afterEach(() => rm(directory, { recursive: true, force: true }))

const API: Cause = { origin: 'api' }
const file = (version: string) => writeFile(join(directory, 'a.json'), sample('a', version).text)

interface Subscribed {
  readonly catalog: RulesetCatalog
  /** One line for each notification of a subscriber. */
  readonly told: string[]
}

/** @param accept the second subscriber's `accept` */
async function subscribed(accept: () => void = () => undefined): Promise<Subscribed> {
  const catalog = sampleCatalog(await openSampleStore(directory))
  const told: string[] = []
  const line = (change: Change) =>
    change.kind === 'put' ? `${change.ruleset.name} ${change.ruleset.version}` : `${change.name} deleted`
  catalog.onShown((name) => told.push(`shown ${name} ${catalog.get(name)?.version ?? 'deleted'}`))
  catalog.subscribe({
    changed: (change, { origin }, previous) =>
      void told.push(`first ${line(change)} after ${previous?.version ?? 'nothing'}, ${origin}`),
  })
  catalog.subscribe({
    accept: (change) => {
      accept()
      told.push(`accept ${line(change)}`)
    },
    changed: async (change) => {
      await new Promise(setImmediate)
      told.push(`second ${line(change)}`)
    },
  })
  return { catalog, told }
}

describe('subscribers', () => {
  test('check a change before it is made, and are notified in order before it is acknowledged', async () => {
    const { catalog, told } = await subscribed()
    await catalog.put(sample('a', '1'), API)
    expect(told.splice(0)).toEqual(['accept a 1', 'shown a 1', 'first a 1 after nothing, api', 'second a 1'])
    await catalog.replace(sample('a', '2'), { origin: 'rollback', seq: 1 })
    expect(told.splice(0)).toEqual(['accept a 2', 'shown a 2', 'first a 2 after 1, rollback', 'second a 2'])
    await catalog.delete('a', { origin: 'sync' })
    expect(told.splice(0)).toEqual([
      'accept a deleted',
      'shown a deleted',
      'first a deleted after 2, sync',
      'second a deleted',
    ])
    await catalog.delete('a', API)
    await catalog.replace(sample('a', '3'), API)
    expect(told, 'of what was not changed nothing is told').toEqual(['accept a deleted', 'accept a 3'])
  })

  test('are notified of changes that come from files', async () => {
    const { catalog, told } = await subscribed()
    await file('1')
    await catalog.refresh('a')
    await catalog.refresh('a')
    await rm(join(directory, 'a.json'))
    await catalog.refresh('a')
    expect(told).toEqual([
      'accept a 1',
      'shown a 1',
      'first a 1 after nothing, watch',
      'second a 1',
      'shown a deleted',
      'first a deleted after 1, watch',
      'second a deleted',
    ])
  })

  test('can reject a change: it is not made, and a file is rejected', async () => {
    const { catalog, told } = await subscribed(() => {
      throw new StoreError('too-large', 'too large for the fleet')
    })
    await expect(catalog.put(sample('a', '1'), API)).rejects.toThrow('too large for the fleet')
    await file('1')
    expect(await catalog.refresh('a')).toEqual({ kind: 'unchanged', rejected: 1 })
    expect(await catalog.refresh('a')).toEqual({ kind: 'unchanged', rejected: 0 })
    expect([...catalog.list()]).toEqual([])
    expect(catalog.rejected).toEqual([{ file: 'a.json', reason: 'too large for the fleet' }])
    expect(told).toEqual([])
  })

  test('that fail do not undo the change; its caller gets the error', async () => {
    const { catalog } = await subscribed()
    catalog.subscribe({ changed: () => Promise.reject(new Error('no audit')) })
    await expect(catalog.put(sample('a', '1'), API)).rejects.toThrow('no audit')
    expect(catalog.get('a')?.version).toBe('1')
  })
})

test('an entry executes the ruleset that was decoded on admission', async () => {
  const { catalog } = await subscribed()
  const document = JSON.parse(sample('a', '1').text) as never
  const { ruleset } = await catalog.admit(document, 'api')
  await catalog.put(ruleset, API)
  const [entry] = catalog.list()
  expect(entry).toBe(ruleset)
  expect(catalog.rulesetOf(ruleset)).toBe(catalog.rulesetOf(ruleset))
  expect(catalog.rulesetOf(ruleset)).not.toBe(catalog.rulesetOf(sample('a', '1')))
})

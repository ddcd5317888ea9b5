import type { Program } from '@engine/ruleset'
import { describe, expect, test, vi } from 'vitest'
import { Hops } from '../capabilities/hops.ts'
import { bareDigest } from '../catalog/content-digest.ts'
import { ExecutionRecording } from '../receipts/recording.ts'
import type { StoredRuleset } from '../store/store.ts'
import { shorter } from './programs.ts'
import { documentOf, executionOf, stored } from './services.testing.ts'

test.each<[wanted: number, longest: number | undefined, limit: number]>([
  [0, undefined, 0],
  [50, undefined, 50],
  [0, 100, 100],
  [50, 100, 50],
  [100, 100, 100],
  [200, 100, 100],
])('a ruleset with the time limit %i, of at most %s, has %i', (wanted, longest, limit) => {
  expect(shorter(wanted, longest)).toBe(limit)
})

describe('the program of a stored ruleset', () => {
  test('is created once, and again after a change or once the limits have changed', async () => {
    let longest: number | undefined
    const made: string[] = []
    const { catalog, programs } = await executionOf([{ name: 'a', condition: 'true' }], {
      longestMs: () => longest,
      made: (program, { name }) => made.push(`${name} ${program.ruleset.config.timeoutMs}`),
    })
    const first = programs.get('a')
    expect(programs.get('a')).toBe(first)
    const { generation } = programs.resolver
    longest = 70
    programs.limitsChanged()
    const second = programs.get('a')
    expect(second).not.toBe(first)
    expect(programs.resolver.generation).toBeGreaterThan(generation)
    const before = programs.resolver.generation
    await stored(catalog, documentOf({ name: 'a', condition: 'false' }))
    expect(programs.get('a')).not.toBe(second)
    expect(programs.resolver.generation).toBeGreaterThan(before)
    expect(made).toEqual(['a 0', 'a 70', 'a 70'])
    expect(programs.get('none')).toBeUndefined()
  })

  test('has the digest of its own content, also after the next one is stored', async () => {
    const { catalog, programs } = await executionOf([{ name: 'a', condition: 'true' }])
    const [program, content] = [programs.get('a') as Program, catalog.get('a')]
    expect.assert(content !== undefined)
    await stored(catalog, documentOf({ name: 'a', condition: 'false' }))
    expect(await programs.digestOf(program)).toBe(await bareDigest(content))
    expect(() => programs.digestOf(programs.create(program.ruleset))).toThrow('no digest')
  })
})

const MODES = ['off', 'warn', 'enforce'] as const
test.each<[strictest: 'ruleset' | 'warn' | 'off', modes: readonly string[]]>([
  ['ruleset', ['off', 'warn', 'enforce']],
  ['warn', ['off', 'warn', 'warn']],
  ['off', ['off', 'off', 'off']],
])('with --contracts %s contracts are checked at most so', async (contracts, modes) => {
  const contract = (mode: string) => ({ mode, contract: { name: 'c', version: '1', input: { fields: [] } } })
  const { catalog, programs } = await executionOf(
    MODES.map((mode) => ({ name: mode, condition: 'true', config: { contract: contract(mode) } })),
    { contracts, longestMs: () => 50 },
  )
  const created = (name: string) => programs.create(catalog.rulesetOf(catalog.get(name) as StoredRuleset))
  for (const create of [programs.get, created])
    expect(MODES.map((mode) => create(mode)?.ruleset.config)).toMatchObject(
      modes.map((mode) => ({ contract: { mode }, timeoutMs: 50 })),
    )
})

test('a recorded execution knows the programs that it reached', async () => {
  const { programs } = await executionOf([{ name: 'a', condition: 'true' }])
  const recording = new ExecutionRecording(undefined, new Hops(0), 0)
  const reached = vi.spyOn(recording, 'reached')
  expect(programs.resolver.resolve('a', recording)).toBe(programs.get('a'))
  expect(programs.resolver.resolve('none', recording)).toBeUndefined()
  expect(programs.resolver.resolve('a', undefined)).toBe(programs.get('a'))
  expect(reached.mock.calls).toEqual([[programs.get('a')]])
})

test('the branches of stored rulesets alone are counted', async () => {
  const counted: string[] = []
  const { programs } = await executionOf([{ name: 'a', condition: 'true' }], {
    branchCounts: ({ name }) => {
      counted.push(name)
      return undefined
    },
  })
  programs.create((programs.get('a') as Program).ruleset)
  expect(counted).toEqual(['a'])
})

import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { StoredRuleset } from '../store/store.ts'
import { stateDigest } from './digest.ts'

type Stored = readonly [tenant: string, ruleset: StoredRuleset]

const stored = (tenant: string, name: string, text: string, version = '1.0.0'): Stored => [
  tenant,
  { name, version, description: null, stepCount: 0, text },
]

const some: readonly Stored[] = [stored('t', 'a', '{}'), stored('t', 'b', '{}'), stored('u', 'a', '{"x":1}')]

test('no ruleset gives zeros, and one ruleset its SHA-256', () => {
  expect(stateDigest([])).toBe('0'.repeat(64))
  expect(stateDigest([stored('t', 'a', '{}')])).toBe(createHash('sha256').update('t\0a\0{}').digest('hex'))
})

test('neither the order nor repeating a ruleset matters', () => {
  const digest = stateDigest(some)
  expect(stateDigest(some.toReversed())).toBe(digest)
  expect(stateDigest(some)).toBe(digest)
  // Other objects with the same content, as another instance has them.
  expect(stateDigest(some.map(([tenant, ruleset]) => [tenant, { ...ruleset }] as const))).toBe(digest)
})

test.each<[what: string, others: readonly Stored[]]>([
  ['one less', some.slice(1)],
  ['one more', [...some, stored('u', 'b', '{}')]],
  ['another tenant', [stored('v', 'a', '{}'), ...some.slice(1)]],
  ['another name', [stored('t', 'c', '{}'), ...some.slice(1)]],
  ['another text', [stored('t', 'a', '{ }'), ...some.slice(1)]],
  ['texts that changed places', [stored('t', 'a', '{"x":1}'), some[1] as Stored, stored('u', 'a', '{}')]],
  ['a border between tenant and name elsewhere', [stored('ta', '', '{}'), ...some.slice(1)]],
])('%s gives another digest', (_what, others) => {
  expect(stateDigest(others)).not.toBe(stateDigest(some))
})

test('state outside the text does not affect the digest', () => {
  expect(stateDigest([stored('t', 'a', '{}', '2.0.0')])).toBe(stateDigest([stored('t', 'a', '{}')]))
})

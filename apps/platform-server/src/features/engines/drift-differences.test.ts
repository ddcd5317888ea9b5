import type { HeldRuleset } from '@engine/api'
import { describe, expect, test } from 'vitest'
import { type Difference, differencesOf, driftProblems, listOf, repairDueAt, repairOf } from './drift-differences.ts'

const NOW = 1_000_000
const GRACE_MS = 60_000

const desired = (digest = 'd', more: object = {}) => ({ tenant: '', name: 'fee', digest, ...more })
const held = (digest = 'd', more: Partial<HeldRuleset> = {}): HeldRuleset => ({ name: 'fee', digest, ...more })
const difference = (more: Partial<Difference> = {}): Difference => ({
  tenant: '',
  name: 'fee',
  digest: 'd',
  held: null,
  since: NOW,
  ...more,
})

describe('an engine', () => {
  test.each<readonly [string, Parameters<typeof differencesOf>[0], readonly HeldRuleset[], readonly Difference[]]>([
    ['that has what it should have does not differ', [desired()], [held()], []],
    ['that lacks a ruleset differs', [desired()], [], [difference()]],
    ['that has another content differs', [desired()], [held('e')], [difference({ held: 'e' })]],
    [
      'that has a ruleset for another tenant differs',
      [desired('d', { tenant: 't' })],
      [held('d', { tenant: 'u' })],
      [difference({ tenant: 't' })],
    ],
    [
      'that has a ruleset for its tenant does not differ',
      [desired('d', { tenant: 't' })],
      [held('d', { tenant: 't' })],
      [],
    ],
    [
      'that keeps a delivered ruleset differs: the ruleset is to be deleted',
      [],
      [held('e', { delivered: true, tenant: 't' })],
      [difference({ tenant: 't', digest: null, held: 'e' })],
    ],
    ['may have a ruleset of its own', [], [held('e'), held('f', { name: 'mine', delivered: false })], []],
    [
      'differs in each ruleset by itself',
      [desired(), desired('x', { name: 'toll' })],
      [held('e'), held('x', { name: 'toll' })],
      [difference({ held: 'e' })],
    ],
  ])('%s', (_, wanted, reported, differences) => {
    expect(differencesOf(wanted, reported, [], [], NOW)).toEqual(differences)
  })

  test.each<readonly [string, readonly unknown[], number]>([
    ['with this content', [{ name: 'fee', digest: 'd' }], 0],
    ['with this content for no tenant', [{ tenant: null, name: 'fee', digest: 'd' }], 0],
    ['with another content', [{ name: 'fee', digest: 'e' }], 1],
    ['with the content of another tenant', [{ tenant: 't', name: 'fee', digest: 'd' }], 1],
    ['with another ruleset', [{ name: 'toll', digest: 'd' }], 1],
    ['of another form', [null, 'fee', { digest: 'd' }], 1],
  ])('that reports a problem %s: the ruleset differs or not', (_, problems, count) => {
    expect(differencesOf([desired()], [], problems, [], NOW)).toHaveLength(count)
  })

  test('whose deletion is a problem has no difference', () => {
    const problem = { name: 'fee', digest: null }
    expect(differencesOf([], [held('e', { delivered: true })], [problem], [], NOW)).toEqual([])
  })

  test.each<readonly [string, readonly Difference[], number]>([
    ['it was seen first', [difference({ since: 5, held: 'x' })], 5],
    ['another content was desired', [difference({ since: 5, digest: 'old' })], NOW],
    ['another ruleset differed', [difference({ since: 5, name: 'toll' })], NOW],
  ])('differs since %s', (_, before, since) => {
    expect(differencesOf([desired()], [], [], before, NOW)).toEqual([difference({ since })])
  })

  test('has a thousand differences at most', () => {
    const wanted = Array.from({ length: 1001 }, (_, index) => desired('d', { name: `r${index}` }))
    expect(differencesOf(wanted, [], [], [], NOW)).toHaveLength(1000)
  })
})

describe('a difference', () => {
  const lasting = [
    difference({ since: NOW - GRACE_MS }),
    difference({ tenant: 't', digest: null, held: 'e', since: NOW - GRACE_MS - 1 }),
    difference({ name: 'new', since: NOW - GRACE_MS + 1 }),
  ]

  test('is repaired after a minute: the content is sent, or the deletion', () => {
    expect(repairOf({ differences: lasting, repairedAt: undefined }, NOW)).toEqual([
      { tenant: null, name: 'fee', digest: 'd' },
      { tenant: 't', name: 'fee', deleted: true },
    ])
  })

  test('is shown as a problem after a minute', () => {
    const message = (text: string) => expect.stringContaining(text)
    expect(driftProblems(lasting, NOW)).toEqual([
      { tenant: null, name: 'fee', digest: 'd', message: message('does not have'), retried: true },
      { tenant: 't', name: 'fee', digest: null, message: message('should not have'), retried: true },
    ])
    expect(driftProblems([difference({ held: 'e', since: 0 })], NOW)).toMatchObject([
      { message: message('`e` instead') },
    ])
  })

  test.each<readonly [string, readonly number[], number | undefined, number]>([
    ['a minute after it was seen', [NOW], undefined, NOW + GRACE_MS],
    ['a minute after the oldest was seen', [NOW + 5, NOW], undefined, NOW + GRACE_MS],
    ['a minute after the last repair', [NOW], NOW + 5, NOW + 5 + GRACE_MS],
    ['a minute after it was seen, though another was repaired before', [NOW], NOW - 5, NOW + GRACE_MS],
  ])('is repaired %s', (_, since, repairedAt, due) => {
    expect(repairDueAt({ differences: since.map((one) => difference({ since: one })), repairedAt })).toBe(due)
  })

  test('is needed for a repair', () => {
    expect(repairDueAt(undefined)).toBeUndefined()
  })

  test.each([
    ['of a stored list', [difference(), 1, null], [difference()]],
    ['of none', null, []],
    ['of another form', {}, []],
  ])('is read %s', (_, stored, differences) => {
    expect(listOf(stored)).toEqual(differences)
  })
})

import { describe, expect, test } from 'vitest'
import { acknowledged, withoutAcknowledgements } from './intended-findings.ts'
import type { IntendedFinding } from './model.ts'

const ANA = { author: 'ana@example.com', at: '2026-11-01T08:00:00.000Z' }
const BEN = { author: 'ben@example.com', at: '2026-11-02T08:00:00.000Z' }
const GAP: IntendedFinding = { finding: 'gap', place: '/steps/t', reason: 'no such cart' }

describe('an intended finding', () => {
  test.each<[title: string, sent: IntendedFinding, before: readonly IntendedFinding[], expected: IntendedFinding]>([
    ['gets its author and time', GAP, [], { ...GAP, ...BEN }],
    ['keeps those it had', GAP, [{ ...GAP, ...ANA }], { ...GAP, ...ANA }],
    ['cannot be sent with another author', { ...GAP, ...ANA }, [], { ...GAP, ...BEN }],
    ['keeps those it had, whatever is sent', { ...GAP, ...BEN }, [{ ...GAP, ...ANA }], { ...GAP, ...ANA }],
    ['has others with another reason', GAP, [{ ...GAP, ...ANA, reason: 'other' }], { ...GAP, ...BEN }],
    ['has others at another place', GAP, [{ ...GAP, ...ANA, place: '/steps/u' }], { ...GAP, ...BEN }],
    ['has others of another kind', GAP, [{ ...GAP, ...ANA, finding: 'overlap' }], { ...GAP, ...BEN }],
    ['gets them where it had none', GAP, [GAP], { ...GAP, ...BEN }],
    ['keeps unknown members', { ...GAP, x: 1 } as IntendedFinding, [], { ...GAP, x: 1, ...BEN } as IntendedFinding],
  ])('%s', (_title, sent, before, expected) => expect(acknowledged([sent], before, BEN)).toEqual([expected]))
})

test('what authors have written has neither author nor time', () => {
  const draft = { config: { name: 'a', intended: [{ ...GAP, ...ANA }] }, steps: [] }
  expect(withoutAcknowledgements(draft)).toEqual({ config: { name: 'a', intended: [GAP] }, steps: [] })
  const bare = { config: { name: 'a' }, steps: [] }
  expect(withoutAcknowledgements(bare)).toBe(bare)
})

import type { DraftRuleset } from '@engine/authoring'
import { expect, test, vi } from 'vitest'

const counts = vi.hoisted(() => ({ analyses: 0 }))
vi.mock('@engine/analysis', async (load) => {
  const actual = await load<typeof import('@engine/analysis')>()
  return {
    ...actual,
    createSession: (...given: Parameters<typeof actual.createSession>) => {
      counts.analyses++
      const session = actual.createSession(...given)
      vi.spyOn(session, 'update').mockImplementation(() => expect.fail('analysed again'))
      return session
    },
  }
})

const deciding = (condition: string): DraftRuleset => ({
  config: { name: 'once' },
  startStepId: 'd',
  steps: [
    {
      id: 'd',
      type: 'decision',
      branches: [{ id: 'b', condition, nextStepId: 'yes' }],
      defaultNextStepId: 'no',
    },
    { id: 'yes', type: 'terminal', code: 'YES' },
    { id: 'no', type: 'terminal', code: 'NO' },
  ],
})

test.each([
  ['which comparisons decide', 'n > 3 && t == "a"', 0],
  ['with a claim that only a further search decides', 'matches(t, "^a+$") && upper(t) == "AA"', 0],
  ['with a claim that nothing decides', 'sha256(t) == "00"', 3],
])('a draft %s is analysed once when it is opened', async (_what, condition, open) => {
  counts.analyses = 0
  // The worker of a page that was opened just now.
  vi.resetModules()
  const { analyses } = await import('./findings.ts')
  const draft = deciding(condition)
  const found = await analyses('findings', { draft, subRules: {}, contract: undefined, concepts: [], samples: [] })
  expect(found.open).toBe(open)
  expect(counts.analyses).toBe(1)
})

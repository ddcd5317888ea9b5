import { expect, test } from 'vitest'
import { SYSTEM } from '../../database/audit.ts'
import type { Database } from '../../database/database.ts'
import type { OrgId } from '../../database/org-id.ts'
import { createRefusalAudit } from './refusals.ts'

/** Collects audit entries by organization. */
function audited() {
  let seconds = 100
  const entries: { readonly org: OrgId; readonly after: unknown }[] = []
  const change = async (org: OrgId, _author: unknown, work: (change: object) => Promise<unknown>) =>
    work({ audit: async ({ after }: { readonly after: unknown }) => void entries.push({ org, after }) })
  const refusals = createRefusalAudit({ change } as unknown as Pick<Database, 'change'>, () => seconds * 1000)
  const refuse = (org: string) =>
    refusals.record(org as OrgId, SYSTEM, {
      action: 'server.registration_refused',
      object: { id: 'x', name: 'x' },
      reason: 'no',
      asked: { url: 'http://x' },
    })
  return { entries, refuse, pass: (more: number) => void (seconds += more) }
}

test('20 refusals of a second are written, and the next entry says how many were left out', async () => {
  const { entries, refuse, pass } = audited()
  for (let count = 0; count < 57; count++) await refuse('a')
  expect(entries).toHaveLength(20)
  expect(entries[0]?.after).toEqual({ url: 'http://x', reason: 'no' })
  pass(1)
  await refuse('a')
  await refuse('a')
  expect(entries.slice(20).map(({ after }) => after)).toEqual([
    { url: 'http://x', reason: 'no', left_out: 37 },
    { url: 'http://x', reason: 'no' },
  ])
})

test('refusals of one organization do not omit those of another', async () => {
  const { entries, refuse } = audited()
  for (let count = 0; count < 100; count++) await refuse('a')
  await refuse('b')
  expect(entries.filter(({ org }) => org === 'b')).toHaveLength(1)
})

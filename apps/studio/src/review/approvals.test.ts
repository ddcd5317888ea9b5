import { AT, shownPart } from '../frame/shown-part.testing.ts'
import { createElement } from 'react'
import { describe, expect, test } from 'vitest'
import { Approvals } from './approvals.tsx'
import type { Release } from './release-parts.ts'

type Requirement = Release['requirements'][number]

const POLICY: Requirement = {
  environment: 'prod',
  policy_id: 'pol',
  min_count: 2,
  roles: ['risk'],
  exclude_authors: true,
  approved_by: [],
  satisfied: false,
}
const member = (user_id: string | null, roles: readonly string[], more: object = {}) => ({
  user_id,
  roles,
  status: 'active',
  display_name: user_id?.toUpperCase() ?? '',
  email: `${user_id}@example.com`,
  ...more,
})
const MEMBERS = [
  member('me', ['risk']),
  member('ana', ['risk']),
  member('bob', ['risk', 'owner']),
  member('cyd', ['reader']),
  member('dan', ['risk'], { status: 'disabled' }),
  member(null, ['risk'], { status: 'invited' }),
  member('eve', ['risk'], { display_name: '' }),
]
const review = (user: string, decision: 'approved' | 'rejected', comment = '') => ({
  user,
  decision,
  comment,
  at: '2000-01-01T00:00:00Z',
})

/** The approvals of a release, seen by the member `me`. */
async function shown(release: Partial<Release>) {
  const given = {
    status: 'pending_approval',
    requirements: [POLICY],
    reviews: [],
    authors: [],
    allowed: [],
    ...release,
  } as unknown as Release
  const { text } = await shownPart(
    () => createElement(Approvals, { release: given }),
    [
      ['/api/v1/orgs/{oid}/members', { path: { oid: AT.oid }, query: { limit: 200 } }, { items: MEMBERS }],
      ['/api/v1/me', {}, { user: { id: 'me' }, organizations: [{ id: AT.oid, my_permissions: [] }] }],
      [
        '/api/v1/orgs/{oid}/projects/{pid}/release-policies',
        { path: AT },
        {
          items: [
            { id: 'other', name: 'Other' },
            { id: 'pol', name: 'Two of risk' },
          ],
        },
      ],
    ],
  )
  return text
}
const requirement = (more: Partial<Requirement>): Requirement => ({ ...POLICY, ...more })

describe('who may give a missing approval', () => {
  test.each<[name: string, release: Partial<Release>, line: string]>([
    ['other active members with the role', {}, '| 2 more: risk | ANA, BOB, eve@example.com |'],
    ['no author of the release', { authors: ['ana'] }, '| 2 more: risk | BOB, eve@example.com |'],
    [
      'an author too, where authors are not excluded',
      { authors: ['ana'], requirements: [requirement({ exclude_authors: false })] },
      '| 2 more: risk | ANA, BOB, eve@example.com |',
    ],
    [
      'nobody who has approved',
      { requirements: [requirement({ approved_by: ['bob'] })] },
      '| 1 more: risk | ANA, eve@example.com |',
    ],
    ['the user only with the right', { allowed: ['reject'] }, '| 2 more: risk | ANA, BOB, eve@example.com |'],
    ['the user first', { allowed: ['approve'] }, '| You, ANA, BOB, eve@example.com |'],
    [
      'members with one of several roles',
      { requirements: [requirement({ roles: ['reader', 'owner'] })] },
      '| 2 more: reader or owner | BOB, CYD |',
    ],
    [
      'nobody',
      { requirements: [requirement({ roles: ['nobody'] })] },
      '| 2 more: nobody | Waiting for an approval by someone else. |',
    ],
  ])('%s', async (_name, release, line) => {
    expect(await shown(release)).toContain(line)
  })

  test.each<Partial<Release>>([
    { requirements: [requirement({ satisfied: true })] },
    { status: 'approved' },
    { requirements: [] },
  ])('is not shown for %j', async (release) => {
    expect(await shown(release)).not.toContain('more:')
  })
})

test.each<[requirements: readonly Requirement[], count: string | undefined]>([
  [[POLICY], '0 of 2'],
  [[requirement({ approved_by: ['ana'] })], '1 of 2'],
  [[requirement({ approved_by: ['ana', 'bob', 'me'] })], '2 of 2'],
  [[requirement({ approved_by: ['ana', 'bob'] }), requirement({ environment: 'test', min_count: 3 })], '0 of 3'],
  [[], undefined],
])('of %j the count is %s', async (requirements, count) => {
  const text = await shown({ requirements: [...requirements] })
  expect(/\| (\d of \d) \|/.exec(text)?.[1]).toBe(count)
})

test('reviews are listed with approvals first, and those that no longer count are marked', async () => {
  const text = await shown({
    status: 'approved',
    requirements: [requirement({ approved_by: ['ana'], satisfied: true })],
    reviews: [review('cyd', 'rejected', 'too early'), review('ana', 'approved'), review('bob', 'approved')],
  })
  expect(text.match(/\| (ANA|BOB|CYD) \|/g)).toEqual(['| ANA |', '| BOB |', '| CYD |'])
  expect(text).toContain('too early')
  expect(text.match(/[^|]*’s approval does not count for these rules\./g)?.map((line) => line.trim())).toEqual([
    'BOB’s approval does not count for these rules.',
  ])
})

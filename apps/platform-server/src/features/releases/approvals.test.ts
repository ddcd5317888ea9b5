import { describe, expect, test } from 'vitest'
import { ROLE_ACTIONS } from '../../access/actions.ts'
import { countApprovers, fits, type Holder, mayApprove, meet, type Requirement, stricter } from './approvals.ts'

const holder = (...roles: ('owner' | 'admin' | 'editor' | 'viewer')[]): Holder => ({
  roles: new Set(roles),
  actions: new Set(roles.flatMap((role) => ROLE_ACTIONS[role])),
})
const requirement = (more: Partial<Requirement> = {}): Requirement => ({
  environment_id: 'prod',
  policy_id: null,
  min_count: 1,
  roles: [],
  exclude_authors: false,
  ...more,
})

describe('a person meets a requirement', () => {
  test.each([
    ['by `release.approve` where no role is named', holder('admin'), [], true],
    ['not as an editor', holder('editor'), [], false],
    ['as the owner where admins are required', holder('owner'), ['admin'], true],
    ['not as an admin where owners are required', holder('admin'), ['owner'], false],
    ['by any of several names', holder('admin'), ['owner', 'ruleset.publish'], true],
    ['not without a membership', undefined, ['viewer'], false],
    [
      'by a role of the organization',
      { roles: new Set(['risk']), actions: new Set([]) } satisfies Holder,
      ['risk'],
      true,
    ],
    ['not as the owner where another role is required', holder('owner'), ['risk'], false],
    ['not as the owner where editors are required', holder('owner'), ['editor'], false],
    ['by a required action', holder('admin'), ['ruleset.publish'], true],
    ['not by an action that the person lacks', holder('viewer'), ['ruleset.publish'], false],
    [
      'not by a role that is named like an action',
      { roles: new Set(['org.manage']), actions: new Set([]) } satisfies Holder,
      ['org.manage'],
      false,
    ],
  ])('%s', (_title, person, roles, expected) => {
    expect(fits(person, roles)).toBe(expected)
  })
})

test('approvals of one person count once, those of authors not where they are excluded', () => {
  const holders = new Map([
    ['a', holder('admin')],
    ['b', holder('admin')],
  ])
  const approval = { approvers: ['a', 'a', 'b', 'gone'], authors: new Set(['b']), holders }
  expect(meet([requirement({ min_count: 2 }), requirement({ exclude_authors: true })], approval)).toMatchObject([
    { approved_by: ['a', 'b'], satisfied: true },
    { approved_by: ['a'], satisfied: true },
  ])
  expect(meet([requirement({ min_count: 2, exclude_authors: true })], approval)[0]?.satisfied).toBe(false)
})

test('the stricter of two policies applies, and both for different roles', () => {
  const stored = requirement({ min_count: 2 })
  const current = requirement({ min_count: 1, exclude_authors: true, policy_id: 'p' })
  expect(stricter([stored], [current])).toEqual([{ ...current, min_count: 2 }])
  const owners = requirement({ roles: ['owner'] })
  expect(stricter([stored], [owners])).toEqual([stored, owners])
  expect(stricter([stored], [])).toEqual([stored])
  expect(stricter([], [owners])).toEqual([owners])
})

describe('an approval counts now', () => {
  const risk: Holder = { roles: new Set(['risk']), actions: new Set(['release.approve']) }
  const lost: Holder = { roles: new Set(['risk']), actions: new Set() }
  const holders = new Map([
    ['ann', risk],
    ['bob', risk],
    ['cem', lost],
    ['dee', holder('owner')],
    ['eve', holder('editor')],
  ])
  const approvers = ['ann', 'bob', 'cem', 'dee', 'eve', 'gone']
  const none = new Set<string>()
  const both = new Set(['ann', 'bob'])

  test.each<[string, Partial<Requirement>, ReadonlySet<string>, readonly string[]]>([
    ['of those with the role', { roles: ['risk'] }, none, ['ann', 'bob']],
    ['of whoever may approve', {}, none, ['ann', 'bob', 'dee']],
    ['of owners as admins', { roles: ['admin'] }, none, ['dee']],
    ['not of who has lost the right to approve, but for the role', { roles: ['risk', 'viewer'] }, none, ['ann', 'bob']],
    ['not of one of two authors', { exclude_authors: true }, new Set(['ann']), ['bob', 'dee']],
    ['not of either of two authors', { exclude_authors: true }, both, ['dee']],
    ['of authors where they are not excluded', { exclude_authors: false }, both, ['ann', 'bob', 'dee']],
    ['of no one where all holders of the role are authors', { roles: ['risk'], exclude_authors: true }, both, []],
  ])('%s', (_, more, authors, approved_by) => {
    const wanted = requirement({ min_count: 2, ...more })
    const approval = { approvers, authors, holders }
    expect(meet([wanted], approval)).toEqual([{ ...wanted, approved_by, satisfied: approved_by.length >= 2 }])
    expect(countApprovers(wanted, approval)).toBe(approved_by.length)
    expect(approvers.filter((user) => mayApprove(user, [wanted], approval))).toEqual(approved_by)
  })

  test('a person may approve for one of several requirements', () => {
    const wanted = [requirement({ roles: ['risk'] }), requirement({ roles: ['owner'] })]
    const approval = { authors: none, holders }
    expect(['ann', 'dee', 'eve'].map((user) => mayApprove(user, wanted, approval))).toEqual([true, true, false])
    expect(mayApprove('ann', [], approval)).toBe(false)
  })

  test('as many times as required, by different people', () => {
    const satisfied = (min_count: number) =>
      meet([requirement({ min_count })], { approvers: ['ann', 'bob', 'ann'], authors: none, holders })[0]?.satisfied
    expect([0, 1, 2, 3].map(satisfied)).toEqual([true, true, true, false])
  })
})

test('four eyes remain where either policy requires them, and so does the larger number of people', () => {
  const four = requirement({ exclude_authors: true, min_count: 1 })
  const two = requirement({ exclude_authors: false, min_count: 2 })
  const merged = { exclude_authors: true, min_count: 2 }
  expect(stricter([four], [two])).toMatchObject([merged])
  expect(stricter([two], [four])).toMatchObject([merged])
  const roles = (...names: string[]) => requirement({ roles: names })
  expect(stricter([roles('a', 'b')], [roles('b', 'a')])).toHaveLength(1)
  expect(stricter([requirement({ environment_id: 'test' })], [requirement()])).toHaveLength(2)
})

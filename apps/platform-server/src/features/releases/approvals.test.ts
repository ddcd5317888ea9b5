import { describe, expect, test } from 'vitest'
import { ROLE_ACTIONS } from '../../access/actions.ts'
import { fits, type Holder, meet, type Requirement, stricter } from './approvals.ts'

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

describe('a person fits a requirement', () => {
  test.each([
    ['by `release.approve` where no role is named', holder('admin'), [], true],
    ['not as an editor', holder('editor'), [], false],
    ['as the owner where admins are asked for', holder('owner'), ['admin'], true],
    ['not as an admin where owners are asked for', holder('admin'), ['owner'], false],
    ['by any of several names', holder('admin'), ['owner', 'ruleset.publish'], true],
    ['not without a membership', undefined, ['viewer'], false],
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

test('of two policies whichever is stricter holds, of different roles both', () => {
  const stored = requirement({ min_count: 2 })
  const current = requirement({ min_count: 1, exclude_authors: true, policy_id: 'p' })
  expect(stricter([stored], [current])).toEqual([{ ...current, min_count: 2 }])
  const owners = requirement({ roles: ['owner'] })
  expect(stricter([stored], [owners])).toEqual([stored, owners])
  expect(stricter([stored], [])).toEqual([stored])
  expect(stricter([], [owners])).toEqual([owners])
})

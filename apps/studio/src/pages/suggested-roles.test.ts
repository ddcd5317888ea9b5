import { expect, test } from 'vitest'
import { suggestedRoles } from './suggested-roles.ts'

type Rights = Parameters<typeof suggestedRoles>[1]

const REVIEWS: Rights = ['project.read', 'audit.read', 'test.run', 'release.approve']
const AUTHORS: Rights = [
  'project.read',
  'audit.read',
  'contract.edit',
  'fact.edit',
  'ruleset.edit',
  'test.run',
  'release.create',
  'release.execute',
]

test.each<[name: string, rights: Rights, existing: readonly string[], roles: readonly string[]]>([
  ['all rights', ['role.manage', ...REVIEWS, ...AUTHORS], [], ['Risk', 'Author']],
  ['all rights but those to manage roles', [...REVIEWS, ...AUTHORS], [], []],
  ['the rights of one role', ['role.manage', ...REVIEWS], [], ['Risk']],
  ['all rights of a role but one', ['role.manage', ...AUTHORS.slice(1)], [], []],
  ['all rights, beside a role of the name', ['role.manage', ...REVIEWS, ...AUTHORS], ['Risk'], ['Author']],
])('with %s', (_name, rights, existing, roles) => {
  const names = { riskOfficer: 'Risk', ruleAuthor: 'Author' }
  const found = suggestedRoles(
    names,
    rights,
    existing.map((name) => ({ name })),
  )
  expect(found.map(({ name }) => name)).toEqual(roles)
})

test('a risk officer approves and does not edit, an author edits and does not approve', () => {
  const names = { riskOfficer: 'Risk', ruleAuthor: 'Author' }
  expect(suggestedRoles(names, ['role.manage', ...REVIEWS, ...AUTHORS], [])).toEqual([
    { name: 'Risk', permissions: REVIEWS },
    { name: 'Author', permissions: AUTHORS },
  ])
})

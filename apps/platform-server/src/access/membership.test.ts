import { describe, expect, test } from 'vitest'
import type { Database } from '../database/database.ts'
import type { OrgId } from '../database/org-id.ts'
import type { KeyHolder, Person } from './caller.ts'
import {
  actionsOf,
  inOrganization,
  inWholeOrganization,
  memberByKey,
  memberOf,
  membershipsOf,
  withheldInProject,
} from './membership.ts'

const ORG = 'aaaaaaaa-0000-4000-8000-000000000001' as OrgId
const OTHER = 'aaaaaaaa-0000-4000-8000-000000000002' as OrgId
const SCOPE = {}
/** A key is found without a query. */
const DATABASE = { scope: () => SCOPE } as unknown as Database
const holder = (projectIds: readonly string[] | null, environments: readonly string[] | null) =>
  ({
    kind: 'key',
    id: 'k',
    name: 'k',
    orgId: ORG,
    userId: null,
    scopes: ['org.manage', 'project.read'],
    projectIds,
    environments,
  }) as unknown as KeyHolder
const WHOLE = holder(null, null)
const LIMITED = holder(['p'], null)
const PERSON = { kind: 'user', id: 'u' } as Person

describe('a key reaches all of its organization', () => {
  test.each([
    ['without limits', null, null, true],
    ['not with a limit to projects', ['p'], null, false],
    ['not with a limit to environments alone', null, ['prod'], false],
    ['not with both', ['p'], ['prod'], false],
    ['not with a limit to no project', [], null, false],
    ['not with a limit to no environment', null, [], false],
  ])('%s', (_, projects, environments, reachesAll) => {
    const member = memberByKey(DATABASE, ORG, holder(projects, environments))
    expect(member.reachesAll).toBe(reachesAll)
    expect([...member.permissions]).toEqual(['org.manage', 'project.read'])
    const withheld = ['org.manage', 'member.manage', 'role.manage', 'server.manage', 'project.manage'] as const
    expect([...member.withheld.keys()]).toEqual(reachesAll ? [] : withheld)
  })
})

describe('a key acts in its own organization', () => {
  test.each<[title: string, org: string, found: boolean]>([
    ['by its id', ORG, true],
    ['by its id in upper case', ORG.toUpperCase(), true],
    ['not in another one', OTHER, false],
    ['not by a text that is no id', 'aaaaaaaa', false],
  ])('%s', async (_title, org, found) => {
    const member = await memberOf(DATABASE, WHOLE, org)
    expect([member?.org, member?.scope, member?.roles.size]).toEqual(
      found ? [ORG, SCOPE, 0] : [undefined, undefined, undefined],
    )
  })

  test('and in no other of several', async () => {
    expect([...(await membershipsOf(DATABASE, WHOLE, [OTHER, ORG])).keys()]).toEqual([ORG])
  })
})

describe('the organization of a path', () => {
  test.each<[title: string, params: Readonly<Record<string, string>>]>([
    ['`oid`', { oid: ORG }],
    ['`id`', { id: ORG }],
    ['`oid` before `id`', { oid: ORG, id: OTHER }],
  ])('is named by %s', async (_title, params) => {
    expect((await inOrganization(DATABASE)(WHOLE, params)).member.org).toBe(ORG)
  })

  test.each<[title: string, params: Readonly<Record<string, string>>]>([
    ['foreign', { oid: OTHER, id: ORG }],
    ['missing', {}],
  ])('is not found where it is %s', async (_title, params) => {
    await expect(inOrganization(DATABASE)(WHOLE, params)).rejects.toMatchObject({ code: 'not-found' })
  })
})

test('a key that is limited manages no token of the whole organization, but keeps it in its own reach', async () => {
  const whole = inWholeOrganization(DATABASE)
  const names = async (key: KeyHolder, find: typeof whole) => [
    ...(await find(key, { oid: ORG })).member.withheld.keys(),
  ]
  expect(await names(WHOLE, whole)).toEqual([])
  expect(await names(LIMITED, whole)).toContain('token.manage')
  expect(await names(LIMITED, whole)).toContain('org.manage')
  expect(await names(LIMITED, inOrganization(DATABASE))).not.toContain('token.manage')
})

test.each([
  ['a person', PERSON, []],
  ['a key without limits', WHOLE, []],
  ['a key of one project', LIMITED, []],
  ['a key of one environment', holder(null, ['prod']), ['project.manage']],
  ['a key of no environment', holder(['p'], []), ['project.manage']],
])('in a project, %s lacks %j', (_title, caller, withheld) => {
  expect([...withheldInProject(caller).keys()]).toEqual(withheld)
})

test.each<[title: string, name: string, isSystem: boolean, permissions: string[], expected: readonly string[]]>([
  ['a built-in role has those of this program', 'viewer', true, ['org.manage'], ['project.read']],
  ['a role of that name has its own', 'viewer', false, ['org.manage'], ['org.manage']],
  ['unknown actions are none', 'risk', false, ['release.approve', 'future.action'], ['release.approve']],
  ['an unknown built-in role has what is stored', 'auditor', true, ['audit.read'], ['audit.read']],
])('the actions of a role: %s', (_title, name, isSystem, permissions, expected) => {
  expect(actionsOf(name, isSystem, permissions)).toEqual(expected)
})

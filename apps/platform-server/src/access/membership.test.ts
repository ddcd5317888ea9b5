import { describe, expect, test } from 'vitest'
import type { OrgId } from '../database/org-id.ts'
import type { KeyHolder } from './caller.ts'
import { memberByKey } from './membership.ts'

const ORG = 'o' as OrgId
const DATABASE = { scope: () => ({}) } as unknown as Parameters<typeof memberByKey>[0]
const key = (projectIds: readonly string[] | null, environments: readonly string[] | null) =>
  memberByKey(DATABASE, ORG, {
    kind: 'key',
    id: 'k',
    name: 'k',
    orgId: ORG,
    userId: null,
    scopes: ['org.manage', 'project.read'],
    projectIds,
    environments,
  } as unknown as KeyHolder)

describe('a key reaches all of its organization', () => {
  test.each([
    ['without limits', null, null, true],
    ['not with a limit to projects', ['p'], null, false],
    ['not with a limit to environments alone', null, ['prod'], false],
    ['not with both', ['p'], ['prod'], false],
    ['not with a limit to no project', [], null, false],
    ['not with a limit to no environment', null, [], false],
  ])('%s', (_, projects, environments, reachesAll) => {
    const member = key(projects, environments)
    expect(member.reachesAll).toBe(reachesAll)
    expect([...member.permissions]).toEqual(['org.manage', 'project.read'])
    const withheld = ['org.manage', 'member.manage', 'role.manage', 'server.manage', 'project.manage'] as const
    expect(withheld.map((action) => member.withheld.has(action))).toEqual(withheld.map(() => !reachesAll))
    expect(member.withheld.has('project.read')).toBe(false)
  })
})

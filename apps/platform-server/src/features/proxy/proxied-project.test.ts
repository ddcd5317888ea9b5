import { expect, test } from 'vitest'
import type { KeyHolder } from '../../access/caller.ts'
import type { Database } from '../../database/database.ts'
import { isReachable, type ProxiedProject } from './destinations.ts'
import { inProxiedProject } from './proxied-project.ts'

const id = (last: number) => `aaaaaaaa-0000-4000-8000-00000000000${last}`
const [ORG, PROJECT, OTHER] = [id(1), id(2), id(3)]
const key = (projectIds: readonly string[] | null, environments: readonly string[] | null = null) =>
  ({
    kind: 'key',
    orgId: ORG,
    scopes: ['decision.execute', 'project.manage'],
    projectIds,
    environments,
  }) as unknown as KeyHolder
/** The project of the organization, and none of others. */
const find = async (org: string, project: string) =>
  org === ORG && [PROJECT, OTHER].includes(project.toLowerCase())
    ? ({ project: { id: project.toLowerCase() }, environments: [] } as unknown as ProxiedProject)
    : undefined
const place = inProxiedProject({ scope: () => ({}) } as unknown as Database, find)

test.each<[title: string, key: KeyHolder, pid: string]>([
  ['without limits', key(null), PROJECT],
  ['of the project', key([PROJECT]), PROJECT],
  ['of the project, by its id in upper case', key([PROJECT]), PROJECT.toUpperCase()],
])('a key %s finds its project', async (_title, caller, pid) => {
  expect((await place(caller, { pid })).project.id).toBe(PROJECT)
})

test.each<[title: string, key: KeyHolder, pid: string]>([
  ['of another project', key([OTHER]), PROJECT],
  ['of no project', key([]), PROJECT],
  ['in an organization without the project', { ...key(null), orgId: id(9) } as KeyHolder, PROJECT],
  ['by a text that is no id', key(null), 'p'],
  ['by no id', key(null), ''],
])('a key %s finds none', async (_title, caller, pid) => {
  await expect(place(caller, { pid })).rejects.toMatchObject({ code: 'not-found' })
})

test('a key that is limited to environments does not manage the project through the proxy', async () => {
  const withheld = async (environments: readonly string[] | null) => [
    ...(await place(key(null, environments), { pid: PROJECT })).member.withheld.keys(),
  ]
  expect([await withheld(null), await withheld(['prod'])]).toEqual([[], ['project.manage']])
})

test.each<[title: string, live: string[], owned: string[] | undefined, expected: boolean]>([
  ['a live ruleset', ['fee'], undefined, true],
  ['a live ruleset where others may be reached', ['fee'], ['fee'], true],
  ['no other ruleset', ['rate'], undefined, false],
  ['a ruleset of the engine itself, where that is allowed', ['rate'], ['rate'], true],
  ['no ruleset of another environment on the engine', ['rate'], ['fee'], false],
  ['no ruleset without anything live', [], undefined, false],
])('callers reach %s', (_title, live, owned, expected) => {
  const environment = { live: new Set(live), owned: owned && new Set(owned) }
  expect(isReachable(environment, 'fee')).toBe(expected)
})

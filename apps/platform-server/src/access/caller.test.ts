import { expect, test } from 'vitest'
import { type Caller, reachesEnvironment, reachesProject } from './caller.ts'

const PERSON = { kind: 'user', id: 'u' } as Caller
const key = (projectIds: readonly string[] | null, environments: readonly string[] | null) =>
  ({ kind: 'key', id: 'k', projectIds, environments }) as unknown as Caller

test.each<[title: string, caller: Caller, project: boolean, environment: boolean]>([
  ['a person', PERSON, true, true],
  ['a key without limits', key(null, null), true, true],
  ['a key of this project', key(['p'], null), true, true],
  ['a key of other projects', key(['q', 'r'], null), false, true],
  ['a key of no project', key([], null), false, true],
  ['a key of this environment', key(null, ['dev', 'prod']), true, true],
  ['a key of other environments', key(null, ['dev']), true, false],
  ['a key of no environment', key(null, []), true, false],
  ['a key of this project in another environment', key(['p'], ['dev']), true, false],
])('what %s reaches', (_title, caller, project, environment) => {
  expect([reachesProject(caller, 'p'), reachesEnvironment(caller, 'prod')]).toEqual([project, environment])
})

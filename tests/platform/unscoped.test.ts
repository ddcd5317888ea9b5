import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { expect, test } from 'vitest'

const SOURCES = join(import.meta.dirname, '../../apps/platform-server/src')

/** The files of the program that contain a pattern. */
function filesWith(pattern: RegExp): readonly string[] {
  return readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && pattern.test(readFileSync(join(SOURCES, file), 'utf8')))
    .map((file) => file.split(sep).join('/'))
}

/** Code that belongs to no organization, finds organizations, or answers engines: each file is listed with its reason. */
const UNSCOPED: readonly (readonly [path: string, reason: string])[] = [
  ['access/membership.ts', 'finds the organization in which a caller may act'],
  ['compose/', 'gives the tables to identity, jobs and probes'],
  ['database/', 'is it'],
  ['features/demo/demo.ts', 'finds the account of the administrator and its organization at the start'],
  ['features/engines/', 'engines identify themselves by tokens, and some belong to no organization'],
  ['features/identity/', 'accounts and sessions belong to no organization'],
  ['features/members/invitation-acceptance.ts', 'an invitation is found by its token'],
  ['features/members/repository.ts', 'members of the parent are listed as well'],
  ['features/members/routes.ts', 'as above'],
  ['features/organizations/', 'organizations are above the fence between them'],
  ['features/projects/project-scope.ts', 'a project is found by its id alone'],
  ['features/proxy/', 'a project is found by its id alone'],
  ['features/rollouts/execution-step.ts', 'a step is taken for whichever organization has the execution'],
  ['features/rollouts/job.ts', 'executions of all organizations are taken further by one loop'],
  ['features/replays/work.ts', 'replays of all organizations are continued by one loop'],
  ['features/signing/signed-content.ts', 'engines identify themselves by tokens'],
  ['features/webhooks/deliveries.ts', 'messages of all organizations are brought by one loop'],
  ['http/idempotency.ts', 'keys belong to callers'],
  ['jobs/periodic.ts', 'periodic jobs work for all organizations'],
  ['jobs/retention.ts', 'what has grown old is deleted in all organizations'],
]

test('only files with a reason reach the tables of all organizations', () => {
  const files = filesWith(/\bunscoped\b/)
  expect(files.length).toBeGreaterThan(0)
  expect(files.filter((file) => !UNSCOPED.some(([path]) => file.startsWith(path)))).toEqual([])
})

test('only the membership check claims the id of an organization', () => {
  expect(filesWith(/\bclaimedOrgId\b/).toSorted()).toEqual(['access/membership.ts', 'database/org-id.ts'])
})

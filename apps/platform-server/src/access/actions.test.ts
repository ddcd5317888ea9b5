import { expect, test } from 'vitest'
import { type Action, type BuiltInRole, isAction, isBuiltIn, ROLE_ACTIONS } from './actions.ts'

/** Written out, so that a role gains or loses an action only here as well. */
const EDITOR = [
  'project.read',
  'contract.edit',
  'fact.edit',
  'ruleset.edit',
  'test.run',
  'release.create',
  'decision.execute',
] as const
const ADMIN = [
  ...EDITOR,
  'member.manage',
  'role.manage',
  'project.manage',
  'environment.manage',
  'ruleset.publish',
  'release.approve',
  'release.execute',
  'release.rollback',
  'server.manage',
  'token.manage',
  'audit.read',
] as const

test.each<[role: BuiltInRole, actions: readonly Action[]]>([
  ['viewer', ['project.read']],
  ['editor', EDITOR],
  ['admin', ADMIN],
  ['owner', [...ADMIN, 'org.manage']],
])('%s has its actions and no other', (role, actions) => {
  expect(ROLE_ACTIONS[role]).toEqual(actions)
})

test.each([
  ['project.read', true, false],
  ['org.manage', true, false],
  ['owner', false, true],
  ['viewer', false, true],
  ['org', false, false],
  ['', false, false],
])('%s names an action: %s, a built-in role: %s', (text, action, role) => {
  expect([isAction(text), isBuiltIn(text)]).toEqual([action, role])
})

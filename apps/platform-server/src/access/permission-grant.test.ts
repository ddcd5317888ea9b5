import { expect, test } from 'vitest'
import type { Action } from './actions.ts'
import { refuseAboveOwn } from './permission-grant.ts'

const EDIT: Action = 'ruleset.edit'
const APPROVE: Action = 'release.approve'

const author = (roles: readonly string[], permissions: readonly Action[], reachesAll = true) => ({
  roles: new Set(roles),
  permissions: new Set(permissions),
  reachesAll,
})
const custom = (...actions: Action[]) => ({ name: 'custom', isSystem: false, actions })
const owner = (...actions: Action[]) => ({ name: 'owner', isSystem: true, actions })

test.each([
  ['nothing', author([], []), [], undefined],
  ['an action of their own', author(['editor'], [EDIT]), [custom(EDIT)], undefined],
  ['a role without actions', author([], []), [custom()], undefined],
  ['an action that they lack', author(['editor'], [EDIT]), [custom(EDIT, APPROVE)], /holds `release.approve`/],
  ['a second grant that they lack', author(['editor'], [EDIT]), [custom(EDIT), custom(APPROVE)], /release.approve/],
  ['a grant beyond the reach of their key', author([], [EDIT], false), [custom(EDIT)], /reaches more projects/],
  ['a grant without actions by such a key', author([], [EDIT], false), [custom()], undefined],
  ['owner, by an owner', author(['owner'], [EDIT]), [owner(EDIT)], undefined],
  ['owner, with all actions but not the role', author(['admin'], [EDIT]), [owner(EDIT)], /only an owner/],
  ['a custom role that is called owner', author(['admin'], [EDIT]), [{ ...owner(EDIT), isSystem: false }], undefined],
  ['another system role', author(['admin'], [EDIT]), [{ ...owner(EDIT), name: 'editor' }], undefined],
] as const)('a caller grants %s', (_what, caller, grants, refusal) => {
  const grant = () => refuseAboveOwn(caller, grants)
  if (refusal === undefined) expect(grant).not.toThrow()
  else expect(grant).toThrow(refusal)
})

import { expect, test } from 'vitest'
import { refuseRoleName } from './role-names.ts'

test.each([
  'owner',
  'Owner',
  'OWNER',
  ' o w n e r ',
  '-Owner-',
  'ow\u200Bner',
  'own\u00ADer',
  '\u202Eowner',
  'ówñer',
  'ο\u0301wner',
  'оwnеr',
  'ΟWΝΕR',
  '0wner',
  'ovvner',
  'own.er',
  'ａｄｍｉｎ',
  'аdmin',
  'adrnin',
  'adm1n',
  'Admın',
  '@dmin',
  'aclmin',
  'editοr',
  'Vіewer',
  'vlewer',
  'system',
  'SYSTEM',
  'ѕyѕtem',
  'sy5tem',
  'org.manage',
  'Org.Manage',
  'org．manage',
  'org。manage',
  'org .manage',
  'оrg.manаge',
  'audit.read',
  'release.approve',
  'decision.execute',
])('refuses a role named %j', (name) => {
  expect(() => refuseRoleName(name)).toThrow(/looks like `[a-z.]+`, which is reserved/)
})

test.each([
  'Release manager',
  'Auditor',
  'Co-owner',
  'Owner (EU)',
  'Viewer 2',
  'editors',
  'Audit read',
  '審査',
  'Админ',
  'v2.1',
])('takes a role named %j', (name) => {
  expect(() => refuseRoleName(name)).not.toThrow()
})

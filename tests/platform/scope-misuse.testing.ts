import { type Scope, scopeOf } from '../../apps/platform-server/src/database/scope.ts'

/**
 * Held by the compiler: each line after `@ts-expect-error` is a misuse of a scope, and one that compiled would be an error
 * here. Never called.
 */
export async function misuseOfScope(
  scope: Scope,
  database: Parameters<typeof scopeOf>[0],
  text: string,
): Promise<void> {
  // As it is meant.
  await scope
    .read('members', 'member_roles')
    .selectFrom('members')
    .innerJoin('member_roles', 'member_id', 'id')
    .selectAll()
    .execute()
  await scope.insert('roles', { id: text, name: text, permissions: [], created_by: text }).execute()
  await scope.update('roles').set({ name: text }).where('id', '=', text).returning('rev').execute()

  // @ts-expect-error a table that is not among those to be read
  scope.read('members').selectFrom('members').innerJoin('member_roles', 'member_id', 'id')
  // @ts-expect-error a table without the scope
  scope.selectFrom('members')
  // @ts-expect-error a table of no organization
  scope.read('users')
  // @ts-expect-error a view cannot be written
  scope.update('member_profiles')
  // @ts-expect-error the organization is not the caller's to give
  scope.insert('roles', { org_id: scope.org, id: text, name: text, permissions: [], created_by: text })
  // @ts-expect-error a row does not move to another organization
  scope.update('roles').set({ org_id: scope.org })
  // @ts-expect-error a scope is not made of the text of a request
  scopeOf(database, text)
  // @ts-expect-error a column that is not there
  scope.read('members').selectFrom('members').select('nonsense')
}

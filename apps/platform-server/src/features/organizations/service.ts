import type { Value } from '@engine/expression'
import { randomUUIDv7 } from 'node:crypto'
import { BUILT_IN_ROLES, type BuiltInRole } from '../../access/actions.ts'
import type { Caller, Person } from '../../access/caller.ts'
import type { InOrganization } from '../../access/membership.ts'
import { wakeRights } from '../../access/rights-topic.ts'
import type { Author } from '../../database/audit.ts'
import { type Database, duplicateOf, sqlState, type Transaction } from '../../database/database.ts'
import { newOrgId, type OrgId } from '../../database/org-id.ts'
import type { Scope } from '../../database/scope.ts'
import { failures } from '../../errors.ts'
import type { Acting } from '../../resources/acting.ts'
import { creatorOf } from '../../resources/author.ts'
import { staleRevision } from '../../resources/revision.ts'
import type { Organization, OrganizationChange } from './model.ts'
import { organizationById, shownTo } from './repository.ts'

/** Descriptions of the built-in roles in lists of roles. */
const ROLE_DESCRIPTIONS: Readonly<Record<BuiltInRole, string>> = {
  owner: 'may do everything',
  admin: 'may do everything but manage the organization and its owners',
  editor: 'edits rules, runs tests, proposes releases, decides',
  viewer: 'reads',
}

interface NewOrganization {
  readonly name: string
  readonly description?: string
}

/** Create an organization; its creator becomes the owner. */
export async function createOrganization(
  database: Database,
  person: Person,
  author: Author,
  request: NewOrganization,
): Promise<Organization> {
  const org = await database.unscoped.transaction(async (transaction) => {
    await refuseOwnName(transaction, person, request.name)
    return insertOrganization(transaction, person, author, request, null)
  })
  return organization(database, person, org)
}

/** Create a sub-organization. Owners and admins of the parent have the same role there. */
export async function createSubOrganization(
  database: Database,
  caller: Caller,
  author: Author,
  parent: OrgId,
  request: NewOrganization,
): Promise<Organization> {
  const above = await organizationById(database, parent)
  if (above === undefined) throw failures.notFound('organization', parent)
  if (above.parent_org_id !== null)
    throw failures.refused('there is no third level: a sub-organization has no sub-organizations', 'depth')
  const org = await asDuplicate(
    database.unscoped.transaction((transaction) => insertOrganization(transaction, caller, author, request, parent)),
    request.name,
  )
  return organization(database, caller, org)
}

/** Change the name or description. @param rev the revision that it must have; undefined: any */
export async function changeOrganization(
  acting: Acting<InOrganization>,
  change: OrganizationChange,
  rev: number | undefined,
): Promise<Organization> {
  const { org } = acting.place.member
  const isChanged = await acting.change(async ({ scope, audit }) => {
    const before = await scope.read('organizations').selectFrom('organizations').selectAll().executeTakeFirst()
    if (before === undefined) throw failures.notFound('organization', org)
    if (rev !== undefined && before.rev !== rev) return false
    const after = await scope
      .update('organizations')
      .set({ ...change, updated_at: new Date(), rev: before.rev + 1 })
      .returning(['name', 'description'])
      .executeTakeFirstOrThrow()
    await audit({
      action: 'organization.updated',
      object: { id: org, name: after.name },
      before: contentOf(before),
      after: contentOf(after),
    })
    return true
  }, change.name)
  const shown = await organization(acting.database, acting.caller, org)
  if (!isChanged) throw staleRevision(shown)
  return shown
}

/** Delete an empty organization. The parent, if any, keeps the audit entry of the deletion. */
export async function deleteOrganization(
  database: Database,
  author: Author,
  before: Organization,
  org: OrgId,
  rev: number | undefined,
): Promise<void> {
  const deletion = database.unscoped.transaction(async (transaction) => {
    const { tables } = transaction
    const found = await tables
      .selectFrom('organizations')
      .select(['parent_org_id', 'rev'])
      .where('org_id', '=', org)
      .forUpdate()
      .executeTakeFirst()
    if (found === undefined) throw failures.notFound('organization', before.id)
    if (rev !== undefined && found.rev !== rev) throw staleRevision({ ...before, rev: found.rev })
    // Members reference roles, so they are deleted first.
    await tables.deleteFrom('members').where('org_id', '=', org).execute()
    await tables.deleteFrom('organizations').where('org_id', '=', org).execute()
    await wakeRights(transaction, org)
    await transaction.audit(found.parent_org_id ?? org, author, {
      action: 'organization.deleted',
      object: { id: org, name: before.name },
      before: contentOf(before),
    })
  })
  try {
    await deletion
  } catch (error) {
    if (sqlState(error) === '23503')
      throw failures.conflict('in_use', 'it has projects, sub-organizations or engines: delete these first')
    throw error
  }
}

/** An organization in the form of the public API for its reader. Throws `not-found` if it was deleted in the meantime. */
export async function organization(database: Database, caller: Caller, org: OrgId): Promise<Organization> {
  const row = await organizationById(database, org)
  const shown = row && (await shownTo(database, caller, [row])).get(row.id)
  if (shown === undefined) throw failures.notFound('organization', org)
  return shown
}

async function insertOrganization(
  transaction: Transaction,
  caller: Caller,
  author: Author,
  { name, description = '' }: NewOrganization,
  parent: OrgId | null,
): Promise<OrgId> {
  const org = newOrgId()
  const scope = transaction.scope(org)
  const created_by = creatorOf(caller)
  await scope.insert('organizations', { name, description, parent_org_id: parent, created_by }).execute()
  const owner = await insertBuiltInRoles(scope, created_by)
  if (caller.kind === 'user') await insertOwner(scope, caller, owner, created_by)
  await transaction.audit(org, author, {
    action: 'organization.created',
    object: { id: org, name },
    after: { name, description, parent_org_id: parent },
  })
  return org
}

/** Returns the ID of the role `owner`. */
async function insertBuiltInRoles(scope: Scope, created_by: string): Promise<string> {
  const roles = BUILT_IN_ROLES.map((name) => ({
    id: randomUUIDv7(),
    name,
    description: ROLE_DESCRIPTIONS[name],
    permissions: [],
    is_system: true,
    created_by,
  }))
  await scope.insert('roles', roles).execute()
  const owner = roles.find(({ name }) => name === 'owner')
  if (owner === undefined) throw new Error('there is no role of owners')
  return owner.id
}

async function insertOwner(scope: Scope, person: Person, role_id: string, created_by: string): Promise<void> {
  const member_id = randomUUIDv7()
  const { id: user_id, email } = person
  await scope.insert('members', { id: member_id, user_id, email, status: 'active', created_by }).execute()
  await scope.insert('member_roles', { member_id, role_id }).execute()
}

/**
 * Refuse a name that one of the person's own organizations has. Names of other people's organizations are ignored, because a
 * refusal would reveal them. The lock on the account's row serializes concurrent requests.
 */
async function refuseOwnName({ tables }: Transaction, person: Person, name: string): Promise<void> {
  await tables.selectFrom('users').select('id').where('id', '=', person.id).forUpdate().execute()
  const taken = await tables
    .selectFrom('organizations as o')
    .innerJoin('members as m', 'm.org_id', 'o.org_id')
    .select('o.org_id')
    .where('m.user_id', '=', person.id)
    .where('o.parent_org_id', 'is', null)
    .where('o.name', '=', name)
    .executeTakeFirst()
  if (taken !== undefined) throw duplicate(name)
}

/** The audited content of an organization. */
const contentOf = ({ name, description }: { name: string; description: string }): Value => ({ name, description })

const duplicate = (name: string) => failures.conflict('duplicate', `there is an organization \`${name}\` already`)

async function asDuplicate<Result>(work: Promise<Result>, name: string): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw duplicateOf(error) === 'organizations_name' ? duplicate(name) : error
  }
}

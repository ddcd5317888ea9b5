import { randomUUIDv7 } from 'node:crypto'
import { recordOf } from '../../resources/resource-fields.ts'
import type { Selectable } from 'kysely'
import type { Action } from '../../access/actions.ts'
import type { Caller } from '../../access/caller.ts'
import type { InOrganization, Member } from '../../access/membership.ts'
import { wakeRights } from '../../access/rights-topic.ts'
import { newToken } from '../../access/tokens.ts'
import { isId } from '../../database/org-id.ts'
import { onPage, type Page } from '../../database/page.ts'
import type { Tables } from '../../database/tables.ts'
import { failures } from '../../errors.ts'
import type { Acting } from '../../resources/acting.ts'
import type { ApiKey, ApiKeyRequest } from './model.ts'

export type KeyRow = Selectable<Tables['api_keys']>

/** An API key in the form of the public API. */
export function keyOf(row: KeyRow): ApiKey {
  const { name, prefix, project_ids, environments } = row
  return {
    ...recordOf(row),
    name,
    prefix,
    scopes: row.scopes as Action[],
    project_ids,
    environments,
    expires_at: row.expires_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
  }
}

/** A page of an organization's keys, with one extra row when another page follows. */
export function keysOf({ scope }: Member, page: Page): Promise<KeyRow[]> {
  const keys = scope.read('api_keys').selectFrom('api_keys').selectAll()
  return onPage(keys, page, { key: page.sort, id: 'id', texts: ['name'] }).execute()
}

/** Throws `not-found`. */
export async function keyById({ scope }: Member, id: string): Promise<KeyRow> {
  const row = isId(id)
    ? await scope.read('api_keys').selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst()
    : undefined
  if (row === undefined) throw failures.notFound('API key', id)
  return row
}

/**
 * Create a key; the token is returned only here. Throws 400, 403 when the key exceeds its author's rights, 409 for a taken
 * name.
 */
export async function createKey(
  acting: Acting<InOrganization>,
  request: ApiKeyRequest,
): Promise<{ readonly key: ApiKey; readonly token: string }> {
  const { name, scopes, project_ids, environments } = request
  const {
    caller,
    place: { member },
  } = acting
  refuseMore(member, caller, request)
  const expires = expiryOf(request.expires_at)
  await refuseUnknownProjects(member, project_ids ?? [])
  const { text, hash, prefix } = newToken('key')
  const row = {
    id: randomUUIDv7(),
    name: keyName(name),
    token_hash: hash,
    prefix,
    scopes: [...new Set<string>(scopes)],
    project_ids: project_ids === undefined ? null : unique(project_ids),
    environments: environments === undefined ? null : unique(environments),
    user_id: ownerOf(caller, scopes),
    expires_at: expires,
    created_by: acting.by,
  }
  const key = await acting.change(async ({ scope, audit }) => {
    const made = keyOf(await scope.insert('api_keys', row).returningAll().executeTakeFirstOrThrow())
    await audit({ action: 'api_key.created', object: { id: made.id, name: made.name }, after: made })
    return made
  }, row.name)
  return { key, token: text }
}

/** Revoke a key; it stops working immediately. Throws 403 when the key reaches further than the caller's own. */
export async function revokeKey(acting: Acting<InOrganization>, row: KeyRow): Promise<void> {
  refuseWider(acting.caller, row.project_ids, row.environments)
  await acting.change(async (change) => {
    const { scope, audit } = change
    const gone = await scope.delete('api_keys').where('id', '=', row.id).returning('id').executeTakeFirst()
    if (gone === undefined) throw failures.notFound('API key', row.id)
    await audit({ action: 'api_key.revoked', object: { id: row.id, name: row.name }, before: keyOf(row) })
    await wakeRights(change, acting.place.member.org)
  })
}

/** A key never has more rights, or a wider reach, than its author. */
function refuseMore(
  { permissions }: Member,
  caller: Caller,
  { scopes, project_ids, environments }: ApiKeyRequest,
): void {
  const more = scopes.find((scope) => !permissions.has(scope))
  if (more !== undefined)
    throw failures.forbidden(`a key cannot have the right \`${more}\`, which its author lacks`, more)
  refuseWider(caller, project_ids ?? null, environments ?? null)
}

/** A key can neither create nor revoke a key with a wider reach than its own. */
function refuseWider(
  caller: Caller,
  projectIds: readonly string[] | null,
  environments: readonly string[] | null,
): void {
  if (caller.kind === 'user') return
  if (isWider(caller.projectIds, projectIds) || isWider(caller.environments, environments))
    throw failures.forbidden(
      'a key makes and ends no key that reaches projects or environments which it does not reach itself',
      'token.manage',
    )
}

/**
 * Whether `wanted` includes anything outside `own`; null means everything.
 *
 * @internal
 */
export function isWider(own: readonly string[] | null, wanted: readonly string[] | null): boolean {
  return own !== null && (wanted === null || wanted.some((one) => !own.includes(one)))
}

/** Keys limited to decisions outlive the member who created them; all others are revoked with the member. */
function ownerOf(caller: Caller, scopes: readonly Action[]): string | null {
  if (scopes.every((scope) => scope === 'decision.execute')) return null
  return caller.kind === 'user' ? caller.id : caller.userId
}

function keyName(text: string): string {
  const name = text.trim()
  if (name === '' || /\p{Cc}/u.test(name))
    throw failures.invalid('/name', 'must have characters, and no control characters')
  return name
}

const unique = (texts: readonly string[]) => [...new Set(texts)]

function expiryOf(text: string | undefined): Date | null {
  if (text === undefined) return null
  const time = Date.parse(text)
  // A leap second matches the pattern, but `Date` does not support it.
  if (Number.isNaN(time)) throw failures.invalid('/expires_at', 'is not a time')
  if (time <= Date.now()) throw failures.invalid('/expires_at', 'is over already')
  return new Date(time)
}

async function refuseUnknownProjects({ scope }: Member, ids: readonly string[]): Promise<void> {
  const known = ids.filter(isId)
  const found =
    known.length === 0
      ? []
      : await scope.read('projects').selectFrom('projects').select('id').where('id', 'in', known).execute()
  const at = ids.findIndex((id) => !found.some((project) => project.id === id.toLowerCase()))
  if (at >= 0) throw failures.invalid(`/project_ids/${at}`, 'is not a project of this organization')
}

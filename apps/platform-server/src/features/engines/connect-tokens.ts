import { randomUUIDv7 } from 'node:crypto'
import { recordOf } from '../../resources/resource-fields.ts'
import type { Selectable } from 'kysely'
import type { InOrganization, Member } from '../../access/membership.ts'
import { newToken } from '../../access/tokens.ts'
import { isId } from '../../database/org-id.ts'
import { onPage, type Page } from '../../database/page.ts'
import type { Tables } from '../../database/tables.ts'
import { failures } from '../../errors.ts'
import type { Acting } from '../../resources/acting.ts'
import type { ConnectToken } from './model.ts'

type TokenRow = Selectable<Tables['connect_tokens']>

export function connectTokenOf(row: TokenRow): ConnectToken {
  const { label, prefix } = row
  return {
    ...recordOf(row),
    label,
    prefix,
    last_used_at: row.last_used_at?.toISOString() ?? null,
  }
}

/** A page with one extra row when another page follows. `q` does not search prefixes: they are random and match by chance. */
export function connectTokensOn({ scope }: Member, page: Page): Promise<TokenRow[]> {
  const all = scope.read('connect_tokens').selectFrom('connect_tokens').selectAll()
  const key = page.sort === 'name' ? 'label' : page.sort
  return onPage(all, page, { key, id: 'id', texts: ['label'] }).execute()
}

/** Throws `not-found`. */
export async function connectTokenById({ scope }: Member, id: string): Promise<TokenRow> {
  const all = scope.read('connect_tokens').selectFrom('connect_tokens').selectAll()
  const row = isId(id) ? await all.where('id', '=', id).executeTakeFirst() : undefined
  if (row === undefined) throw failures.notFound('connect token', id)
  return row
}

/** Create a connect token; its text is returned only here. */
export async function createConnectToken(
  acting: Acting<InOrganization>,
  label: string,
): Promise<ConnectToken & { readonly token: string }> {
  const { text, hash, prefix } = newToken('con')
  const row = { id: randomUUIDv7(), label, token_hash: hash, prefix, created_by: acting.by }
  const made = await acting.changeUnlocked(async ({ scope, audit }) => {
    const token = connectTokenOf(await scope.insert('connect_tokens', row).returningAll().executeTakeFirstOrThrow())
    await audit({ action: 'connect_token.created', object: objectOf(token), after: token })
    return token
  })
  return { ...made, token: text }
}

/** Revoke a connect token: no engine can register with it. Registered engines stay. */
export function revokeConnectToken(acting: Acting<InOrganization>, row: TokenRow): Promise<void> {
  return acting.changeUnlocked(async ({ scope, audit }) => {
    const gone = await scope.delete('connect_tokens').where('id', '=', row.id).returning('id').executeTakeFirst()
    if (gone === undefined) throw failures.notFound('connect token', row.id)
    const before = connectTokenOf(row)
    await audit({ action: 'connect_token.revoked', object: objectOf(before), before })
  })
}

const objectOf = ({ id, label, prefix }: ConnectToken) => ({ id, name: label === '' ? prefix : label })

import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'

/**
 * Names of rulesets that the platform delivers to engines without tenants, for any environment, project or organization,
 * including deletions that such an engine has not applied yet. All records with the engine's address count, since they may be
 * the same process. Records of other organizations count only if the engine has proved that the address is its own, or its
 * version cannot: anyone can register an address and have names delivered to it.
 *
 * @param servers IDs
 */
export async function deliveredNames(tables: Kysely<Tables>, servers: readonly string[]): Promise<ReadonlySet<string>> {
  if (servers.length === 0) return new Set()
  const rows = await tables
    .selectFrom('servers as t')
    .innerJoin('servers as s', (join) =>
      join.on(({ or, and, eb, ref }) =>
        or([
          eb('s.id', '=', ref('t.id')),
          and([
            eb('s.url', '=', ref('t.url')),
            or([eb('s.org_id', '=', ref('t.org_id')), eb('s.identity', 'in', ['proved', 'unsupported'])]),
          ]),
        ]),
      ),
    )
    .innerJoin('server_rulesets as r', 'r.server_id', 's.id')
    .select('r.name')
    .distinct()
    .where('t.id', 'in', servers)
    .where('r.tenant', '=', '')
    .where(({ or, eb, ref }) => or([eb('r.digest', 'is not', null), eb('r.revision', '>', ref('s.applied_revision'))]))
    .execute()
  return new Set(rows.map(({ name }) => name))
}

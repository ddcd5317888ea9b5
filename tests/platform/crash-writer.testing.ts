import { writeSync } from 'node:fs'
import { randomUUIDv7 } from 'node:crypto'
import { sql } from 'kysely'
import { SYSTEM } from '../../apps/platform-server/src/database/audit.ts'
import type { Database } from '../../apps/platform-server/src/database/database.ts'
import type { OrgId } from '../../apps/platform-server/src/database/org-id.ts'
import { type DatabaseLocation, openDatabase } from '../../apps/platform-server/src/database/connection.ts'
import { memoryLog } from '../../packages/process/src/log.testing.ts'
import type { Report } from './crash.testing.ts'

/**
 * A process that is killed while it writes. It prints its findings as the first line, then each acknowledged change:
 * `<writer> <number>`. Its arguments: the location of the database as JSON, the ids of the writers' organizations.
 */
const [location = '', ...orgs] = process.argv.slice(2)

/** Unbuffered: lines written before a kill must arrive. */
const say = (text: string) => writeSync(1, `${text}\n`)

async function found({ unscoped: { tables } }: Database, org: OrgId): Promise<Report> {
  const { rows } = await sql<Report>`select
    (select count(*) from roles where org_id = ${org}) as count,
    (select coalesce(max(name::int), 0) from roles where org_id = ${org}) as last,
    (select count(*) from roles r full join audit_entries a on a.org_id = r.org_id and a.object_name = r.name
      where coalesce(r.org_id, a.org_id) = ${org} and (r.id is null or a.id is null)) as halves`.execute(tables)
  const [report] = rows
  if (report === undefined) throw new Error('no report')
  return report
}

async function write(database: Database, writer: number, org: OrgId, last: number): Promise<never> {
  for (let number = last + 1; ; number++) {
    const name = String(number)
    await database.change(org, SYSTEM, async ({ scope, audit }) => {
      await scope
        .insert('roles', { id: randomUUIDv7(), name, permissions: ['x'.repeat(300)], created_by: 'x' })
        .execute()
      await audit({ action: 'role.created', object: { id: name, name } })
    })
    say(`${writer} ${number}`)
  }
}

const database = await openDatabase(JSON.parse(location) as DatabaseLocation, memoryLog().log)
const ids = orgs as OrgId[]
for (const org of ids)
  await database.note(org, ({ scope }) =>
    scope
      .insert('organizations', { name: org, created_by: 'x' })
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  )
const reports = await Promise.all(ids.map((org) => found(database, org)))
say(JSON.stringify(reports))
await Promise.all(ids.map((org, writer) => write(database, writer, org, reports[writer]?.last ?? 0)))

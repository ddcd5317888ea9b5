import type { Concepts } from '@engine/authoring'
import type { Selectable } from 'kysely'
import { bytesOf, type CutPage, type Page, roomyRows } from '../../database/page.ts'
import type { Scope } from '../../database/scope.ts'
import type { OrgTables } from '../../database/tables.ts'
import { recordOf } from '../../resources/resource-fields.ts'
import { shownMigrations, type StoredMigration } from './migrations.ts'
import type { Concept, Contract } from './model.ts'

/** A row of the table `facts`. */
export type FactRow = Selectable<OrgTables['facts']>

/** A row of the table `concepts`. */
export type ConceptRow = Selectable<OrgTables['concepts']>

/** A row of the table `contracts`. */
export type ContractRow = Selectable<OrgTables['contracts']>

/** A page of the facts of a project. Pages with large examples are shorter than requested. */
export function factsOn(scope: Scope, project: string, page: Page): Promise<CutPage<FactRow>> {
  const own = scope.read('facts').selectFrom('facts').where('project_id', '=', project)
  return roomyRows(own.select(bytesOf('example')), own.selectAll(), page, {
    key: page.sort,
    id: 'id',
    texts: ['name', 'description'],
  })
}

/** The fact of this name; undefined: the project has none. */
export function factIn(scope: Scope, project: string, name: string): Promise<FactRow | undefined> {
  const own = scope.read('facts').selectFrom('facts').selectAll().where('project_id', '=', project)
  return own.where('name', '=', name).executeTakeFirst()
}

/** A page of the concepts of a project. Pages with many fields are shorter than requested. */
export function conceptsOn(scope: Scope, project: string, page: Page): Promise<CutPage<ConceptRow>> {
  const own = scope.read('concepts').selectFrom('concepts').where('project_id', '=', project)
  return roomyRows(own.select(bytesOf('fields')), own.selectAll(), page, { key: page.sort, id: 'id', texts: ['name'] })
}

/** The concept of this name; undefined: the project has none. */
export function conceptIn(scope: Scope, project: string, name: string): Promise<ConceptRow | undefined> {
  const own = scope.read('concepts').selectFrom('concepts').selectAll().where('project_id', '=', project)
  return own.where('name', '=', name).executeTakeFirst()
}

/** All concepts of a project, to resolve types that name them. */
export async function conceptsOf(scope: Scope, project: string): Promise<Concepts> {
  const rows = await scope
    .read('concepts')
    .selectFrom('concepts')
    .select(['name', 'fields'])
    .where('project_id', '=', project)
    .orderBy('name')
    .execute()
  return new Map(rows.map((row) => [row.name, fieldsOf(row)]))
}

export const fieldsOf = ({ fields }: Pick<ConceptRow, 'fields'>): Concept['fields'] => fields as Concept['fields']

/** A page of the contracts of a project. Pages with large contracts are shorter than requested. */
export function contractsOn(scope: Scope, project: string, page: Page): Promise<CutPage<ContractRow>> {
  const own = scope.read('contracts').selectFrom('contracts').where('project_id', '=', project)
  return roomyRows(own.select(bytesOf('content')), own.selectAll(), page, { key: page.sort, id: 'id', texts: ['name'] })
}

/** The contract of this name; undefined: the project has none. */
export function contractIn(scope: Scope, project: string, name: string): Promise<ContractRow | undefined> {
  const own = scope.read('contracts').selectFrom('contracts').selectAll().where('project_id', '=', project)
  return own.where('name', '=', name).executeTakeFirst()
}

type Content = Pick<Contract, 'description' | 'input' | 'outputs'>

/** A contract in the form of the public API. */
export function contractOf(row: ContractRow): Contract {
  const migrations = shownMigrations(row.migrations as unknown as readonly StoredMigration[])
  return {
    ...recordOf(row),
    name: row.name,
    version: row.version,
    ...(row.content as Content),
    needs_migration: migrations.length > 0,
    migrations,
  }
}

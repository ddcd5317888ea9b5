import { conceptNamed, type Concepts, dependentConcepts, sameValue } from '@engine/authoring'
import { stringifyJson, type Value } from '@engine/expression'
import type { Change } from '../../database/database.ts'
import { hasItems } from '../../database/json-items.ts'
import { hasOneOf, hasPathOf } from '../../database/text-lists.ts'
import type { Scope } from '../../database/scope.ts'
import { type Cause, changedMigrations, type Meaning, shownMigrations, type StoredMigration } from './migrations.ts'
import type { Contract, Migrations, UsedBy } from './model.ts'
import { conceptsOf, contractOf, type ContractRow } from './repository.ts'

/**
 * The contracts with fields of these names, or below them. A field uses the fact of its name; a fact whose type has fields is
 * also used through their names.
 */
export async function usersOfFacts(
  scope: Scope,
  project: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, UsedBy>> {
  const rows = await usingContracts(scope, project, hasPathOf('fields', names))
  const reached = rows.map(({ name, fields }) => ({ name, paths: new Set(fields.flatMap(pathsTo)) }))
  return new Map(
    names.map((name) => [
      name,
      reached.filter(({ paths }) => paths.has(name)).map((row) => ({ kind: 'contract', name: row.name })),
    ]),
  )
}

/** A field's path and its ancestors: `a`, `a.b` and `a.b.c`. */
export function pathsTo(field: string): readonly string[] {
  const parts = field.split('.')
  return parts.map((_part, index) => parts.slice(0, index + 1).join('.'))
}

/** The contracts, concepts and facts whose types name these concepts. Cost: the fields of all concepts. */
export async function usersOfConcepts(
  scope: Scope,
  project: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, UsedBy>> {
  const contracts = await usingContracts(scope, project, hasOneOf('concepts', names))
  const concepts = await conceptsOf(scope, project)
  const facts = await scope
    .read('facts')
    .selectFrom('facts')
    .select(['name', 'type'])
    .where('project_id', '=', project)
    .where('type', 'like', '%concept:%')
    .orderBy('name')
    .execute()
  const users = new Map(names.map((name): [string, UsedBy] => [name, []]))
  const add = (used: string | undefined, kind: UsedBy[number]['kind'], name: string) => {
    const found = used === undefined || (kind === 'concept' && used === name) ? undefined : users.get(used)
    const last = found?.at(-1)
    // Several fields can name the concept; it counts once.
    if (last?.kind !== kind || last.name !== name) found?.push({ kind, name })
  }
  for (const row of contracts) for (const used of row.concepts) add(used, 'contract', row.name)
  for (const [name, fields] of concepts) for (const { type } of fields) add(conceptNamed(type), 'concept', name)
  for (const { name, type } of facts) add(conceptNamed(type), 'fact', name)
  return users
}

/** Set or clear the flags of contracts with a field that has the name of a fact, or lies below it. */
export async function flagForFact(
  change: Change,
  project: string,
  fact: string,
  before: string | undefined,
  after: string | undefined,
): Promise<Migrations> {
  const rows = await contractsUsing(change.scope, project, hasPathOf('fields', [fact]))
  const fieldsIn = ({ input }: Contract) =>
    input.fields.flatMap(({ name }) => (pathsTo(name).includes(fact) ? [name] : []))
  return flag(change, project, rows, { cause: { kind: 'fact', name: fact }, fieldsIn, before, after })
}

/** Set or clear the flags of contracts with fields that use a concept, directly or through other concepts. */
export async function flagForConcept(
  change: Change,
  project: string,
  concepts: Concepts,
  concept: string,
  before: Value,
  after: Value | undefined,
): Promise<Migrations> {
  const touched = dependentConcepts(concepts, concept)
  const using = await contractsUsing(change.scope, project, hasOneOf('concepts', [...touched]))
  // Contracts that no longer depend on it may still have a flag.
  const flagged = await contractsUsing(change.scope, project, hasItems('migrations'))
  const rows = [...using, ...flagged.filter(({ id }) => !using.some((row) => row.id === id))]
  const isTouched = ({ type }: { readonly type: string }) => touched.has(conceptNamed(type) ?? '')
  const fieldsIn = ({ input, outputs }: Contract) => [
    ...input.fields.filter(isTouched).map(({ name }) => name),
    ...outputs.flatMap(({ code, fields }) => fields.filter(isTouched).map(({ name }) => `${code}.${name}`)),
  ]
  return flag(change, project, rows, { cause: { kind: 'concept', name: concept }, fieldsIn, before, after })
}

/** A changed fact or concept. */
interface Changed {
  readonly cause: Cause
  readonly fieldsIn: (contract: Contract) => readonly string[]
  readonly before: Meaning
  readonly after: Meaning
}

/** The flags that the change has set. */
async function flag(
  { scope, audit }: Change,
  projectId: string,
  rows: readonly ContractRow[],
  { cause, fieldsIn, before: was, after: is }: Changed,
): Promise<Migrations> {
  const flagged: Migrations = []
  for (const row of rows) {
    const before = contractOf(row)
    const fields = fieldsIn(before)
    const stored = row.migrations as unknown as readonly StoredMigration[]
    const migrations = changedMigrations(stored, cause, fields, was, is)
    if (sameValue(row.migrations, migrations as unknown as Value)) continue
    const set = { migrations: stringifyJson(migrations) }
    if (sameValue(before.migrations, shownMigrations(migrations))) {
      await scope.update('contracts').set(set).where('id', '=', row.id).execute()
      continue
    }
    const changed = await scope
      .update('contracts')
      .set({ ...set, updated_at: new Date(), rev: row.rev + 1 })
      .where('id', '=', row.id)
      .returningAll()
      .executeTakeFirstOrThrow()
    const after = contractOf(changed)
    await audit({ action: 'contract.updated', object: after, before, after, projectId })
    const shown = new Set(after.migrations.map(({ field }) => field))
    flagged.push(...fields.filter((field) => shown.has(field)).map((field) => ({ contract: row.name, field })))
  }
  return flagged
}

/** A condition that selects contracts. */
type Using = ReturnType<typeof hasOneOf>

/** The contracts without their content, which may be large. */
export function usingContracts(scope: Scope, project: string, uses: Using) {
  return scope
    .read('contracts')
    .selectFrom('contracts')
    .select(['name', 'fields', 'concepts'])
    .where('project_id', '=', project)
    .where(uses)
    .orderBy('name')
    .execute()
}

function contractsUsing(scope: Scope, project: string, uses: Using) {
  return scope
    .read('contracts')
    .selectFrom('contracts')
    .selectAll()
    .where('project_id', '=', project)
    .where(uses)
    .orderBy('name')
    .execute()
}

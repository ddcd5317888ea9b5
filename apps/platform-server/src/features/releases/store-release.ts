import { stringifyJson } from '@engine/expression'
import { jsonText } from '@engine/process'
import { randomUUIDv7 } from 'node:crypto'
import type { Scope } from '../../database/scope.ts'
import type { ReleaseStatus } from '../../database/tables.ts'
import type { ReleaseRow } from './events.ts'
import type { ReleaseRequest } from './model.ts'
import type { Prepared } from './preparation.ts'
import { nextNumber } from './repository.ts'

/** Stores a release with its copies. The contents for engines are already stored. */
export async function storeRelease(
  scope: Scope,
  project: string,
  by: string,
  status: ReleaseStatus,
  { title, description = '', acknowledge_breaking = false }: ReleaseRequest,
  prepared: Prepared,
): Promise<ReleaseRow> {
  const row = await scope
    .insert('releases', {
      id: randomUUIDv7(),
      project_id: project,
      number: await nextNumber(scope, project),
      kind: 'release',
      status,
      title,
      description,
      acknowledge_breaking,
      content_digest: prepared.contentDigest,
      rollback_of: null,
      authors: [...prepared.authors],
      tests: prepared.tests === null ? null : stringifyJson(prepared.tests),
      execution_id: null,
      created_by: by,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await storeParts(scope, row.id, prepared)
  return row
}

async function storeParts(scope: Scope, release_id: string, prepared: Prepared): Promise<void> {
  const { environments, copies, removed, targets, diffs, analysis, requirements } = prepared
  await scope
    .insert(
      'release_environments',
      environments.map(({ id, name }, position) => ({ release_id, environment_id: id, name, position })),
    )
    .execute()
  const contents = await inOrder(copies, async (copy, position) => ({
    release_id,
    position,
    name: copy.name,
    from_seq: copy.fromSeq,
    version: copy.version,
    digest: copy.digest ?? null,
    ruleset: await jsonText(copy.ruleset),
    sub_rules: stringifyJson(copy.subRules),
    contract: copy.contract === undefined ? null : stringifyJson(copy.contract),
    suites: await jsonText(copy.suites.map(({ name, cases }) => ({ name, cases }))),
    analysis: await textOf(analysis.analyses.find(({ ruleset }) => ruleset === copy.name)),
  }))
  await scope
    .insert('release_contents', [
      ...contents,
      ...removed.map((name, index) => ({
        release_id,
        position: copies.length + index,
        name,
        from_seq: null,
        version: null,
        digest: null,
        ruleset: null,
        contract: null,
        analysis: null,
      })),
    ])
    .execute()
  const rows = await inOrder(targets, async ({ environment, name, live, copy }, index) => ({
    release_id,
    environment_id: environment.id,
    name,
    base_digest: live?.digest ?? null,
    base_version: live?.version ?? null,
    base_release_id: live?.releaseId ?? null,
    base_contract: live?.contract === undefined ? null : stringifyJson(live.contract),
    digest: copy?.digest ?? null,
    version: copy?.version ?? null,
    contract: copy?.contract === undefined ? null : stringifyJson(copy.contract),
    diff: await jsonText(diffs[index]),
    impact: await textOf(analysis.impacts.find((one) => one.environment === environment.name && one.ruleset === name)),
  }))
  await scope.insert('release_targets', rows).execute()
  if (requirements.length > 0)
    await scope
      .insert(
        'release_requirements',
        requirements.map((requirement, position) => ({
          release_id,
          position,
          ...requirement,
          roles: [...requirement.roles],
        })),
      )
      .execute()
}

const textOf = async (value: object | undefined) => (value === undefined ? null : jsonText(value))

/** Sequential, so that large ones take turns with other requests. */
async function inOrder<Item, Row>(
  items: readonly Item[],
  rowOf: (item: Item, index: number) => Promise<Row>,
): Promise<Row[]> {
  const rows: Row[] = []
  for (const [index, item] of items.entries()) rows.push(await rowOf(item, index))
  return rows
}

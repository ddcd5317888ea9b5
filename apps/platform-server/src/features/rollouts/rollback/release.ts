import { stringifyJson, type Value } from '@engine/expression'
import { jsonText } from '@engine/process'
import { createHash, randomUUIDv7 } from 'node:crypto'
import type { Author } from '../../../database/audit.ts'
import type { Change } from '../../../database/database.ts'
import type { Scope } from '../../../database/scope.ts'
import { auditedOf, nameOf } from '../../releases/state-change.ts'
import { appendEvent, type ReleaseRow } from '../../releases/events.ts'
import { nextNumber } from '../../releases/repository.ts'
import type { Back, BackTarget } from './targets.ts'

/** The known columns of a new release. */
interface Making {
  readonly actor: Author['actor']
  readonly title: string
  readonly description: string
}

/** Creates the release of a rollback: approved, with copies of the previous live contents. */
export async function createRollback(
  change: Change,
  of: { readonly id: string | null; readonly project_id: string },
  backs: readonly Back[],
  { actor, title, description }: Making,
): Promise<ReleaseRow> {
  const { scope } = change
  const contents = await contentsOf(scope, backs)
  const release = await scope
    .insert('releases', {
      id: randomUUIDv7(),
      project_id: of.project_id,
      number: await nextNumber(scope, of.project_id),
      kind: 'rollback',
      status: 'approved',
      title,
      description,
      acknowledge_breaking: true,
      content_digest: createHash('sha256')
        .update(stringifyJson(contents.map(({ name, digest }) => [name, digest])))
        .digest('hex'),
      rollback_of: of.id,
      authors: [],
      tests: null,
      execution_id: null,
      created_by: actor.id,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await storeParts(scope, release.id, backs, contents)
  const data = { rollback_of: of.id }
  await appendEvent(change, release, { type: 'release_created', actor, status: release.status, data })
  await change.audit({
    action: 'release.created',
    object: nameOf(release),
    after: auditedOf(release),
    projectId: release.project_id,
  })
  return release
}

async function storeParts(
  scope: Scope,
  release_id: string,
  backs: readonly Back[],
  contents: readonly Content[],
): Promise<void> {
  if (contents.length > 0)
    await scope
      .insert(
        'release_contents',
        contents.map((content, position) => ({ ...content, release_id, position })),
      )
      .execute()
  for (const { environment, targets } of backs) {
    const environment_id = environment.id
    const { name, position } = environment
    await scope.insert('release_environments', { release_id, environment_id, name, position }).execute()
    for (const { diff, contract, base_contract, from: _, ...target } of targets)
      await scope
        .insert('release_targets', {
          ...target,
          release_id,
          environment_id,
          diff: await jsonText(diff),
          impact: null,
          contract: await jsonOf(contract),
          base_contract: await jsonOf(base_contract),
        })
        .execute()
  }
}

const jsonOf = async (value: Value | null) => (value === null ? null : jsonText(value))

/** A new row of `release_contents`. */
interface Content {
  readonly name: string
  readonly digest: string | null
  readonly version: string | null
  readonly from_seq: number | null
  readonly ruleset: string | null
  readonly sub_rules: string
  readonly contract: string | null
  readonly suites: string
}

/** Each content that the rollback restores in some environment, once, with the copies of its original release. */
async function contentsOf(scope: Scope, backs: readonly Back[]): Promise<readonly Content[]> {
  const wanted = new Map(
    backs.flatMap(({ targets }) => targets).map((target) => [`${target.name}\n${target.digest}`, target]),
  )
  return Promise.all([...wanted.values()].map((target) => contentOf(scope, target)))
}

async function contentOf(scope: Scope, { name, digest, version, from, contract }: BackTarget): Promise<Content> {
  const copy =
    from === null
      ? undefined
      : await scope
          .read('release_contents')
          .selectFrom('release_contents')
          .selectAll()
          .where('release_id', '=', from)
          .where('name', '=', name)
          .where('digest', '=', digest)
          .executeTakeFirst()
  return {
    name,
    digest,
    version,
    from_seq: copy?.from_seq ?? null,
    ruleset: await jsonOf(copy?.ruleset ?? null),
    sub_rules: stringifyJson(copy?.sub_rules ?? []),
    contract: await jsonOf(copy?.contract ?? contract),
    suites: await jsonText(copy?.suites ?? []),
  }
}

import { defined } from '@engine/expression'
import type { DraftRuleset, WholeContract } from '@engine/authoring'
import type { Scope } from '../../database/scope.ts'
import { failures } from '../../errors.ts'
import type { EnvironmentRow } from '../projects/repository.ts'

/** The live content of an environment when a release is created. */
export interface Live {
  readonly environmentId: string
  readonly name: string
  readonly digest: string
  readonly version: string
  /** Null if it was published without a release. */
  readonly releaseId: string | null
  /** The contract that the release copied. */
  readonly contract: WholeContract | undefined
  /** True if the release copied a draft, which `liveDraft` reads; otherwise only the engine's format is known. */
  readonly isDraft: boolean
  /** The save that the release copied. */
  readonly fromSeq: number | undefined
  readonly subRules: readonly { readonly id: string; readonly seq: number }[]
  /** Time when that release was created. */
  readonly releasedAt: Date | undefined
}

/** The live contents of rulesets in environments. */
export async function liveIn(
  scope: Scope,
  environments: readonly EnvironmentRow[],
  names: readonly string[],
): Promise<readonly Live[]> {
  const rows = await scope
    .read('desired_rulesets', 'release_contents', 'release_targets', 'releases')
    .selectFrom('desired_rulesets as d')
    .leftJoin('release_targets as t', (join) =>
      join
        .onRef('t.release_id', '=', 'd.release_id')
        .onRef('t.environment_id', '=', 'd.environment_id')
        .onRef('t.name', '=', 'd.name'),
    )
    .leftJoin('release_contents as c', (join) =>
      join.onRef('c.release_id', '=', 'd.release_id').onRef('c.name', '=', 'd.name').onRef('c.digest', '=', 'd.digest'),
    )
    .leftJoin('releases as r', 'r.id', 'd.release_id')
    .select(['d.environment_id', 'd.name', 'd.digest', 'd.version', 'd.release_id', 't.contract'])
    .select(['c.from_seq', 'c.sub_rules', 'r.created_at'])
    .select((eb) => eb('c.ruleset', 'is not', null).as('is_draft'))
    .where(
      'd.environment_id',
      'in',
      environments.map(({ id }) => id),
    )
    .where('d.name', 'in', [...names])
    .execute()
  return rows.map((row) => ({
    environmentId: row.environment_id,
    name: row.name,
    digest: row.digest,
    version: row.version,
    releaseId: row.release_id,
    // Written only by `storeRelease`.
    contract: row.contract ?? undefined,
    // In SQL the value is null if there is no copy at all.
    isDraft: row.is_draft === true,
    fromSeq: row.from_seq ?? undefined,
    subRules: (row.sub_rules ?? []) as unknown as Live['subRules'],
    releasedAt: row.created_at ?? undefined,
  }))
}

/** The draft of a live content that has one. */
export async function liveDraft(scope: Scope, { releaseId, name, digest }: Live): Promise<DraftRuleset> {
  const { ruleset } = await scope
    .read('release_contents')
    .selectFrom('release_contents')
    .select('ruleset')
    .where('release_id', '=', releaseId)
    .where('name', '=', name)
    .where('digest', '=', digest)
    .executeTakeFirstOrThrow()
  return defined(ruleset ?? undefined)
}

/**
 * Throws 409 `name_taken` if an engine without tenants would get rulesets of the same name from two environments: the
 * engine already serves another environment with such a ruleset, or both are environments of the release.
 */
export async function refuseTaken(
  scope: Scope,
  environments: readonly EnvironmentRow[],
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return
  const ids = environments.map(({ id }) => id)
  const taken = await scope
    .read('environment_servers', 'servers', 'desired_rulesets')
    .selectFrom('environment_servers as b')
    .innerJoin('servers as s', 's.id', 'b.server_id')
    .innerJoin('environment_servers as o', (join) =>
      join
        .onRef('o.server_id', '=', 'b.server_id')
        .onRef('o.environment_id', '<>', 'b.environment_id')
        .on('o.canary_only', '=', false),
    )
    .leftJoin('desired_rulesets as d', (join) =>
      join.onRef('d.environment_id', '=', 'o.environment_id').on('d.name', 'in', [...names]),
    )
    .select(['s.name as server', 'd.name'])
    .where('s.tenants', '=', false)
    .where('b.canary_only', '=', false)
    .where('b.environment_id', 'in', ids)
    .where((eb) => eb.or([eb('d.name', 'is not', null), eb('o.environment_id', 'in', ids)]))
    .limit(1)
    .executeTakeFirst()
  if (taken === undefined) return
  const name = taken.name ?? names[0] ?? ''
  throw failures.conflict(
    'name_taken',
    `\`${taken.server}\` has no tenants, and another environment that it serves has a ruleset \`${name}\``,
  )
}

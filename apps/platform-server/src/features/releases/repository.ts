import { isObject } from '@engine/expression'
import type { Selectable } from 'kysely'
import { isId, NO_ID } from '../../database/org-id.ts'
import { onPage, type Page } from '../../database/page.ts'
import type { Scope } from '../../database/scope.ts'
import type { ReleaseStatus, Tables } from '../../database/tables.ts'
import { failures } from '../../errors.ts'
import type { ReleaseRow } from './events.ts'

/** A release with the rows that belong to it, for display. */
export interface WholeRelease {
  readonly row: ReleaseRow
  readonly environments: readonly Selectable<Tables['release_environments']>[]
  readonly contents: readonly Pick<Selectable<Tables['release_contents']>, 'name' | 'from_seq' | 'version' | 'digest'>[]
  readonly requirements: readonly Selectable<Tables['release_requirements']>[]
  readonly reviews: readonly Selectable<Tables['release_reviews']>[]
}

const releasesIn = (scope: Scope) => scope.read('releases').selectFrom('releases').selectAll()

/** A release's number in its project, as people write it. Nine digits stay within PostgreSQL's `integer`. */
const NUMBER = /^[1-9]\d{0,8}$/

/** Throws `not-found`, also for one of another project. */
export async function releaseBy(scope: Scope, project: string, idOrNumber: string): Promise<ReleaseRow> {
  const ofProject = releasesIn(scope).where('project_id', '=', project)
  let row: ReleaseRow | undefined
  if (isId(idOrNumber)) row = await ofProject.where('id', '=', idOrNumber).executeTakeFirst()
  else if (NUMBER.test(idOrNumber)) row = await ofProject.where('number', '=', Number(idOrNumber)).executeTakeFirst()
  if (row === undefined) throw failures.notFound('release', idOrNumber)
  return row
}

/** The filter of a list of releases. */
export interface ReleaseFilter {
  /** Undefined means all that the caller can access. */
  readonly project?: string | undefined
  /** Ids; null means all. */
  readonly projects?: readonly string[] | null
  /** Names; a release that also targets other environments is omitted. Null means all. */
  readonly environments?: readonly string[] | null
  readonly status?: ReleaseStatus | undefined
  /** Id or name. */
  readonly environment?: string | undefined
  /** The digest of a content that it delivers; a receipt names its rules by it. */
  readonly digest?: string | undefined
}

export function releasesOn(scope: Scope, page: Page, filter: ReleaseFilter): Promise<ReleaseRow[]> {
  return onPage(filtered(scope, filter), page, {
    key: page.sort === 'updated_at' ? 'updated_at' : 'created_at',
    id: 'id',
    texts: ['title', 'description'],
  }).execute()
}

function filtered(
  scope: Scope,
  { project, projects = null, environments = null, status, environment, digest }: ReleaseFilter,
) {
  let rows = scope
    .read('releases', 'release_environments', 'release_targets', 'environments')
    .selectFrom('releases')
    .selectAll('releases')
  if (project !== undefined) rows = rows.where('releases.project_id', '=', project)
  if (projects !== null) rows = rows.where('releases.project_id', 'in', [...projects, NO_ID])
  if (status !== undefined) rows = rows.where('releases.status', '=', status)
  if (environment !== undefined)
    rows = rows.where(({ exists, selectFrom }) =>
      exists(
        selectFrom('release_environments as own')
          .select('own.name')
          .whereRef('own.release_id', '=', 'releases.id')
          .where(isId(environment) ? 'own.environment_id' : 'own.name', '=', environment),
      ),
    )
  if (digest !== undefined)
    rows = rows.where(({ exists, selectFrom }) =>
      exists(
        selectFrom('release_targets as target')
          .select('target.name')
          .whereRef('target.release_id', '=', 'releases.id')
          .where('target.digest', '=', digest),
      ),
    )
  if (environments !== null)
    rows = rows.where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('release_environments as own')
            .leftJoin('environments as present', 'present.id', 'own.environment_id')
            .select('own.name')
            .whereRef('own.release_id', '=', 'releases.id')
            .where((eb) => eb(eb.fn.coalesce('present.name', 'own.name'), 'not in', [...environments, ''])),
        ),
      ),
    )
  return rows
}

/** The current names of a release's remaining environments. */
export async function reachedEnvironments(scope: Scope, release: string): Promise<readonly string[]> {
  const rows = await scope
    .read('release_environments', 'environments')
    .selectFrom('release_environments as own')
    .leftJoin('environments as present', 'present.id', 'own.environment_id')
    .select((eb) => eb.fn.coalesce('present.name', 'own.name').as('name'))
    .where('own.release_id', '=', release)
    .execute()
  return rows.map(({ name }) => name)
}

/** Releases with the rows that belong to them, in four queries. */
export async function wholeReleases(scope: Scope, rows: readonly ReleaseRow[]): Promise<readonly WholeRelease[]> {
  const ids = [...rows.map(({ id }) => id), NO_ID]
  const environments = await scope
    .read('release_environments')
    .selectFrom('release_environments')
    .selectAll()
    .where('release_id', 'in', ids)
    .orderBy('position')
    .execute()
  const contents = await scope
    .read('release_contents')
    .selectFrom('release_contents')
    .select(['release_id', 'name', 'from_seq', 'version', 'digest'])
    .where('release_id', 'in', ids)
    .orderBy('position')
    .execute()
  const requirements = await scope
    .read('release_requirements')
    .selectFrom('release_requirements')
    .selectAll()
    .where('release_id', 'in', ids)
    .orderBy('position')
    .execute()
  const reviews = await scope
    .read('release_reviews')
    .selectFrom('release_reviews')
    .selectAll()
    .where('release_id', 'in', ids)
    .orderBy('at')
    .orderBy('user_id')
    .execute()
  return rows.map((row) => {
    const own = <Of extends { readonly release_id: string }>(all: readonly Of[]) =>
      all.filter(({ release_id }) => release_id === row.id)
    return {
      row,
      environments: own(environments),
      contents: own(contents),
      requirements: own(requirements),
      reviews: own(reviews),
    }
  })
}

export async function wholeRelease(scope: Scope, row: ReleaseRow): Promise<WholeRelease> {
  const [whole] = await wholeReleases(scope, [row])
  if (whole === undefined) throw new Error('a release without itself')
  return whole
}

export function targetsOf(scope: Scope, release: string) {
  return scope
    .read('release_targets')
    .selectFrom('release_targets')
    .selectAll()
    .where('release_id', '=', release)
    .orderBy('name')
    .execute()
}

/** The analyses of a release at its creation; empty lists if it was not analysed. */
export async function analysisOf(scope: Scope, release: string) {
  const contents = await scope
    .read('release_contents')
    .selectFrom('release_contents')
    .select('analysis')
    .where('release_id', '=', release)
    .where('analysis', 'is not', null)
    .orderBy('position')
    .execute()
  const targets = await scope
    .read('release_targets', 'release_environments')
    .selectFrom('release_targets as t')
    .innerJoin('release_environments as e', (join) =>
      join.onRef('e.release_id', '=', 't.release_id').onRef('e.environment_id', '=', 't.environment_id'),
    )
    .select('t.impact')
    .where('t.release_id', '=', release)
    .where('t.impact', 'is not', null)
    .orderBy('e.position')
    .orderBy('t.name')
    .execute()
  return { analyses: contents.map(({ analysis }) => analysis), impacts: targets.map(({ impact }) => withCodes(impact)) }
}

/** Impacts stored before replays counted results have no codes. */
function withCodes(impact: unknown): unknown {
  if (!isObject(impact) || !isObject(impact['records'])) return impact
  return { ...impact, records: { codes: [], ...impact['records'] } }
}

/** The next number of a release of a project, under the lock of the organization. */
export async function nextNumber(scope: Scope, project: string): Promise<number> {
  const last = await scope
    .read('releases')
    .selectFrom('releases')
    .select('number')
    .where('project_id', '=', project)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
  return (last?.number ?? 0) + 1
}

import type { Page } from '../../database/page.ts'
import type { Scope } from '../../database/scope.ts'
import type { Release } from './model.ts'
import { releasesOn } from './repository.ts'
import { shownReleases, type Viewer } from './view.ts'

/** Releases checked per query: their possible approvers also depend on data outside the database. */
const BATCH = 100

/** A page of the releases that await a person's review, and one more when another page follows. */
export function pendingFor(scope: Scope, page: Page, viewer: Viewer): Promise<readonly Release[]> {
  return approvableOn(page, async (after) => {
    const rows = await releasesOn(scope, { ...page, limit: BATCH, after }, { status: 'pending_approval' })
    return { shown: await shownReleases(scope, rows.slice(0, BATCH), viewer), isLast: rows.length <= BATCH }
  })
}

/** The columns of a release that its place in a list depends on. */
type Listed = Pick<Release, 'id' | 'allowed' | 'created_at' | 'updated_at'>

interface Batch<Row> {
  readonly shown: readonly Row[]
  /** No release follows. */
  readonly isLast: boolean
}

/**
 * A page of the releases that may be approved, and one more when another page follows.
 *
 * @param read the batch after a release
 * @internal
 */
export async function approvableOn<Row extends Listed>(
  { sort, limit, after: begin }: Pick<Page, 'sort' | 'limit' | 'after'>,
  read: (after: Page['after']) => Promise<Batch<Row>>,
): Promise<readonly Row[]> {
  const found: Row[] = []
  for (let after = begin; ;) {
    const { shown, isLast } = await read(after)
    found.push(...shown.filter(({ allowed }) => allowed.includes('approve')))
    const last = shown.at(-1)
    if (isLast || last === undefined || found.length > limit) return found.slice(0, limit + 1)
    after = { key: sort === 'updated_at' ? last.updated_at : last.created_at, id: last.id }
  }
}

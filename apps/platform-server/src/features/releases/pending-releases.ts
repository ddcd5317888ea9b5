import type { Page } from '../../database/page.ts'
import type { Scope } from '../../database/scope.ts'
import type { Release } from './model.ts'
import { releasesOn } from './repository.ts'
import { shownReleases, type Viewer } from './view.ts'

/** Number of releases checked per query: their possible approvers also depend on data outside the database. */
const BATCH_SIZE = 100

/** A page of the releases that await a person's review, and one more if another page follows. */
export function pendingFor(scope: Scope, page: Page, viewer: Viewer): Promise<readonly Release[]> {
  return approvableOn(page, async (after) => {
    const rows = await releasesOn(scope, { ...page, limit: BATCH_SIZE, after }, { status: 'pending_approval' })
    return { shown: await shownReleases(scope, rows.slice(0, BATCH_SIZE), viewer), isLast: rows.length <= BATCH_SIZE }
  })
}

/** The columns of a release that determine its position in a list. */
type Listed = Pick<Release, 'id' | 'allowed' | 'created_at' | 'updated_at'>

interface Batch<Row> {
  readonly shown: readonly Row[]
  /** True if no release follows. */
  readonly isLast: boolean
}

/**
 * A page of the releases that may be approved, and one more if another page follows.
 *
 * @param read reads the batch after a release
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

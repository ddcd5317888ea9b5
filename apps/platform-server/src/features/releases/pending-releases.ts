import type { Page } from '../../database/page.ts'
import type { Scope } from '../../database/scope.ts'
import type { Release } from './model.ts'
import { releasesOn } from './repository.ts'
import { shownReleases, type Viewer } from './view.ts'

/** Releases checked per query: their possible approvers also depend on data outside the database. */
const BATCH = 100

/** A page of the releases that await a person's review, and one more when another page follows. */
export async function pendingFor(scope: Scope, page: Page, viewer: Viewer): Promise<readonly Release[]> {
  const found: Release[] = []
  let { after } = page
  for (;;) {
    const rows = await releasesOn(scope, { ...page, limit: BATCH, after }, { status: 'pending_approval' })
    const shown = await shownReleases(scope, rows.slice(0, BATCH), viewer)
    found.push(...shown.filter(({ allowed }) => allowed.includes('approve')))
    const last = rows.length > BATCH ? shown.at(-1) : undefined
    if (last === undefined || found.length > page.limit) return found.slice(0, page.limit + 1)
    after = { key: page.sort === 'updated_at' ? last.updated_at : last.created_at, id: last.id }
  }
}

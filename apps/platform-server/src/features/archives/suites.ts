import { ARCHIVE_PATHS, sameValue } from '@engine/authoring'
import { draftNamed } from '../drafts/repository.ts'
import { deleteSuite, putSuite } from '../test-suites/suites.ts'
import type { Applying } from './import-context.ts'

/** Store the test suites of an archive; a case that keeps its name keeps its ID. */
export async function applySuites(applying: Applying): Promise<void> {
  const { archive, applied, problems, acting } = applying
  const { archive: before, suites: rows, drafts } = applying.present
  const ofDraft = (draftId: string) => ({ acting, draftId })
  for (const { ruleset, name, cases } of archive.suites) {
    const was = before.suites.find((suite) => suite.ruleset === ruleset && suite.name === name)
    if (was !== undefined && sameValue(was, { ruleset, name, cases })) continue
    const path = ARCHIVE_PATHS.suite(ruleset, name)
    const draft = await draftNamed(applying.change.scope, acting.place.project.id, ruleset)
    // The ruleset already reports this problem.
    if (draft === undefined) continue
    const put = () => putSuite(ofDraft(draft.id), name, cases)
    if (await problems.attempt(path, put)) applied.note(was === undefined ? 'created' : 'changed', 'suite', path)
  }
  if (!applying.prune) return
  for (const { id, name, draft_id } of rows) {
    const ruleset = drafts.find((draft) => draft.row.id === draft_id)?.row.name ?? ''
    if (archive.suites.some((suite) => suite.ruleset === ruleset && suite.name === name)) continue
    const path = ARCHIVE_PATHS.suite(ruleset, name)
    const remove = () => deleteSuite(ofDraft(draft_id), id, undefined)
    if (await problems.attempt(path, remove)) applied.note('removed', 'suite', path)
  }
}

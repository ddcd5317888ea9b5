import { ARCHIVE_PATHS, type ArchivedSuite, sameValue } from '@engine/authoring'
import { stringifyJson, type Value } from '@engine/expression'
import { randomUUIDv7 } from 'node:crypto'
import { creatorOf } from '../../http/author.ts'
import { draftNamed } from '../drafts/repository.ts'
import type { Applying, Importing } from './applying.ts'
import { storedCases, type SuiteRow } from './present.ts'

/** Store the test suites of an archive; a case that keeps its name keeps its id. */
export async function applySuites(applying: Applying): Promise<void> {
  const { archive, applied, problems } = applying
  const { archive: before, suites: rows, drafts } = applying.present
  const { scope } = applying.change
  for (const suite of archive.suites) {
    const was = before.suites.find(({ ruleset, name }) => ruleset === suite.ruleset && name === suite.name)
    if (was !== undefined && sameValue(was, suite)) continue
    const path = ARCHIVE_PATHS.suite(suite.ruleset, suite.name)
    const draft = await draftNamed(scope, applying.place.project.id, suite.ruleset)
    // What is wrong with the ruleset is reported there.
    if (draft === undefined) continue
    const row = rows.find(({ draft_id, name }) => draft_id === draft.id && name === suite.name)
    const put = () => putSuite(applying, draft.id, suite, row)
    if (await problems.attempt(path, put)) applied.note(was === undefined ? 'created' : 'changed', 'suite', path)
  }
  if (!applying.prune) return
  for (const row of rows) {
    const ruleset = drafts.find((draft) => draft.row.id === row.draft_id)?.row.name ?? ''
    if (archive.suites.some((suite) => suite.ruleset === ruleset && suite.name === row.name)) continue
    await scope.delete('test_suites').where('id', '=', row.id).execute()
    await audit(applying, 'deleted', row, undefined)
    applied.note('removed', 'suite', ARCHIVE_PATHS.suite(ruleset, row.name))
  }
}

async function putSuite(
  importing: Importing,
  draft_id: string,
  { name, cases }: ArchivedSuite,
  before: SuiteRow | undefined,
): Promise<void> {
  const { scope } = importing.change
  const known = new Map(storedCases(before?.cases ?? []).map((one) => [one.name, one.id]))
  const identified = cases.map((one) => ({ id: known.get(one.name) ?? randomUUIDv7(), ...one }))
  const text = stringifyJson(identified)
  const after =
    before === undefined
      ? await scope
          .insert('test_suites', {
            id: randomUUIDv7(),
            draft_id,
            name,
            cases: text,
            created_by: creatorOf(importing.caller),
          })
          .returningAll()
          .executeTakeFirstOrThrow()
      : await scope
          .update('test_suites')
          .set({ cases: text, updated_at: new Date(), rev: before.rev + 1 })
          .where('id', '=', before.id)
          .returningAll()
          .executeTakeFirstOrThrow()
  await audit(importing, before === undefined ? 'created' : 'updated', before, after)
}

async function audit(
  { change, place }: Importing,
  verb: 'created' | 'updated' | 'deleted',
  before: SuiteRow | undefined,
  after: SuiteRow | undefined,
): Promise<void> {
  const shown = (row: SuiteRow | undefined): Value | undefined => row && { name: row.name, cases: row.cases }
  const object = after ?? before
  if (object === undefined) return
  await change.audit({
    action: `suite.${verb}`,
    object,
    before: shown(before),
    after: shown(after),
    projectId: place.project.id,
  })
}

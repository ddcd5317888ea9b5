import type { DraftRuleset } from '@engine/authoring'
import type { Caller } from '../../access/caller.ts'
import type { Author } from '../../database/audit.ts'
import type { Change, Database } from '../../database/database.ts'
import { failures } from '../../errors.ts'
import { creatorOf } from '../../resources/author.ts'
import type { InProject } from '../projects/project-scope.ts'
import { deletedDraft, draftNamed, type DraftRow, saveOf, type StoredDraft } from './repository.ts'
import {
  insertDraft,
  orDuplicate,
  orTaken,
  recordOfDraft,
  replaceDraft,
  type SavedDraft,
  StaleDraft,
} from './draft-store.ts'
import { type SentDraft, smallDraft } from './sent-draft.ts'

/** Who changes a draft, and where. */
export interface Changing {
  readonly database: Database
  readonly place: InProject
  readonly caller: Caller
  readonly author: Author
}

/** Make or change the draft of a name. Throws `StaleDraft`, and `not-found` where there is none and one is expected. */
export function saveDraft(changing: Changing, draft: SentDraft, expected: number): Promise<SavedDraft> {
  const { name } = draft.config
  return orTaken(name, () =>
    inChange(changing, async (change, by, project) => {
      if (expected === 0) return insertAudited(change, project, draft, by)
      const before = await draftNamed(change.scope, project, name)
      if (before === undefined) throw failures.notFound('ruleset', name)
      const saved = await replaceDraft(change, before, expected, draft, by)
      await change.audit(recordOfDraft('updated', { ...before, seq: expected }, saved.row, saved.row, project))
      return saved
    }),
  )
}

/** Make a save of a draft its present content again. */
export function restoreSave(changing: Changing, row: DraftRow, seq: number, expected: number): Promise<StoredDraft> {
  return inChange(changing, async (change, by, project) => {
    const save = await saveOf(change.scope, row, seq)
    if (save === undefined) throw failures.notFound('save', String(seq))
    const ruleset = named(save.ruleset, row.name)
    const saved = await replaceDraft(change, row, expected, smallDraft(ruleset), by)
    await change.audit(recordOfDraft('updated', row, saved.row, saved.row, project))
    return { ...saved, ruleset }
  })
}

/** Make a draft with the content of another one. */
export function duplicateDraft(changing: Changing, row: DraftRow, name: string): Promise<StoredDraft> {
  return orDuplicate(name, () =>
    inChange(changing, async (change, by, project) => {
      const ruleset = named((await contentOf(change, row)).ruleset, name)
      try {
        return { ...(await insertAudited(change, project, smallDraft(ruleset), by)), ruleset }
      } catch (error) {
        if (error instanceof StaleDraft) throw taken(name)
        throw error
      }
    }),
  )
}

/** Give a draft another name, which is a save of its own. What is live under the old name stays there. */
export function renameDraft(
  changing: Changing,
  row: DraftRow,
  name: string,
  expected: number | undefined,
): Promise<StoredDraft> {
  return orDuplicate(name, () =>
    inChange(changing, async (change, by, project) => {
      const { ruleset: before, seq } = await contentOf(change, row)
      if (expected !== undefined && expected !== seq) throw new StaleDraft(row.name)
      const ruleset = named(before, name)
      const saved = await replaceDraft(change, row, seq, smallDraft(ruleset), by)
      await change.audit(recordOfDraft('renamed', row, saved.row, saved.row, project))
      return { ...saved, ruleset }
    }),
  )
}

/** Delete a draft, of which everything is kept. */
export function deleteDraft(changing: Changing, row: DraftRow, expected: number): Promise<void> {
  return inChange(changing, async ({ scope, audit }, _by, project) => {
    const deleted = await scope
      .update('drafts')
      .set({ deleted_at: new Date() })
      .where('id', '=', row.id)
      .where('seq', '=', expected)
      .where('deleted_at', 'is', null)
      .returning('id')
      .executeTakeFirst()
    if (deleted === undefined) throw new StaleDraft(row.name)
    await audit(recordOfDraft('deleted', row, undefined, row, project))
  })
}

/** Bring the draft back that was deleted last under a name. */
export function restoreDraft(changing: Changing, name: string): Promise<StoredDraft> {
  return orDuplicate(name, () =>
    inChange(changing, async (change, _by, project) => {
      const { scope, audit } = change
      const row = await deletedDraft(scope, project, name)
      if (row === undefined) throw failures.notFound('deleted ruleset', name)
      await scope.update('drafts').set({ deleted_at: null }).where('id', '=', row.id).execute()
      await audit(recordOfDraft('restored', undefined, row, row, project))
      return contentOf(change, row)
    }),
  )
}

function inChange<Result>(
  { database, place: { member, project }, caller, author }: Changing,
  work: (change: Change, by: string, project: string) => Promise<Result>,
): Promise<Result> {
  return database.change(member.org, author, (change) => work(change, creatorOf(caller), project.id))
}

async function insertAudited(change: Change, project: string, draft: SentDraft, by: string): Promise<SavedDraft> {
  const made = await insertDraft(change, project, draft, by)
  await change.audit(recordOfDraft('created', undefined, made.row, made.row, project))
  return made
}

async function contentOf({ scope }: Pick<Change, 'scope'>, row: DraftRow): Promise<StoredDraft> {
  const found = await saveOf(scope, row, row.seq)
  if (found === undefined) throw new Error(`a draft without its save: ${row.id}`)
  return found
}

const named = (ruleset: DraftRuleset, name: string): DraftRuleset => ({
  ...ruleset,
  config: { ...ruleset.config, name },
})

const taken = (name: string) => failures.conflict('duplicate', `there is a ruleset \`${name}\` already`)

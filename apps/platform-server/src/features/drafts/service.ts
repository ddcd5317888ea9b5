import type { DraftRuleset, IntendedFinding } from '@engine/authoring'
import type { Change } from '../../database/database.ts'
import { failures } from '../../errors.ts'
import type { Acting } from '../../resources/acting.ts'
import type { InProject } from '../projects/project-scope.ts'
import { deletedDraft, draftNamed, type DraftRow, saveOf, type StoredDraft } from './repository.ts'
import { insertDraft, recordOfDraft, replaceDraft, type SavedDraft, StaleDraft } from './draft-store.ts'
import { type SentDraft, smallDraft } from './sent-draft.ts'

/** Create or change the draft of a name. Throws `StaleDraft`, and `not-found` if the expected draft does not exist. */
export function saveDraft(acting: Acting<InProject>, draft: SentDraft, expected: number): Promise<SavedDraft> {
  const { name } = draft.config
  const {
    by,
    place: {
      project: { id: project },
    },
  } = acting
  return acting.changeUnlocked(
    async (change) => {
      if (expected === 0) return insertAudited(change, project, draft, by)
      const before = await draftNamed(change.scope, project, name)
      if (before === undefined) throw failures.notFound('ruleset', name)
      const saved = await replaceDraft(change, before, expected, draft, by)
      await change.audit(recordOfDraft('updated', { ...before, seq: expected }, saved.row, saved.row))
      return saved
    },
    name,
    // A concurrent request took the name and has committed by now.
    () => new StaleDraft(name),
  )
}

/** Restore an earlier save as the present content of a draft. */
export function restoreSave(
  acting: Acting<InProject>,
  row: DraftRow,
  seq: number,
  expected: number,
): Promise<StoredDraft> {
  const { by } = acting
  return acting.changeUnlocked(async (change) => {
    const save = await saveOf(change.scope, row, seq)
    if (save === undefined) throw failures.notFound('save', String(seq))
    const ruleset = named(save.ruleset, row.name)
    const saved = await replaceDraft(change, row, expected, smallDraft(ruleset), by, ruleset.config.intended)
    await change.audit(recordOfDraft('updated', row, saved.row, saved.row))
    return withIntended(saved, ruleset)
  })
}

/** Create a draft with the content of another one. */
export function duplicateDraft(acting: Acting<InProject>, row: DraftRow, name: string): Promise<StoredDraft> {
  const {
    by,
    place: {
      project: { id: project },
    },
  } = acting
  return acting.changeUnlocked(async (change) => {
    const ruleset = named((await contentOf(change, row)).ruleset, name)
    try {
      const { intended } = ruleset.config
      return withIntended(await insertAudited(change, project, smallDraft(ruleset), by, intended), ruleset)
    } catch (error) {
      if (error instanceof StaleDraft) throw taken(name)
      throw error
    }
  }, name)
}

/** Rename a draft, which creates a new save. Deployments under the old name stay live. */
export function renameDraft(
  acting: Acting<InProject>,
  row: DraftRow,
  name: string,
  expected: number | undefined,
): Promise<StoredDraft> {
  const { by } = acting
  return acting.changeUnlocked(async (change) => {
    const { ruleset: before, seq } = await contentOf(change, row)
    if (expected !== undefined && expected !== seq) throw new StaleDraft(row.name)
    const ruleset = named(before, name)
    const saved = await replaceDraft(change, row, seq, smallDraft(ruleset), by)
    await change.audit(recordOfDraft('renamed', row, saved.row, saved.row))
    return withIntended(saved, ruleset)
  }, name)
}

/** Soft-delete a draft: its saves are kept. */
export function deleteDraft(acting: Acting<InProject>, row: DraftRow, expected: number): Promise<void> {
  return acting.changeUnlocked(async ({ scope, audit }) => {
    const deleted = await scope
      .update('drafts')
      .set({ deleted_at: new Date() })
      .where('id', '=', row.id)
      .where('seq', '=', expected)
      .where('deleted_at', 'is', null)
      .returning('id')
      .executeTakeFirst()
    if (deleted === undefined) throw new StaleDraft(row.name)
    await audit(recordOfDraft('deleted', row, undefined, row))
  })
}

/** Restore the most recently deleted draft of a name. */
export function restoreDraft(acting: Acting<InProject>, name: string): Promise<StoredDraft> {
  return acting.changeUnlocked(async (change) => {
    const { scope, audit } = change
    const row = await deletedDraft(scope, acting.place.project.id, name)
    if (row === undefined) throw failures.notFound('deleted ruleset', name)
    await scope.update('drafts').set({ deleted_at: null }).where('id', '=', row.id).execute()
    await audit(recordOfDraft('restored', undefined, row, row))
    return contentOf(change, row)
  }, name)
}

/** The stored copy of a ruleset. */
function withIntended({ intended, ...saved }: SavedDraft, ruleset: DraftRuleset): StoredDraft {
  const { config } = ruleset
  return { ...saved, ruleset: { ...ruleset, config: { ...config, ...(intended !== undefined && { intended }) } } }
}

async function insertAudited(
  change: Change,
  project: string,
  draft: SentDraft,
  by: string,
  known?: readonly IntendedFinding[],
): Promise<SavedDraft> {
  const made = await insertDraft(change, project, draft, by, known)
  await change.audit(recordOfDraft('created', undefined, made.row, made.row))
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

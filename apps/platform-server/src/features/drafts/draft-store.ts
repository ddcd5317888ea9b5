import { acknowledged, type IntendedFinding } from '@engine/authoring'
import { randomUUIDv7 } from 'node:crypto'
import type { AuditRecord } from '../../database/audit.ts'
import type { Change } from '../../database/database.ts'
import type { Scope } from '../../database/scope.ts'
import { failures } from '../../errors.ts'
import type { JsonText } from '../../http/json-response.ts'
import type { InProject } from '../projects/project-scope.ts'
import { draftNamed, type DraftRow, intendedBefore, lastSeqOf, type StoredDraft } from './repository.ts'
import type { SentDraft } from './sent-draft.ts'

/** The result of a save. */
export interface SavedDraft extends Omit<StoredDraft, 'ruleset'> {
  /** The intended findings of the draft, with author and time; undefined if the draft has no list of them. */
  readonly intended: readonly IntendedFinding[] | undefined
}

/** The draft is no longer at the expected sequence number; the response contains its present state. */
export class StaleDraft extends Error {
  readonly draftName: string

  constructor(name: string) {
    super(`the draft ${name} was saved since`)
    this.draftName = name
  }
}

/** The next unused sequence number of a name. */
async function nextSeq(scope: Scope, project: string, name: string, last: number): Promise<number> {
  return Math.max(last, await lastSeqOf(scope, project, name)) + 1
}

/**
 * Create a draft. Throws `StaleDraft` if its name is taken.
 *
 * @param known findings with trusted authors and times, because the platform stored them
 */
export async function insertDraft(
  { scope }: Pick<Change, 'scope'>,
  project: string,
  draft: SentDraft,
  by: string,
  known: readonly IntendedFinding[] = [],
): Promise<SavedDraft> {
  const { name } = draft.config
  if ((await draftNamed(scope, project, name)) !== undefined) throw new StaleDraft(name)
  const seq = await nextSeq(scope, project, name, 0)
  const row = await scope
    .insert('drafts', {
      id: randomUUIDv7(),
      project_id: project,
      seq,
      ...columnsOf(draft),
      created_by: by,
      updated_by: by,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return appendSave(scope, row, draft, known)
}

/**
 * Save a draft if its sequence number is the expected one; this statement alone decides between concurrent saves.
 * Throws `StaleDraft` otherwise.
 *
 * @param known findings with trusted authors and times, in addition to those of the last save
 */
export async function replaceDraft(
  { scope }: Pick<Change, 'scope'>,
  { id, project_id, name }: DraftRow,
  expected: number,
  draft: SentDraft,
  by: string,
  known: readonly IntendedFinding[] = [],
): Promise<SavedDraft> {
  const seq = await nextSeq(scope, project_id, draft.config.name, expected)
  const row = await scope
    .update('drafts')
    .set({ ...columnsOf(draft), seq, updated_at: new Date(), updated_by: by })
    .where('id', '=', id)
    .where('seq', '=', expected)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) throw new StaleDraft(name)
  return appendSave(scope, row, draft, known)
}

function columnsOf({ config, uses }: SentDraft) {
  const { name, version = '', description = '' } = config
  return { name, version, description, uses: [...uses] }
}

async function appendSave(
  scope: Scope,
  row: DraftRow,
  draft: SentDraft,
  known: readonly IntendedFinding[],
): Promise<SavedDraft> {
  const { id: draft_id, project_id, name, seq, updated_at: saved_at, updated_by: saved_by } = row
  const given = draft.config.intended
  const before = given === undefined || given.length === 0 ? [] : await intendedBefore(scope, row)
  const intended = given && acknowledged(given, [...known, ...before], { author: saved_by, at: saved_at.toISOString() })
  await scope
    .insert('draft_saves', { draft_id, project_id, name, seq, ruleset: await draft.text(intended), saved_at, saved_by })
    .execute()
  return { row, seq, savedAt: saved_at, savedBy: saved_by, intended }
}

/** The audit entry of a draft. It omits the content, which the saves preserve. */
export function recordOfDraft(
  action: 'created' | 'updated' | 'renamed' | 'deleted' | 'restored',
  before: Pick<DraftRow, 'name' | 'seq' | 'version'> | undefined,
  after: DraftRow | undefined,
  { id, name }: Pick<DraftRow, 'id' | 'name'>,
): AuditRecord {
  const shown = (row: Pick<DraftRow, 'name' | 'seq' | 'version'> | undefined) =>
    row && { name: row.name, seq: row.seq, version: row.version }
  return { action: `draft.${action}`, object: { id, name }, before: shown(before), after: shown(after) }
}

/**
 * Run a change of drafts. A stale change fails with the present draft in the error.
 *
 * @param show returns the last save of a draft in the form of the public API
 */
export async function withStaleConflict<Result>(
  { member, project }: InProject,
  show: (row: DraftRow) => Promise<JsonText>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StaleDraft) throw await stale(error.draftName)
    throw error
  }

  async function stale(name: string): Promise<Error> {
    const current = await draftNamed(member.scope, project.id, name)
    if (current === undefined) return failures.notFound('ruleset', name)
    const by = `${current.updated_by} saved it at ${current.updated_at.toISOString()}`
    return failures.conflict('stale', `it is at seq ${current.seq}: ${by}`, await show(current))
  }
}

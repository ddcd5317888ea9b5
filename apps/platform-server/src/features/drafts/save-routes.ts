import { invalidParameter } from '@engine/http-api'
import { Type } from 'typebox'
import { json } from '../../http/json-answer.ts'
import type { Scope } from '../../database/scope.ts'
import { failures } from '../../errors.ts'
import { authorOf } from '../../http/author.ts'
import { limitOf, ListOf, PLAIN_LIST } from '../../http/paging.ts'
import { memberRoute, type Route } from '../../http/route.ts'
import { type InProject, inProject } from '../projects/place.ts'
import { Diff, Draft, RestoreSaveRequest, Save } from './model.ts'
import { draftsCompared } from '../../compute/diff.ts'
import { type DraftRow, hasSave, savesOn, saveText } from './repository.ts'
import { orStale } from './saving.ts'
import { restoreSave } from './service.ts'
import { atDraft, type DraftParts, group, ONE, seqOf, shownIn } from './shown.ts'

/** The history of a ruleset. */
export function saveRoutes(parts: DraftParts): readonly Route[] {
  const { database } = parts
  const within = inProject(database)
  return [
    memberRoute({
      method: 'GET',
      path: `${ONE}/saves`,
      right: 'member',
      summary: 'The saves of a ruleset, the last one first',
      group,
      within,
      find: atDraft,
      query: PLAIN_LIST,
      answers: { 200: ListOf(Save, 'SaveList') },
      async handle({ place, found, query }) {
        const limit = limitOf(query.get('limit'))
        const rows = await savesOn(place.member.scope, found.id, { limit, before: cursorIn(query) })
        const shown = rows.slice(0, limit)
        return json(200, {
          items: shown.map(({ seq, saved_at, saved_by }) => ({ seq, at: saved_at.toISOString(), by: saved_by })),
          next_cursor: rows.length > limit ? String(shown.at(-1)?.seq) : null,
        })
      },
    }),
    memberRoute({
      method: 'GET',
      path: `${ONE}/saves/:seq`,
      right: 'member',
      summary: 'A ruleset as it was saved once',
      group,
      within,
      find: atSave,
      answers: { 200: Draft },
      handle: ({ place, found: { row, seq } }) => shownIn(parts, place).answer(row, seq),
    }),
    memberRoute({
      method: 'POST',
      path: `${ONE}/saves/:seq/restore`,
      right: 'ruleset.edit',
      summary: 'Save a ruleset as it was once',
      group,
      within,
      find: atSave,
      body: RestoreSaveRequest,
      answers: { 200: Draft },
      hasConflicts: true,
      async handle(asked) {
        const { place, caller, found, body } = asked
        const { shown, shownText } = shownIn(parts, place)
        const changing = { database, place, caller, author: authorOf(caller, asked) }
        const saved = await orStale(place, shownText, () =>
          restoreSave(changing, found.row, found.seq, body.expected_seq),
        )
        return json(200, await shown(saved))
      },
    }),
    memberRoute({
      method: 'GET',
      path: `${ONE}/diff`,
      right: 'member',
      summary: 'What differs between two saves',
      group,
      within,
      find: atDraft,
      query: {
        from: Type.Integer({ minimum: 1, description: 'default: the save before `to`' }),
        to: Type.Integer({ minimum: 1, description: 'default: the last save' }),
      },
      hasUnknowns: true,
      answers: { 200: Diff },
      async handle({ place: { member }, found, query }) {
        const to = numberIn(query, 'to') ?? found.seq
        const next = await textOfSave(member.scope, found, to)
        const from = numberIn(query, 'from') ?? (await seqBefore(member.scope, found, to))
        const base = await textOfSave(member.scope, found, from)
        return { status: 200, body: await draftsCompared(parts.compute, base, next) }
      },
    }),
  ]
}

/** The save that a path names. Throws `not-found`. */
async function atSave(
  place: InProject,
  params: Readonly<Record<string, string>>,
): Promise<{ readonly row: DraftRow; readonly seq: number }> {
  const row = await atDraft(place, params)
  const { seq: text = '' } = params
  const seq = seqOf(text)
  if (seq === undefined || !(await hasSave(place.member.scope, row, seq))) throw failures.notFound('save', text)
  return { row, seq }
}

async function textOfSave(scope: Scope, row: DraftRow, seq: number): Promise<string> {
  const found = await saveText(scope, row, seq)
  if (found === undefined) throw failures.notFound('save', String(seq))
  return found.text
}

/** The number of the save before one; that of the first save is its own. */
async function seqBefore(scope: Scope, row: DraftRow, seq: number): Promise<number> {
  const [before] = await savesOn(scope, row.id, { limit: 1, before: seq })
  return before?.seq ?? seq
}

function cursorIn(query: URLSearchParams): number | undefined {
  const given = query.get('cursor')
  if (given === null) return undefined
  const seq = seqOf(given)
  if (seq === undefined) throw invalidParameter('cursor', 'is not one of this list: begin without it')
  return seq
}

function numberIn(query: URLSearchParams, name: string): number | undefined {
  const given = query.get(name)
  if (given === null) return undefined
  const seq = seqOf(given)
  if (seq === undefined) throw invalidParameter(name, 'must be the number of a save')
  return seq
}

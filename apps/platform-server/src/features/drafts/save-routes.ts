import { ResponseSignal } from '@engine/http-server'
import { json } from '../../http/json-response.ts'
import type { Scope } from '../../database/scope.ts'
import { failures } from '../../errors.ts'
import { actingIn } from '../../resources/acting.ts'
import { ListOf, PLAIN_LIST } from '../../resources/pagination.ts'
import { memberRoute, type Route } from '../../http/route.ts'
import { COMPARED_SAVES, listedSaves, savesPageOf, seqIn, seqOf } from '../../resources/saves.ts'
import { type InProject, inProject } from '../projects/project-scope.ts'
import { Draft, RestoreSaveRequest, Save, SaveAnalysis } from './model.ts'
import { analyzeSave } from './save-analysis.ts'
import { Diff } from '../../resources/draft-diff.ts'
import { draftsCompared } from '../../compute/diff.ts'
import { type DraftRow, hasSave, savesOn, saveText } from './repository.ts'
import { withStaleConflict } from './draft-store.ts'
import { restoreSave } from './service.ts'
import { type AnalyzingParts, atDraft, group, ONE, shownIn } from './view.ts'

/** Routes of a ruleset's history. */
export function saveRoutes(parts: AnalyzingParts): readonly Route[] {
  const { database } = parts
  const within = inProject(database)
  return [
    memberRoute({
      method: 'GET',
      path: `${ONE}/saves`,
      right: 'member',
      summary: 'List the saves of a ruleset, newest first',
      group,
      within,
      find: atDraft,
      query: PLAIN_LIST,
      answers: { 200: ListOf(Save, 'SaveList') },
      async handle({ place, found, query }) {
        const page = savesPageOf(query)
        const rows = await savesOn(place.member.scope, found.id, page)
        return json(
          200,
          listedSaves(rows, page, ({ seq, saved_at, saved_by }) => ({ seq, at: saved_at.toISOString(), by: saved_by })),
        )
      },
    }),
    memberRoute({
      method: 'GET',
      path: `${ONE}/saves/:seq`,
      right: 'member',
      summary: 'Get one save of a ruleset',
      group,
      within,
      find: atSave,
      answers: { 200: Draft },
      handle: ({ place, found: { row, seq } }) => shownIn(parts, place).answer(row, seq),
    }),
    memberRoute({
      method: 'GET',
      path: `${ONE}/saves/:seq/analysis`,
      right: 'member',
      summary: 'Find the mistakes of a save and its differences from live contents, for all inputs',
      group,
      within,
      find: atSave,
      answers: { 200: SaveAnalysis },
      async handle({ place, caller, response, found: { row, seq } }) {
        const { report, ...rest } = await analyzeSave(parts, place, caller, row, seq, new ResponseSignal(response))
        return json(200, { ...rest, ...report })
      },
    }),
    memberRoute({
      method: 'POST',
      path: `${ONE}/saves/:seq/restore`,
      right: 'ruleset.edit',
      summary: 'Restore an earlier save as a new one',
      group,
      within,
      find: atSave,
      body: RestoreSaveRequest,
      answers: { 200: Draft },
      hasConflicts: true,
      async handle(asked) {
        const { place, found, body } = asked
        const { shown, shownText } = shownIn(parts, place)
        const acting = actingIn(database, asked)
        const saved = await withStaleConflict(place, shownText, () =>
          restoreSave(acting, found.row, found.seq, body.expected_seq),
        )
        return json(200, await shown(saved))
      },
    }),
    memberRoute({
      method: 'GET',
      path: `${ONE}/diff`,
      right: 'member',
      summary: 'Compare two saves of a ruleset',
      group,
      within,
      find: atDraft,
      query: COMPARED_SAVES,
      hasUnknowns: true,
      answers: { 200: Diff },
      async handle({ place: { member }, found, query }) {
        const to = seqIn(query, 'to') ?? found.seq
        const next = await textOfSave(member.scope, found, to)
        const from = seqIn(query, 'from') ?? (await seqBefore(member.scope, found, to))
        const base = await textOfSave(member.scope, found, from)
        return { status: 200, body: await draftsCompared(parts.compute, base, next) }
      },
    }),
  ]
}

/** The save in the request path. Throws `not-found`. */
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

/** The sequence number of the previous save; the first save returns its own. */
async function seqBefore(scope: Scope, row: DraftRow, seq: number): Promise<number> {
  const [before] = await savesOn(scope, row.id, { limit: 1, before: seq })
  return before?.seq ?? seq
}

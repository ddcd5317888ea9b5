import type { Compute } from '../../compute/compute.ts'
import { draftsCompared } from '../../compute/diff.ts'
import type { Scope } from '../../database/scope.ts'
import { failures } from '../../errors.ts'
import { json } from '../../http/json-response.ts'
import { ListOf, PLAIN_LIST } from '../../resources/pagination.ts'
import { type Finder, memberRoute, type Route } from '../../http/route.ts'
import { COMPARED_SAVES, listedSaves, savesPageOf, seqIn, seqOf } from '../../resources/saves.ts'
import { Diff } from '../../resources/draft-diff.ts'
import { SubRuleSave, SubRuleVersion } from './model.ts'
import { atSubRule, group, type Place } from './sub-rule-scope.ts'
import type { SubRuleRow } from './repository.ts'
import { comparedText, saveOfSubRule, savesOfSubRule, type SubRuleSaveRow } from './saves.ts'

/** Routes of the history of a sub-rule; `PUT` adds a version. @param one the path of a sub-rule */
export function versionRoutes(one: string, within: Finder<Place>, compute: Compute): readonly Route[] {
  return [
    memberRoute({
      method: 'GET',
      path: `${one}/versions`,
      right: 'member',
      summary: 'List the saves of a sub-rule, newest first',
      group,
      within,
      find: atSubRule,
      query: PLAIN_LIST,
      answers: { 200: ListOf(SubRuleSave, 'SubRuleSaveList') },
      async handle({ place, found, query }) {
        const page = savesPageOf(query)
        const rows = await savesOfSubRule(place.member.scope, found, page)
        return json(
          200,
          listedSaves(rows, page, ({ seq, version, saved_at, saved_by }) => ({
            seq,
            version,
            at: saved_at.toISOString(),
            by: saved_by,
          })),
        )
      },
    }),
    memberRoute({
      method: 'GET',
      path: `${one}/versions/:seq`,
      right: 'member',
      summary: 'Get one save of a sub-rule',
      group,
      within,
      find: atVersion,
      answers: { 200: SubRuleVersion },
      handle: async ({ found: { row, save } }) => json(200, shownVersion(row, save)),
    }),
    memberRoute({
      method: 'GET',
      path: `${one}/diff`,
      right: 'member',
      summary: 'Compare two saves of a sub-rule',
      group,
      within,
      find: atSubRule,
      query: COMPARED_SAVES,
      answers: { 200: Diff },
      async handle({ place: { member }, found, query }) {
        const to = seqIn(query, 'to') ?? found.rev
        // Saves are numbered without gaps, from 1 on.
        const from = seqIn(query, 'from') ?? Math.max(1, to - 1)
        const [base, next] = [await saveBy(member.scope, found, from), await saveBy(member.scope, found, to)]
        const texts = [await comparedText(found.name, base), await comparedText(found.name, next)] as const
        return { status: 200, body: await draftsCompared(compute, ...texts) }
      },
    }),
  ]
}

/** Throws `not-found`. */
async function atVersion(place: Place, params: Readonly<Record<string, string>>) {
  const row = await atSubRule(place, params)
  const { seq: text = '' } = params
  const seq = seqOf(text)
  if (seq === undefined) throw failures.notFound('save', text)
  return { row, save: await saveBy(place.member.scope, row, seq) }
}

/** Throws `not-found`. */
async function saveBy(scope: Scope, row: SubRuleRow, seq: number): Promise<SubRuleSaveRow> {
  const save = await saveOfSubRule(scope, row, seq)
  if (save === undefined) throw failures.notFound('save', String(seq))
  return save
}

function shownVersion({ name }: SubRuleRow, { savedAt, savedBy, ...save }: SubRuleSaveRow) {
  return { name, ...save, at: savedAt.toISOString(), by: savedBy }
}

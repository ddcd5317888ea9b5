import type { DraftRuleset, Problem } from '@engine/authoring'
import { stringifyJson } from '@engine/expression'
import { invalidParameter } from '@engine/http-api'
import type { Answer } from '@engine/http-server'
import { invalidDocument } from '../../resources/invalid-document.ts'
import type { Analyses } from '../../compute/analyses.ts'
import type { Compute } from '../../compute/compute.ts'
import type { EngineForm } from '../../compute/tasks.ts'
import type { Database } from '../../database/database.ts'
import { failures } from '../../errors.ts'
import { JsonText } from '../../http/json-response.ts'
import { seqOf } from '../../resources/saves.ts'
import type { InProject } from '../projects/project-scope.ts'
import { checkSent } from './draft-check.ts'
import { draftNamed, saveText, type DraftRow, type StoredDraft } from './repository.ts'
import { draftOfSave, type SentDraft, smallDraft } from './sent-draft.ts'

/** Dependencies of the draft routes. */
export interface DraftParts {
  readonly database: Database
  readonly compute: Compute
  readonly basePath: string
}

/** Dependencies of routes that also analyse drafts for all inputs. */
export interface AnalyzingParts extends DraftParts {
  readonly analyses: Analyses
}

export const group = 'Rulesets'
export const ALL = '/api/v1/orgs/:oid/projects/:pid/rulesets'
export const ONE = `${ALL}/:name`

/** The draft in the request path. Throws `not-found`. */
export async function atDraft(
  { member, project }: InProject,
  { name = '' }: Readonly<Record<string, string>>,
): Promise<DraftRow> {
  const row = await draftNamed(member.scope, project.id, name)
  if (row === undefined) throw failures.notFound('ruleset', name)
  return row
}

/** Drafts of one project in the form of the public API. */
export function shownIn({ basePath, compute }: DraftParts, { member, project }: InProject) {
  const check = (draft: SentDraft, form: EngineForm = 'none') =>
    checkSent(compute, member.scope, project.id, draft, form)
  /** A save as text. Throws `not-found`. */
  const shownText = async (row: DraftRow, seq = row.seq): Promise<JsonText> => {
    const save = await saveText(member.scope, row, seq)
    if (save === undefined) throw failures.notFound('save', String(seq))
    const { text, saved_at, saved_by } = save
    const { problems } = await check(draftOfSave(save))
    const saved = { seq, updated_at: saved_at.toISOString(), updated_by: saved_by, problems }
    const rest = stringifyJson(saved).slice(1)
    return new JsonText(`{"name":${stringifyJson(row.name)},"ruleset":${text},${rest}`)
  }
  return {
    check,
    problems: {
      /** Problems of a draft that is being saved. Throws 400 for result codes that its contract does not define. */
      async ofSave(draft: SentDraft): Promise<readonly Problem[]> {
        const { problems, undeclared } = await check(draft)
        if (undeclared.length > 0) throw invalidDocument(undeclared, '/ruleset')
        return problems
      },
    },
    async shown({ row, ruleset, seq, savedAt, savedBy }: StoredDraft) {
      const { problems } = await check(smallDraft(ruleset))
      return { name: row.name, ruleset, seq, updated_at: savedAt.toISOString(), updated_by: savedBy, problems }
    },
    shownText,
    /** The response with a save of a draft; default: the last one. */
    async answer(row: DraftRow, seq = row.seq): Promise<Answer> {
      return { status: 200, body: (await shownText(row, seq)).text }
    },
    pathOf: (name: string) =>
      `${basePath}/api/v1/orgs/${project.org_id}/projects/${project.id}/rulesets/${encodeURIComponent(name)}`,
  }
}

/** Throws 400 if the name in a ruleset differs from the one in the path. */
export function refuseOtherName({ config }: Pick<DraftRuleset, 'config'>, name: string): void {
  if (config.name !== name)
    throw failures.invalid('/ruleset/config/name', `is \`${config.name}\`, and the path names \`${name}\``)
}

/** The parameter `expected_seq` of a deletion. Throws 400. */
export function expectedSeqIn(query: URLSearchParams): number {
  const given = query.get('expected_seq')
  if (given === null) throw invalidParameter('expected_seq', 'is missing: it says which save is to be deleted')
  const seq = seqOf(given)
  if (seq === undefined) throw invalidParameter('expected_seq', 'must be a whole number')
  return seq
}

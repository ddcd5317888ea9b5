import { quote } from '@engine/expression'
import { invalidParameter } from '@engine/http-api'
import { Type } from 'typebox'
import type { ExportTask } from '../../compute/tasks.ts'
import { failures } from '../../errors.ts'
import { json } from '../../http/json-response.ts'
import { invalidDocument } from '../../resources/invalid-document.ts'
import { memberRoute, type Route } from '../../http/route.ts'
import { hasErrors, referencesOf } from '../drafts/draft-check.ts'
import { atDraft, type DraftParts, ONE, shownIn } from '../drafts/view.ts'
import { saveText } from '../drafts/repository.ts'
import { type SentDraft, storedDraft } from '../drafts/sent-draft.ts'
import { inProject } from '../projects/project-scope.ts'
import { contractFor } from '../catalog/contract-in-use.ts'
import { graphsFor } from '../sub-rules/repository.ts'
import { ExportedRuleset } from './model.ts'

const FORMATS = ['engine', 'jdm', 'dmn'] as const

/** Route that exports the last save of a ruleset in another format. */
export function exportRoute(parts: DraftParts): Route {
  return memberRoute({
    method: 'GET',
    path: `${ONE}/export`,
    right: 'member',
    summary: 'Export a ruleset to another format and list the losses',
    group: 'Rulesets',
    within: inProject(parts.database),
    find: atDraft,
    query: {
      format: Type.Union(
        FORMATS.map((format) => Type.Literal(format)),
        { description: 'of the document; default: `engine`' },
      ),
    },
    answers: { 200: ExportedRuleset },
    async handle({ place, found, query }) {
      const format = formatIn(query)
      const save = await saveText(place.member.scope, found)
      if (save === undefined) throw new Error(`a draft without its save: ${found.id}`)
      const { text, config, uses } = save
      const summary = { config: config as unknown as SentDraft['config'], uses }
      if (format !== 'engine') {
        const { member, project } = place
        const used = await graphsFor(member.scope, project.id, uses)
        const inUse = await contractFor(member.scope, project.id, summary)
        const { subRules, contract } = referencesOf(used, inUse)
        const task = { kind: 'export', format, draft: text, subRules, contract: contract?.contract } as const
        return json(200, await written(parts, task))
      }
      const { engineText, problems } = await shownIn(parts, place).check(storedDraft(text, summary), 'text')
      if (engineText === undefined || hasErrors(problems)) throw invalidDocument(problems)
      return { status: 200, body: `{"document":${engineText},"lost":[]}` }
    },
  })
}

/** Serialize a draft in another format, on a worker thread. Throws 400 if none of it can be expressed in that format. */
async function written({ compute }: DraftParts, task: ExportTask) {
  const outcome = await compute.run(task)
  if (outcome.kind === 'over')
    throw failures.refused(`the document is too large to be written: ${outcome.message}`, 'too-large')
  const { document, lost } = outcome.result
  if (document === undefined) throw invalidDocument(lost)
  return { document, lost }
}

function formatIn(query: URLSearchParams): (typeof FORMATS)[number] {
  const given = query.get('format')
  const format = FORMATS.find((one) => one === given)
  if (format !== undefined) return format
  const found = given === null ? 'it is missing' : `found ${quote(given)}`
  throw invalidParameter('format', `must be one of ${FORMATS.map((one) => quote(one)).join(', ')}: ${found}`)
}

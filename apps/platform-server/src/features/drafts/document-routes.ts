import { draftOf } from '@engine/authoring'
import type { Value } from '@engine/expression'
import { invalidParameter } from '@engine/http-api'
import { jsonText } from '@engine/process'
import { Type } from 'typebox'
import { json } from '../../http/json-response.ts'
import { LargeDraft } from '../../compute/large-draft.ts'
import { invalidDocument } from '../../resources/invalid-document.ts'
import { DOCUMENT_BYTES, memberRoute, type Route } from '../../http/route.ts'
import { inProject } from '../projects/project-scope.ts'
import { Converted, RulesetRequest, Validated } from './model.ts'
import { hasErrors } from './draft-check.ts'
import { sentDraft } from './sent-draft.ts'
import { type DraftParts, group, ONE, shownIn } from './view.ts'

/** Routes that validate or convert a ruleset in the request body, saved or not. */
export function documentRoutes(parts: DraftParts): readonly Route[] {
  const within = inProject(parts.database)
  return [
    memberRoute({
      method: 'POST',
      path: `${ONE}/validate`,
      right: 'member',
      summary: 'Validate the ruleset in the request body',
      group,
      within,
      body: RulesetRequest,
      draftMember: 'ruleset',
      maxBodyBytes: DOCUMENT_BYTES,
      answers: { 200: Validated },
      async handle({ place, body }) {
        const { problems } = await shownIn(parts, place).check(sentDraft(body.ruleset))
        return json(200, { problems })
      },
    }),
    memberRoute({
      method: 'POST',
      path: `${ONE}/convert`,
      right: 'member',
      summary: 'Convert a ruleset to the engine or the editor format',
      group,
      within,
      query: { to: Type.Union([Type.Literal('engine'), Type.Literal('editor')], { description: 'default: `engine`' }) },
      body: RulesetRequest,
      draftMember: 'ruleset',
      draftFormat: (query) => (query.get('to') === 'editor' ? 'engine' : 'editor'),
      maxBodyBytes: DOCUMENT_BYTES,
      answers: { 200: Converted },
      async handle({ place, body, query }) {
        const to = query.get('to') ?? 'engine'
        if (to === 'editor') {
          return { status: 200, body: `{"ruleset":${await editorText(body.ruleset)}}` }
        }
        if (to !== 'engine') throw invalidParameter('to', 'must be `engine` or `editor`')
        const { engineText, problems } = await shownIn(parts, place).check(sentDraft(body.ruleset), 'text')
        if (engineText === undefined || hasErrors(problems)) throw invalidDocument(problems, '/ruleset')
        return { status: 200, body: `{"ruleset":${engineText}}` }
      },
    }),
  ]
}

/** A ruleset of the engine format, converted to the editor format. Throws 400. */
function editorText(ruleset: unknown): string | Promise<string> {
  if (ruleset instanceof LargeDraft) return sentDraft(ruleset).text()
  const { draft, problems } = draftOf(ruleset as Value)
  if (draft === undefined) throw invalidDocument(problems, '/ruleset')
  return jsonText(draft)
}

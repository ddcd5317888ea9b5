import { draftOf } from '@engine/authoring'
import type { Value } from '@engine/expression'
import { invalidParameter } from '@engine/http-api'
import { json } from '@engine/http-server'
import { Type } from 'typebox'
import { refusedDocument } from '../../http/refused-document.ts'
import { DOCUMENT_BYTES, memberRoute, type Route } from '../../http/route.ts'
import { inProject } from '../projects/place.ts'
import { Converted, RulesetRequest, Validated } from './model.ts'
import { draftIn, hasErrors } from './reading.ts'
import { type DraftParts, group, ONE, shownIn } from './shown.ts'

/** What is asked about a document that is sent, whether it was saved or not. */
export function documentRoutes(parts: DraftParts): readonly Route[] {
  const within = inProject(parts.database)
  return [
    memberRoute({
      method: 'POST',
      path: `${ONE}/validate`,
      right: 'member',
      summary: 'The problems of a ruleset as it is sent',
      group,
      within,
      body: RulesetRequest,
      maxBodyBytes: DOCUMENT_BYTES,
      answers: { 200: Validated },
      async handle({ place, body }) {
        const { problems } = await shownIn(parts, place).check(draftIn(body.ruleset))
        return json(200, { problems })
      },
    }),
    memberRoute({
      method: 'POST',
      path: `${ONE}/convert`,
      right: 'member',
      summary: 'A ruleset in the format of engines, or of the editor',
      group,
      within,
      query: { to: Type.Union([Type.Literal('engine'), Type.Literal('editor')], { description: 'default: `engine`' }) },
      body: RulesetRequest,
      maxBodyBytes: DOCUMENT_BYTES,
      answers: { 200: Converted },
      async handle({ place, body, query }) {
        const to = query.get('to') ?? 'engine'
        if (to === 'editor') {
          const { draft, problems } = draftOf(body.ruleset as Value)
          if (draft === undefined) throw refusedDocument(problems, '/ruleset')
          return json(200, { ruleset: draft })
        }
        if (to !== 'engine') throw invalidParameter('to', 'must be `engine` or `editor`')
        const { ruleset, problems } = await shownIn(parts, place).check(draftIn(body.ruleset))
        if (ruleset === undefined || hasErrors(problems)) throw refusedDocument(problems, '/ruleset')
        return json(200, { ruleset })
      },
    }),
  ]
}

import { json } from '../../http/json-response.ts'
import { invalidDocument } from '../../resources/invalid-document.ts'
import type { Compute } from '../../compute/compute.ts'
import type { Traced as TracedExecution } from '../../compute/tasks.ts'
import type { Database } from '../../database/database.ts'
import { DOCUMENT_BYTES, memberRoute, type Route } from '../../http/route.ts'
import { contractFor } from '../catalog/contract-in-use.ts'
import { sentDraft } from '../drafts/sent-draft.ts'
import { subjectOfSent } from '../drafts/subject.ts'
import { refuseOtherName } from '../drafts/view.ts'
import { inProject } from '../projects/project-scope.ts'
import { Traced, TraceRequest } from './model.ts'

/** Route that executes a ruleset from the request body. */
export function traceRoute(database: Database, compute: Compute): Route {
  return memberRoute({
    method: 'POST',
    path: '/api/v1/orgs/:oid/projects/:pid/rulesets/:name/trace',
    right: 'test.run',
    summary: 'Try-run the ruleset in the request body with a full trace; nothing is stored or called',
    group: 'Tests',
    within: inProject(database),
    maxBodyBytes: DOCUMENT_BYTES,
    body: TraceRequest,
    draftMember: 'ruleset',
    answers: { 200: Traced },
    async handle({ place: { member, project }, params, body }) {
      const draft = sentDraft(body.ruleset)
      refuseOtherName(draft, params['name'] ?? '')
      const subject = await subjectOfSent(
        member.scope,
        project.id,
        draft,
        await contractFor(member.scope, project.id, draft),
      )
      const { input, now, stubs } = body
      const outcome = await compute.run({ kind: 'trace', subject, input, now, stubs })
      if (outcome.kind === 'over') return json(200, unfinished(outcome.message))
      if (outcome.result.kind === 'problems') throw invalidDocument(outcome.result.problems, '/ruleset')
      return json(200, outcome.result.traced)
    },
  })
}

/** An execution that was terminated: its steps are unknown. */
function unfinished(message: string): Omit<TracedExecution, 'error'> & { readonly error: object } {
  const error = { message: `the execution was ended: ${message}`, code: 'over-budget' }
  return { code: null, message: null, output: null, duration_us: 0, trace: { path: '', steps: [] }, error }
}

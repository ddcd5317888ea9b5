import { FlagEvaluation, FlagEvaluationRequest, FlagEvaluations } from '@engine/api'
import type { Answer } from '@engine/http-server'
import { EngineError } from '../../errors.ts'
import { evaluateFlag, evaluateFlags, type FlagParts } from '../../services/flags.ts'
import { Type } from 'typebox'
import { isKnown, READ_CONDITIONS } from '../conditions.ts'
import { flagErrorCode } from '../error-mapping.ts'
import { readSent, type Route, type RouteRequest, runOf, singleRunOf, text } from '../route.ts'
import { FLAGS_PATH } from '../standard-paths.ts'

const common = {
  method: 'POST',
  scope: 'execute',
  writes: false,
  isServerWide: false,
  group: 'OFREP',
  query: 'any',
  standard: 'ofrep',
  body: FlagEvaluationRequest,
} as const

/** The OpenFeature Remote Evaluation Protocol. */
export const FLAG_ROUTES: readonly Route[] = [
  {
    ...common,
    path: `${FLAGS_PATH}/:key`,
    summary: 'Evaluate a feature flag',
    answers: { 200: FlagEvaluation },
    async handle(request) {
      return text(
        200,
        await evaluateFlag(
          partsOf(request),
          request.params['key'] ?? '',
          await readSent(request),
          singleRunOf(request),
        ),
      )
    },
  },
  {
    ...common,
    path: FLAGS_PATH,
    summary: 'Evaluate all feature flags',
    headers: READ_CONDITIONS,
    answers: { 200: FlagEvaluations, 304: Type.Null({ description: 'no body' }) },
    answerHeaders: { 200: { ETag: 'of the values' }, 304: { ETag: 'of the values' } },
    handle: evaluateAll,
  },
]

async function evaluateAll(request: RouteRequest): Promise<Answer> {
  const answer = await evaluateFlags(partsOf(request), await readSent(request), runOf(request), (tag) =>
    isKnown(request.raw.headers, tag),
  )
  const headers = { etag: answer.tag }
  return answer.kind === 'unchanged' ? { status: 304, headers } : { ...text(200, answer.text), headers }
}

function partsOf({ server, services }: RouteRequest): FlagParts {
  const { flags } = server.standards()
  if (flags === undefined) throw new EngineError('not-found', 'there are no feature flags (--ofrep)')
  return { flags, execution: services.execution, rulesets: services.rulesets, codeOf: flagErrorCode }
}

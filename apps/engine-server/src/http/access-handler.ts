import type { IncomingMessage } from 'node:http'
import type { Numbers } from '@engine/expression'
import { type Answer, jsonOf } from '@engine/http-server'
import { type Awaitable, whenThere } from '@engine/process'
import type { Program } from '@engine/ruleset'
import { EngineError, quoted } from '../errors.ts'
import { evaluateAccess } from '../services/authorization.ts'
import type { AuthzenMapping, Standards } from '../standards/standard-files.ts'
import { DEFAULT_TENANT } from '../store/tenant-id.ts'
import type { DirectOperation, DirectRequest } from './direct-request.ts'
import { asksReport, digestHeader } from './execution-report.ts'
import { ACCESS_PATH } from './standard-paths.ts'
import { refuseRequestId } from './standard-request-id.ts'

/** The route of an AuthZEN evaluation. */
export const EVALUATION_PATH = `${ACCESS_PATH}/evaluation`

/**
 * True if a request is an AuthZEN evaluation in its plain form: it has no query, and no tenant in its path. The router
 * handles the other forms (docs/decisions/0002).
 */
export const isEvaluation = ({ method, url }: IncomingMessage): boolean => method === 'POST' && url === EVALUATION_PATH

/** The operation of a request `POST /access/v1/evaluation`. */
export function evaluationOperation(standards: () => Standards, received: IncomingMessage): DirectOperation {
  return {
    name: undefined,
    check: () => {},
    answer(request) {
      refuseRequestId(received)
      return answerEvaluation(mappingFor(standards(), request.tenant), request)
    },
  }
}

/** The mapping of a tenant. Throws `EngineError` if it has none. */
export function mappingFor({ authzen }: Standards, tenant = DEFAULT_TENANT): AuthzenMapping {
  const mapping = authzen?.get(tenant)
  if (mapping !== undefined) return mapping
  throw new EngineError('not-found', `the tenant ${quoted(tenant)} has no AuthZEN mapping (--authzen-config)`)
}

/** The answer to an AuthZEN evaluation, with the digest of the deciding ruleset if the sender requests it. */
export function answerEvaluation(
  { mapping, entities }: AuthzenMapping,
  { services, raw, body, run }: Omit<DirectRequest, 'tenant' | 'valuesRefusal'>,
): Awaitable<string | Answer> {
  const { execution } = services
  const read = (numbers: Numbers) => jsonOf(body, 'last', { numbers })
  let program: Program | undefined
  const text = whenThere(read('double'), (value) =>
    evaluateAccess({ mapping, entities, execution }, { value, read }, run, (deciding) => (program = deciding)),
  )
  if (!asksReport(raw.headers)) return text
  return reported(text, () => (program === undefined ? {} : digestHeader(execution, program)))
}

async function reported(text: Awaitable<string>, headersOf: () => Awaitable<Record<string, string>>): Promise<Answer> {
  const body = await text
  return { status: 200, body, headers: await headersOf() }
}

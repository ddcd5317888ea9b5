import { quote } from '@engine/expression'
import { EngineError } from '../errors.ts'
import type { Services } from '../services/services.ts'
import type { Admission } from './admission.ts'
import type { AccessHeaders } from './tokens.ts'

const LISTING = { scope: 'read' } as const

/**
 * An error with the name of the ruleset that was probably meant, if the ruleset does not exist and the sender may list
 * the rulesets of the tenant. Any other error is returned unchanged.
 */
export function withSuggestedName(
  thrown: unknown,
  name: string | undefined,
  { admission, headers, services }: { admission: Admission; headers: AccessHeaders; services: Services | undefined },
): unknown {
  if (!(thrown instanceof EngineError) || thrown.code !== 'not-found' || name === undefined) return thrown
  if (services === undefined || admission.enter(headers, LISTING).refusal !== undefined) return thrown
  const suggestion = services.rulesets.nearest(name)
  if (suggestion === undefined) return thrown
  const { message } = thrown
  return new EngineError('not-found', `${message}: did you mean ${quote(suggestion)}?`, {
    details: [{ path: '', code: 'unknown-ruleset', message, suggestion }],
  })
}

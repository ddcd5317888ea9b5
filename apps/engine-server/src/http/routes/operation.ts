import {
  ErrorBody,
  Health,
  type HealthRecord,
  IDENTITY_PROOF_PATH,
  IdentityChallenge,
  IdentityProof,
  Liveness,
} from '@engine/api'
import { Type } from 'typebox'
import { EngineError } from '../../errors.ts'
import { json } from '@engine/http-server'
import { read, type Route } from '../route.ts'

/** The health record without file names, for a probe without a token if authentication is enabled. */
function withoutFiles(record: HealthRecord): HealthRecord {
  return { ...record, storage: { ...record.storage, rules_dir: '', rejected: [] } }
}

/** Probes. */
export const PROBE_ROUTES: readonly Route[] = [
  ...['/health', '/healthz/ready'].map((path): Route => ({
    method: 'GET',
    path,
    scope: undefined,
    writes: false,
    isServerWide: true,
    summary: 'Check readiness',
    query: 'any',
    group: 'Operation',
    answers: { 200: Health, 503: Health },
    async handle({ server, isTrusted }) {
      const { isReady, record } = await server.health.check()
      return json(isReady ? 200 : 503, isTrusted() ? record : withoutFiles(record))
    },
  })),
  {
    method: 'GET',
    path: '/healthz/live',
    scope: undefined,
    writes: false,
    isServerWide: true,
    summary: 'Check liveness',
    query: 'any',
    group: 'Operation',
    answers: { 200: Liveness },
    handle: () => json(200, { status: 'alive' }),
  },
]

/** Maximum size of a challenge, which has a nonce of 43 characters. */
const MAX_CHALLENGE_BYTES = 64 * 1024

/**
 * Requires no token, since the platform sends none before it has identified the engine. An answer is useless to anyone
 * who does not know the token: it is a keyed hash over the engine's own address.
 */
export const IDENTITY_ROUTE: Route = {
  method: 'POST',
  path: IDENTITY_PROOF_PATH,
  scope: undefined,
  writes: false,
  isServerWide: true,
  summary: 'Prove to the platform that this engine holds its registration token',
  group: 'Operation',
  body: IdentityChallenge,
  answers: { 200: IdentityProof, 409: ErrorBody },
  async handle(request) {
    const { nonce } = await read<IdentityChallenge>({ ...request, maxBytes: MAX_CHALLENGE_BYTES }, IdentityChallenge)
    const { proveIdentity } = request.server
    // Never 404: that is the answer of engines too old to prove their identity.
    if (proveIdentity === undefined) throw new EngineError('conflict', 'this engine has no platform (--platform-url)')
    return json(200, proveIdentity(nonce))
  },
}

/** Only with `--metrics-enabled`. */
export const METRICS_ROUTE: Route = {
  method: 'GET',
  path: '/metrics',
  scope: undefined,
  writes: false,
  isServerWide: true,
  summary: 'Get metrics in the text exposition format',
  query: 'any',
  group: 'Operation',
  answers: { 200: Type.String() },
  produces: 'text/plain',
  async handle({ server: { metrics } }) {
    if (metrics === undefined) throw new EngineError('not-found', 'metrics are off (--metrics-enabled)')
    return { status: 200, body: await metrics.text(), type: metrics.contentType }
  },
}

import { EngineHeartbeat, EngineRegistered, EngineRegistration, HeartbeatAnswer } from '@engine/api'
import { truthOf } from '@engine/http-api'
import type { IncomingMessage } from 'node:http'
import { type TSchema, Type } from 'typebox'
import { json } from '../../http/json-response.ts'
import { HISTORY_RANGE, historyRangeOf } from '../../resources/history-range.ts'
import type { SecretBox } from '../../access/secret-box.ts'
import { inWholeOrganization } from '../../access/membership.ts'
import { isId } from '../../database/org-id.ts'
import { failures } from '../../errors.ts'
import { actingIn } from '../../resources/acting.ts'
import { ListOf, listed, listQuery, pageOf } from '../../resources/pagination.ts'
import { callerRoute, DOCUMENT_BYTES, Empty, memberRoute, type Route, serverRoute } from '../../http/route.ts'
import { inProject } from '../projects/project-scope.ts'
import { atBothPaths } from '../projects/routes.ts'
import { signedContent } from '../signing/signed-content.ts'
import { bind, bindingOf } from './bindings.ts'
import {
  connectTokenById,
  connectTokenOf,
  connectTokensOn,
  createConnectToken,
  revokeConnectToken,
} from './connect-tokens.ts'
import { livenessOf } from './liveness.ts'
import { contentFor } from './desired-state.ts'
import { engineOf, heartbeat, keepPeer, type KnownEngine, type Waiting } from './heartbeat.ts'
import { claimantOf, type Identities } from './identity.ts'
import {
  Binding,
  BindingRequest,
  ConnectToken,
  ConnectTokenRequest,
  CreatedConnectToken,
  ReceiptChains,
  Server,
  ServerHealth,
  ServerMetrics,
} from './model.ts'
import { receiptKeysOf } from './receipt-keys.ts'
import { forgetReceiptChain, receiptChainsOf } from './receipt-witness.ts'
import type { EngineRecording } from './recording.ts'
import { prove, registerEngine, type RegistrationParts } from './registration.ts'
import { atServer, deleteServer, historyOf, problemsOf, serverOf, serversFor } from './servers.ts'

export interface EngineParts extends RegistrationParts {
  readonly basePath: string
  /** Decrypts the signing keys of projects. */
  readonly secretBox: SecretBox
  readonly recording: EngineRecording
  /** See `peerBehind`. */
  readonly peerOf: (request: IncomingMessage) => string | undefined
  readonly identities: Identities
  /** Aborted when the shutdown begins: heartbeats are no longer held. */
  readonly closing: AbortSignal
}

const group = 'Engines'
const SORTS = ['created_at', 'updated_at', 'name'] as const

/** Routes for registration of engines, the engine directory, and bindings. */
export function engineRoutes(parts: EngineParts): readonly Route[] {
  return [...connectTokenRoutes(parts), ...internalRoutes(parts), ...directoryRoutes(parts), ...bindingRoutes(parts)]
}

function connectTokenRoutes({ database, basePath }: EngineParts): readonly Route[] {
  const within = inWholeOrganization(database)
  const all = '/api/v1/orgs/:oid/connect-tokens'
  return [
    memberRoute({
      method: 'GET',
      path: all,
      right: 'token.manage',
      summary: 'List connect tokens',
      group,
      within,
      query: listQuery(SORTS),
      answers: { 200: ListOf(ConnectToken, 'ConnectTokenList') },
      async handle({ place: { member }, query }) {
        const page = pageOf(query, SORTS)
        const rows = await connectTokensOn(member, page)
        return json(
          200,
          listed(rows, page, (row) => (page.sort === 'name' ? row.label : row[page.sort]), connectTokenOf),
        )
      },
    }),
    memberRoute({
      method: 'POST',
      path: all,
      right: 'token.manage',
      summary: 'Create a connect token for registering engines',
      group,
      within,
      body: ConnectTokenRequest,
      isBodyOptional: true,
      answers: { 201: CreatedConnectToken },
      answerHeaders: { 201: { location: 'of the token' } },
      async handle(asked) {
        const label = (asked.body.label ?? '').trim()
        if (/\p{Cc}/u.test(label)) throw failures.invalid('/label', 'must have no control characters')
        const token = await createConnectToken(actingIn(database, asked), label)
        const location = `${basePath}/api/v1/orgs/${asked.place.member.org}/connect-tokens/${token.id}`
        return { ...json(201, token), headers: { location } }
      },
    }),
    memberRoute({
      method: 'DELETE',
      path: `${all}/:id`,
      right: 'token.manage',
      summary: 'Revoke a connect token; registered engines stay',
      group,
      within,
      find: ({ member }, { id = '' }) => connectTokenById(member, id),
      answers: { 204: Empty },
      async handle(asked) {
        await revokeConnectToken(actingIn(database, asked), asked.found)
        return { status: 204 }
      },
    }),
  ]
}

function internalRoutes(parts: EngineParts): readonly Route[] {
  const { database, closing, secretBox, recording, peerOf } = parts
  const api = '/api/v1/internal'
  return [
    serverRoute({
      method: 'POST',
      path: `${api}/register`,
      right: 'server',
      summary: 'Register an engine',
      group,
      headers: {
        'x-connect-token': 'of the organization',
        'x-registration-secret': 'of the platform, for engines of no organization',
      },
      body: EngineRegistration,
      isUnlimited: true,
      answers: { 200: EngineRegistered },
      hasConflicts: true,
      identify: ({ raw: { headers } }) =>
        prove(parts, {
          connectToken: headerOf(headers['x-connect-token']),
          registrationSecret: headerOf(headers['x-registration-secret']),
        }),
      handle: async ({ caller, body, address, requestId, raw }) =>
        json(200, await registerEngine(parts, body, caller, { address, requestId, peer: peerOf(raw) })),
    }),
    serverRoute({
      method: 'POST',
      path: `${api}/heartbeat`,
      right: 'server',
      summary: 'Heartbeat (long poll): responds when the desired state changes',
      group,
      headers: { authorization: '`Bearer` and the token of the server' },
      body: EngineHeartbeat,
      isUnlimited: true,
      maxBodyBytes: DOCUMENT_BYTES,
      answers: { 200: HeartbeatAnswer },
      identify: ({ raw }) => engineOf(database, raw.headers.authorization),
      async handle({ caller: server, raw, response, body, progress }) {
        await follow(parts, server, peerOf(raw))
        const waiting: Waiting = {
          isOver: () => response.destroyed || closing.aborted,
          onOver(listener) {
            response.once('close', listener)
            closing.addEventListener('abort', listener, { once: true })
            response.once('close', () => closing.removeEventListener('abort', listener))
          },
          progress,
        }
        const answer = await heartbeat(database, server, body, waiting, recording)
        if (answer !== undefined) return json(200, answer)
        // The engine has disconnected, or this instance is shutting down: the engine retries elsewhere.
        return { status: 503, headers: { 'retry-after': '1' } }
      },
    }),
    serverRoute({
      method: 'GET',
      path: `${api}/rulesets/:digest`,
      right: 'server',
      summary: 'Get a desired ruleset by digest',
      group,
      headers: { authorization: '`Bearer` and the token of the server' },
      isUnlimited: true,
      answers: { 200: Type.Object({}, { additionalProperties: true, description: 'of the engine’s format' }) },
      identify: ({ raw }) => engineOf(database, raw.headers.authorization),
      async handle({ caller: { id }, params: { digest = '' } }) {
        const content = await contentFor(database, id, digest)
        return { status: 200, body: await signedContent(database, secretBox, id, digest, content) }
      },
    }),
  ]
}

/**
 * Start the identity check of an engine in the background: an engine that sends heartbeats has its tokens. Registrations from
 * before peers were stored take the address of the request.
 */
async function follow({ database, identities }: EngineParts, server: KnownEngine, peer: string | undefined) {
  if (server.peer_address === null && peer !== undefined) await keepPeer(database, server, peer)
  const claimant = claimantOf({ ...server, peer_address: server.peer_address ?? peer ?? null })
  // A failure is stored in the record of the engine, or occurs again with the next decision.
  void (claimant && identities.require(claimant)?.catch(() => undefined))
}

const headerOf = (value: string | readonly string[] | undefined) =>
  typeof value === 'string' && value !== '' ? value : undefined

function directoryRoutes({ database, heartbeatIntervalSecs }: EngineParts): readonly Route[] {
  const within = atServer(database)
  const intervalMs = heartbeatIntervalSecs * 1000
  const one = '/api/v1/servers/:id'
  const reading = (
    path: string,
    summary: string,
    answer: TSchema,
    show: (asked: { readonly place: Awaited<ReturnType<typeof within>>; readonly query: URLSearchParams }) => unknown,
    query?: Parameters<typeof memberRoute>[0]['query'],
  ) =>
    memberRoute({
      method: 'GET',
      path,
      right: 'member',
      summary,
      group,
      within,
      ...(query === undefined ? {} : { query }),
      answers: { 200: answer },
      handle: async (asked) => json(200, await show(asked)),
    })
  return [
    callerRoute({
      method: 'GET',
      path: '/api/v1/servers',
      right: 'any',
      summary: 'List engines visible to the caller',
      group,
      query: { ...listQuery(SORTS), org_id: Type.String({ description: 'of one organization only' }) },
      hasUnknowns: true,
      answers: { 200: ListOf(Server, 'ServerList') },
      async handle({ caller, query }) {
        const only = query.get('org_id') ?? undefined
        const { rows, page } = await serversFor(database, caller, only, pageOf(query, SORTS))
        return json(
          200,
          listed(
            rows,
            page,
            (row) => row[page.sort],
            (row) => serverOf(row, intervalMs),
          ),
        )
      },
    }),
    reading(one, 'Get an engine', Server, ({ place }) => serverOf(place.server, intervalMs)),
    reading(`${one}/health`, 'Get the health of an engine', ServerHealth, ({ place: { server } }) => {
      const { healthy, isInTouch, last } = livenessOf(server, intervalMs, Date.now())
      const last_heartbeat = last?.toISOString() ?? null
      return { online: isInTouch, healthy, last_heartbeat, health: server.health, problems: problemsOf(server) }
    }),
    reading(
      `${one}/metrics`,
      'Get time series of an engine',
      ServerMetrics,
      ({ place, query }) => historyOf(database, place.server.id, historyRangeOf(query)),
      HISTORY_RANGE,
    ),
    reading(`${one}/receipts`, 'List the chains of receipts of an engine', ReceiptChains, async ({ place }) => ({
      chains: await receiptChainsOf(place),
      keys: await receiptKeysOf(place),
    })),
    memberRoute({
      method: 'DELETE',
      path: `${one}/receipts/:chain`,
      right: 'server.manage',
      summary: 'Forget the checkpoint that is kept of a chain of receipts, and its contradiction',
      group,
      within,
      answers: { 204: Empty },
      async handle(asked) {
        await forgetReceiptChain(actingIn(database, asked), chainIn(asked.params['chain'] ?? ''))
        return { status: 204 }
      },
    }),
    memberRoute({
      method: 'DELETE',
      path: one,
      right: 'server.manage',
      summary: 'Remove an engine; a running one registers again',
      group,
      within,
      query: { force: Type.Boolean({ default: false, description: 'also one that serves environments' }) },
      answers: { 204: Empty },
      hasConflicts: true,
      async handle(asked) {
        const force = truthOf(asked.query, 'force') === true
        await deleteServer(actingIn(database, asked), force, intervalMs)
        return { status: 204 }
      },
    }),
  ]
}

/** The UUID of a chain. Throws 404. */
function chainIn(text: string): string {
  if (isId(text)) return text
  throw failures.notFound('chain of receipts', text)
}

function bindingRoutes({ database }: EngineParts): readonly Route[] {
  const within = inProject(database)
  const path = '/api/v1/orgs/:oid/projects/:pid/server'
  return atBothPaths([
    memberRoute({
      method: 'GET',
      path,
      right: 'member',
      summary: 'List the engines bound to an environment',
      group,
      within,
      query: { environment: Type.String({ description: 'id or name; default: the current one' }) },
      answers: { 200: Binding },
      handle: async ({ place, caller, query }) =>
        json(200, await bindingOf(place, caller, query.get('environment') ?? undefined)),
    }),
    memberRoute({
      method: 'PUT',
      path,
      right: 'server.manage',
      summary: 'Replace the engines bound to an environment',
      group,
      within,
      body: BindingRequest,
      answers: { 200: Binding },
      hasConflicts: true,
      async handle(asked) {
        const { environment, server_ids } = asked.body
        return json(200, await bind(actingIn(database, asked), environment, server_ids))
      },
    }),
  ])
}

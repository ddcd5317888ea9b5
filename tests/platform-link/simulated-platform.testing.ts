import type {
  ContentStatistics,
  DecisionSample,
  EngineHeartbeat,
  EngineRegistration,
  RecordingRules,
} from '@engine/api'
import { canonicalJson } from '@engine/signing'
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** The connect token that is taken. */
export const CONNECT_TOKEN = 'eng_con_good'

/** A desired ruleset; undefined: it was withdrawn. */
interface Desired {
  readonly tenant: string | null
  readonly name: string
  readonly digest: string | undefined
  readonly revision: number
}

/** A ruleset of the engine's format. */
export type Document = Readonly<Record<string, unknown>>

/** A platform of one engine, as far as the link goes, whose faults tests choose. */
export interface SimulatedPlatform {
  readonly url: string
  readonly registrations: readonly EngineRegistration[]
  /** Those that were heard, also those whose answers were lost. */
  readonly heartbeats: EngineHeartbeat[]
  /** Contents that the engine has requested. */
  readonly fetched: readonly string[]
  readonly serverId: string
  readonly serverToken: string
  readonly proxyToken: string
  revision: number
  /** Connect tokens that are taken. */
  readonly connectTokens: Set<string>
  /** The status of the response to a registration, where it fails; undefined: it succeeds. */
  refuseRegistration: number | undefined
  /** Whether registrations that name an address are refused. */
  refuseAddress: boolean
  /** Heartbeats whose answers get lost. */
  loseAnswers: number
  /** The response to a request for content, where it fails; undefined: the content. */
  wrongContent: string | undefined
  /** The id of its database; undefined: an earlier platform, which has none. */
  databaseId: string | undefined
  /** Whether the next answer requests the list of rulesets. */
  asksForReport: boolean
  /** The recording rules; undefined: the answer does not mention them. */
  recording: RecordingRules | undefined
  /** Decisions as a platform keeps them: by session and number. */
  decisions(): readonly DecisionSample[]
  /** Wants a content, and gives its digest. */
  want(document: Document, tenant?: string | null): string
  unwant(name: string, tenant?: string | null): void
  /** Is restored from a backup of the time of this revision. */
  goBackTo(revision: number): void
  /** Another record of this engine, as after it was deleted. */
  forgetServer(): void
  /** The last heartbeat; the next one where there is none yet. */
  last(): EngineHeartbeat | undefined
  /** The statistics as a platform adds them up. */
  statistics(): ReadonlyMap<string, ContentStatistics>
  /** Ends every connection and refuses new ones. */
  down(): Promise<void>
  /** Is there again, at the same address. */
  up(): Promise<void>
  close(): Promise<void>
}

export const digestOf = (document: Document): string =>
  createHash('sha256')
    .update(canonicalJson(document as never))
    .digest('hex')

export async function startPlatform(): Promise<SimulatedPlatform> {
  const desired = new Map<string, Desired>()
  const contents = new Map<string, string>()
  const registrations: EngineRegistration[] = []
  const heartbeats: EngineHeartbeat[] = []
  const fetched: string[] = []
  const statistics = new Map<string, ContentStatistics>()
  const decisions = new Map<string, DecisionSample>()
  const waiting = new Set<() => void>()
  let serverId = randomUUID() as string
  let server: Server | undefined
  let port = 0

  const changed = (one: Omit<Desired, 'revision'>) => {
    platform.revision++
    desired.set(`${one.tenant}/${one.name}`, { ...one, revision: platform.revision })
    for (const done of waiting) done()
  }

  const changesAfter = (revision: number) =>
    Array.from(desired.values())
      .filter((one) => one.revision > revision && (revision > 0 || one.digest !== undefined))
      .map(({ tenant, name, digest }) =>
        digest === undefined ? { tenant, name, deleted: true } : { tenant, name, digest },
      )

  const state = { serverToken: '', proxyToken: '' }

  function register(request: IncomingMessage, response: ServerResponse, body: EngineRegistration): void {
    registrations.push(body)
    if (platform.refuseRegistration !== undefined) return answer(response, platform.refuseRegistration, refusal)
    if (platform.refuseAddress && body.url !== undefined)
      return answer(response, 400, { ...refusal, details: [{ path: '/url', message: 'no', code: 'address_refused' }] })
    if (!platform.connectTokens.has(String(request.headers['x-connect-token']))) return answer(response, 401, refusal)
    state.serverToken = `eng_srv_${randomUUID()}`
    state.proxyToken = `proxy-${randomUUID()}`
    const { serverToken: server_token, proxyToken: proxy_token } = state
    answer(response, 200, {
      server_id: serverId,
      server_token,
      heartbeat_interval_secs: 1,
      proxy_token,
      database_id: platform.databaseId,
    })
  }

  function heartbeat(response: ServerResponse, body: EngineHeartbeat): void {
    heartbeats.push(body)
    for (const row of body.stats) statistics.set(`${row.tenant}/${row.name}/${row.digest}`, row)
    for (const one of body.recording?.decisions ?? []) decisions.set(`${body.session}/${one.seq}`, one)
    if (platform.loseAnswers > 0) {
      platform.loseAnswers--
      response.socket?.destroy()
      return
    }
    const done = () => {
      clearTimeout(timer)
      waiting.delete(done)
      if (response.destroyed) return
      const { recording, asksForReport } = platform
      platform.asksForReport = false
      answer(response, 200, {
        revision: platform.revision,
        changes: changesAfter(body.applied_revision),
        database_id: platform.databaseId,
        ...(asksForReport ? { report_rulesets: true } : {}),
        ...(recording === undefined || body.recording?.tag === recording.tag ? {} : { recording }),
      })
    }
    const timer = setTimeout(done, body.wait_ms)
    response.once('close', () => {
      clearTimeout(timer)
      waiting.delete(done)
    })
    if (body.applied_revision === platform.revision) waiting.add(done)
    else done()
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '', headers } = request
    const said = await text(request)
    if (url === '/api/v1/internal/register') return register(request, response, JSON.parse(said) as EngineRegistration)
    if (headers.authorization !== `Bearer ${state.serverToken}`) return answer(response, 401, refusal)
    if (url === '/api/v1/internal/heartbeat') return heartbeat(response, JSON.parse(said) as EngineHeartbeat)
    const digest = url.split('/').at(-1) ?? ''
    fetched.push(digest)
    const content = platform.wrongContent ?? contents.get(digest)
    if (content === undefined) return answer(response, 404, refusal)
    response.end(content)
  }

  const up = async () => {
    server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()))
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    ;({ port } = server.address() as AddressInfo)
  }
  const down = async () => {
    if (server?.listening !== true) return
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }

  await up()
  const platform: SimulatedPlatform = {
    url: `http://127.0.0.1:${port}`,
    registrations,
    heartbeats,
    fetched,
    get serverId() {
      return serverId
    },
    get serverToken() {
      return state.serverToken
    },
    get proxyToken() {
      return state.proxyToken
    },
    revision: 0,
    connectTokens: new Set([CONNECT_TOKEN]),
    refuseRegistration: undefined,
    refuseAddress: false,
    loseAnswers: 0,
    databaseId: undefined,
    asksForReport: false,
    wrongContent: undefined,
    recording: undefined,
    decisions: () => [...decisions.values()],
    want(document, tenant = null) {
      const digest = digestOf(document)
      contents.set(digest, JSON.stringify(document))
      changed({ tenant, name: String((document['config'] as Document)['name']), digest })
      return digest
    },
    unwant: (name, tenant = null) => changed({ tenant, name, digest: undefined }),
    goBackTo(revision) {
      for (const [key, one] of desired) if (one.revision > revision) desired.delete(key)
      platform.revision = revision
      for (const done of waiting) done()
    },
    forgetServer() {
      serverId = randomUUID()
      state.serverToken = 'none'
      desired.clear()
      platform.revision = 0
      for (const done of waiting) done()
    },
    last: () => heartbeats.at(-1),
    statistics: () => statistics,
    down,
    up,
    close: down,
  }
  return platform
}

const refusal = { error: 'no', code: 'UNAUTHORIZED' }

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

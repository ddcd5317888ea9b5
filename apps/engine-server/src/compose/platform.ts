import type { ContentStatistics, IdentityProof, ReceiptsReport, RecordingRule } from '@engine/api'
import { BadWebOrigin, parseWebOrigin } from '@engine/egress'
import { hostAndPort } from '@engine/http-server'
import { type Log, readStartFile, starting } from '@engine/process'
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { performance } from 'node:perf_hooks'
import type { ChangeSubscriber } from '../catalog/change-feed.ts'
import type { Configuration } from '../config/config.ts'
import { createPlatformAgent, type PlatformAgent, type PlatformStatus } from '../platform/agent.ts'
import { createBackoff } from '../platform/backoff.ts'
import { createPlatformClient, type Credential, type PlatformClient, PlatformFailure } from '../platform/client.ts'
import { createDelivery, createNoDelivery } from '../platform/delivery.ts'
import { createFirstAnswer } from '../platform/first-answer.ts'
import { createIdentity } from '../platform/identity.ts'
import { featuresOf } from '../platform/features.ts'
import { createOwnership } from '../platform/ownership.ts'
import { createReport } from '../platform/report.ts'
import { createMemoryState, openStateFile, type StateFile } from '../platform/state-file.ts'
import { createRecorder, type Recorder } from '../platform/recorder.ts'
import { createSamples, type Samples } from '../platform/samples.ts'
import { createStatistics, type Statistics } from '../platform/statistics.ts'
import type { HealthService } from '../services/health.ts'
import { nodeDisk } from '../store/disk.ts'
import type { MetricsRegistry } from '../telemetry/metrics.ts'
import { VERSION } from '../version.ts'
import type { Storage } from './storage.ts'
import type { Listening } from './transports.ts'

/** The link of this engine to its platform, from the start on; it speaks when the engine listens. */
export interface PlatformLink {
  /** Refuses changes of rulesets delivered by the platform. */
  subscriber(tenant: string | undefined): ChangeSubscriber
  /** Statistics of this process. */
  readonly statistics: Statistics
  /** Recording of this process; undefined: decisions are not sampled. */
  readonly recording: Recording | undefined
  status(): PlatformStatus
  /** Why readiness waits for the platform; undefined: it does not. */
  refusal(): string | undefined
  /** Rulesets from a previous run or from files are served: readiness does not wait for the platform. */
  hasRulesets(): void
  /** See `ServerServices`. */
  readonly proveIdentity: (nonce: string) => IdentityProof
  begin(parts: LinkBeginning): void
  close(milliseconds: number): Promise<void>
}

/** Samples decisions, and buffers them until the platform has received them. */
export interface Recording {
  readonly recorder: Recorder
  readonly samples: Samples
}

/** Undefined: no decisions are sampled. */
export function createRecording({ platformUrl, sampleDecisions, sampleAnswers }: Configuration): Recording | undefined {
  if (platformUrl === undefined || sampleDecisions === 0) return undefined
  const samples = createSamples()
  const limits = { percent: sampleDecisions, keepsAnswers: sampleAnswers }
  return { samples, recorder: createRecorder(limits, samples, Math.random) }
}

/** What there is when the engine listens. */
export interface LinkBeginning {
  readonly storage: Storage
  readonly health: HealthService
  readonly listening: Listening
  /** Statistics of all processes. */
  readonly statistics: () => Promise<readonly ContentStatistics[]>
  /** The chains of receipts of all processes; undefined: none are kept. */
  readonly receipts?: (() => Promise<ReceiptsReport | undefined>) | undefined
  /** What other processes do for recording; undefined: there are none. */
  readonly workers?: RecordingWorkers | undefined
  /** See `CredentialsInUse`. */
  readonly admitProxy: (token: string) => Promise<void>
}

/** The processes that sample for this one. */
export interface RecordingWorkers {
  /** Collects the samples of all processes. */
  collect(): Promise<void>
  follow(rules: readonly RecordingRule[]): Promise<void>
}

export interface LinkParts {
  readonly configuration: Configuration
  readonly instanceId: string
  readonly log: Log
  readonly metrics: Pick<MetricsRegistry, 'forLink'>
}

/** Undefined: there is no platform. Rejects with a `StartError` when its stored state cannot be read. */
export async function openPlatformLink(parts: LinkParts): Promise<PlatformLink | undefined> {
  const { configuration, log, metrics } = parts
  const { platformUrl, rulesDir, role } = configuration
  if (platformUrl === undefined) return undefined
  const state = await openState(rulesDir, log)
  const ownership = createOwnership(role === 'reader' ? [] : state.initial.rulesets)
  const client = createPlatformClient(platformUrl)
  let agent: PlatformAgent | undefined
  let problems = () => 0
  const status = (): PlatformStatus => agent?.status() ?? statusBefore(state)
  const series = metrics.forLink(() => ({
    isRegistered: status().registered,
    silentSeconds: (agent?.silentMs() ?? 0) / 1000,
    owned: ownership.list().length,
    problems: problems(),
  }))
  ownership.onLost(() => agent?.drifted())
  const recording = createRecording(configuration)
  const identity = createIdentity()
  const firstAnswer = createFirstAnswer(configuration.platformReadySecs * 1000, () => performance.now())
  // The rulesets of a reader come from its writer, so its readiness depends on the broker alone.
  if (role === 'reader' || state.initial.revision > 0) firstAnswer.markApplied()
  return {
    subscriber: (tenant) => ownership.subscriber(tenant),
    statistics: createStatistics(),
    recording,
    status,
    refusal: () => firstAnswer.refusal(),
    hasRulesets: () => firstAnswer.markApplied(),
    proveIdentity: (nonce) => identity.prove(nonce),
    begin({ storage, health, listening, statistics, receipts, workers, admitProxy }) {
      const fetch = fetchBy(client)
      const delivery =
        role === 'reader'
          ? createNoDelivery()
          : createDelivery({
              place: storage.place,
              ownership,
              state,
              fetch: (digest) => fetch.content(digest),
              by: { token: 'platform', address: URL.parse(platformUrl)?.hostname ?? platformUrl },
              counted: (result) => series.delivered(result),
              log,
            })
      problems = () => delivery.problems.length
      const capabilities = [...featuresOf(configuration), ...storage.capabilities]
      const hasTenants = configuration.multiTenancyEnabled
      const report = createReport({
        session: randomUUID(),
        version: VERSION,
        capabilities,
        hasTenants,
        health: () => health.check(),
        rulesets: () => storage.local.rulesets(),
        ownership,
        statistics,
        receipts,
        recording: recording && {
          async pending() {
            await workers?.collect()
            return recording.samples.next()
          },
          heard: (seq) => recording.samples.heard(seq),
          async follow(rules) {
            recording.recorder.follow(rules)
            await workers?.follow(rules)
          },
        },
        delivery,
      })
      agent = createPlatformAgent({
        client: fetch.client,
        registration: {
          ...addressOf(configuration, listening),
          ...identityOf(parts),
          capabilities,
          tenants: hasTenants,
        },
        isAddressAssumed: configuration.platformServerUrl === undefined,
        credential: () => credentialOf(configuration),
        report,
        delivery,
        firstAnswer,
        source: { serverId: state.initial.serverId, databaseId: state.initial.databaseId },
        identity,
        proxyToken: admitProxy,
        failed: () => series.failed(),
        backoff: createBackoff(Math.random),
        log,
      })
      agent.begin()
    },
    close: async (milliseconds) => (agent === undefined ? client.close() : agent.close(milliseconds)),
  }
}

/** Before the first registration of this process. */
function statusBefore({ initial }: StateFile): PlatformStatus {
  const { serverId = null, revision } = initial
  return { registered: false, server_id: serverId, last_contact: null, revision }
}

const openState = async (rulesDir: string | undefined, log: Log): Promise<StateFile> =>
  rulesDir === undefined
    ? createMemoryState()
    : starting('--rules-dir', rulesDir, () =>
        openStateFile(nodeDisk, rulesDir, (reason) =>
          log.warn({ reason }, 'cannot read the state of the platform link: requesting the complete state'),
        ),
      )

/** Contents are fetched by the token that the last heartbeat was sent with. */
function fetchBy(client: PlatformClient) {
  let asking: { readonly token: string; readonly signal: AbortSignal } | undefined
  const remembering: PlatformClient = {
    ...client,
    heartbeat(token, heartbeat, signal) {
      asking = { token, signal }
      return client.heartbeat(token, heartbeat, signal)
    },
  }
  return {
    client: remembering,
    async content(digest: string): Promise<string | undefined> {
      if (asking === undefined) throw new TypeError('content was requested before the first heartbeat')
      try {
        return await client.ruleset(asking.token, digest, asking.signal)
      } catch (error) {
        if (error instanceof PlatformFailure && error.status === 404) return undefined
        throw error
      }
    },
  }
}

/** Rejects with a `PlatformFailure` when the file cannot be read: it may be there the next time. */
async function credentialOf(configuration: Configuration): Promise<Credential> {
  const { platformConnectToken, platformConnectTokenFile, platformRegistrationSecret } = configuration
  if (platformConnectToken !== undefined) return { header: 'x-connect-token', value: platformConnectToken }
  if (platformConnectTokenFile === undefined)
    return { header: 'x-registration-secret', value: platformRegistrationSecret ?? '' }
  try {
    const value = (await readStartFile('--platform-connect-token-file', platformConnectTokenFile)).toString().trim()
    return { header: 'x-connect-token', value }
  } catch (cause) {
    throw new PlatformFailure(undefined, `cannot use \`${platformConnectTokenFile}\` (--platform-connect-token-file)`, {
      cause,
    })
  }
}

function identityOf({ configuration, instanceId }: LinkParts) {
  const { platformRegion: region } = configuration
  return { instance_id: instanceId, version: VERSION, ...(region === undefined ? {} : { region }) }
}

/** How the engine is known, and where it is reached: as configured, or by the address that it listens at. */
function addressOf(
  { http, platformServerName, platformServerUrl, platformUrl }: Configuration,
  { url }: Listening,
): { name: string; url?: string } {
  const listens = url === undefined ? undefined : new URL(url)
  const isEverywhere = http?.host === undefined || http.host === '0.0.0.0' || http.host === '::'
  const host = isEverywhere ? hostname() : http.host
  const place = listens === undefined ? hostname() : hostAndPort(host, portOf(listens))
  const name = platformServerName ?? place
  if (platformServerUrl !== undefined) return { name, url: platformServerUrl }
  if (listens === undefined) return { name }
  // A platform on this machine reaches the engine by loopback, under any name of the machine.
  const near = isEverywhere && isLoopback(platformUrl) ? hostAndPort('127.0.0.1', portOf(listens)) : place
  const own = originOf(`${listens.protocol}//${near}`)
  return { name, ...(own === undefined ? {} : { url: own }) }
}

const isLoopback = (platformUrl = '') =>
  /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])\.?$/.test(URL.parse(platformUrl)?.hostname ?? '')

/** Undefined: the name of the machine is none that others can use. */
function originOf(text: string): string | undefined {
  try {
    return parseWebOrigin(text)
  } catch (error) {
    if (error instanceof BadWebOrigin) return undefined
    throw error
  }
}

const portOf = ({ port, protocol }: URL) => (port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port))

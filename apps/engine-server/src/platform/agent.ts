import { ADDRESS_REFUSED, type EngineRegistered, type EngineRegistration, type HealthRecord } from '@engine/api'
import { type Log, within } from '@engine/process'
import { performance } from 'node:perf_hooks'
import { DeduplicatedLog } from '../sync/deduplicated-log.ts'
import type { Backoff } from './backoff.ts'
import { type Credential, type PlatformClient, PlatformFailure } from './client.ts'
import type { Delivery, DeliverySource } from './delivery.ts'
import type { FirstAnswer } from './first-answer.ts'
import type { Identity } from './identity.ts'
import type { Report } from './report.ts'

/** Longest time for which the platform may hold an answer (docs/platform/engine-link.md). */
const MAX_HOLD_MS = 25_000
/** Minimum interval between heartbeats whose empty answers were not held. */
const MIN_INTERVAL_MS = 1000
/** Timeout for the last heartbeat. */
const GOODBYE_TIMEOUT_MS = 2000

export interface AgentParts {
  readonly client: PlatformClient
  readonly registration: EngineRegistration
  /**
   * True if the address was derived from the listening address: the engine registers without it if the platform refuses
   * it.
   */
  readonly isAddressAssumed: boolean
  /** Read for each registration. Rejects with the error of its file. */
  readonly credential: () => Promise<Credential>
  readonly report: Report
  readonly delivery: Delivery
  readonly firstAnswer: FirstAnswer
  /** The record and database to which the delivery state belongs. */
  readonly source: DeliverySource
  /** Called for each registration. */
  readonly identity: Pick<Identity, 'follow'>
  /** Called with the only token that the platform's proxy uses. */
  readonly proxyToken: (token: string) => Promise<void>
  /** Called when an attempt to reach the platform fails. */
  readonly failed: () => void
  readonly backoff: Backoff
  readonly log: Log
}

/** The member `platform` of the health record. */
export type PlatformStatus = NonNullable<HealthRecord['platform']>

/**
 * The engine's side of the link to the platform: registers, sends heartbeats while the process runs, and applies the
 * changes in their answers. Decisions do not depend on it: failures are logged and retried.
 */
export interface PlatformAgent {
  begin(): void
  status(): PlatformStatus
  /** Milliseconds since the platform's last answer, or since the start. */
  silentMs(): number
  /** Called when the served content deviates from the delivered one: requests the complete state immediately. */
  drifted(): void
  /** Sends the last statistics, then closes the connection. */
  close(milliseconds: number): Promise<void>
}

export function createPlatformAgent(parts: AgentParts): PlatformAgent {
  return new RunningAgent(parts)
}

class RunningAgent implements PlatformAgent {
  readonly #parts: AgentParts
  readonly #quiet = new DeduplicatedLog(() => performance.now())
  readonly #closing = new AbortController()
  /** Aborts the pending heartbeat. */
  #held = new AbortController()
  #registered: EngineRegistered | undefined
  #source: DeliverySource
  #lastContact: Date | undefined
  #contactAt = performance.now()
  #running: Promise<void> | undefined

  constructor(parts: AgentParts) {
    this.#parts = parts
    this.#source = parts.source
  }

  begin(): void {
    this.#running = this.#run()
  }

  status(): PlatformStatus {
    return {
      registered: this.#registered !== undefined,
      server_id: this.#source.serverId ?? null,
      last_contact: this.#lastContact?.toISOString() ?? null,
      revision: this.#parts.delivery.revision,
    }
  }

  silentMs(): number {
    return performance.now() - this.#contactAt
  }

  drifted(): void {
    this.#parts.delivery.forget()
    this.#held.abort()
  }

  async close(milliseconds: number): Promise<void> {
    const { client } = this.#parts
    this.#closing.abort()
    await within(milliseconds, this.#running ?? Promise.resolve())
    await within(Math.min(milliseconds, GOODBYE_TIMEOUT_MS), this.#sayGoodbye())
    await client.close()
  }

  async #run(): Promise<void> {
    const { delivery, backoff, log } = this.#parts
    let isVerified = false
    while (!this.#closing.signal.aborted) {
      this.#held = new AbortController()
      try {
        if (!isVerified) await delivery.verify()
        isVerified = true
        this.#registered ??= await this.#register()
        await this.#beat(this.#registered)
        this.#quiet.over('contact')
        if (delivery.isBehind) await this.#pause(backoff.next())
        else backoff.reset()
      } catch (error) {
        if (this.#closing.signal.aborted) return
        if (this.#held.signal.aborted) continue
        this.#failed(error)
        await this.#pause(backoff.next())
      }
    }
    log.debug({}, 'the platform link is stopped')
  }

  async #register(): Promise<EngineRegistered> {
    const { report, log } = this.#parts
    const { registration, registered } = await this.#introduced()
    const { server_id: serverId } = registered
    this.#contact()
    report.forget()
    this.#belongTo({ serverId, databaseId: registered.database_id ?? this.#source.databaseId })
    this.#parts.identity.follow({ serverId, origin: registration.url, proxyToken: registered.proxy_token })
    await this.#parts.proxyToken(registered.proxy_token)
    log.info({ server_id: serverId, name: registration.name }, 'registered at the platform')
    return registered
  }

  /** Registers with the address of the engine, or without it if it was only derived. */
  async #introduced() {
    const { client, registration, isAddressAssumed, credential, log } = this.#parts
    const register = async (said: EngineRegistration) => ({
      registration: said,
      registered: await client.register(said, await credential(), this.#signal()),
    })
    try {
      return await register(registration)
    } catch (error) {
      if (!isAddressAssumed || !(error instanceof PlatformFailure) || error.detail !== ADDRESS_REFUSED) throw error
      const { url, ...rest } = registration
      const found = await register(rest)
      log.warn(
        { url, reason: error.message },
        'the platform refuses the address of this engine, so its proxy cannot reach it (--platform-server-url, or --engine-allow of the platform)',
      )
      return found
    }
  }

  async #beat({ server_id: serverId, server_token: token, heartbeat_interval_secs: interval }: EngineRegistered) {
    const { client, report, delivery, firstAnswer } = this.#parts
    // Failed changes are retried soon, and readiness waits for the first answer: neither heartbeat may be held.
    const waitMs = delivery.isBehind || !firstAnswer.isApplied ? 0 : Math.min(MAX_HOLD_MS, interval * 1000)
    const heartbeat = await report.next(waitMs)
    const begun = performance.now()
    const answer = await client.heartbeat(token, heartbeat, this.#signal(this.#held.signal))
    this.#contact()
    report.heard(heartbeat)
    await report.follow(answer.recording)
    const before = delivery.revision
    if (answer.database_id !== undefined && answer.database_id !== this.#source.databaseId) {
      // The revisions of this answer belong to its database.
      this.#belongTo({ serverId, databaseId: answer.database_id })
      report.forget()
      return this.#pause(MIN_INTERVAL_MS)
    }
    if (answer.report_rulesets === true) report.forget()
    await delivery.apply(this.#source, answer)
    if (!delivery.isBehind) firstAnswer.markApplied()
    const rest = MIN_INTERVAL_MS - (performance.now() - begun)
    if (answer.changes.length === 0 && delivery.revision === before && rest > 0) await this.#pause(rest)
  }

  /** Revisions are invalid for another record or database: requests the complete state. */
  #belongTo(source: DeliverySource): void {
    const { serverId, databaseId } = this.#source
    if (source.serverId !== serverId || source.databaseId !== databaseId) this.#parts.delivery.forget()
    if (databaseId !== undefined && source.databaseId !== databaseId)
      this.#parts.log.warn(
        { database_id: source.databaseId, before: databaseId },
        'the database of the platform was restored: requesting the complete state',
      )
    this.#source = source
  }

  /** Sends the final statistics to the platform, which learns immediately that this engine is stopping. */
  async #sayGoodbye(): Promise<void> {
    const { client, report } = this.#parts
    if (this.#registered === undefined) return
    try {
      const last = await report.next(0)
      const signal = AbortSignal.timeout(GOODBYE_TIMEOUT_MS)
      await client.heartbeat(this.#registered.server_token, last, signal)
    } catch {
      // The platform detects the missing heartbeats.
    }
  }

  #contact(): void {
    this.#lastContact = new Date()
    this.#contactAt = performance.now()
  }

  #failed(error: unknown): void {
    const { log, failed } = this.#parts
    failed()
    const status = error instanceof PlatformFailure ? error.status : undefined
    // The record was deleted, or its token was replaced.
    if (status === 401) this.#registered = undefined
    const times = this.#quiet.due('contact')
    if (times === undefined) return
    const known = error instanceof PlatformFailure
    log.warn(
      known ? { reason: error.message, status, times } : { err: error, times },
      'no contact with the platform: decisions continue with the local rulesets',
    )
  }

  #signal(...more: readonly AbortSignal[]): AbortSignal {
    return AbortSignal.any([this.#closing.signal, ...more])
  }

  /** Ends early when the agent is closed. */
  async #pause(milliseconds: number): Promise<void> {
    const { signal } = this.#closing
    if (signal.aborted) return
    let ended = () => {}
    const closed = new Promise<void>((resolve) => (ended = resolve))
    signal.addEventListener('abort', ended, { once: true })
    await within(milliseconds, closed)
    signal.removeEventListener('abort', ended)
  }
}

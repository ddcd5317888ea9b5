import type { DeliveryProblem, DesiredChange, HeartbeatAnswer } from '@engine/api'
import type { Log } from '@engine/process'
import { randomUUID } from 'node:crypto'
import type { Requester } from '../requester.ts'
import type { DeliveryService } from '../services/delivery.ts'
import { type Applied, outcome } from '../services/replication.ts'
import { causeText, isDiskFailure } from '../store/errors.ts'
import { DEFAULT_TENANT } from '../store/tenant-id.ts'
import type { Ownership } from './ownership.ts'
import type { PlatformState, StateFile } from './state-file.ts'

/** The services to which rulesets are delivered. */
export interface DeliveryPlace {
  /** The service of a tenant, which is created if it does not exist. Rejects with an `EngineError` if that fails. */
  open(tenant: string, by: Requester): Promise<DeliveryService>
  /** The service of an existing tenant; undefined if the tenant does not exist. */
  find(tenant: string): DeliveryService | undefined
}

/** The result of one delivery, for the metrics. */
export type DeliveryResult = Applied['kind']

export interface DeliveryParts {
  readonly place: DeliveryPlace
  readonly ownership: Ownership
  readonly state: StateFile
  /** Undefined if the platform does not have the content. Rejects with `PlatformFailure`. */
  readonly fetch: (digest: string) => Promise<string | undefined>
  /** The requester named in the audit, without the id of the request. */
  readonly by: Omit<Requester, 'requestId'>
  readonly counted: (result: DeliveryResult) => void
  readonly log: Log
}

/** Identifies the database of a revision: revisions of another one are meaningless. */
export type DeliverySource = Pick<PlatformState, 'serverId' | 'databaseId'>

/** Applies the platform's desired state. */
export interface Delivery {
  readonly revision: number
  readonly problems: readonly DeliveryProblem[]
  /** True if something failed that a retry may resolve. */
  readonly isBehind: boolean
  /** Requests the complete state again: the local content deviates from the delivered one. */
  forget(): void
  /**
   * Like `forget`, but only if the stored content deviates from the state, for example after a file was edited. Linear
   * in the number of owned rulesets.
   */
  verify(): Promise<void>
  /**
   * Applies an answer; an answer to revision 0 is the complete desired state. A change that cannot be applied becomes a
   * problem, and the others are applied. If the state cannot be written to disk, every change is a problem. Rejects
   * with `PlatformFailure` if content cannot be fetched; the revision is then unchanged.
   *
   * @param source identifies the database of the revision
   */
  apply(source: DeliverySource, answer: HeartbeatAnswer): Promise<void>
}

/** A change that names its tenant: the default one if the platform names none. */
interface Wanted {
  readonly tenant: string
  readonly name: string
  /** Undefined for a deletion. */
  readonly digest: string | undefined
}

const keyOf = ({ tenant, name }: { readonly tenant: string; readonly name: string }) => `${tenant}/${name}`

/** The reasons why rulesets are not in the desired state yet. */
class Problems {
  /** By tenant and name. */
  readonly #byKey = new Map<string, DeliveryProblem>()

  note(wanted: Wanted, reason: string, retried: boolean): void {
    const { tenant, name, digest = null } = wanted
    this.#byKey.set(keyOf(wanted), { tenant, name, digest, message: reason.slice(0, 2000), retried })
  }

  clear(wanted: Wanted): void {
    this.#byKey.delete(keyOf(wanted))
  }

  list(): readonly DeliveryProblem[] {
    return [...this.#byKey.values()]
  }
}

export function createDelivery(parts: DeliveryParts): Delivery {
  const { place, ownership, state, counted, log } = parts
  let { revision } = state.initial
  let isForgotten = false
  const problems = new Problems()
  const forget = () => {
    isForgotten = true
    revision = 0
  }
  /** Why the last write of the state failed; undefined if it succeeded. */
  let unwritten: string | undefined
  const isBehind = () => unwritten !== undefined || problems.list().some(({ retried }) => retried)

  /** Writes the state. On failure, reports a problem for each changed ruleset and resolves to false. */
  async function isKept(changed: readonly Wanted[], source: DeliverySource, reached: number): Promise<boolean> {
    const kept: PlatformState = { ...source, revision: reached, rulesets: ownership.list() }
    try {
      await state.write(kept)
      unwritten = undefined
      return true
    } catch (error) {
      if (!isDiskFailure(error)) throw error
      const reason = causeText(error)
      if (unwritten !== reason) log.error({ reason }, 'the state of the link to the platform cannot be written')
      unwritten = reason
      for (const one of changed) problems.note(one, `the state of the link cannot be written: ${reason}`, true)
      return false
    }
  }

  async function putOne({ tenant, name, digest = '' }: Wanted, by: Requester): Promise<Applied> {
    const service = await place.open(tenant, by)
    if ((await service.digest(name)) === digest) return { kind: 'unchanged' }
    const text = await parts.fetch(digest)
    if (text === undefined) return { kind: 'failed', reason: 'the platform does not have the desired content' }
    return service.put({ name, digest, text }, by)
  }

  async function deleteOne({ tenant, name }: Wanted, by: Requester): Promise<Applied> {
    const done = (await place.find(tenant)?.delete(name, by)) ?? { kind: 'unchanged' }
    if (done.kind === 'applied' || done.kind === 'unchanged') ownership.release(tenant, name)
    return done
  }

  async function applyOne(wanted: Wanted): Promise<void> {
    const { tenant, name, digest } = wanted
    const by = { ...parts.by, requestId: randomUUID() }
    const done = await outcome(digest === undefined ? deleteOne(wanted, by) : putOne(wanted, by))
    counted(done.kind)
    problems.clear(wanted)
    const fields = { tenant, ruleset: name, digest, request_id: by.requestId }
    if (done.kind === 'applied') log.info(fields, 'a ruleset was changed by the platform')
    if (done.kind !== 'refused' && done.kind !== 'failed') return
    const { reason } = done
    log.error({ ...fields, reason }, 'a ruleset of the platform was not applied')
    problems.note(wanted, reason, done.kind === 'failed')
  }

  return {
    get revision() {
      return revision
    },
    get problems() {
      return problems.list()
    },
    get isBehind() {
      return isBehind()
    },
    forget,
    async verify() {
      for (const { tenant, name, digest } of ownership.list())
        if ((await place.find(tenant)?.digest(name)) !== digest) return forget()
    },
    async apply(source, answer) {
      if (answer.revision === revision && answer.changes.length === 0 && !isBehind()) return
      const asked = revision
      isForgotten = false
      const named = answer.changes.map(wantedOf)
      // Revision 0 means that the platform has not assigned anything yet, or lost its state: delete nothing.
      const wanted = asked === 0 && answer.revision > 0 ? completed(ownership, named) : named
      const changed = wanted.filter((one) => one.digest !== undefined || ownership.has(one.tenant, one.name))
      for (const { tenant, name, digest } of changed) if (digest !== undefined) ownership.own({ tenant, name, digest })
      // Ownership is durable before the content is stored: a crash in between leaves nothing that could be changed
      // locally.
      if (changed.length > 0 && !(await isKept(changed, source, asked))) return
      for (const one of changed) await applyOne(one)
      // A lower revision means that the platform was restored from a backup: request the complete state.
      const reached = isBehind() ? asked : answer.revision < asked ? 0 : answer.revision
      // Rejected content is retried after a restart, which may have loaded other keys.
      if (await isKept(changed, source, problems.list().length > 0 ? 0 : reached)) revision = isForgotten ? 0 : reached
    },
  }
}

/** The complete desired state, with deletions of all other rulesets. */
function completed(ownership: Ownership, changes: readonly Wanted[]): readonly Wanted[] {
  const named = new Set(changes.map(keyOf))
  const gone = ownership.list().filter((one) => !named.has(keyOf(one)))
  return [...changes, ...gone.map(({ tenant, name }) => ({ tenant, name, digest: undefined }))]
}

const wantedOf = ({ tenant, name, digest, deleted }: DesiredChange): Wanted => ({
  tenant: tenant ?? DEFAULT_TENANT,
  name,
  digest: deleted === true ? undefined : digest,
})

/** The delivery of a reader, whose rulesets come from its writer: it reports its state and applies nothing. */
export function createNoDelivery(): Delivery {
  let revision = 0
  return {
    get revision() {
      return revision
    },
    problems: [],
    isBehind: false,
    forget: () => {},
    verify: async () => {},
    apply: async (_source, answer) => void ({ revision } = answer),
  }
}

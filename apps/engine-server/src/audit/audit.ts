import type { ChangeRefused, SampleRate } from '../services/events.ts'
import type { TenantAudit } from '../tenants/tenancy.ts'
import type { Value } from '@engine/expression'
import { constants } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { differences, executionFields, type Fields, lineOf, originFields, senderFields, shortened } from './fields.ts'
import { type Append, type AuditWriter, createAuditWriter } from './writer.ts'
import { failures } from '../errors.ts'
import type { Requester } from '../requester.ts'
import type { Events } from '../services/events.ts'
import { isMissing } from '../store/disk.ts'
import { causeText } from '../store/errors.ts'
import { type Log, makeDirectory } from '@engine/process'
import { tenantDirectory } from '../store/paths.ts'
import { DEFAULT_TENANT } from '../store/tenant-id.ts'

/**
 * The audit: events as JSON lines in one file per day (UTC), `audit-YYYY-MM-DD.jsonl` (specification 6.2,
 * docs/access.md); with tenants, each has a separate folder. The event of a change is on disk before the change is
 * acknowledged, and no change is made while earlier events cannot be written. Executions are written in batches in the
 * background; a full disk loses them, which is counted, but does not affect decisions.
 */
export interface Audit {
  serverStarted(): void
  serverStopped(): void
  /** See `Events`. */
  auditable(): Promise<void>
  /** Events of the rulesets of one tenant, in its own files; undefined if the server has no tenants. */
  forTenant(tenant: string | undefined): RuleAudit
  readonly tenants: TenantAudit
  /** A requested change was rejected. Events beyond a rate are only counted. */
  changeRefused(refused: ChangeRefused, by: Requester): void
  /** Percentage of executions that are recorded. */
  readonly sampleRate: SampleRate
  /** Applies the rate that another process of this server has set and audited. */
  follow(percent: number): void
  /** Writes lines that another process of this server produced for this file. */
  forward(path: string, text: string): void
  /** Counts events that another process of this server could not forward. */
  missed(count: number): void
  /** Why events cannot be written at present, so that changes are refused; undefined if they can. */
  fault(): Promise<string | undefined>
  /** Events that could not be written. */
  readonly dropped: number
  /** Writes pending events. */
  close(): Promise<void>
}

/** Events of rulesets. */
export interface RuleAudit extends Omit<Events, 'evaluated' | 'auditable' | 'executed' | 'contractBroken'> {
  /** See `Events`. */
  executed(execution: Parameters<Events['executed']>[0]): void
  /** A rule wrote an event itself, through `audit.logger`. */
  ruleReported(event: { readonly name: string; readonly step: string; readonly payload: Value }): void
}

export interface AuditOptions {
  /** Undefined if nothing is written. */
  readonly directory: string | undefined
  readonly sampleRate: number
  /** Records input and output of executions too. */
  readonly includePayload: boolean
  readonly instanceId: string
  readonly log: Log
  /** Called with the number of events that were lost. */
  readonly lost: (count: number) => void
  /** Epoch milliseconds. */
  readonly now?: () => number
  /** Appends lines to a file; tests replace it. */
  readonly append?: Append
}

/** Maximum number of refused changes that are recorded per second: requests without a token must not fill the audit. */
const MAX_REFUSED_PER_SECOND = 20

/** Rejects with the system's error when the directory cannot be created. */
export async function openAudit(options: AuditOptions): Promise<Audit> {
  const { directory, includePayload, now = Date.now } = options
  if (directory !== undefined) await makeDirectory(directory, 0o750)
  const writer = createAuditWriter(options)
  const lines = createAuditLines(options, writer)
  const { sample, change } = lines
  let sampleRate = options.sampleRate

  async function auditable(): Promise<void> {
    try {
      await writer.settled()
    } catch (cause) {
      throw failures.storageFailed(
        `nothing was changed, because the audit events of earlier changes cannot be written: ${reasonOf(cause)}`,
        cause,
      )
    }
    const fault = await directoryFault(directory)
    if (fault === undefined) return
    const reason = reasonOf(fault)
    throw failures.storageFailed(`nothing was changed, because the change could not be audited: ${reason}`, fault)
  }

  return {
    serverStarted: () => sample('server_started', {}),
    serverStopped: () => sample('server_stopped', {}),
    auditable,
    forTenant: (tenant) => ruleAudit(lines, tenant, { includePayload, sampleRate: () => sampleRate }),
    tenants: { auditable, ...tenantAudit(lines) },
    changeRefused: refusalAudit(lines, now),
    sampleRate: {
      get: () => sampleRate,
      async set(percent, by) {
        await auditable()
        const previous = sampleRate
        sampleRate = percent
        await change('config_changed', {
          setting: 'audit_sample_rate',
          from: previous,
          to: percent,
          ...senderFields(by),
        })
        return previous
      },
    },
    follow: (percent) => void (sampleRate = percent),
    forward(path, text) {
      for (const line of text.split(/(?<=\n)/)) writer.sample(path, line)
    },
    async fault() {
      const cause = writer.failure ?? (await directoryFault(directory))
      return cause === undefined ? undefined : reasonOf(cause)
    },
    missed: (count) => writer.lose(count, 'a worker could not pass them on'),
    get dropped() {
      return writer.dropped
    },
    close: () => writer.close(),
  }
}

/** Writes events as lines. */
interface AuditLines {
  /** True if events are written. */
  readonly isOn: boolean
  /** An event that may be lost. */
  sample(event: string, fields: Fields, tenant?: string): void
  /** Resolves when the event of a change is on disk. Rejects with `storage-failed`. */
  change(event: string, fields: Fields, tenant?: string): Promise<void>
}

function createAuditLines({ directory, instanceId, now = Date.now }: AuditOptions, writer: AuditWriter): AuditLines {
  return { isOn: directory !== undefined, sample, change }

  /** The line of an event and its file; undefined if the event is not recorded. */
  function entry(event: string, fields: Fields, tenant?: string): readonly [path: string, line: string] | undefined {
    if (directory === undefined) return undefined
    const timestamp = new Date(now()).toISOString()
    const line = lineOf({ event, timestamp, instance_id: instanceId, ...fields })
    if (line !== undefined)
      return [join(tenantDirectory(directory, tenant), `audit-${timestamp.slice(0, 10)}.jsonl`), line]
    writer.lose(1, 'an event cannot be written as JSON')
    return undefined
  }

  function sample(event: string, fields: Fields, tenant?: string): void {
    const made = entry(event, fields, tenant)
    if (made !== undefined) writer.sample(...made)
  }

  function change(event: string, fields: Fields, tenant?: string): Promise<void> {
    const made = entry(event, fields, tenant)
    if (made === undefined) return DONE
    const written = writer.change(...made).catch((cause: unknown) => {
      throw failures.storageFailed(
        `the change was made, but its audit event is not written yet: ${reasonOf(cause)}; further changes wait for it`,
        cause,
      )
    })
    written.catch(() => {})
    return written
  }
}

function ruleAudit(
  { isOn, sample, change }: AuditLines,
  tenant: string | undefined,
  { includePayload, sampleRate }: { readonly includePayload: boolean; readonly sampleRate: () => number },
): RuleAudit {
  const owner = tenant === undefined ? {} : { tenant_id: tenant }
  const changed = (event: string, fields: Fields, by: Requester | undefined) =>
    change(event, { ...owner, ...fields, ...senderFields(by) }, tenant)
  return {
    created: ({ name, version }, by) => changed('rule_created', { rule_name: name, version }, by),
    updated: ({ name, from, to }, by) =>
      changed('rule_updated', { rule_name: name, from_version: from, to_version: to }, by),
    deleted: ({ name, version }, by) => changed('rule_deleted', { rule_name: name, version }, by),
    rolledBack: ({ name, from, to, seq }, by) =>
      changed('rule_rollback', { rule_name: name, from_version: from, to_version: to, seq }, by),
    signatureRejected: ({ name, origin, reason }, by) =>
      sample(
        'signature_rejected',
        { ...owner, rule_name: shortened(name), origin, reason, ...senderFields(by) },
        tenant,
      ),
    ruleReported: ({ name, step, payload }) =>
      sample(
        'rule_executed',
        { tenant_id: tenant ?? DEFAULT_TENANT, source: 'audit.logger', rule_name: name, step, payload },
        tenant,
      ),
    executed: (execution) => {
      if (!isOn || Math.random() * 100 >= sampleRate()) return
      sample('rule_executed', executionFields(tenant ?? DEFAULT_TENANT, execution, includePayload), tenant)
    },
  }
}

function tenantAudit({ change }: AuditLines): Omit<TenantAudit, 'auditable'> {
  return {
    created: ({ id, ...settings }, by) => change('tenant_created', { tenant_id: id, settings, ...originFields(by) }),
    updated: (before, after, by) =>
      change('tenant_updated', { tenant_id: after.id, ...differences(before, after), ...originFields(by) }),
    deleted: (id, by) => change('tenant_deleted', { tenant_id: id, ...originFields(by) }),
  }
}

/** A requested change was rejected. Events beyond a rate are only counted. */
function refusalAudit({ sample }: AuditLines, now: () => number): Audit['changeRefused'] {
  return limited(now, ({ method, path, status, reason, tenant }, by, unlisted) =>
    sample('change_refused', {
      ...(tenant === undefined ? {} : { tenant_id: shortened(tenant) }),
      method,
      path: shortened(path),
      status,
      reason: shortened(reason),
      ...(unlisted === 0 ? {} : { refused_without_line: unlisted }),
      ...senderFields(by),
    }),
  )
}

const DONE = Promise.resolve()

type TellRefused = (refused: ChangeRefused, by: Requester, unlisted: number) => void

/** Passes on at most `MAX_REFUSED_PER_SECOND` events per second, and with the next one the number of dropped events. */
function limited(now: () => number, tell: TellRefused): Audit['changeRefused'] {
  let second = 0
  let told = 0
  let unlisted = 0
  return (refused, by) => {
    const current = Math.floor(now() / 1000)
    if (current !== second) told = 0
    second = current
    if (told >= MAX_REFUSED_PER_SECOND) return void unlisted++
    told++
    tell(refused, by, unlisted)
    unlisted = 0
  }
}

/** Disk space that must be free before a change is made: room for the events of changes in progress. */
const MIN_FREE_BYTES = 64 * 1024

/**
 * The error of a full or read-only disk, as far as it can be detected without a write; undefined if none is detected.
 */
async function directoryFault(directory: string | undefined): Promise<unknown> {
  if (directory === undefined) return undefined
  try {
    await access(directory, constants.W_OK)
    const { bavail, bsize } = await statfs(directory)
    return bavail * bsize < MIN_FREE_BYTES ? Object.assign(new Error('no space left'), { code: 'ENOSPC' }) : undefined
  } catch (cause) {
    // The next event recreates a missing directory.
    return isMissing(cause) ? undefined : cause
  }
}

/** The audit has a separate directory, so an error text that names the rules directory would be misleading. */
function reasonOf(cause: unknown): string {
  if (cause instanceof Error && !('code' in cause)) return cause.message
  return causeText(cause).replaceAll('the rules directory', 'the audit directory')
}

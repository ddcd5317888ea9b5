import { stringifyJson, type Value } from '@engine/expression'
import { join } from 'node:path'
import { appendLines } from './audit-file.ts'
import type { Events } from './services/events.ts'
import { makeDirectory } from './store/make-directory.ts'
import type { Log } from './telemetry/log.ts'

/**
 * What happened, as JSON lines in one file a day (UTC), `audit-YYYY-MM-DD.jsonl` (specification 6.2, design section 5); with
 * tenants those of each in a folder of its own.
 * Lines are written in batches beside the requests; a disk that is full costs audit lines, which are counted, and no
 * decision.
 */
export interface Audit {
  serverStarted(): void
  serverStopped(): void
  /** Events of the rulesets of one tenant, in files of its own; undefined: the server has no tenants. */
  forTenant(tenant: string | undefined): RuleAudit
  /** Percent of executions that are written. */
  readonly sampleRate: { get(): number; set(percent: number): number }
  /** From now on this is the rate, as another process of this server has set it and written down. */
  follow(percent: number): void
  /** Writes lines that another process of this server has made for this file. */
  forward(path: string, text: string): void
  /** Counts events that another process of this server could not pass on. */
  missed(count: number): void
  /** Events that could not be written. */
  readonly dropped: number
  /** Writes what is left. */
  close(): Promise<void>
}

/** Events of rulesets. */
export interface RuleAudit extends Omit<Events, 'evaluated'> {
  /** A rule wrote an event itself, through `audit.logger`. */
  ruleReported(event: { readonly name: string; readonly step: string; readonly payload: Value }): void
}

interface Fields {
  readonly [key: string]: Value
}

export interface AuditOptions {
  /** Undefined: nothing is written. */
  readonly directory: string | undefined
  readonly sampleRate: number
  /** Input and output of executions are written too. */
  readonly includePayload: boolean
  readonly instanceId: string
  readonly log: Log
  /** Called with the number of events that were lost. */
  readonly lost: (count: number) => void
  /** Epoch milliseconds. */
  readonly now?: () => number
  /** How lines get into a file; default: by writing them to it. */
  readonly append?: (path: string, text: string) => Promise<void>
}

/** Milliseconds that a line waits at most. */
const DELAY = 200
/** Characters that wait at most; beyond that events are lost rather than memory. */
const BACKLOG = 32 * 1024 * 1024

/** Rejects with the system's error when the directory cannot be made. */
export async function openAudit(options: AuditOptions): Promise<Audit> {
  if (options.directory !== undefined) await makeDirectory(options.directory, 0o750)
  return new AuditFile(options)
}

class AuditFile implements Audit {
  readonly #options: AuditOptions
  readonly #now: () => number
  readonly #append: (path: string, text: string) => Promise<void>
  #sampleRate: number
  #dropped = 0
  /** Lines by the path they go to. */
  #waiting = new Map<string, string[]>()
  #size = 0
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  #isFailing = false

  constructor(options: AuditOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
    this.#append = options.append ?? appendLines
    this.#sampleRate = options.sampleRate
  }

  readonly sampleRate = {
    get: () => this.#sampleRate,
    set: (percent: number) => {
      const previous = this.#sampleRate
      this.#sampleRate = percent
      this.#write('config_changed', { setting: 'audit_sample_rate', from: previous, to: percent })
      return previous
    },
  }

  get dropped(): number {
    return this.#dropped
  }

  serverStarted(): void {
    this.#write('server_started', {})
  }

  serverStopped(): void {
    this.#write('server_stopped', {})
  }

  forTenant(tenant: string | undefined): RuleAudit {
    const write = (event: string, fields: Fields) =>
      this.#write(event, tenant === undefined ? fields : { tenant_id: tenant, ...fields }, tenant)
    return {
      created: ({ name, version }) => write('rule_created', { rule_name: name, version }),
      updated: ({ name, from, to }) => write('rule_updated', { rule_name: name, from_version: from, to_version: to }),
      deleted: ({ name, version }) => write('rule_deleted', { rule_name: name, version }),
      rolledBack: ({ name, from, to, seq }) =>
        write('rule_rollback', { rule_name: name, from_version: from, to_version: to, seq }),
      signatureRejected: ({ name, origin, reason }) => write('signature_rejected', { rule_name: name, origin, reason }),
      ruleReported: ({ name, step, payload }) =>
        write('rule_executed', {
          tenant_id: tenant ?? 'default',
          source: 'audit.logger',
          rule_name: name,
          step,
          payload,
        }),
      executed: (execution) => {
        if (this.#options.directory === undefined || Math.random() * 100 >= this.#sampleRate) return
        write('rule_executed', this.#executionFields(tenant ?? 'default', execution))
      },
    }
  }

  #executionFields(tenant: string, execution: Parameters<Events['executed']>[0]): Fields {
    const { name, version, seconds, code, error, traceId, input, output } = execution
    return {
      tenant_id: tenant,
      rule_name: name,
      version,
      ...(code === undefined ? {} : { code }),
      duration_us: Math.max(0, Math.round(seconds * 1e6)),
      ...(error === undefined ? {} : { error }),
      ...(traceId === undefined ? {} : { trace_id: traceId }),
      ...(this.#options.includePayload
        ? { input: input as Value, ...(output === undefined ? {} : { output: output as Value }) }
        : {}),
    }
  }

  follow(percent: number): void {
    this.#sampleRate = percent
  }

  forward(path: string, text: string): void {
    for (const line of text.split(/(?<=\n)/)) this.#enqueue(path, line)
  }

  missed(count: number): void {
    this.#lose(count, 'a worker could not pass them on')
  }

  async close(): Promise<void> {
    this.#flush()
    await this.#writing
  }

  #write(event: string, fields: Fields, tenant?: string): void {
    const { directory, instanceId } = this.#options
    if (directory === undefined) return
    const timestamp = new Date(this.#now()).toISOString()
    const line = this.#lineOf({ event, timestamp, instance_id: instanceId, ...fields })
    if (line === undefined) return this.#lose(1, 'an event cannot be written as JSON')
    this.#enqueue(join(directory, tenant ?? '', `audit-${timestamp.slice(0, 10)}.jsonl`), line)
  }

  #enqueue(path: string, line: string): void {
    if (this.#size + line.length > BACKLOG) return this.#lose(1, 'too much is waiting to be written')
    const lines = this.#waiting.get(path)
    if (lines === undefined) this.#waiting.set(path, [line])
    else lines.push(line)
    this.#size += line.length
    this.#timer ??= setTimeout(() => this.#flush(), DELAY).unref()
  }

  #lineOf(record: Value): string | undefined {
    try {
      return `${stringifyJson(record)}\n`
    } catch {
      return undefined
    }
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const batches = this.#waiting
    this.#waiting = new Map()
    this.#writing = this.#writing.then(async () => {
      for (const [path, lines] of batches) await this.#appendLines(path, lines)
    })
  }

  async #appendLines(path: string, lines: readonly string[]): Promise<void> {
    const text = lines.join('')
    try {
      await this.#append(path, text)
      if (this.#isFailing) this.#options.log.info({}, 'audit events are written again')
      this.#isFailing = false
    } catch (error) {
      this.#lose(lines.length, error instanceof Error ? error.message : String(error))
    } finally {
      this.#size -= text.length
    }
  }

  /** Told once in the log until it works again; every event is counted. */
  #lose(count: number, reason: string): void {
    this.#dropped += count
    this.#options.lost(count)
    if (!this.#isFailing) this.#options.log.error({ reason }, 'audit events are lost; decisions go on')
    this.#isFailing = true
  }
}

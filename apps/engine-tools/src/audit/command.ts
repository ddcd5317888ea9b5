import { isObject, type ObjectValue, stringifyJson, type Value } from '@engine/expression'
import { fieldsText } from '@engine/process'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { createReadStream } from 'node:fs'
import { once } from 'node:events'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { readError } from '../files.ts'
import { addJson, type JsonFlag } from '../output.ts'
import type { InputRecord } from '../run/input-record.ts'
import { ndjsonRecords } from '../run/ndjson.ts'
import { ToolError } from '../tool.ts'
import { type AuditFile, auditFiles } from './audit-files.ts'

/** The events of an engine (docs/access.md). */
const EVENTS = [
  'server_started',
  'server_stopped',
  'rule_created',
  'rule_updated',
  'rule_deleted',
  'rule_rollback',
  'tenant_created',
  'tenant_updated',
  'tenant_deleted',
  'config_changed',
  'change_refused',
  'signature_rejected',
  'rule_executed',
] as const

interface AuditFlags extends JsonFlag {
  readonly event?: readonly string[]
  readonly rule?: string
  readonly tenant?: string
  readonly token?: string
  readonly request?: string
  readonly since?: Moment
  readonly until?: Moment
}

/** A day or a time, as the audit writes times: texts of one form are in the order of time. */
interface Moment {
  readonly text: string
  readonly day: string
}

/** `engine audit` */
export function defineAudit(command: Command): void {
  addJson(command)
    .argument('<paths...>', 'the --audit-dir of an engine, or files of it, also compressed (.jsonl.gz)')
    .addOption(new Option('-e, --event <names...>', 'only these events').choices(EVENTS))
    .option('-r, --rule <name>', 'only events of this ruleset')
    .option('-t, --tenant <id>', 'only events of this tenant')
    .option('--token <name>', 'only events of requests with this token')
    .option('--request <id>', 'only events of the request with this id (x-request-id)')
    .option('--since <time>', 'not before this day or time, in UTC: 2026-11-28, 2026-11-28T14:00', moment)
    .option('--until <time>', 'before this time, or through this day', moment)
    .addHelpText(
      'after',
      '\nEvents are in the order of their days and files; --json prints each as it was written. Exit code 1: a line cannot be\nread, or a file.',
    )
    .action(async (paths: readonly string[], flags: AuditFlags) => {
      const files = (await auditFiles(paths)).filter(({ day }) => isWithin(day, flags))
      let isDamaged = false
      for (const file of files) if (await printEvents(file, flags)) isDamaged = true
      if (isDamaged) process.exitCode = 1
    })
}

/** Prints the events of a file that are wanted; whether a line was unreadable. */
async function printEvents({ path }: AuditFile, flags: AuditFlags): Promise<boolean> {
  let isDamaged = false
  for await (const batch of eventsOf(path)) {
    let text = ''
    for (const record of batch) {
      const fault =
        'fault' in record ? record.fault : isObject(record.input) ? undefined : 'expected an object, as events are'
      if (fault !== undefined) {
        isDamaged = true
        process.stderr.write(`${path}:${record.line}: ${fault}\n`)
      } else if ('input' in record && isObject(record.input) && isWanted(record.input, flags))
        text += flags.json === true ? `${stringifyJson(record.input)}\n` : eventText(record.input)
    }
    if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain')
  }
  return isDamaged
}

/** The lines of a file, in batches. Throws `ToolError`. */
async function* eventsOf(path: string): AsyncGenerator<readonly InputRecord[]> {
  try {
    yield* ndjsonRecords(path, bytesOf(path), 'double')
  } catch (cause) {
    if (cause instanceof ToolError) throw cause
    throw readError(path, cause)
  }
}

function bytesOf(path: string): Readable {
  const file = createReadStream(path)
  // An error of either stream reaches the reader of the second.
  return path.endsWith('.gz') ? pipeline(file, createGunzip(), () => {}) : file
}

function isWanted(event: ObjectValue, { event: names, rule, tenant, token, request, since, until }: AuditFlags) {
  const has = (field: string, wanted: Value | undefined) => wanted === undefined || event[field] === wanted
  const { timestamp } = event
  const time = typeof timestamp === 'string' ? timestamp : ''
  return (
    (names === undefined || names.some((name) => name === event['event'])) &&
    has('rule_name', rule) &&
    has('tenant_id', tenant) &&
    has('token', token) &&
    has('request_id', request) &&
    (since === undefined || time >= since.text) &&
    (until === undefined || time < until.text || (until.text === until.day && time.startsWith(until.day)))
  )
}

const isWithin = (day: string | undefined, { since, until }: AuditFlags) =>
  day === undefined || ((since === undefined || day >= since.day) && (until === undefined || day <= until.day))

/** The time, the event and the ruleset first, then what else there is. */
function eventText(event: ObjectValue): string {
  const { timestamp, event: name, rule_name: rule, instance_id: _, ...fields } = event
  const word = (value: Value | undefined) => (typeof value === 'string' ? value : '')
  const first = fieldsText({ rule_name: rule ?? null }).slice('rule_name='.length)
  const subject = rule === undefined ? '' : ` ${first}`
  return (
    `${printable(word(timestamp))} ${printable(word(name)).padEnd(18)}${subject} ${fieldsText(fields)}`.trimEnd() + '\n'
  )
}

/** Times and names of events have no other characters; an edited file might. */
const printable = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, '?')

function moment(text: string): Moment {
  const [, day = '', time] = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)?Z?$/.exec(text) ?? []
  if (Number.isNaN(Date.parse(`${day}${time ?? 'T00:00'}Z`)))
    throw new InvalidArgumentError('Expected a day or a time in UTC, such as 2026-11-28 or 2026-11-28T14:00.')
  return { text: `${day}${time ?? ''}`, day }
}

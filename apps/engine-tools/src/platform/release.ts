import { isObject, stringifyJson, type Value } from '@engine/expression'
import { setTimeout as sleep } from 'node:timers/promises'
import { ToolError } from '../tool.ts'
import type { PlatformClient } from './client.ts'
import { eventsOf, lineOf, patiently } from './release-events.ts'

/** The content of a release, from the command line. */
export interface Wanted {
  /** `name` or `name@seq`; without a number the last save. */
  readonly ruleset: readonly string[]
  readonly environment: readonly string[]
  readonly title?: string
  readonly description?: string
  readonly acknowledgeBreaking?: boolean
}

/** A release as the commands need it. */
export interface Release {
  readonly id: string
  readonly number: number
  readonly title: string
  readonly status: string
  readonly content_digest: string
  readonly execution_id: string | null
}

/** Reads a release. Throws `ToolError` for any other answer: the platform may have another version. */
export function releaseIn(answer: Value): Release {
  const { id, number, title, status, content_digest, execution_id } = isObject(answer) ? answer : {}
  if (typeof id !== 'string' || typeof number !== 'number' || typeof title !== 'string') throw unexpected('a release')
  if (typeof status !== 'string' || typeof content_digest !== 'string') throw unexpected('a release')
  const execution = typeof execution_id === 'string' ? execution_id : null
  return { id, number, title, status, content_digest, execution_id: execution }
}

/** The id of a created resource. Throws `ToolError` for an answer without an id. */
export function idIn(answer: Value): string {
  if (!isObject(answer) || typeof answer['id'] !== 'string') throw unexpected('an id')
  return answer['id']
}

const unexpected = (what: string): ToolError =>
  new ToolError(`the platform answered without ${what}: it may have another version than this command`)

/** A changed part; absent: it did not exist before, or no longer exists. */
interface Changed {
  readonly path: string
  readonly before?: Value
  readonly after?: Value
}

/** What changes in one ruleset, or one of its sub-rules. */
interface Graphs {
  readonly config: readonly Changed[]
  readonly steps_added: readonly string[]
  readonly steps_removed: readonly string[]
  readonly steps_changed: readonly (Changed & { readonly id: string })[]
  readonly branches_changed: readonly {
    readonly step: string
    readonly kind: string
    readonly id: string
    readonly change: string
    readonly changes: readonly Changed[]
  }[]
}

interface Diff extends Graphs {
  readonly environment: string
  readonly ruleset: string
  readonly base: unknown
  readonly removed: boolean
  readonly sub_rules: readonly (Graphs & { readonly name: string; readonly change: string })[]
  readonly contract: { readonly breaking: boolean; readonly breaks: readonly { readonly message: string }[] } | null
}

/** The answer of a preview, as far as shown. */
export interface Preview {
  readonly would_create: boolean
  readonly blocked: readonly { readonly path: string; readonly message: string; readonly severity: string }[]
  readonly diffs: readonly Diff[]
  readonly requirements: readonly { readonly environment: string | null; readonly min_count: number }[]
}

/** The body of a request to make or preview a release. */
export async function requestOf(client: PlatformClient, project: string, wanted: Wanted): Promise<Value> {
  const rulesets: { readonly name: string; readonly from_seq: number }[] = []
  for (const text of wanted.ruleset) {
    const [, name = text, seq] = /^(.+)@(\d+)$/.exec(text) ?? []
    rulesets.push({ name, from_seq: seq === undefined ? await lastSave(client, project, name) : Number(seq) })
  }
  const { environment, title, description, acknowledgeBreaking } = wanted
  return {
    rulesets,
    environments: environment,
    title: title ?? `Release of ${rulesets.map(({ name }) => name).join(', ')}`,
    ...(description === undefined ? {} : { description }),
    ...(acknowledgeBreaking === true ? { acknowledge_breaking: true } : {}),
  }
}

async function lastSave(client: PlatformClient, project: string, name: string): Promise<number> {
  const draft = await client.get(`/projects/${project}/rulesets/${encodeURIComponent(name)}`)
  if (!isObject(draft) || typeof draft['seq'] !== 'number') throw unexpected('a draft')
  return draft['seq']
}

/** The lines of a preview. */
export function previewText({ would_create, blocked, diffs, requirements }: Preview): string {
  return [
    ...diffs.flatMap((diff) => diffLines(diff)),
    ...requirements.map(
      ({ environment, min_count }) =>
        `${environment ?? 'a breaking change'}: needs ${min_count} approval${min_count === 1 ? '' : 's'}`,
    ),
    ...blocked.map(
      ({ path, message, severity }) => `${severity === 'warning' ? 'warning' : 'blocked'}: ${path} ${message}`,
    ),
    would_create ? 'The release can be made.' : 'The release cannot be made.',
  ].join('\n')
}

/** Maximum lines about the changes of one ruleset; further ones are only counted. */
const MAX_LINES = 50

function diffLines(diff: Diff): readonly string[] {
  const { environment, ruleset, base, removed, sub_rules, contract } = diff
  const breaks = (contract?.breaks ?? []).map(({ message }) => `  breaks: ${message}`)
  const head = (what: string) =>
    `${ruleset} in ${environment}: ${what}${breaks.length > 0 ? ', its contract breaks' : ''}`
  if (removed) return [head('taken out')]
  if (base === null) return [head('new'), ...breaks]
  const lines = [
    ...graphLines(diff),
    ...sub_rules.flatMap((one) =>
      one.change === 'changed'
        ? graphLines(one).map((line) => `sub-rule ${one.name}: ${line}`)
        : [`sub-rule ${one.name} ${one.change}`],
    ),
  ]
  const more = lines.length - MAX_LINES
  return [
    head(lines.length === 0 ? 'nothing changes' : 'changes'),
    ...breaks,
    ...lines.slice(0, MAX_LINES).map((line) => `  ${line}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ]
}

function graphLines(graphs: Graphs): readonly string[] {
  return [
    ...graphs.config.map((one) => changeLine(one.path.replace(/^\/config\//, ''), one)),
    ...graphs.steps_added.map((id) => `step ${id} added`),
    ...graphs.steps_removed.map((id) => `step ${id} removed`),
    ...graphs.steps_changed.map((one) => changeLine(`step ${one.id} ${one.path.slice(1)}`, one)),
    ...graphs.branches_changed.flatMap(({ step, kind, id, change, changes }) => {
      const what = `step ${step} ${[kind, id].join(' ').trim()}`
      if (changes.length === 0 || change !== 'changed') return [`${what} ${change}`]
      return changes.map((one) => changeLine(`${what} ${one.path.slice(1)}`.trim(), one))
    }),
  ]
}

const changeLine = (what: string, { before, after }: Changed): string => `${what}: ${shown(before)} -> ${shown(after)}`

/** Characters of a value in a line. */
const MAX_SHOWN = 120

function shown(value: Value | undefined): string {
  if (value === undefined) return 'nothing'
  const text = typeof value === 'string' ? value : stringifyJson(value)
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}

/** Terminal statuses of a release. */
const ENDS: Readonly<Record<string, boolean>> = {
  completed: true,
  failed: false,
  rejected: false,
  cancelled: false,
  rolled_back: false,
  rollback_failed: false,
}

/** Milliseconds between two looks at a release that is not executed yet. */
const POLL_INTERVAL_MS = 2000

/**
 * Show the progress of a release until it is live or has failed.
 *
 * @param show called with each line, and the platform's data for it
 * @returns whether it is live
 */
export async function watch(
  client: PlatformClient,
  path: string,
  show: (line: string, answer: Value) => void,
  signal: AbortSignal,
): Promise<boolean> {
  let told: string | undefined
  const seen = new Set<string>()
  for (;;) {
    const answer = await patiently(() => client.get(path), signal)
    const { status, number, title, execution_id } = releaseIn(answer)
    if (status !== told) show(`release ${number} “${title}” is ${status}`, answer)
    told = status
    if (execution_id !== null && !seen.has(execution_id)) {
      seen.add(execution_id)
      for await (const event of eventsOf(client, `${path}/executions/${execution_id}/events`, signal))
        show(lineOf(event), event.answer)
      told = undefined
      continue
    }
    const isLive = ENDS[status]
    if (isLive !== undefined) return isLive
    await sleep(POLL_INTERVAL_MS, undefined, { signal })
  }
}

/** Resolves when a release is approved. Rejects with a `ToolError` when it has failed. */
export async function untilApproved(client: PlatformClient, path: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { status, number } = releaseIn(await patiently(() => client.get(path), signal))
    if (status === 'approved') return
    if (status !== 'pending_approval') throw new ToolError(`release ${number} is ${status}`)
    await sleep(POLL_INTERVAL_MS, undefined, { signal })
  }
}

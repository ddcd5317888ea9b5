import type { Value } from '@engine/expression'
import { setTimeout as sleep } from 'node:timers/promises'
import { ToolError } from '../tool.ts'
import type { PlatformClient } from './client.ts'
import { eventsOf, lineOf } from './follow.ts'

/** What a release is to contain, as it is given on the command line. */
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
  readonly requirements: readonly {
    readonly environment: string | null
    readonly min_count: number
    readonly satisfied: boolean
  }[]
}

/** The answer of a preview, as far as it is shown. */
export interface Preview {
  readonly would_create: boolean
  readonly blocked: readonly { readonly path: string; readonly message: string }[]
  readonly diffs: readonly {
    readonly environment: string
    readonly ruleset: string
    readonly base: unknown
    readonly steps_added: readonly unknown[]
    readonly steps_removed: readonly unknown[]
    readonly contract: { readonly breaking: boolean; readonly breaks: readonly { readonly message: string }[] } | null
  }[]
  readonly requirements: Release['requirements']
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
  const draft = (await client.get(`/projects/${project}/rulesets/${encodeURIComponent(name)}`)) as {
    readonly seq: number
  }
  return draft.seq
}

/** What a preview says, one line each. */
export function previewText({ would_create, blocked, diffs, requirements }: Preview): string {
  return [
    ...diffs.map(
      ({ environment, ruleset, base, steps_added, steps_removed, contract }) =>
        `${ruleset} in ${environment}: ${base === null ? 'new' : `${steps_added.length} steps added, ${steps_removed.length} removed`}${contract?.breaking === true ? ', its contract breaks' : ''}`,
    ),
    ...diffs.flatMap(({ contract }) => (contract?.breaks ?? []).map(({ message }) => `  breaks: ${message}`)),
    ...requirements.map(
      ({ environment, min_count }) =>
        `${environment ?? 'a breaking change'}: needs ${min_count} approval${min_count === 1 ? '' : 's'}`,
    ),
    ...blocked.map(({ path, message }) => `blocked: ${path} ${message}`),
    would_create ? 'The release can be made.' : 'The release cannot be made.',
  ].join('\n')
}

/** Statuses in which nothing happens to a release any more by itself. */
const ENDS: Readonly<Record<string, boolean>> = {
  completed: true,
  failed: false,
  rejected: false,
  cancelled: false,
  rolled_back: false,
  rollback_failed: false,
}

/** Milliseconds between two looks at a release that is not executed yet. */
const LOOK_MS = 2000

/**
 * Show what happens to a release until it is live or not to be any more.
 *
 * @param show called with each line
 * @returns whether it is live
 */
export async function watch(
  client: PlatformClient,
  path: string,
  show: (line: string) => void,
  signal: AbortSignal,
): Promise<boolean> {
  let shown: string | undefined
  const seen = new Set<string>()
  for (;;) {
    const { status, number, title, execution_id } = (await client.get(path)) as unknown as Release
    if (status !== shown) show(`release ${number} “${title}” is ${status}`)
    shown = status
    if (execution_id !== null && !seen.has(execution_id)) {
      seen.add(execution_id)
      for await (const event of eventsOf(client, `${path}/executions/${execution_id}/events`, signal))
        show(lineOf(event))
      shown = undefined
      continue
    }
    const isLive = ENDS[status]
    if (isLive !== undefined) return isLive
    await sleep(LOOK_MS, undefined, { signal })
  }
}

/** Resolves when a release is approved. Rejects with a `ToolError` when it is not to be any more. */
export async function untilApproved(client: PlatformClient, path: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { status, number } = (await client.get(path)) as unknown as Release
    if (status === 'approved') return
    if (status !== 'pending_approval') throw new ToolError(`release ${number} is ${status}`)
    await sleep(LOOK_MS, undefined, { signal })
  }
}

/** Throws a `ToolError` for a text that cannot be a part of a path. */
export function requireId(text: string, what: string): string {
  if (/^[\w-]{1,64}$/.test(text)) return text
  throw new ToolError(`${what}: \`${text}\` is no id`)
}

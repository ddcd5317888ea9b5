import { fromCloneable, jsonValue, stringifyJson, toCloneable, type Value } from '@engine/expression'
import { jsonText } from '@engine/process'
import { remainingBudget } from './size-budget.ts'
import type { Results, SentSubject, Task } from './tasks.ts'

/**
 * A task in transfer to a thread. Copying many values would block the event loop longer than any other step; a text is
 * copied in one step, and is serialized in pieces between other requests.
 */
export interface Transfer {
  readonly task: Task
  /** JSON of the members that were removed from the task. */
  readonly texts: Readonly<Record<string, string>>
}

/** Minimum size of a buffer that owns its memory: smaller reads of a connection share one allocation of Node. */
const MIN_OWNED_BUFFER_BYTES = 1024 * 1024

/** The buffers that a task transfers to its thread and can no longer use. */
export function transferables(task: Task): ArrayBuffer[] {
  return buffersOf(task).flatMap(ownBufferOf)
}

function ownBufferOf({ buffer }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength >= MIN_OWNED_BUFFER_BYTES ? [buffer] : []
}

function buffersOf(task: Task): readonly Uint8Array[] {
  if (task.kind === 'write-archive') return [...task.rulesets, ...task.suites.map(({ cases }) => cases)]
  return 'bytes' in task ? [task.bytes] : []
}

/** Members of tasks that are JSON and may be large. */
const MEMBERS = ['input', 'cases', 'base', 'next', 'inputs', 'document', 'graph', 'stubs'] as const

/** Maximum number of values that are counted: a body has no more. */
const MAX_COUNTED_VALUES = 1_000_000
/** Approximate size of a value other than a text. */
const VALUE_BYTES = 16

/** Number of bytes for which a byte of a compressed document counts: the typical ratio of repetitive documents. */
const COMPRESSION_RATIO = 10

/**
 * Approximate size of a task: its texts, at one byte per character, and its values. Takes at most `MAX_COUNTED_VALUES`
 * steps.
 */
export function sizeOf(task: Task): number {
  if ('bytes' in task) return task.bytes.byteLength * (isCompressed(task) ? COMPRESSION_RATIO : 1)
  if (task.kind === 'write-archive')
    return buffersOf(task).reduce((sum, { byteLength }) => sum + byteLength, task.archive.length)
  let characters = 0
  const left = remainingBudget(MAX_COUNTED_VALUES, withLists(task), (text) => {
    characters += text.length
    return 0
  })
  return characters + (MAX_COUNTED_VALUES - Math.max(0, left)) * VALUE_BYTES
}

/** True if the bytes are a compressed document, whose contents may be any number of times larger. */
export const isCompressed = (task: Task): boolean =>
  (task.kind === 'read-archive' && 'bytes' in task) || (task.kind === 'import' && task.format === 'xlsx')

/** Replaces maps by arrays, so that their contents are counted. */
function withLists(task: Task): Value {
  const members = Object.values(task).map((member: unknown) =>
    typeof member === 'object' && member !== null
      ? Object.values(member).map((part: unknown) => (part instanceof Map ? [...part] : part))
      : member,
  )
  return members as unknown as Value
}

/** Packs a task for its transfer. */
export async function pack(task: Task): Promise<Transfer> {
  const rest: Record<string, unknown> = { ...task }
  const texts: Record<string, string> = {}
  for (const name of MEMBERS) {
    const value = rest[name] as Value | undefined
    if (value === undefined || !isMany(value)) continue
    texts[name] = await jsonText(value)
    delete rest[name]
  }
  if ('subject' in task) rest['subject'] = await packedSubject(task.subject)
  return { task: toCloneable(rest) as unknown as Task, texts }
}

async function packedSubject(subject: SentSubject): Promise<SentSubject> {
  if ('draftText' in subject) return subject
  const { draft, ...references } = subject
  const value = draft as unknown as Value
  return isMany(value) ? { ...references, draftText: await jsonText(value) } : subject
}

/** Number of values above which a copy takes more than a few milliseconds; a text of any length is one value. */
const MAX_COPIED_VALUES = 10_000

const isMany = (value: Value): boolean => remainingBudget(MAX_COPIED_VALUES, value, () => 0) < 0

/** Unpacks a task, on a thread. */
export function unpack({ task, texts }: Transfer): Task {
  const members = Object.entries(texts).map(([name, text]) => [name, jsonValue(text)] as const)
  return { ...fromCloneable(task), ...Object.fromEntries(members) }
}

type Result = Results[Task['kind']]

/** The answer of a thread: the result, or its JSON if it is large, with the number of its values. */
export type Returned = { readonly result: Result } | { readonly text: string; readonly values: number }

/** The buffer that an answer transfers. */
export function transferablesOf(answer: Returned): ArrayBuffer[] {
  return 'result' in answer && 'bytes' in answer.result ? ownBufferOf(answer.result.bytes) : []
}

/** Prepare the answer of a thread. */
export function returned(result: Result): Returned {
  const value = result as unknown as Value
  // Results with bytes have a member for them.
  if ('bytes' in result) return { result }
  if (!isMany(value)) return { result: toCloneable(result) }
  return {
    text: stringifyJson(value),
    values: Number.MAX_SAFE_INTEGER - remainingBudget(Number.MAX_SAFE_INTEGER, value, () => 0),
  }
}

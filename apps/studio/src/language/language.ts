import type { DraftRuleset } from '@engine/authoring'
import { fromCloneable, toCloneable } from '@engine/expression'
import type { Message, Reply, TaskName, Tasks } from './tasks.ts'
// oxlint-disable-next-line import/default -- the bundler generates this module, whose default is an address
import workerUrl from './language.worker.ts?worker&url'

/** The part of Trusted Types used here. */
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}

/** The only place where the page creates the address of a script: its policy allows no other. */
const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('studio-worker', {
  createScriptURL(url) {
    if (url !== workerUrl) throw new Error('this is not the address of the worker')
    return url
  },
})

/**
 * Milliseconds before an unresponsive worker is replaced: long enough that only a hanging task is ended, not a slow one
 * on a busy machine.
 */
const MAX_INTERVAL_MS = 30_000

interface Waiting {
  readonly resolve: (value: never) => void
  readonly reject: (error: Error) => void
  readonly timer: ReturnType<typeof setTimeout>
}

const waiting = new Map<number, Waiting>()
let worker: Worker | undefined
let count = 0
/** The draft that the worker has. */
let held: DraftRuleset | undefined

function start(): Worker {
  const address = policy?.createScriptURL(workerUrl) ?? workerUrl
  const started = new Worker(address, { type: 'module', name: 'language' })
  started.addEventListener('message', ({ data }: MessageEvent<Reply>) => {
    const found = waiting.get(data.id)
    if (found === undefined) return
    waiting.delete(data.id)
    clearTimeout(found.timer)
    if (data.kind === 'done') found.resolve(fromCloneable(data.gives) as never)
    else found.reject(new Error(data.message))
  })
  return started
}

/** Replaces the worker; its pending tasks fail. */
function replace(): void {
  worker?.terminate()
  worker = undefined
  held = undefined
  for (const { reject, timer } of waiting.values()) {
    clearTimeout(timer)
    reject(new Error('this took too long'))
  }
  waiting.clear()
}

/** Run a task in the worker: it has the parser, checker, interpreter and everything else outside the initial load. */
export function ask<Name extends TaskName>(name: Name, takes: Tasks[Name]['takes']): Promise<Tasks[Name]['gives']> {
  worker ??= start()
  const message = { id: ++count, name, ...withoutHeld(takes) }
  const { promise, resolve, reject } = Promise.withResolvers<Tasks[Name]['gives']>()
  waiting.set(message.id, { resolve, reject, timer: setTimeout(replace, MAX_INTERVAL_MS) })
  worker.postMessage(toCloneable(message))
  return promise
}

/** The arguments of a task, with the draft separate. */
function withoutHeld(takes: Message['takes']): Pick<Message, 'takes' | 'draft'> {
  if (typeof takes !== 'object' || !('draft' in takes)) return { takes }
  const { draft, ...rest } = takes
  const isSame = draft === held
  held = draft
  return { takes: rest as Message['takes'], draft: isSame ? 'same' : draft }
}

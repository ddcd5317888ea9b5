import type { DraftRuleset } from '@engine/authoring'
import { fromCloneable, toCloneable } from '@engine/expression'
import type { Message, Reply, TaskName, Tasks } from './tasks.ts'
// oxlint-disable-next-line import/default -- the bundler generates this module, whose default is an address
import languageUrl from './language.worker.ts?worker&url'
// oxlint-disable-next-line import/default -- as above
import analysisUrl from './analysis.worker.ts?worker&url'

/** The part of Trusted Types used here. */
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}

/** The only code of the page that creates a script URL: the content security policy allows no other. */
const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('studio-worker', {
  createScriptURL(url) {
    if (url !== languageUrl && url !== analysisUrl) throw new Error('this is not the address of a worker')
    return url
  },
})

/**
 * Milliseconds before an unresponsive worker is replaced: long enough to end only hanging tasks, not slow ones on a
 * busy machine.
 */
const RESPONSE_TIMEOUT_MS = 30_000

interface Waiting {
  readonly resolve: (value: never) => void
  readonly reject: (error: Error) => void
  readonly timer: ReturnType<typeof setTimeout>
}

/** A worker, started for its first task and restarted after a task has hung. */
class Language {
  readonly #name: string
  readonly #url: string
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | undefined
  #count = 0
  /** The last draft sent to the worker. */
  #held: DraftRuleset | undefined

  constructor(name: string, url: string) {
    this.#name = name
    this.#url = url
  }

  ask<Name extends TaskName>(name: Name, takes: Tasks[Name]['takes']): Promise<Tasks[Name]['gives']> {
    this.#worker ??= this.#start()
    const message = { id: ++this.#count, name, ...this.#withoutHeld(takes) }
    const { promise, resolve, reject } = Promise.withResolvers<Tasks[Name]['gives']>()
    this.#waiting.set(message.id, { resolve, reject, timer: setTimeout(() => this.#replace(), RESPONSE_TIMEOUT_MS) })
    this.#worker.postMessage(toCloneable(message))
    return promise
  }

  #start(): Worker {
    const address = policy?.createScriptURL(this.#url) ?? this.#url
    const started = new Worker(address, { type: 'module', name: this.#name })
    started.addEventListener('message', ({ data }: MessageEvent<Reply>) => {
      const found = this.#waiting.get(data.id)
      if (found === undefined) return
      this.#waiting.delete(data.id)
      clearTimeout(found.timer)
      if (data.kind === 'done') found.resolve(fromCloneable(data.gives) as never)
      else found.reject(new Error(data.message))
    })
    return started
  }

  /** Replaces the worker; its pending tasks fail. */
  #replace(): void {
    this.#worker?.terminate()
    this.#worker = undefined
    this.#held = undefined
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer)
      reject(new Error('this took too long'))
    }
    this.#waiting.clear()
  }

  /** The arguments of a task, with the draft separated. */
  #withoutHeld(takes: Message['takes']): Pick<Message, 'takes' | 'draft'> {
    if (typeof takes !== 'object' || !('draft' in takes)) return { takes }
    const { draft, ...rest } = takes
    const isSame = draft === this.#held
    this.#held = draft
    return { takes: rest as Message['takes'], draft: isSame ? 'same' : draft }
  }
}

const checks = new Language('language', languageUrl)
/**
 * The first analysis of a large table takes seconds: a separate worker keeps checks and executions from waiting for it.
 */
const analyses = new Language('analysis', analysisUrl)

const isAnalysis = (name: TaskName) => name === 'findings' || name === 'whyNot' || name === 'seen' || name === 'replay'

/**
 * Run a task in a worker: it contains the parser, the checker, the interpreter and all else that is not part of the
 * initial load.
 */
export const ask = <Name extends TaskName>(name: Name, takes: Tasks[Name]['takes']): Promise<Tasks[Name]['gives']> =>
  (isAnalysis(name) ? analyses : checks).ask(name, takes)

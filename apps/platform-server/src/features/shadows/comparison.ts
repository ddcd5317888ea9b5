import { stringifyJson } from '@engine/expression'
import type { Log } from '@engine/process'
import type { Compute } from '../../compute/compute.ts'
import type { ShadowTask } from '../../compute/tasks.ts'
import type { Database } from '../../database/database.ts'
import { isUncommitted } from '../../database/availability.ts'
import { contentsOf } from '../engines/contents.ts'
import type { ActiveShadow } from './active-shadows.ts'
import { Counts, storeCounts } from './shadow-counts.ts'

/** Compares live answers with the decisions of candidates, in the background. */
export interface Comparison {
  /** Returns immediately; samples that cannot be compared are counted as dropped. */
  offer(shadow: ActiveShadow, bodies: Pick<ShadowTask, 'request' | 'answer'>): void
  dropped(shadow: ActiveShadow): void
  /** Resolves when everything that was counted is stored; what still waits is dropped. */
  stop(): Promise<void>
}

/** Requests that wait for their comparison. */
const MAX_WAITING = 64
/** Milliseconds between two flushes: the counts lost when a replica is killed. */
const FLUSH_MS = 1000
/** Shadows whose counts wait for the database at most; those of others are dropped. */
const MAX_WAITING_SHADOWS = 200
/** Cached contents. */
const MAX_CONTENTS = 8

interface Waiting {
  readonly shadow: ActiveShadow
  readonly bodies: Pick<ShadowTask, 'request' | 'answer'>
}

/**
 * @param compute threads for comparisons alone: a slow candidate delays no draft
 * @param lost called with the number of requests whose counts are lost
 */
export function startComparison(
  database: Database,
  compute: Pick<Compute, 'run'>,
  log: Log,
  lost: (requests: number) => void = () => {},
): Comparison {
  const queue: Waiting[] = []
  const counts = new Map<string, Counts>()
  const contents = new Map<string, Promise<string | undefined>>()
  let working: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> = Promise.resolve()
  let isStopped = false

  function countsOf({ org, id }: ActiveShadow): Counts {
    const known = counts.get(id) ?? new Counts(org, id)
    counts.set(id, known)
    schedule()
    return known
  }

  function schedule(): void {
    if (!isStopped) timer ??= setTimeout(() => (flushing = flushing.then(flush)), FLUSH_MS)
  }

  async function flush(): Promise<void> {
    timer = undefined
    const due = [...counts.values()]
    counts.clear()
    let isAway = false
    for (const one of due) {
      // Further counts would wait for the same database.
      if (!isAway)
        isAway = await storeCounts(database, one).then(
          () => false,
          (err: unknown) => failed(one, err),
        )
      if (isAway) putBack(one)
    }
    if (counts.size > 0) schedule()
  }

  /** Whether to store the counts later: an unknown outcome must not be counted twice. */
  function failed(one: Counts, err: unknown): boolean {
    if (isUncommitted(err)) return true
    lose(one, err)
    return false
  }

  function lose(one: Counts, err?: unknown): void {
    lost(one.requests + one.dropped)
    log.warn({ err, shadow: one.shadow }, 'counts of a shadow are lost')
  }

  function putBack(one: Counts): void {
    const { org, shadow } = one
    if (!counts.has(shadow) && counts.size >= MAX_WAITING_SHADOWS) return lose(one)
    const all = counts.get(shadow) ?? new Counts(org, shadow)
    all.addUnstored(one)
    counts.set(shadow, all)
  }

  function contentOf(digest: string): Promise<string | undefined> {
    const known = contents.get(digest)
    if (known !== undefined) return known
    const [oldest] = contents.keys()
    if (contents.size >= MAX_CONTENTS && oldest !== undefined) contents.delete(oldest)
    const found = readContent(database, digest)
    contents.set(digest, found)
    found.catch(() => contents.delete(digest))
    return found
  }

  async function compare({ shadow, bodies }: Waiting): Promise<void> {
    const document = await contentOf(shadow.digest)
    if (document === undefined) return
    const { digest, mask } = shadow
    const outcome = await compute.run({ kind: 'shadow', digest, document, mask, ...bodies })
    const own = countsOf(shadow)
    if (outcome.kind === 'over') return void own.dropped++
    const { result } = outcome
    if (result.kind === 'skipped') return
    own.requests++
    if (result.changed) own.differs(result.from, result.to, result.example)
  }

  async function work(): Promise<void> {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { shadow } = next
      await compare(next).catch((err: unknown) => {
        countsOf(shadow).dropped++
        log.warn({ err, shadow: shadow.id }, 'a request could not be compared with its shadow')
      })
    }
  }

  return {
    offer(shadow, bodies) {
      if (isStopped || queue.length >= MAX_WAITING) return void countsOf(shadow).dropped++
      queue.push({ shadow, bodies })
      working ??= work().finally(() => (working = undefined))
    },
    dropped: (shadow) => void countsOf(shadow).dropped++,
    async stop() {
      isStopped = true
      for (const { shadow } of queue.splice(0)) countsOf(shadow).dropped++
      await working
      clearTimeout(timer)
      await flushing
      await flush()
      for (const one of counts.values()) lose(one)
      counts.clear()
    },
  }
}

/** Its JSON text, as the thread takes it. */
async function readContent(database: Database, digest: string): Promise<string | undefined> {
  const document = (await contentsOf(database, [digest])).get(digest)
  return document && stringifyJson(document)
}

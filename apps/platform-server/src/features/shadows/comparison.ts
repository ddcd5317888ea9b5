import { stringifyJson } from '@engine/expression'
import type { Log } from '@engine/process'
import type { Compute } from '../../compute/compute.ts'
import type { ShadowTask } from '../../compute/tasks.ts'
import type { Database } from '../../database/database.ts'
import { contentsOf } from '../engines/contents.ts'
import type { ActiveShadow } from './active-shadows.ts'
import { createCountWriter } from './count-writer.ts'

/** Compares live answers with the decisions of candidates, in the background. */
export interface Comparison {
  /** Returns immediately; samples that cannot be compared are counted as dropped. */
  offer(shadow: ActiveShadow, bodies: Pick<ShadowTask, 'request' | 'answer'>): void
  dropped(shadow: ActiveShadow): void
  /** Resolves when all counts are stored; waiting samples are dropped. */
  stop(): Promise<void>
}

/** Maximum number of requests that wait for their comparison. */
const MAX_WAITING = 64
/** Maximum number of cached contents. */
const MAX_CONTENTS = 8

interface Waiting {
  readonly shadow: ActiveShadow
  readonly bodies: Pick<ShadowTask, 'request' | 'answer'>
}

/**
 * @param compute threads reserved for comparisons: a slow candidate must not delay drafts
 * @param lost called with the number of requests whose counts are lost
 */
export function startComparison(
  database: Database,
  compute: Pick<Compute, 'run'>,
  log: Log,
  lost: (requests: number) => void = () => {},
): Comparison {
  const queue: Waiting[] = []
  const counts = createCountWriter(database, log, lost)
  const contentOf = createContentCache(database)
  let working: Promise<void> | undefined
  let isStopped = false

  async function compare({ shadow, bodies }: Waiting): Promise<void> {
    const document = await contentOf(shadow.digest)
    if (document === undefined) return
    const { digest, mask } = shadow
    const outcome = await compute.run({ kind: 'shadow', digest, document, mask, ...bodies })
    const own = counts.countsOf(shadow)
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
        counts.countsOf(shadow).dropped++
        log.warn({ err, shadow: shadow.id }, 'a request could not be compared with its shadow')
      })
    }
  }

  return {
    offer(shadow, bodies) {
      if (isStopped || queue.length >= MAX_WAITING) return void counts.countsOf(shadow).dropped++
      queue.push({ shadow, bodies })
      working ??= work().finally(() => (working = undefined))
    },
    dropped: (shadow) => void counts.countsOf(shadow).dropped++,
    async stop() {
      isStopped = true
      for (const { shadow } of queue.splice(0)) counts.countsOf(shadow).dropped++
      await working
      await counts.stop()
    },
  }
}

/** Reads contents by digest, recent ones from the cache. */
function createContentCache(database: Database): (digest: string) => Promise<string | undefined> {
  const contents = new Map<string, Promise<string | undefined>>()
  return (digest) => {
    const known = contents.get(digest)
    if (known !== undefined) return known
    const [oldest] = contents.keys()
    if (contents.size >= MAX_CONTENTS && oldest !== undefined) contents.delete(oldest)
    const found = readContent(database, digest)
    contents.set(digest, found)
    found.catch(() => contents.delete(digest))
    return found
  }
}

/** The JSON text of a content, for the thread. */
async function readContent(database: Database, digest: string): Promise<string | undefined> {
  const document = (await contentsOf(database, [digest])).get(digest)
  return document && stringifyJson(document)
}

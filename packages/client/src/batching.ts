import type { Value } from '@engine/expression'
import { ClientError } from './errors.ts'
import type { BatchAnswer, Decided } from './transport.ts'

/** Combines decisions about the same ruleset requested at about the same time into one request. */
export interface BatchingOptions {
  /** Maximum number of decisions per request. Default 100. */
  readonly most?: number
  /**
   * Milliseconds for which the first decision waits for others. Default 0: combines the decisions of one turn of the
   * event loop.
   */
  readonly waitMs?: number
}

/** Collects decisions into batches. */
export interface Batching {
  execute(name: string, input: Value): Promise<Decided>
}

interface Waiting {
  readonly input: Value
  readonly resolve: (decided: Decided) => void
  readonly reject: (error: unknown) => void
}

/** @param send sends a batch, including deadline and retries */
export function createBatching(
  { most = 100, waitMs = 0 }: BatchingOptions,
  send: (name: string, inputs: readonly Value[]) => Promise<BatchAnswer>,
): Batching {
  const waiting = new Map<string, Waiting[]>()

  function flush(name: string, batch: readonly Waiting[]): void {
    if (waiting.get(name) === batch) waiting.delete(name)
    const inputs = batch.map(({ input }) => input)
    send(name, inputs).then(
      ({ results }) => {
        for (const [index, { resolve, reject }] of batch.entries()) {
          const result = results[index]
          if (result === undefined)
            reject(new ClientError('server', 'the answer has fewer results than there were inputs'))
          else if (result.error === undefined) resolve(result)
          else reject(new ClientError('execution', result.error))
        }
      },
      (error: unknown) => {
        for (const { reject } of batch) reject(error)
      },
    )
  }

  return {
    execute: (name, input) =>
      new Promise((resolve, reject) => {
        const known = waiting.get(name)
        const batch = known ?? []
        batch.push({ input, resolve, reject })
        if (known === undefined) {
          waiting.set(name, batch)
          setTimeout(() => {
            if (waiting.get(name) === batch) flush(name, batch)
          }, waitMs)
        }
        if (batch.length >= most) flush(name, batch)
      }),
  }
}

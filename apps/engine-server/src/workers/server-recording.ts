import type { RecordingRule } from '@engine/api'
import { jsonValue } from '@engine/expression'
import type { Kept, Samples } from '../platform/samples.ts'
import type { WorkerPool } from './worker-pool.ts'

/** Timeout for answers of workers; late answers are part of the next heartbeat. */
const RESPONSE_TIMEOUT_MS = 1000

/** Collects the decisions recorded by workers, for the owner. */
export interface ServerRecording {
  /** The initial rules of new workers. */
  readonly rules: readonly RecordingRule[]
  follow(rules: readonly RecordingRule[]): Promise<void>
  /** Moves the workers' samples to the owner. Samples of an ended worker are lost. */
  collect(): Promise<void>
}

export function createServerRecording(
  pool: Pick<WorkerPool, 'ask' | 'tell'>,
  samples: Pick<Samples, 'add'>,
): ServerRecording {
  let current: readonly RecordingRule[] = []
  return {
    get rules() {
      return current
    },
    async follow(rules) {
      current = rules
      await pool.tell({ kind: 'recording', rules })
    },
    async collect() {
      await pool.ask({ kind: 'decisions' }, RESPONSE_TIMEOUT_MS, (_worker, text) => {
        for (const { sample, size } of jsonValue(text) as unknown as readonly Kept[]) {
          const { seq: _ofWorker, ...rest } = sample
          samples.add(rest, size)
        }
      })
    },
  }
}

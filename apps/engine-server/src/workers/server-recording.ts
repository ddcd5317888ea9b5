import type { RecordingRule } from '@engine/api'
import { jsonValue } from '@engine/expression'
import type { Kept, Samples } from '../platform/samples.ts'
import type { WorkerPool } from './worker-pool.ts'

/** Milliseconds to wait for workers; late answers are part of the next heartbeat. */
const PATIENCE_MS = 1000

/** What workers keep of decisions, for the owner. */
export interface ServerRecording {
  /** That workers begin with. */
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
      await pool.ask({ kind: 'decisions' }, PATIENCE_MS, (_worker, text) => {
        for (const { sample, size } of jsonValue(text) as unknown as readonly Kept[]) {
          const { seq: _ofWorker, ...rest } = sample
          samples.add(rest, size)
        }
      })
    },
  }
}

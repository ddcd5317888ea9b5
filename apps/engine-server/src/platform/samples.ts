import type { DecisionSample } from '@engine/api'

/** A recorded decision without its sequence number. */
export type Sample = Omit<DecisionSample, 'seq'>

/** A buffer of samples for the next heartbeat. When it is full, the oldest samples are dropped. */
export interface Samples {
  /** @param size approximate number of characters of its JSON text */
  add(sample: Sample, size: number): void
  /** The samples for the next heartbeat, oldest first. Unacknowledged samples are returned again. */
  next(): readonly DecisionSample[]
  /** The platform has received this sample and all earlier ones. */
  heard(seq: number): void
  /** Removes and returns all samples. */
  take(): readonly Kept[]
}

export interface Kept {
  readonly sample: DecisionSample
  readonly size: number
}

/** Maximum number of buffered samples and their characters. */
const MAX = { samples: 500, characters: 4 * 1024 * 1024 } as const
/** Maximum amount sent with one heartbeat. */
const MAX_SENT = { samples: 200, characters: 1024 * 1024 } as const
/** Maximum number of characters of one decision; a larger one is not kept. */
export const MAX_SAMPLE = 64 * 1024

export function createSamples(): Samples {
  let kept: Kept[] = []
  let characters = 0
  let seq = 0
  const drop = (count: number) => {
    for (const { size } of kept.splice(0, count)) characters -= size
  }
  return {
    add(sample, size) {
      kept.push({ sample: { seq: ++seq, ...sample }, size })
      characters += size
      while (kept.length > MAX.samples || characters > MAX.characters) drop(1)
    },
    next() {
      let sum = 0
      const fits = kept.findIndex(({ size }, index) => (sum += size) > MAX_SENT.characters || index >= MAX_SENT.samples)
      return kept.slice(0, fits < 0 ? kept.length : fits).map(({ sample }) => sample)
    },
    heard(upTo) {
      const rest = kept.findIndex(({ sample }) => sample.seq > upTo)
      drop(rest < 0 ? kept.length : rest)
    },
    take() {
      const all = kept
      kept = []
      characters = 0
      return all
    },
  }
}

import type { DecisionSample } from '@engine/api'

/** A decision that is kept, before it is counted. */
export type Sample = Omit<DecisionSample, 'seq'>

/** Samples that wait for a heartbeat. The oldest are dropped for new ones. */
export interface Samples {
  /** @param size characters of its JSON text, about */
  add(sample: Sample, size: number): void
  /** Those for the next heartbeat, oldest first: the same ones again until they were heard. */
  next(): readonly DecisionSample[]
  /** The platform has these, and those before. */
  heard(seq: number): void
  /** Gives up all of them. */
  take(): readonly Kept[]
}

export interface Kept {
  readonly sample: DecisionSample
  readonly size: number
}

/** Samples that are kept, and their characters. */
const MAX = { samples: 500, characters: 4 * 1024 * 1024 } as const
/** Maximum amount sent with one heartbeat. */
const MAX_SENT = { samples: 200, characters: 1024 * 1024 } as const
/** Characters of one decision; a larger one is not kept. */
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

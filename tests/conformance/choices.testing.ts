import fc from 'fast-check'
import type { Random as Source } from '../../packages/expression/src/random.testing.ts'
import type { Random } from '../../packages/ruleset/src/random.testing.ts'

/** Numbers that a generator draws one after the other, and then zeros: fewer and smaller ones make simpler cases. */
export const choices: fc.Arbitrary<readonly number[]> = fc.array(
  fc.integer({ min: 0, max: 2 ** 31 - 1 }).map((choice) => choice / 2 ** 31),
  { maxLength: 400, size: 'max' },
)

/** The choices as the source of a generator. */
export function drawing(from: readonly number[]): Random {
  let at = 0
  return () => from[at++] ?? 0
}

/** The same as the other form of a source. */
export function drawingFrom(from: readonly number[]): Source {
  const next = drawing(from)
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    pick: (items) => items[below(items.length)] as (typeof items)[number],
    chance: (share) => next() < share,
  }
}

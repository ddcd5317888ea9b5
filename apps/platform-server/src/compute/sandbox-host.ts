import type { CaseHost } from '@engine/authoring'
import { makeFunction } from '@engine/expression'
import { setImmediate } from 'node:timers/promises'

/** As that of an engine, but for the outside. */
export const HOST: CaseHost = {
  now: Date.now,
  monotonic: () => performance.now(),
  makeFunction,
  pause: () => setImmediate(),
}

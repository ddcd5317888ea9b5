import type { CaseHost } from '@engine/authoring'
import { makeFunction } from '@engine/expression'
import { setImmediate } from 'node:timers/promises'

/** The host of an engine, with no access to external resources. */
export const HOST: CaseHost = {
  now: Date.now,
  monotonic: () => performance.now(),
  makeFunction,
  pause: () => setImmediate(),
}

import type { CaseHost } from '@engine/authoring'
import { makeFunction } from '@engine/expression'
import { setImmediate } from 'node:timers/promises'

/** The host of an engine without access to anything outside. */
export const HOST: CaseHost = {
  now: Date.now,
  monotonic: () => performance.now(),
  makeFunction,
  pause: () => setImmediate(),
}

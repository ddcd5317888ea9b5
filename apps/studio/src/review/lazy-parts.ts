import { begin, LazyModule } from '../ui/lazy-module.ts'
import type { REVIEW_TABS } from './search.ts'

/**
 * The parts of a review, each loaded when it is opened, since conditions in words, the language worker and grids are
 * large.
 */
export const reviewParts = {
  behavior: new LazyModule(() => import('./behavior.tsx')),
  changes: new LazyModule(() => import('./changes.tsx')),
  tests: new LazyModule(() => import('./tests-of-release.tsx')),
  contract: new LazyModule(() => import('./contract-of-release.tsx')),
  plan: new LazyModule(() => import('./plan.tsx')),
  discussion: new LazyModule(() => import('./discussion.tsx')),
} as const satisfies Readonly<Record<(typeof REVIEW_TABS)[number], unknown>>

/** Preload the part that is shown first. */
export const loadPart = (tab: (typeof REVIEW_TABS)[number]): void => begin([reviewParts[tab]])

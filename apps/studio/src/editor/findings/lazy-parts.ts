import { LazyModule, lazyPart } from '../../ui/lazy-module.ts'

/** The lists of findings and of uncovered parts, loaded when they are shown. */
export const findingModules = {
  list: new LazyModule(() => import('./finding-list.tsx')),
  coverageGaps: new LazyModule(() => import('./coverage-gaps.tsx')),
}

export const FindingList = lazyPart(findingModules.list, (module) => module.FindingList)
export const CoverageGaps = lazyPart(findingModules.coverageGaps, (module) => module.CoverageGaps)

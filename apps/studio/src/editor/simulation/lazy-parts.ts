import { LazyModule, lazyPart } from '../../ui/lazy-module.ts'

/** The modules of the simulation that are loaded when they are shown. */
export const simulationModules = {
  comparison: new LazyModule(() => import('./run-comparison.tsx')),
  cases: new LazyModule(() => import('./cases-view.tsx')),
  simulator: new LazyModule(() => import('./simulator.tsx')),
}

export const RunComparison: typeof import('./run-comparison.tsx').RunComparison = lazyPart(
  simulationModules.comparison,
  (module) => module.RunComparison,
)
export const Simulator: typeof import('./simulator.tsx').Simulator = lazyPart(
  simulationModules.simulator,
  (module) => module.Simulator,
)
export const CasesView: typeof import('./cases-view.tsx').CasesView = lazyPart(
  simulationModules.cases,
  (module) => module.CasesView,
)

import { LazyModule, lazyPart } from '../../ui/lazy-module.ts'

/** The tabs next to the rules that are loaded when they are opened. */
export const sideModules = {
  settings: new LazyModule(() => import('./ruleset-settings.tsx')),
  comments: new LazyModule(() => import('./draft-comments.tsx')),
  history: new LazyModule(() => import('./place-history.tsx')),
}

export const RulesetSettings = lazyPart(sideModules.settings, (module) => module.RulesetSettings)
export const DraftComments = lazyPart(sideModules.comments, (module) => module.DraftComments)
export const PlaceHistory = lazyPart(sideModules.history, (module) => module.PlaceHistory)

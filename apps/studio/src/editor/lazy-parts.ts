import { begin, LazyModule, lazyPart } from '../ui/lazy-module.ts'
import { findingModules } from './findings/lazy-parts.ts'
import { sideModules } from './side/lazy-parts.ts'
import { viewModules } from './lazy-views.ts'
import { simulationModules } from './simulation/lazy-parts.ts'
import { importModules } from './views/lazy-import.ts'

/** Parts of the editor that are loaded when first shown. */
const modules = {
  ...viewModules,
  ...simulationModules,
  ...importModules,
  ...findingModules,
  ...sideModules,
  boxes: new LazyModule(() => import('./forms/dialogs.ts')),
}

export const Flow = lazyPart(modules.flow, (module) => module.Flow)
export const TableView: typeof import('./views/table-view.tsx').TableView = lazyPart(
  modules.table,
  (module) => module.TableView,
)
export const TextView = lazyPart(modules.text, (module) => module.TextView)
export const ConnectBox: typeof import('./forms/dialogs.ts').ConnectBox = lazyPart(
  modules.boxes,
  (module) => module.ConnectBox,
)
export const ExtractBox: typeof import('./forms/dialogs.ts').ExtractBox = lazyPart(
  modules.boxes,
  (module) => module.ExtractBox,
)
export const MergeBox: typeof import('./forms/dialogs.ts').MergeBox = lazyPart(
  modules.boxes,
  (module) => module.MergeBox,
)
export const SaveCaseBox: typeof import('./forms/dialogs.ts').SaveCaseBox = lazyPart(
  modules.boxes,
  (module) => module.SaveCaseBox,
)

/** Load the remaining parts after the first render, so that the editor then works offline. */
export const loadAll = (): void => begin(Object.values(modules))

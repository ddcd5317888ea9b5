import { createElement, type ReactElement, type ReactNode, use } from 'react'
import { begin, LazyModule, viewModules } from './lazy-views.ts'

/** The parts of the editor that are loaded when they are shown. */
const modules = {
  ...viewModules,
  comparison: new LazyModule(() => import('./simulation/run-comparison.tsx')),
  cases: new LazyModule(() => import('./simulation/cases-view.tsx')),
  importBox: new LazyModule(() => import('../table-editor/import-box.tsx')),
  boxes: new LazyModule(() => import('./dialogs/dialogs.ts')),
}

/** A part that is drawn at once where its script is there: `lazy` shows its fallback first, and React keeps that for 300 ms. */
function lazyPart<Module, Props extends object>(
  script: LazyModule<Module>,
  component: (module: Module) => (props: Props) => ReactNode,
): (props: Props) => ReactElement {
  return function Part(props) {
    return createElement(component(use(script.load())), props)
  }
}

export const Flow = lazyPart(modules.flow, (module) => module.Flow)
export const Details = lazyPart(modules.details, (module) => module.Details)
export const TableView: typeof import('./views/table-view.tsx').TableView = lazyPart(
  modules.table,
  (module) => module.TableView,
)
export const TextView = lazyPart(modules.text, (module) => module.TextView)
export const RunComparison: typeof import('./simulation/run-comparison.tsx').RunComparison = lazyPart(
  modules.comparison,
  (module) => module.RunComparison,
)
export const CasesView: typeof import('./simulation/cases-view.tsx').CasesView = lazyPart(
  modules.cases,
  (module) => module.CasesView,
)
export const ImportBox: typeof import('../table-editor/import-box.tsx').ImportBox = lazyPart(
  modules.importBox,
  (module) => module.ImportBox,
)
export const ConnectBox: typeof import('./dialogs/dialogs.ts').ConnectBox = lazyPart(
  modules.boxes,
  (module) => module.ConnectBox,
)
export const ExtractBox: typeof import('./dialogs/dialogs.ts').ExtractBox = lazyPart(
  modules.boxes,
  (module) => module.ExtractBox,
)
export const MergeBox: typeof import('./dialogs/dialogs.ts').MergeBox = lazyPart(
  modules.boxes,
  (module) => module.MergeBox,
)
export const SaveCaseBox: typeof import('./dialogs/dialogs.ts').SaveCaseBox = lazyPart(
  modules.boxes,
  (module) => module.SaveCaseBox,
)

/** Load the rest when the page stands: with the network cut, no part of the editor is missing. */
export const loadAll = (): void => begin(Object.values(modules))

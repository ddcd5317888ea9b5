import { createElement, type ReactElement, type ReactNode, use } from 'react'
import { begin, Script, viewScripts } from './lazy-views.ts'

/** The parts of the editor that are loaded when they are shown. */
const scripts = {
  ...viewScripts,
  comparison: new Script(() => import('./run-comparison.tsx')),
  cases: new Script(() => import('./cases-view.tsx')),
  importBox: new Script(() => import('../table-editor/import-box.tsx')),
  boxes: new Script(() => import('./dialogs.ts')),
}

/** A part that is drawn at once where its script is there: `lazy` shows its fallback first, and React keeps that for 300 ms. */
function part<Module, Props extends object>(
  script: Script<Module>,
  component: (module: Module) => (props: Props) => ReactNode,
): (props: Props) => ReactElement {
  return function Part(props) {
    return createElement(component(use(script.load())), props)
  }
}

export const Flow = part(scripts.flow, (module) => module.Flow)
export const Details = part(scripts.details, (module) => module.Details)
export const TableView: typeof import('./table-view.tsx').TableView = part(scripts.table, (module) => module.TableView)
export const TextView = part(scripts.text, (module) => module.TextView)
export const Comparison: typeof import('./run-comparison.tsx').Comparison = part(
  scripts.comparison,
  (module) => module.Comparison,
)
export const CasesView: typeof import('./cases-view.tsx').CasesView = part(scripts.cases, (module) => module.CasesView)
export const ImportBox: typeof import('../table-editor/import-box.tsx').ImportBox = part(
  scripts.importBox,
  (module) => module.ImportBox,
)
export const ConnectBox: typeof import('./dialogs.ts').ConnectBox = part(scripts.boxes, (module) => module.ConnectBox)
export const ExtractBox: typeof import('./dialogs.ts').ExtractBox = part(scripts.boxes, (module) => module.ExtractBox)
export const MergeBox: typeof import('./dialogs.ts').MergeBox = part(scripts.boxes, (module) => module.MergeBox)
export const SaveCaseBox: typeof import('./dialogs.ts').SaveCaseBox = part(
  scripts.boxes,
  (module) => module.SaveCaseBox,
)

/** Load the rest when the page stands: with the network cut, no part of the editor is missing. */
export const loadAll = (): void => begin(Object.values(scripts))

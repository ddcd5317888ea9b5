import { lazy } from 'react'
import type { View } from './bar.tsx'

/** The parts of the editor that are loaded when they are shown, by the component that each exports. */
const load = {
  Flow: () => import('./flow.tsx'),
  Details: () => import('./details.tsx'),
  TableView: () => import('./table-view.tsx'),
  TextView: () => import('./text-view.tsx'),
  Comparison: () => import('./comparison.tsx'),
  ImportBox: () => import('../table-editor/import-box.tsx'),
  MergeBox: () => import('./merge-box.tsx'),
}

export const Flow = lazy(async () => ({ default: (await load.Flow()).Flow }))
export const Details = lazy(async () => ({ default: (await load.Details()).Details }))
export const TableView = lazy(async () => ({ default: (await load.TableView()).TableView }))
export const TextView = lazy(async () => ({ default: (await load.TextView()).TextView }))
export const Comparison = lazy(async () => ({ default: (await load.Comparison()).Comparison }))
export const ImportBox = lazy(async () => ({ default: (await load.ImportBox()).ImportBox }))
export const MergeBox = lazy(async () => ({ default: (await load.MergeBox()).MergeBox }))

const OF_VIEW = {
  flow: [load.Flow, load.Details],
  table: [load.TableView],
  text: [load.TextView],
} as const satisfies Record<View, readonly (() => Promise<unknown>)[]>

/** What cannot be loaded now is asked for again where it is shown, and the error is told there. */
const begin = (loads: readonly (() => Promise<unknown>)[]) => {
  for (const one of loads) one().catch(() => undefined)
}

/** Load what a view needs, while its draft is still read. */
export const loadView = (view: View): void => begin(OF_VIEW[view])

/** Load the rest when the page stands: with the network cut, no part of the editor is missing. */
export const loadAll = (): void => begin(Object.values(load))

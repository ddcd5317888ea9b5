import { detailsModule } from './forms/lazy-details.ts'
import { begin, LazyModule } from '../ui/lazy-module.ts'
import type { View } from './state/search.ts'

/** The modules of the views, each loaded when first shown. */
export const viewModules = {
  flow: new LazyModule(() => import('./views/flow.tsx')),
  details: detailsModule,
  table: new LazyModule(() => import('./views/table-view.tsx')),
  text: new LazyModule(() => import('./views/text-view.tsx')),
}
const { flow, details, table, text } = viewModules

const OF_VIEW = { flow: [flow, details], table: [table], text: [text] } as const satisfies Record<View, object>

/** Preload the script of a view while its draft is being fetched. */
export const loadView = (view: View): void => begin(OF_VIEW[view])

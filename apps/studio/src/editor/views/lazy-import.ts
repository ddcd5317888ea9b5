import { LazyModule, lazyPart } from '../../ui/lazy-module.ts'

/** The import into a table, loaded when it is shown. */
export const importModules = { importBox: new LazyModule(() => import('../../table-editor/import-box.tsx')) }

export const ImportBox: typeof import('../../table-editor/import-box.tsx').ImportBox = lazyPart(
  importModules.importBox,
  (module) => module.ImportBox,
)

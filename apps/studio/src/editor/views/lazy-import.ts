import { LazyModule, lazyPart } from '../../ui/lazy-module.ts'

/** The assistant for files and pasted cells, loaded when first shown. */
export const importModules = {
  importBox: new LazyModule(() => import('../../table-editor/import-box.tsx')),
  pasteBox: new LazyModule(() => import('../../table-editor/paste-box.tsx')),
}

export const ImportBox: typeof import('../../table-editor/import-box.tsx').ImportBox = lazyPart(
  importModules.importBox,
  (module) => module.ImportBox,
)

export const PasteBox: typeof import('../../table-editor/paste-box.tsx').PasteBox = lazyPart(
  importModules.pasteBox,
  (module) => module.PasteBox,
)

import { begin, LazyModule } from './lazy-module.ts'

/** Menus and dialogs: half as large as a page, and used only after it is shown. */
export const overlays = new LazyModule(() => import('./overlays.tsx'))

/** Load menus and dialogs once a page is rendered: they open without a network. */
export const loadOverlays = (): void => begin([overlays])

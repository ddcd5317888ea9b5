import { begin, LazyModule } from './lazy-module.ts'

/** Menus and dialogs: half as large as a page, and needed only after it is shown. */
export const overlays = new LazyModule(() => import('./overlays.tsx'))

/** Preload menus and dialogs once a page is rendered, so that they also open offline. */
export const loadOverlays = (): void => begin([overlays])

import { LazyModule, lazyPart } from '../../ui/lazy-module.ts'

/** The fields of a step, loaded with the view of the flow. */
export const detailsModule = new LazyModule(() => import('./details.tsx'))

export const Details = lazyPart(detailsModule, (module) => module.Details)

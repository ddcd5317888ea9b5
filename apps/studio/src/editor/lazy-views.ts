import type { View } from './toolbar.tsx'

/** Milliseconds after which a script that did not come is asked for again. */
const RETRY_DELAY_MS = 1000

/** A promise as React's `use` reads it: of one that says that it is fulfilled it takes the value at once. */
type Known<Module> = Promise<Module> & { status?: 'fulfilled'; value?: Module }

/** A script that is loaded when it is used, once. */
export class LazyModule<Module> {
  readonly #fetch: () => Promise<Module>
  #loading: Known<Module> | undefined

  constructor(fetch: () => Promise<Module>) {
    this.#fetch = fetch
  }

  /** What could not be loaded is asked for again after a second: what waits for it fails at once, and does not ask on and on. */
  load(): Promise<Module> {
    if (this.#loading !== undefined) return this.#loading
    const loading: Known<Module> = this.#fetch()
    this.#loading = loading
    loading.then(
      (value) => Object.assign(loading, { status: 'fulfilled', value }),
      () => setTimeout(() => (this.#loading = undefined), RETRY_DELAY_MS),
    )
    return loading
  }
}

/** The modules of the views, each loaded when it is shown. */
export const viewModules = {
  flow: new LazyModule(() => import('./views/flow.tsx')),
  details: new LazyModule(() => import('./details/details.tsx')),
  table: new LazyModule(() => import('./views/table-view.tsx')),
  text: new LazyModule(() => import('./views/text-view.tsx')),
}
const { flow, details, table, text } = viewModules

const OF_VIEW = { flow: [flow, details], table: [table], text: [text] } as const satisfies Record<View, object>

/** Begin to load modules; that one is missing is told where it is shown. */
export function begin(modules: readonly Pick<LazyModule<unknown>, 'load'>[]): void {
  for (const script of modules) script.load().catch(() => undefined)
}

/** Load what a view needs, while its draft is still read. */
export const loadView = (view: View): void => begin(OF_VIEW[view])

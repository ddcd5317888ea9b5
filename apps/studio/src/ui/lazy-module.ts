import { createElement, type ReactElement, type ReactNode, use } from 'react'

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

/** A part that is drawn at once where its script is there: `lazy` shows its fallback first, and React keeps that for 300 ms. */
export function lazyPart<Module, Props extends object>(
  script: LazyModule<Module>,
  component: (module: Module) => (props: Props) => ReactNode,
): (props: Props) => ReactElement {
  return function Part(props) {
    return createElement(component(use(script.load())), props)
  }
}

/** Begin to load modules; that one is missing is told where it is shown. */
export function begin(modules: readonly Pick<LazyModule<unknown>, 'load'>[]): void {
  for (const script of modules) script.load().catch(() => undefined)
}

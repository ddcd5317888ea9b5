import { createElement, type ReactElement, type ReactNode, use } from 'react'

/** Delay before a failed load of a script is retried. */
const RETRY_DELAY_MS = 1000

/** A promise as React's `use` expects it: if its status is `fulfilled`, `use` returns the value synchronously. */
type Known<Module> = Promise<Module> & { status?: 'fulfilled'; value?: Module }

/** A script that is loaded once, on first use. */
export class LazyModule<Module> {
  readonly #fetch: () => Promise<Module>
  #loading: Known<Module> | undefined

  constructor(fetch: () => Promise<Module>) {
    this.#fetch = fetch
  }

  /** A failed import is retried after one second. Until then every call fails immediately, so that calls do not retry in a loop. */
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

/**
 * A component that renders synchronously once its script is loaded. `lazy` would first show its fallback, which React
 * keeps for 300 ms.
 */
export function lazyPart<Module, Props extends object>(
  script: LazyModule<Module>,
  component: (module: Module) => (props: Props) => ReactNode,
): (props: Props) => ReactElement {
  return function Part(props) {
    return createElement(component(use(script.load())), props)
  }
}

/** Start loading modules; a failure is reported where the module is used. */
export function begin(modules: readonly Pick<LazyModule<unknown>, 'load'>[]): void {
  for (const script of modules) script.load().catch(() => undefined)
}

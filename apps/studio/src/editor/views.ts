import type { View } from './bar.tsx'

/** Milliseconds after which a script that did not come is asked for again. */
const AGAIN_MS = 1000

/** A script that is loaded when it is used, once. */
export class Script<Module> {
  /** Undefined: it is not there yet. */
  module: Module | undefined
  readonly #fetch: () => Promise<Module>
  #loading: Promise<Module> | undefined

  constructor(fetch: () => Promise<Module>) {
    this.#fetch = fetch
  }

  /** What could not be loaded is asked for again after a second: what waits for it fails at once, and does not ask on and on. */
  load(): Promise<Module> {
    this.#loading ??= this.#fetch().then(
      (module) => (this.module = module),
      (error: unknown) => {
        setTimeout(() => (this.#loading = undefined), AGAIN_MS)
        throw error
      },
    )
    return this.#loading
  }
}

export const viewScripts = {
  flow: new Script(() => import('./flow.tsx')),
  details: new Script(() => import('./details.tsx')),
  table: new Script(() => import('./table-view.tsx')),
  text: new Script(() => import('./text-view.tsx')),
}
const { flow, details, table, text } = viewScripts

const OF_VIEW = { flow: [flow, details], table: [table], text: [text] } as const satisfies Record<View, object>

/** Begin to load scripts; that one is missing is told where it is shown. */
export function begin(scripts: readonly Pick<Script<unknown>, 'load'>[]): void {
  for (const script of scripts) script.load().catch(() => undefined)
}

/** Load what a view needs, while its draft is still read. */
export const loadView = (view: View): void => begin(OF_VIEW[view])

import type { RulesetCatalog } from '../catalog/catalog.ts'
import { nameOf } from '../store/rule-file-reader.ts'
import { StoreError, type StoreLog } from '../store/store.ts'

/** The outcomes of a rule file written by another program. */
export const RELOAD_RESULTS = ['applied', 'removed', 'rejected'] as const
export type ReloadResult = (typeof RELOAD_RESULTS)[number]

/** Applies external changes of files in the rules directory. */
export interface ReloadService {
  /**
   * Called when the files of these rulesets have changed, or may have. Resolves when the served rulesets match the
   * files; never rejects.
   *
   * @param isFull also retry files that were not served: the cause may be resolved
   */
  reload(names: ReadonlySet<string>, isFull: boolean): Promise<void>
}

export interface ReloadParts {
  readonly catalog: Pick<RulesetCatalog, 'refresh' | 'rejected'>
  readonly counted: (result: ReloadResult) => void
  readonly log: StoreLog
}

/**
 * Maximum number of rulesets loaded from files concurrently: half of the store's capacity, so that requests can use the
 * rest.
 */
const MAX_CONCURRENT_RELOADS = 8

export function createReloadService({ catalog, counted, log }: ReloadParts): ReloadService {
  async function reloadOne(name: string): Promise<void> {
    const refreshed = await catalog.refresh(name)
    for (let count = 0; count < refreshed.rejected; count++) counted('rejected')
    switch (refreshed.kind) {
      case 'unchanged':
        return
      case 'taken-over': {
        const { ruleset } = refreshed
        counted('applied')
        log.info({ ruleset: ruleset.name, version: ruleset.version }, 'a ruleset was loaded from its changed file')
        return
      }
      case 'removed': {
        const { previous } = refreshed
        counted('removed')
        log.info({ ruleset: previous.name }, 'a ruleset was removed with its file')
        // A file whose name differs by case may exist.
        return reloadOne(name)
      }
    }
  }

  async function attempted(name: string): Promise<void> {
    try {
      await reloadOne(name)
    } catch (err) {
      // A closed store means that the server is stopping. Any other error is a defect, which must not stop decisions.
      if (!(err instanceof StoreError)) log.error({ ruleset: name, err }, 'a changed rule file could not be applied')
    }
  }

  return {
    async reload(names, isFull) {
      const failed = isFull ? catalog.rejected.map(({ file }) => nameOf(file)) : []
      const waiting = new Set([...names, ...failed]).values()
      const work = async () => {
        for (const name of waiting) await attempted(name)
      }
      await Promise.all(Array.from({ length: MAX_CONCURRENT_RELOADS }, work))
    },
  }
}

import { noTurn } from './errors.ts'
import type { BeforeWrite, PutResult, Store, StoredRuleset } from './store.ts'
import { createTable, nameKey } from './table.ts'
import { createWriteQueue } from './write-queue.ts'

/** A store whose content is lost when the process ends: the engine without `--rules-dir`. It keeps no versions. */
export function createMemoryStore(): Store {
  const table = createTable()
  // The same queue as the directory store, so that order, refusal after close and the probe behave alike.
  const queue = createWriteQueue(1)

  async function putNow(ruleset: StoredRuleset, before?: BeforeWrite): Promise<PutResult> {
    table.assertFree(ruleset.name)
    const previous = table.get(ruleset.name)
    if (before?.(previous) === false) return { status: 'unchanged', previous }
    table.set(ruleset)
    return { status: previous === undefined ? 'created' : 'updated', previous }
  }

  async function replaceNow(ruleset: StoredRuleset, before?: BeforeWrite): Promise<StoredRuleset | undefined> {
    return table.get(ruleset.name) === undefined ? undefined : (await putNow(ruleset, before)).previous
  }

  async function deleteNow(name: string, before?: BeforeWrite): Promise<StoredRuleset | undefined> {
    const previous = table.get(name)
    if (before?.(previous) === false) return undefined
    table.remove(name)
    return previous
  }

  return {
    mode: 'memory',
    rulesDirectory: '',
    rejected: [],
    isWithheld: () => false,
    isNew: true,
    get size() {
      return table.size
    },
    list: table.all,
    get: table.get,
    onShown: table.onShown,
    put: (ruleset, before) => queue.run(nameKey(ruleset.name), () => putNow(ruleset, before)),
    replace: (ruleset, before) => queue.run(nameKey(ruleset.name), () => replaceNow(ruleset, before)),
    delete: (name, before) => queue.run(nameKey(name), () => deleteNow(name, before)),
    refresh: async () => ({ kind: 'unchanged', rejected: 0 }),
    versions: async () => [],
    version: async () => undefined,
    probe: async (timeoutMs) => ((await queue.hasTurn(timeoutMs)) ? { ok: true } : noTurn(timeoutMs)),
    close: queue.close,
  }
}

import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { openDirectoryStore } from '../../apps/engine-server/src/store/directory.ts'
import { nodeDisk } from '../../apps/engine-server/src/store/disk.ts'
import { storedRuleset } from '../../apps/engine-server/src/store/store.ts'
import { documentOf, NAMES } from './model.testing.ts'

/**
 * Writes to a store until it is killed. Prints the next change (`begin`) and, once the store has acknowledged it,
 * that it is done (`done`), each before anything else happens: standard output is what a client would know.
 */
const [directory = '', start = '0'] = process.argv.slice(2)
const say = (line: object) => writeSync(1, `${JSON.stringify(line)}\n`)
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }
const store = await openDirectoryStore({
  rulesDirectory: directory,
  maxVersions: 100_000,
  disk: nodeDisk,
  decode: async () => ({ faults: [] }),
  decodeLater: async () => ({ faults: [] }),
  log: quiet,
  now: Date.now,
})
// It never comes to its exit, where the cache would be written: the first one writes it for all.
flushCompileCache()
say({ ready: true })

let next = Number(start)

async function work(name: string): Promise<never> {
  for (;;) {
    const id = next++
    const kind = store.get(name) === undefined ? 'put' : ['put', 'put', 'rollback', 'delete'][id % 4]
    if (kind === 'delete') {
      say({ begin: id, name, kind })
      await store.delete(name)
    } else if (kind === 'rollback') {
      const versions = await store.versions(name)
      const seq = versions[id % Math.max(1, versions.length)]?.seq ?? 0
      const target = await store.version(name, seq)
      if (target === undefined) continue
      say({ begin: id, name, kind, version: target.version })
      await store.replace(target)
    } else {
      say({ begin: id, name, kind, version: `1.0.${id}` })
      await store.put(storedRuleset(documentOf(name, `1.0.${id}`)))
    }
    say({ done: id })
  }
}

await Promise.all(NAMES.map(work))

import type { Value } from '@engine/expression'
import type { Fault, RulesetDocument } from '@engine/ruleset'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from './start-error.ts'
import { parseRuleFile } from './store/load.ts'
import { type Store, storedRuleset } from './store/store.ts'

/** Files of a folder that hold its ruleset. */
const FILES = ['ruleset.json', 'ruleset.yaml', 'ruleset.yml'] as const

/**
 * Store the rulesets of `<directory>/*` that are not stored yet: something to begin with. What is stored under a name
 * already, changed or not, stays. Rejects with a `StartError` that names the file at fault.
 */
export async function seed(
  store: Store,
  directory: string,
  decode: (document: Value, text: string) => { readonly problems: readonly Fault[] },
): Promise<void> {
  for (const folder of await foldersOf(directory)) {
    const found = await rulesetIn(join(directory, folder))
    if (found === undefined) continue
    const parsed = parseRuleFile(found.path, found.text)
    if ('reason' in parsed) throw new StartError(`${found.path}: ${parsed.reason}`)
    const [problem] = decode(parsed.document, found.text).problems
    if (problem !== undefined) throw new StartError(`${found.path}: \`${problem.path}\` ${problem.message}`)
    const ruleset = storedRuleset(parsed.document as RulesetDocument)
    if (store.get(ruleset.name) === undefined) await store.put(ruleset)
  }
}

async function foldersOf(directory: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true })
    return entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort()
  } catch (cause) {
    throw new StartError(
      `--seed-dir: ${directory} cannot be read (${(cause as NodeJS.ErrnoException).code ?? 'unknown error'})`,
    )
  }
}

async function rulesetIn(folder: string): Promise<{ path: string; text: string } | undefined> {
  for (const file of FILES) {
    const path = join(folder, file)
    try {
      return { path, text: await readFile(path, 'utf8') }
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw new StartError(`${path} cannot be read`)
    }
  }
  return undefined
}

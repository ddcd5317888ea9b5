import { ENDINGS, ruleFileText } from '@engine/rule-file'
import type { Disk } from './disk.ts'
import { attempt, isThere, temporaryPath, unlinkIfThere } from './durable-files.ts'
import { entryPath, ruleFileOf } from './paths.ts'
import {
  type NewVersion,
  type Outcome,
  removeCopy,
  type Replacement,
  type ReplacementOutcome,
  setAside,
} from './replacement.ts'
import type { StoredRuleset } from './store.ts'

/**
 * The file with the current content of each ruleset: `<name>.json`, or the YAML file that it was read from until it is
 * written here. A conflicting file that was never served is renamed, not overwritten.
 */
export interface CurrentFiles {
  /** Writes new content and saves the replaced one. Rejects, with nothing changed, if that cannot be saved. */
  write(ruleset: StoredRuleset, replaced: NewVersion | undefined): Promise<Outcome>
  /**
   * Removes a ruleset, together with files that would be served instead at the next start. `version` is the path of its
   * saved copy: a failed deletion leaves none.
   */
  remove(name: string, version: string): Promise<Outcome>
}

export interface CurrentFilesOptions {
  readonly rulesDirectory: string
  readonly disk: Disk
  readonly replace: (replacement: Replacement) => Promise<ReplacementOutcome>
  /** The served file of each name at start. Changed with every write. */
  readonly files: Map<string, string>
  /** Called for every file that was set aside, with its new name. */
  readonly wasSetAside: (file: string, aside: string) => void
}

export function createCurrentFiles(options: CurrentFilesOptions): CurrentFiles {
  const { rulesDirectory, disk, files, wasSetAside } = options
  const pathOf = (file: string) => entryPath(rulesDirectory, file)

  async function write({ name, text }: StoredRuleset, replaced: NewVersion | undefined): Promise<Outcome> {
    const file = ruleFileOf(name)
    const outcome = await options.replace({
      rulesDirectory,
      file,
      text: ruleFileText(text),
      served: files.get(name),
      version: replaced,
    })
    if (outcome.kind === 'unsaved') throw outcome.cause
    if (outcome.aside !== undefined) wasSetAside(file, outcome.aside)
    if (outcome.kind === 'done') files.set(name, file)
    return outcome
  }

  async function remove(name: string, version: string): Promise<Outcome> {
    const served = files.get(name) ?? ruleFileOf(name)
    const leaving = temporaryPath(rulesDirectory, served)
    let isGone = false
    try {
      await setOthersAside(name, served)
      if (await isThere(disk, pathOf(served))) await disk.rename(pathOf(served), leaving)
      isGone = true
      await disk.syncDirectory(rulesDirectory)
    } catch (cause) {
      const undone = !isGone || (await attempt(() => disk.rename(leaving, pathOf(served))))
      if (undone) await attempt(() => removeCopy(disk, rulesDirectory, version))
      return { kind: 'failed', cause, undone }
    }
    files.delete(name)
    await attempt(() => unlinkIfThere(disk, leaving))
    return { kind: 'done' }
  }

  /** Otherwise a YAML file shadowed by JSON would restore the deleted ruleset at the next start. */
  async function setOthersAside(name: string, served: string): Promise<void> {
    let isChanged = false
    for (const file of ENDINGS.map((ending) => `${name}${ending}`)) {
      const aside = file === served ? undefined : await setAside(disk, rulesDirectory, file)
      if (aside === undefined) continue
      wasSetAside(file, aside)
      isChanged = true
    }
    if (isChanged) await disk.syncDirectory(rulesDirectory)
  }

  return { write, remove }
}

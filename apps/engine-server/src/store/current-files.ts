import { ENDINGS, ruleFileText } from '@engine/rule-file'
import { randomBytes } from 'node:crypto'
import { entryPath, ruleFileOf } from './paths.ts'
import type { Disk } from './disk.ts'
import { attempt, isThere, temporaryPath, unlinkIfThere, writeTemporary } from './durable-files.ts'
import type { StoredRuleset } from './store.ts'

/**
 * The outcome of a change on disk. `undone` false: the change was made, may not survive a power failure, and could not
 * be undone, so a restart finds the new state.
 */
export type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly cause: unknown; readonly undone: boolean }

/**
 * The file with the current content of each ruleset: `<name>.json`, or the YAML file that it was read from until it is
 * written here. A conflicting file that was never served is renamed, not overwritten.
 */
export interface CurrentFiles {
  /**
   * Writes new content. `saved` is the path of the saved copy of the replaced content: to undo the change, that copy
   * becomes the current file again, which needs no space on a full disk; after any failure the copy is gone. The new content
   * is written while the copy is saved, and renamed afterwards. Rejects as `saved` does, with nothing changed.
   */
  write(ruleset: StoredRuleset, saved: Promise<string | undefined>): Promise<Outcome>
  /**
   * Removes a ruleset, together with files that would be served instead at the next start. `version` as above: a failed
   * deletion leaves no copy.
   */
  remove(name: string, version: string): Promise<Outcome>
}

export interface CurrentFilesOptions {
  readonly rulesDirectory: string
  readonly disk: Disk
  /** The served file of each name at start. Changed with every write. */
  readonly files: Map<string, string>
  /** Called for every file that was set aside, with its new name. */
  readonly wasSetAside: (file: string, aside: string) => void
}

export function createCurrentFiles({ rulesDirectory, disk, files, wasSetAside }: CurrentFilesOptions): CurrentFiles {
  const pathOf = (file: string) => entryPath(rulesDirectory, file)

  /** Returns the new path; undefined when there is no file. */
  async function moveToDeleted(file: string): Promise<string | undefined> {
    if (!(await isThere(disk, pathOf(file)))) return undefined
    // This is not the extension of a rule file, so the renamed file is ignored.
    const aside = `${file}.set-aside-${randomBytes(6).toString('hex')}`
    await disk.rename(pathOf(file), pathOf(aside))
    wasSetAside(file, aside)
    return pathOf(aside)
  }

  async function write({ name, text }: StoredRuleset, saved: Promise<string | undefined>): Promise<Outcome> {
    const file = ruleFileOf(name)
    const path = pathOf(file)
    const isOurs = files.get(name) === file
    const [copy, written] = await Promise.allSettled([
      saved,
      writeTemporary(disk, rulesDirectory, file, ruleFileText(text)),
    ])
    const temporary = written.status === 'fulfilled' ? written.value : undefined
    const discard = async () => temporary === undefined || attempt(() => unlinkIfThere(disk, temporary))
    if (copy.status === 'rejected') {
      await discard()
      throw copy.reason
    }
    const version = copy.value
    let aside: string | undefined
    let isInPlace = false
    try {
      if (written.status === 'rejected') throw written.reason
      if (!isOurs) aside = await moveToDeleted(file)
      await disk.rename(written.value, path)
      isInPlace = true
      await disk.syncDirectory(rulesDirectory)
    } catch (cause) {
      const undone = await attempt(async () => {
        if (isInPlace && isOurs && version !== undefined) await disk.rename(version, path)
        else if (aside !== undefined) await disk.rename(aside, path)
        else if (isInPlace) await unlinkIfThere(disk, path)
      })
      if (!isInPlace) await discard()
      if (undone) await attempt(() => tidy(version))
      // The old file is still in place unless the new one has replaced it.
      return { kind: 'failed', cause, undone: undone || !isInPlace }
    }
    const before = files.get(name)
    files.set(name, file)
    // A start between the two steps finds both files, and JSON takes precedence.
    if (before !== undefined && before !== file) await attempt(() => unlinkIfThere(disk, pathOf(before)))
    return { kind: 'done' }
  }

  /** Durability of a rollback is not required, but sooner is better. */
  async function tidy(version: string | undefined): Promise<void> {
    if (version !== undefined) await unlinkIfThere(disk, version)
    await disk.syncDirectory(rulesDirectory)
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
      if (undone) await attempt(() => tidy(version))
      return { kind: 'failed', cause, undone }
    }
    files.delete(name)
    await attempt(() => unlinkIfThere(disk, leaving))
    return { kind: 'done' }
  }

  /** Otherwise a YAML file shadowed by JSON would restore the deleted ruleset at the next start. */
  async function setOthersAside(name: string, served: string): Promise<void> {
    const others: (string | undefined)[] = []
    for (const ending of ENDINGS) {
      if (`${name}${ending}` !== served) others.push(await moveToDeleted(`${name}${ending}`))
    }
    if (others.some((aside) => aside !== undefined)) await disk.syncDirectory(rulesDirectory)
  }

  return { write, remove }
}

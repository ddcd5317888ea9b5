import { ENDINGS } from '@engine/rule-file'
import { entryPath } from './paths.ts'
import { jsonText } from '@engine/process'
import type { Disk } from './disk.ts'
import { attempt, isDirectory } from './durable-files.ts'
import type { History } from './history.ts'
import {
  byPrecedence,
  type Decode,
  digestOf,
  type FileContent,
  holdsNone,
  judge,
  nameOf,
  type ReadContent,
  readContentOf,
  readIfThere,
} from './rule-file-reader.ts'
import { causeText } from './errors.ts'
import { readWhileServing } from './file-bytes.ts'
import type { Rejection, Rejections } from './rejections.ts'
import { type Accept, type Refreshed, StoreError, type StoredRuleset, type StoreLog } from './store.ts'
import { nameKey, type Table } from './table.ts'

export interface RefreshParts {
  readonly rulesDirectory: string
  readonly disk: Disk
  readonly decodeLater: Decode
  readonly table: Table
  /** The served file of each name. Changed with every applied file. */
  readonly files: Map<string, string>
  readonly history: Pick<History, 'save' | 'prune' | 'forget'>
  readonly rejections: Rejections
  readonly log: StoreLog
}

interface RuleFile {
  readonly file: string
  /** A rejection if the file still has the rejected content. */
  readonly content: ReadContent | Rejection
}

interface Winner {
  readonly file: string
  readonly ruleset: StoredRuleset
}

/** Finds the files of a name on disk. */
function createFileSearch({
  rulesDirectory,
  disk,
  table,
  rejections,
}: RefreshParts): (key: string, name: string) => Promise<readonly RuleFile[]> {
  return filesOf

  /** The content of a file, or its previous rejection; undefined: no file, or no ruleset in it. */
  async function contentOf(file: string): Promise<RuleFile['content'] | undefined> {
    const content = await readIfThere(disk, entryPath(rulesDirectory, file))
    if (content === undefined) return undefined
    const fault = await knownFault(file, content)
    if (fault !== undefined) return fault
    const read = await readContentOf(file, content, readWhileServing)
    return holdsNone(file, read) ? undefined : read
  }

  /** All files of this key. Files with another letter case are found only if they are already known. */
  async function filesOf(key: string, name: string): Promise<readonly RuleFile[]> {
    const known = Array.from(rejections.files()).filter((file) => nameKey(nameOf(file)) === key)
    const holder = table.holder(key) ?? name
    const names = new Set([name, holder, ...known.map(nameOf)])
    // A file whose name differs only by case does not replace the served one.
    const rank = (file: string) => (nameOf(file) === holder ? 0 : 1)
    const candidates = [...names]
      .flatMap((one) => ENDINGS.map((ending) => `${one}${ending}`))
      .sort((left, right) => rank(left) - rank(right) || byPrecedence(left, right))
    const found: RuleFile[] = []
    for (const file of candidates) {
      const content = await contentOf(file)
      if (content === undefined) rejections.delete(file)
      else found.push({ file, content })
    }
    return found
  }

  /** Keeps the same content from being read, rejected and counted again. */
  async function knownFault(file: string, content: FileContent): Promise<Rejection | undefined> {
    const known = rejections.get(file)
    if (known?.content === undefined || !('bytes' in content)) return undefined
    return (await digestOf(content.bytes)) === known.content ? known : undefined
  }
}

/**
 * `Store.refresh`, serialized per name: no write of the same name is under way.
 *
 * The store's own writes are recognised by their content, not by the time of the write, so that an edit right after it
 * is not lost: a file with the served content changes nothing, whichever process wrote it. The files of a name are
 * judged in their order of precedence at a start, with one exception: a broken file that was served is not replaced by
 * the next one, because it may be half saved.
 */
export function createRefresh(parts: RefreshParts): (name: string, accept: Accept) => Promise<Refreshed> {
  const { decodeLater, table, files, history, rejections, log } = parts
  const filesOf = createFileSearch(parts)

  /** Returns 1 if the rejection is new. */
  function reject(rejection: Rejection): number {
    if (!rejections.set(rejection)) return 0
    const { file, reason } = rejection
    log.error({ file, reason }, 'a rule file is not served')
    return 1
  }

  /** Selects the version to serve. `isHeld`: the served file is broken, and its ruleset is kept. */
  async function choose(found: readonly RuleFile[], previous: StoredRuleset | undefined) {
    // The served content needs no new validation, and may have been exempt at start.
    const decode: Decode = async (document, text) =>
      (await jsonText(document)) === previous?.text ? { faults: [] } : decodeLater(document, text)
    const taken = new Map<string, string>()
    const served = previous === undefined ? undefined : files.get(previous.name)
    let winner: Winner | undefined
    let rejected = 0
    for (const { file, content } of found) {
      const verdict = 'file' in content ? content : await judge(file, content, decode, taken)
      if ('reason' in verdict) {
        rejected += reject({ ...verdict, file })
        if (file !== served) continue
      } else {
        winner = { file, ruleset: verdict }
      }
      const key = nameKey(nameOf(file))
      if (!taken.has(key)) taken.set(key, file)
    }
    return { winner, isHeld: winner === undefined && taken.size > 0, rejected }
  }

  /** Why a ruleset was not applied; undefined when it was. */
  async function takeOver(winner: Winner, previous: StoredRuleset | undefined, accept: Accept) {
    const { ruleset } = winner
    try {
      accept(ruleset)
    } catch (error) {
      if (error instanceof StoreError) return error.message
      throw error
    }
    try {
      if (previous !== undefined) await history.save(previous)
    } catch (cause) {
      return `the replaced content could not be kept as a version: ${causeText(cause)}`
    }
    table.set(ruleset)
    serve(winner)
    if (previous !== undefined) await attempt(() => history.prune(ruleset.name))
    return undefined
  }

  function serve({ file, ruleset }: Winner): void {
    files.set(ruleset.name, file)
    rejections.delete(file)
  }

  return async (name, accept) => {
    const key = nameKey(name)
    const previous = table.get(table.holder(key) ?? name)
    const found = await filesOf(key, name)
    const { winner, isHeld, rejected } = await choose(found, previous)
    if (winner === undefined) {
      const isLeft = found.some(({ file }) => nameOf(file) === previous?.name)
      return previous === undefined || isHeld || isLeft
        ? { kind: 'unchanged', rejected }
        : remove(parts, previous, rejected)
    }
    const { ruleset } = winner
    // The same name in another letter case: removed now, added by the next pass.
    if (previous !== undefined && previous.name !== ruleset.name) return remove(parts, previous, rejected)
    if (previous?.text === ruleset.text) {
      serve(winner)
      return { kind: 'unchanged', rejected }
    }
    const reason = await takeOver(winner, previous, accept)
    if (reason === undefined) return { kind: 'taken-over', ruleset, previous, rejected }
    return { kind: 'unchanged', rejected: rejected + reject({ file: winner.file, reason, content: undefined }) }
  }
}

async function remove(parts: RefreshParts, previous: StoredRuleset, rejected: number): Promise<Refreshed> {
  const { rulesDirectory, disk, table, files, history } = parts
  // A missing directory, such as a volume that is not mounted, removes no rulesets.
  if (!(await isDirectory(disk, rulesDirectory))) return { kind: 'unchanged', rejected }
  await keepVersion(parts, previous)
  history.forget(previous.name)
  table.remove(previous.name)
  files.delete(previous.name)
  return { kind: 'removed', previous, rejected }
}

/** The file is gone, so the ruleset is removed even if its version cannot be saved. */
async function keepVersion({ history, log }: RefreshParts, previous: StoredRuleset): Promise<void> {
  try {
    await history.save(previous)
  } catch (cause) {
    log.warn({ ruleset: previous.name, reason: causeText(cause) }, 'could not keep a version of a removed ruleset')
    return
  }
  await attempt(() => history.prune(previous.name))
}

import type { Value } from '@engine/expression'
import { ENDINGS, endingOf, isCompanion, isNamedCompanion, LARGEST_RULE_FILE, readRuleFile } from '@engine/rule-file'
import type { RulesetDocument } from '@engine/ruleset'
import { hash } from 'node:crypto'
import { entryPath } from '../places.ts'
import type { Disk, Entry } from './disk.ts'
import { causeText, errorCode } from './problems.ts'
import type { Rejection } from './rejections.ts'
import { StoreError, type StoredRuleset, storedRuleset } from './store.ts'
import { nameKey } from './table.ts'

/** Why a document is no ruleset: one message a fault; empty when it is one. */
export type Decode = (document: Value, text: string | undefined) => readonly string[]

export interface Loaded {
  readonly rulesets: readonly { readonly ruleset: StoredRuleset; readonly file: string }[]
  readonly rejected: readonly Rejection[]
}

/** Files that are read at the same time. */
const AT_ONCE = 64

/** Read all rule files of a directory. A file that cannot be served is reported with its reason and left alone. */
export async function loadDirectory(
  disk: Disk,
  directory: string,
  entries: readonly Entry[],
  decode: Decode,
): Promise<Loaded> {
  const candidates = entries
    .filter(isRuleFile)
    .map(({ name }) => name)
    .sort(byPrecedence)
  const rulesets: { ruleset: StoredRuleset; file: string }[] = []
  const rejected: Rejection[] = []
  const taken = new Map<string, string>()
  for (let start = 0; start < candidates.length; start += AT_ONCE) {
    const files = candidates.slice(start, start + AT_ONCE)
    const contents = await Promise.all(files.map((file) => readContent(disk, entryPath(directory, file))))
    for (const [index, file] of files.entries()) {
      const content = contents[index] as FileContent
      if (holdsNone(file, content)) continue
      const verdict = judge(file, content, decode, taken)
      if ('reason' in verdict) rejected.push({ file, ...verdict })
      else {
        taken.set(nameKey(verdict.name), file)
        rulesets.push({ ruleset: verdict, file })
      }
    }
  }
  return { rulesets, rejected }
}

/** Whether an entry of the rules directory is looked at as a rule file, whatever is in it. */
export function isRuleFile({ name, kind }: Entry): boolean {
  return !name.startsWith('.') && kind !== 'directory' && endingOf(name) !== undefined
}

/** Whether a file is the test cases or the contract of a rule file, and none itself. */
export function holdsNone(file: string, content: FileContent): boolean {
  return isNamedCompanion(file) && 'bytes' in content && isCompanion(file, readRuleFile(file, content.bytes))
}

/** The name of the ruleset that a rule file must hold: its own without the ending. */
export function nameOf(file: string): string {
  return file.slice(0, file.length - (endingOf(file)?.length ?? 0))
}

/** Of several files with one ruleset the first one in this order is served. */
export function byPrecedence(left: string, right: string): number {
  return rank(left) - rank(right) || (left < right ? -1 : 1)
}

/** The content of a file, or why it cannot be read. */
export type FileContent = { readonly bytes: Uint8Array } | { readonly reason: string }

/** Does not reject: a file that cannot be read is not served. */
async function readContent(disk: Disk, path: string): Promise<FileContent> {
  try {
    const content = await disk.read(path, LARGEST_RULE_FILE)
    return content.kind === 'refused' ? { reason: content.reason } : { bytes: content.bytes }
  } catch (cause) {
    return { reason: UNREAD.get(errorCode(cause)) ?? causeText(cause) }
  }
}

/** As `readContent`; undefined when there is no file of this name. */
export async function readIfThere(disk: Disk, path: string): Promise<FileContent | undefined> {
  try {
    const kind = await disk.kind(path)
    return kind === 'absent' || kind === 'directory' ? undefined : await readContent(disk, path)
  } catch (cause) {
    return { reason: causeText(cause) }
  }
}

/** Why one file could not be read, where that is not the fault of the directory. */
const UNREAD: ReadonlyMap<string, string> = new Map([
  ['ELOOP', 'it is a symbolic link'],
  ['EACCES', 'the server has no permission to read it'],
  ['EPERM', 'the server has no permission to read it'],
  ['ENOENT', 'it went away while it was read'],
  ['ENXIO', 'it is not a regular file'],
])

/**
 * The ruleset in a file, or why it is not served.
 *
 * @param taken files that come first, by the key of their ruleset's name
 */
export function judge(
  file: string,
  content: FileContent,
  decode: Decode,
  taken: ReadonlyMap<string, string>,
): StoredRuleset | Omit<Rejection, 'file'> {
  if ('reason' in content) return { reason: content.reason, content: undefined }
  const atFault = (reason: string) => ({ reason, content: digestOf(content.bytes) })
  const read = readRuleFile(file, content.bytes)
  if ('reason' in read) return atFault(read.reason)
  const [first, ...others] = decode(read.document, read.text)
  if (first !== undefined) return atFault(`${first}${others.length === 0 ? '' : `; and ${others.length} more`}`)
  let ruleset: StoredRuleset
  try {
    ruleset = storedRuleset(read.document as RulesetDocument)
  } catch (error) {
    if (error instanceof StoreError) return atFault(error.message)
    throw error
  }
  if (nameOf(file) !== ruleset.name)
    return atFault(`the file must be called like the ruleset in it, \`${ruleset.name}\``)
  const holder = taken.get(nameKey(ruleset.name))
  if (holder !== undefined) return { reason: `\`${holder}\` holds the ruleset of this name`, content: undefined }
  return ruleset
}

/** Tells contents of files apart. */
export function digestOf(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'base64')
}

function rank(file: string): number {
  return ENDINGS.findIndex((ending) => file.endsWith(ending))
}

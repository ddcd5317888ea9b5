import type { Awaitable } from '@engine/process'
import { isList, isObject, quote, type Value, defined } from '@engine/expression'
import { ENDINGS, endingOf, isCompanion, isNamedCompanion, MAX_RULE_FILE, type ReadRuleFile } from '@engine/rule-file'
import { hash, subtle } from 'node:crypto'
import { entryPath } from './paths.ts'
import type { Disk, Entry } from './disk.ts'
import { causeText, errorCode } from './errors.ts'
import type { Rejection } from './rejections.ts'
import { readAtStart } from './file-bytes.ts'
import { StoreError, type StoredRuleset, storedInTurns } from './store.ts'
import { nameKey } from './table.ts'

/** Validates a document: the reasons why it is not a ruleset, or the data for storing it. */
export type Decode = (document: Value, text: string | undefined) => Promise<Decoded>

export interface Decoded {
  /** One message per fault; empty if the document is a ruleset. */
  readonly faults: readonly string[]
  /** Called with the stored ruleset before it becomes readable. */
  readonly storing?: (ruleset: StoredRuleset) => void
}

export interface Loaded {
  readonly rulesets: readonly { readonly ruleset: StoredRuleset; readonly file: string }[]
  readonly rejected: readonly Rejection[]
}

/** Maximum number of files read concurrently. */
const MAX_CONCURRENT_READS = 64

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
  for (let start = 0; start < candidates.length; start += MAX_CONCURRENT_READS) {
    const files = candidates.slice(start, start + MAX_CONCURRENT_READS)
    const contents = await Promise.all(files.map((file) => readContent(disk, entryPath(directory, file))))
    for (const [index, file] of files.entries()) {
      const content = defined(contents[index])
      const read = await readContentOf(file, content, readAtStart)
      if (holdsNone(file, read)) continue
      const verdict = await judge(file, read, decode, taken)
      if ('reason' in verdict) rejected.push({ file, ...verdict })
      else {
        taken.set(nameKey(verdict.name), file)
        rulesets.push({ ruleset: verdict, file })
      }
    }
  }
  return { rulesets, rejected }
}

/** Whether an entry of the rules directory counts as a rule file, by its name alone. */
export function isRuleFile({ name, kind }: Entry): boolean {
  return !name.startsWith('.') && kind !== 'directory' && endingOf(name) !== undefined
}

/** True if a file holds the test cases or the contract of a rule file, not a ruleset. */
export function holdsNone(file: string, content: ReadContent): boolean {
  return isNamedCompanion(file) && 'document' in content && isCompanion(file, content)
}

/** The ruleset name that a rule file must contain: the file name without its extension. */
export function nameOf(file: string): string {
  return file.slice(0, file.length - (endingOf(file)?.length ?? 0))
}

/** Sorts several files of the same ruleset: the first one is served. */
export function byPrecedence(left: string, right: string): number {
  return rank(left) - rank(right) || (left < right ? -1 : 1)
}

/** The content of a file, or why it cannot be read. */
export type FileContent = { readonly bytes: Uint8Array } | { readonly reason: string }

/** The result of reading a file, with its bytes; undefined if they could not be read. */
export type ReadContent = ReadRuleFile & { readonly bytes: Uint8Array | undefined }

/** Parses the bytes of a rule file; returns a promise for a large one. */
export type ReadBytes = (file: string, bytes: Uint8Array) => Awaitable<ReadRuleFile>

/** @param read parses the bytes */
export async function readContentOf(file: string, content: FileContent, read: ReadBytes): Promise<ReadContent> {
  if ('reason' in content) return { ...content, bytes: undefined }
  const { bytes } = content
  const found = await read(file, bytes)
  const isDraft = 'document' in found && isObject(found.document) && isList(found.document['steps'] ?? null)
  return { ...(isDraft ? await rulesetOfDraft(found.document, bytes.length) : found), bytes }
}

/** Maximum size of a draft in bytes, the same as on the platform: it is converted in one piece, in about a second. */
const MAX_DRAFT_BYTES = 10 * 1024 * 1024

/** Converts a draft of the editor to its ruleset, or returns all its errors. */
async function rulesetOfDraft(document: Value, length: number): Promise<ReadRuleFile> {
  if (length > MAX_DRAFT_BYTES) return { reason: `it is a draft of ${length} bytes, the limit is ${MAX_DRAFT_BYTES}` }
  // Loaded on demand: few directories contain drafts.
  const { convertDraftDocument } = await import('@engine/authoring')
  const { ruleset, problems } = convertDraftDocument(document)
  if (ruleset !== undefined) return { document: ruleset, text: undefined }
  const errors = problems.filter(({ severity }) => severity === 'error')
  const [first] = errors
  const more = errors.length > 1 ? `; and ${errors.length - 1} more` : ''
  return { reason: `it is a draft with errors: ${first?.path ?? ''} ${first?.message ?? ''}${more}` }
}

/** Does not reject: a file that cannot be read is not served. */
async function readContent(disk: Disk, path: string): Promise<FileContent> {
  try {
    const content = await disk.read(path, MAX_RULE_FILE)
    return content.kind === 'refused' ? { reason: content.reason } : { bytes: content.bytes }
  } catch (cause) {
    return { reason: UNREAD.get(errorCode(cause)) ?? causeText(cause) }
  }
}

/** Like `readContent`; undefined if the file does not exist. */
export async function readIfThere(disk: Disk, path: string): Promise<FileContent | undefined> {
  try {
    const kind = await disk.kind(path)
    return kind === 'absent' || kind === 'directory' ? undefined : await readContent(disk, path)
  } catch (cause) {
    return { reason: causeText(cause) }
  }
}

/** Why one file could not be read although the directory can. */
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
 * @param taken files with precedence, by the key of their ruleset's name
 */
export async function judge(
  file: string,
  read: ReadContent,
  decode: Decode,
  taken: ReadonlyMap<string, string>,
): Promise<StoredRuleset | Omit<Rejection, 'file'>> {
  const atFault = async (reason: string) => ({
    reason,
    content: read.bytes === undefined ? undefined : await digestOf(read.bytes),
  })
  if ('reason' in read) return atFault(read.reason)
  const { faults, storing } = await decode(read.document, read.text)
  const [first, ...others] = faults
  if (first !== undefined) return atFault(`${first}${others.length === 0 ? '' : `; and ${others.length} more`}`)
  if (!isObject(read.document)) return atFault('it holds no object')
  let ruleset: StoredRuleset
  try {
    ruleset = await storedInTurns(read.document)
  } catch (error) {
    if (error instanceof StoreError) return atFault(error.message)
    throw error
  }
  if (nameOf(file) !== ruleset.name)
    return atFault(`the file must be called like the ruleset in it, ${quote(ruleset.name)}`)
  const holder = taken.get(nameKey(ruleset.name))
  if (holder !== undefined) return { reason: `${quote(holder)} holds the ruleset of this name`, content: undefined }
  storing?.(ruleset)
  return ruleset
}

/** Largest content hashed on this thread, in bytes: a millisecond. Larger content is hashed on another thread. */
const MAX_SYNC_HASH_BYTES = 256 * 1024

/** The digest by which contents of files are compared. */
export async function digestOf(bytes: Uint8Array): Promise<string> {
  if (bytes.length <= MAX_SYNC_HASH_BYTES) return hash('sha256', bytes, 'base64')
  return Buffer.from(await subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)).toString('base64')
}

function rank(file: string): number {
  return ENDINGS.findIndex((ending) => file.endsWith(ending))
}

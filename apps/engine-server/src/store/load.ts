import type { Value } from '@engine/expression'
import { ENDINGS, endingOf, readRuleFile } from '@engine/rule-file'
import type { RulesetDocument } from '@engine/ruleset'
import { join } from 'node:path'
import type { Disk, Entry } from './disk.ts'
import { causeText, errorCode } from './problems.ts'
import { type RejectedFile, type StoredRuleset, storedRuleset } from './store.ts'

/** Why a document is no ruleset: one message a fault; empty when it is one. */
export type Decode = (document: Value, text: string | undefined) => readonly string[]

export interface Loaded {
  readonly rulesets: readonly { readonly ruleset: StoredRuleset; readonly file: string }[]
  readonly rejected: readonly RejectedFile[]
}

/** Bytes of one rule file. */
const LARGEST = 64 * 1024 * 1024
/** Files that are read at the same time. */
const AT_ONCE = 64

/** Read all rule files of a directory. A file that cannot be served is told with its reason and left alone. */
export async function loadDirectory(
  disk: Disk,
  directory: string,
  entries: readonly Entry[],
  decode: Decode,
): Promise<Loaded> {
  const candidates = entries
    .filter(({ name, kind }) => !name.startsWith('.') && kind !== 'directory' && endingOf(name) !== undefined)
    .map(({ name }) => name)
    .sort((left, right) => rank(left) - rank(right) || (left < right ? -1 : 1))
  const rulesets: { ruleset: StoredRuleset; file: string }[] = []
  const rejected: RejectedFile[] = []
  const taken = new Map<string, string>()
  for (let start = 0; start < candidates.length; start += AT_ONCE) {
    const files = candidates.slice(start, start + AT_ONCE)
    const contents = await Promise.all(files.map((file) => bytesOf(disk, join(directory, file))))
    for (const [index, file] of files.entries()) {
      const outcome = load(file, contents[index] as Bytes, decode, taken)
      if ('reason' in outcome) rejected.push({ file, reason: outcome.reason })
      else {
        taken.set(outcome.name.toLowerCase(), file)
        rulesets.push({ ruleset: outcome, file })
      }
    }
  }
  return { rulesets, rejected: rejected.sort((left, right) => (left.file < right.file ? -1 : 1)) }
}

type Bytes = { readonly bytes: Uint8Array } | { readonly reason: string }

async function bytesOf(disk: Disk, path: string): Promise<Bytes> {
  try {
    const content = await disk.read(path, LARGEST)
    return content.kind === 'refused' ? { reason: content.reason } : { bytes: content.bytes }
  } catch (cause) {
    return { reason: UNREAD.get(errorCode(cause)) ?? causeText(cause) }
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

function load(
  file: string,
  content: Bytes,
  decode: Decode,
  taken: ReadonlyMap<string, string>,
): StoredRuleset | { reason: string } {
  if ('reason' in content) return content
  const read = readRuleFile(file, content.bytes)
  if ('reason' in read) return read
  const [first, ...others] = decode(read.document, read.text)
  if (first !== undefined) return { reason: `${first}${others.length === 0 ? '' : `; and ${others.length} more`}` }
  const ruleset = storedRuleset(read.document as RulesetDocument)
  const stem = file.slice(0, -(endingOf(file)?.length ?? 0))
  if (stem !== ruleset.name) return { reason: `the file must be called like the ruleset in it, \`${ruleset.name}\`` }
  const holder = taken.get(ruleset.name.toLowerCase())
  if (holder !== undefined) return { reason: `\`${holder}\` holds the ruleset of this name` }
  return ruleset
}

function rank(file: string): number {
  return ENDINGS.findIndex((ending) => file.endsWith(ending))
}

import { parseJson, type Value } from '@engine/expression'
import type { RulesetDocument } from '@engine/ruleset'
import { isUtf8 } from 'node:buffer'
import { join } from 'node:path'
import type { Disk, Entry } from './disk.ts'
import { causeText, errorCode } from './problems.ts'
import { type RejectedFile, type StoredRuleset, storedRuleset } from './store.ts'
import { yamlToJson } from './yaml-text.ts'

/** Why a document is no ruleset: one message a fault; empty when it is one. */
export type Decode = (document: Value, text: string) => readonly string[]

export interface Loaded {
  readonly rulesets: readonly { readonly ruleset: StoredRuleset; readonly file: string }[]
  readonly rejected: readonly RejectedFile[]
}

/** Rule files by their ending; the first of several with one name is served. */
export const ENDINGS = ['.json', '.yaml', '.yml', '.engine'] as const

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
    const texts = await Promise.all(files.map((file) => readText(disk, join(directory, file))))
    for (const [index, file] of files.entries()) {
      const outcome = load(file, texts[index] as Text, decode, taken)
      if ('reason' in outcome) rejected.push({ file, reason: outcome.reason })
      else {
        taken.set(outcome.name.toLowerCase(), file)
        rulesets.push({ ruleset: outcome, file })
      }
    }
  }
  return { rulesets, rejected: rejected.sort((left, right) => (left.file < right.file ? -1 : 1)) }
}

type Text = { readonly text: string } | { readonly reason: string }

async function readText(disk: Disk, path: string): Promise<Text> {
  try {
    const content = await disk.read(path, LARGEST)
    if (content.kind === 'refused') return { reason: content.reason }
    if (!isUtf8(content.bytes)) return { reason: 'it is not valid UTF-8' }
    return { text: Buffer.from(content.bytes).toString('utf8') }
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
  content: Text,
  decode: Decode,
  taken: ReadonlyMap<string, string>,
): StoredRuleset | { reason: string } {
  if ('reason' in content) return content
  const parsed = parseRuleFile(file, content.text)
  if ('reason' in parsed) return parsed
  const [first, ...others] = decode(parsed.document, file.endsWith('.json') ? content.text : '')
  if (first !== undefined) return { reason: `${first}${others.length === 0 ? '' : `; and ${others.length} more`}` }
  const ruleset = storedRuleset(parsed.document as RulesetDocument)
  const stem = file.slice(0, -(endingOf(file)?.length ?? 0))
  if (stem !== ruleset.name) return { reason: `the file must be called like the ruleset in it, \`${ruleset.name}\`` }
  const holder = taken.get(ruleset.name.toLowerCase())
  if (holder !== undefined) return { reason: `\`${holder}\` holds the ruleset of this name` }
  return ruleset
}

/** The document in the text of a rule file, JSON or YAML by its name. */
export function parseRuleFile(file: string, text: string): { readonly document: Value } | { readonly reason: string } {
  const ending = endingOf(file)
  if (ending === '.engine' && !text.trimStart().startsWith('{'))
    return { reason: 'compiled rule files (`.engine`) are not read by this build yet' }
  return ending === '.yaml' || ending === '.yml' ? parseYaml(text) : parseRuleJson(text)
}

function parseRuleJson(text: string): { document: Value } | { reason: string } {
  const parsed = parseJson(text, { duplicateKeys: 'refuse' })
  return parsed.kind === 'parsed' ? { document: parsed.value } : { reason: parsed.problem.message }
}

/** YAML becomes JSON text first, so that both have the same limits and the same values. */
function parseYaml(text: string): { document: Value } | { reason: string } {
  const converted = yamlToJson(text)
  return 'reason' in converted ? converted : parseRuleJson(converted.json)
}

function endingOf(file: string): (typeof ENDINGS)[number] | undefined {
  return ENDINGS.find((ending) => file.endsWith(ending))
}

function rank(file: string): number {
  return ENDINGS.findIndex((ending) => file.endsWith(ending))
}

import { isDecimal, isObject, type Value } from '@engine/expression'
import { endingOf, type Ending, ENDINGS, readRuleFile, type ReadRuleFile, writeRuleFile } from '@engine/rule-file'
import { SIGNATURE_FIELD } from '@engine/signing'
import { decodeRuleset, type DecodeOptions, type Ruleset, type RulesetDocument } from '@engine/ruleset'
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { placed, type Problem } from './problem.ts'
import { ToolError } from './tool.ts'

/** A rule file as the tools see it: read, and a ruleset. */
export interface RuleFile {
  readonly ending: Ending
  readonly bytes: Uint8Array
  readonly document: RulesetDocument
}

/** Read a rule file and ensure that an engine accepts it. Throws `ToolError` with all its errors. */
export async function readRuleset(path: string): Promise<RuleFile> {
  const ending = ruleEnding(path)
  const bytes = await contentOf(path)
  const read = readRuleFile(path, bytes)
  const { problems } = decodeRuleFile(read)
  if ('reason' in read || problems.length > 0 || !isObject(read.document))
    throw new ToolError(problems.map((problem) => placed(path, problem)).join('\n'))
  return { ending, bytes, document: read.document }
}

/** A rule file, decoded as far as it goes. */
export interface DecodedRuleFile {
  /** Undefined when it is invalid; see `problems`. */
  readonly ruleset?: Ruleset
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
  /** See `DecodedRuleset`. */
  readonly tolerated: readonly Problem[]
}

/** A file as an engine would read it. An unreadable file has that as its problem. */
export function decodeRuleFile(
  read: ReadRuleFile,
  { isStored }: Pick<DecodeOptions, 'isStored'> = {},
): DecodedRuleFile {
  if ('reason' in read) return { problems: [{ path: '', message: read.reason }], warnings: [], tolerated: [] }
  return decodeRuleset(read.document, { text: read.text, isStored })
}

/** The form of a rule file by its name. Throws `ToolError`. */
export function ruleEnding(path: string): Ending {
  const ending = endingOf(path)
  if (ending === undefined) throw new ToolError(`${path}: expected a name that ends in ${ENDINGS.join(', ')}`)
  return ending
}

/** Throws `ToolError`. */
export async function contentOf(path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (cause) {
    throw readError(path, cause)
  }
}

/**
 * The bytes of a rule file, read back and compared: a signature or a decision would change with any text that the form of the
 * file did not keep. Throws `ToolError`, and what `writeRuleFile` throws.
 */
export function verifiedRuleFile(
  path: string,
  ending: Ending,
  document: RulesetDocument,
  original?: Uint8Array,
): Uint8Array {
  const bytes = writeRuleFile(ending, document, original)
  const read = readRuleFile(`x${ending}`, bytes)
  if (
    'document' in read &&
    isObject(read.document) &&
    isDeepStrictEqual(contentOfDocument(read.document), contentOfDocument(document))
  )
    return bytes
  throw new ToolError(`${path}: not written, because \`${ending}\` would not keep each value: use another form`)
}

/** The content that determines a ruleset's decisions: the signature has another form in a compiled file. */
const contentOfDocument = (document: RulesetDocument) => comparable({ ...document, [SIGNATURE_FIELD]: null })

/** Normalizes what file formats represent differently without effect on rules: the sign of zero. */
function comparable(value: Value): unknown {
  if (typeof value === 'number') return value + 0
  if (typeof value !== 'object' || value === null) return value
  if (isDecimal(value)) return String(value)
  if (Array.isArray(value)) return value.map(comparable)
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, comparable(member)]))
}

/** Replace a file atomically: concurrent readers see the old content or the new. Throws `ToolError`. */
export async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.tmp-${randomBytes(6).toString('hex')}`)
  try {
    const mode = await modeOf(path)
    await writeFile(temporary, bytes, { flag: 'wx', flush: true, ...(mode === undefined ? {} : { mode }) })
    await rename(temporary, path)
  } catch (cause) {
    await rm(temporary, { force: true })
    throw writeError(path, cause)
  }
}

/** Who may read a file stays as it is when it is replaced. */
async function modeOf(path: string): Promise<number | undefined> {
  const found = await stat(path).catch(() => undefined)
  return found === undefined ? undefined : found.mode & 0o777
}

/** Plain words for the system errors that users can mend. */
const CAUSES: Readonly<Record<string, string>> = {
  EACCES: 'you have no permission',
  EISDIR: 'it is a folder',
  ELOOP: 'it is a symbolic link to itself',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of its path is a file, where a folder is needed',
  EPERM: 'you have no permission',
  EROFS: 'the disk is read-only',
  Z_BUF_ERROR: 'it is cut off, or not compressed by gzip',
  Z_DATA_ERROR: 'it is damaged, or not compressed by gzip',
}

function causeText(cause: unknown, missing: string): string {
  const code = codeOf(cause)
  return code === 'ENOENT' ? missing : (CAUSES[code] ?? code)
}

/** The error of a path that cannot be read. */
export function readError(path: string, cause: unknown): ToolError {
  return new ToolError(`${path}: cannot be read: ${causeText(cause, 'it does not exist')}`)
}

/** The error of a path that cannot be written. */
export function writeError(path: string, cause: unknown): ToolError {
  return new ToolError(`${path}: cannot be written: ${causeText(cause, 'its folder does not exist')}`)
}

/** The code of a system error; of other errors their text. */
export function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : String(cause)
}

/**
 * Make a directory with its missing parents; existing ones are kept. From the top down, because Node's recursive
 * `mkdir` never returns when the parent exists and the system still answers ENOENT (`/proc/x`). Rejects with the
 * system's error.
 */
export async function makeDirectory(path: string): Promise<void> {
  const isThere = () =>
    stat(path).then(
      (status) => status.isDirectory(),
      () => false,
    )
  if (await isThere()) return
  if (dirname(path) !== path) await makeDirectory(dirname(path))
  await mkdir(path).catch(async (cause: unknown) => {
    if (!(await isThere())) throw cause
  })
}

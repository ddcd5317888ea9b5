import type { RulesetDocument } from '@engine/ruleset'
import { MAX_RULE_FILE } from '@engine/rule-file'
import { isObject, type ParsedJson, parseJson, stringifyJson } from '@engine/expression'
import { jsonText, parsedJson } from '@engine/process'

/**
 * One stored ruleset. The document is kept as text: about a fifth of the memory of the parsed value, and reading it
 * back is rare. `documentOf` gives the value.
 */
export interface StoredRuleset {
  readonly name: string
  /** `config.version`, `1.0.0` when the document has none. */
  readonly version: string
  readonly description: string | null
  /** Number of steps. */
  readonly stepCount: number
  /** The document as compact JSON, integers beyond 2^53 exact: what `GET /rulesets/:name` answers. */
  readonly text: string
}

/**
 * The entry for a document that the decoder of `@engine/ruleset` has accepted. Throws `StoreError` `too-large` when its
 * text would be larger than the file of a ruleset may be, and a `TypeError` (a defect) on one without `config.name`.
 *
 * @param text the output of `stringifyJson` for the document, if it is already available
 */
export function storedRuleset(document: RulesetDocument, text?: string): StoredRuleset {
  const { config, steps } = document
  const { name, version, description } = isObject(config) ? config : {}
  if (typeof name !== 'string') throw new TypeError('a document without a name reached the store')
  return {
    name,
    version: typeof version === 'string' ? version : '1.0.0',
    description: typeof description === 'string' ? description : null,
    stepCount: steps !== undefined && isObject(steps) ? Object.keys(steps).length : 0,
    text: fitting(text ?? textOf(document), name),
  }
}

/** Like `storedRuleset`, but a large document is serialized in pieces between other requests. */
export async function storedInTurns(document: RulesetDocument): Promise<StoredRuleset> {
  try {
    return storedRuleset(document, await jsonText(document))
  } catch (error) {
    throw withinReach(error, document)
  }
}

function textOf(document: RulesetDocument): string {
  try {
    return stringifyJson(document)
  } catch (error) {
    throw withinReach(error, document)
  }
}

/** Turns V8's "Invalid string length", a limit of half a gigabyte, into the error for a ruleset that is too large. */
function withinReach(error: unknown, { config }: RulesetDocument): unknown {
  const name = isObject(config) ? config['name'] : undefined
  return error instanceof RangeError && typeof name === 'string' ? tooLarge(name) : error
}

function fitting(text: string, name: string): string {
  // A character is at most three bytes: most texts need not be counted.
  if (text.length * 3 > MAX_RULE_FILE && Buffer.byteLength(text) > MAX_RULE_FILE) throw tooLarge(name)
  return text
}

function tooLarge(name: string): StoreError {
  return new StoreError(
    'too-large',
    `\`${name}\` is larger than ${MAX_RULE_FILE} bytes as JSON text, the limit of a rule file`,
  )
}

/** How the text of a stored ruleset is read. */
const STORED = { duplicateKeys: 'last', numbers: 'document' } as const

/**
 * The document of a stored ruleset: a fresh value on every call.
 *
 * @param parsed its parsed text, if it is already available
 */
export function documentOf(
  ruleset: StoredRuleset,
  parsed: ParsedJson = parseJson(ruleset.text, STORED),
): RulesetDocument {
  if (parsed.kind === 'failed') throw new TypeError(`stored text of ${ruleset.name}: ${parsed.problem.message}`)
  if (!isObject(parsed.value)) throw new TypeError(`stored text of ${ruleset.name}: it is not an object`)
  return parsed.value
}

/** Like `documentOf`, but the text of a large ruleset is parsed in pieces between other requests. */
export async function documentInTurns(ruleset: StoredRuleset): Promise<RulesetDocument> {
  return documentOf(ruleset, await parsedJson(ruleset.text, STORED))
}

/** Specification 2.4. */
export interface VersionEntry {
  readonly seq: number
  readonly version: string
  /** ISO 8601 UTC: when this content was replaced. */
  readonly timestamp: string
}

/** A file in the rules directory that is not served, left untouched. */
export interface RejectedFile {
  readonly file: string
  readonly reason: string
}

/** The result of a readiness probe, and which of the two checks of specification 4.4 failed. */
export type Probe =
  | { readonly ok: true }
  | { readonly ok: false; readonly check: 'store_lock' | 'disk_writable'; readonly reason: string }

/**
 * `conflict`: the name differs from a stored one only by case. `disk`: the directory could not be written (or read, for
 * versions); `cause` is the system's error. `closed`: the server is shutting down. `too-large`: a restart could not
 * read it, or a listener of the store could not pass it on. `invalid-name`: the name cannot become a path.
 */
export type StoreErrorCode = 'conflict' | 'disk' | 'closed' | 'too-large' | 'invalid-name'

/** A write failed (`Store` defines the resulting state). The message is for people and names no path. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly code: StoreErrorCode
  constructor(code: StoreErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/** The log of a store, in the form of a pino logger. */
export interface StoreLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/**
 * Called directly before a write, when no other write can intervene. Throws to refuse the write; returns false if there
 * is nothing to write.
 */
export type BeforeWrite = (current: StoredRuleset | undefined) => boolean

/** `previous` is the replaced ruleset: undefined exactly when the status is `created`. */
export interface PutResult {
  readonly status: 'created' | 'updated' | 'unchanged'
  readonly previous: StoredRuleset | undefined
}

/** The result of a refresh from the files of a name. */
export type Refreshed = (
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'taken-over'; readonly ruleset: StoredRuleset; readonly previous: StoredRuleset | undefined }
  | { readonly kind: 'removed'; readonly previous: StoredRuleset }
) & {
  /** Number of newly rejected files: files already known to be rejected do not count. */
  readonly rejected: number
}

/** Called before a ruleset from a file is applied. Throws `StoreError` to reject the file. */
export type Accept = (ruleset: StoredRuleset) => void

/**
 * Where rulesets live. Reads are synchronous and from memory. Writes of one ruleset are serialised in call order, and
 * their promises resolve in that order.
 *
 * Guarantees: when a write's promise resolves, the change is durable (if the store is) and visible to every later read;
 * when it rejects, memory and disk are unchanged, or, if the disk fails again while undoing the write, both have the
 * new state, which the message states. A crash at any moment leaves each ruleset complete, old or new. `get` returns the
 * very object that was put, so that a caller can associate data with it (a `WeakMap` of programs).
 */
export interface Store {
  readonly mode: 'persistent' | 'memory'
  /** The path as given; empty in memory mode. */
  readonly rulesDirectory: string
  readonly size: number
  /** Sorted by name (UTF-16 code units). */
  list(): IterableIterator<StoredRuleset>
  get(name: string): StoredRuleset | undefined
  /**
   * The listener is called with the name of each changed ruleset, in the same synchronous step in which `get` first
   * returns the change.
   */
  onShown(listener: (name: string) => void): void
  /**
   * Creates or replaces. With persistence the replaced content becomes a version. Rejects with a `StoreError`, or with
   * the error that `before` throws.
   */
  put(ruleset: StoredRuleset, before?: BeforeWrite): Promise<PutResult>
  /**
   * Like `put`, but only if a ruleset of this name exists then: a rollback must not recreate a deleted ruleset.
   * Resolves to the replaced ruleset, or undefined when none existed and nothing was done.
   */
  replace(ruleset: StoredRuleset, before?: BeforeWrite): Promise<StoredRuleset | undefined>
  /** The deleted ruleset, or undefined when there was none. With persistence its content becomes a version. */
  delete(name: string, before?: BeforeWrite): Promise<StoredRuleset | undefined>
  /**
   * Synchronize the served ruleset of a name (ignoring case) with its files, which others may have changed. At most one
   * change: after `removed` another file may have to be applied. The replaced content becomes a version, and no rule
   * file is written; for a removed file on a best-effort basis. Files that cannot be served are in `rejected`, and the
   * previous content remains served. In memory mode there are no files. Throws `StoreError` `closed`.
   */
  refresh(name: string, accept?: Accept): Promise<Refreshed>
  /** Newest first; empty in memory mode. Throws `StoreError`. */
  versions(name: string): Promise<readonly VersionEntry[]>
  /**
   * The content of one version, or undefined if no version has that number or it does not hold a ruleset of this name.
   * Throws `StoreError`.
   */
  version(name: string, seq: number): Promise<StoredRuleset | undefined>
  /**
   * Readiness, specification 4.4: the store has a free slot for a write within `timeoutMs`, and with persistence the
   * probe file can be written.
   */
  probe(timeoutMs: number): Promise<Probe>
  /** Nothing was stored before this start: memory mode, or an empty rules directory. */
  readonly isNew: boolean
  /**
   * True if this name has files, but none that can be served: too large, broken or unreadable. Its ruleset is not
   * available, but was not deleted.
   */
  isWithheld(name: string): boolean
  /** Files that are not served, found at start or by `refresh`, sorted by name. */
  readonly rejected: readonly RejectedFile[]
  /** Waits for running writes; later ones are refused with `closed`. */
  close(): Promise<void>
}

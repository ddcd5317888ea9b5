import type { RulesetDocument } from '@engine/ruleset'

/** One stored ruleset as it was submitted. */
export interface StoredRuleset {
  readonly name: string
  /** `config.version`, `1.0.0` when the document has none. */
  readonly version: string
  readonly description: string | null
  readonly document: RulesetDocument
}

/** Specification 2.4. */
export interface VersionEntry {
  readonly seq: number
  readonly version: string
  /** ISO 8601 UTC: when this content was replaced. */
  readonly timestamp: string
}

/** A file in the rules directory that could not be served, left untouched. */
export interface RejectedFile {
  readonly file: string
  readonly reason: string
}

/**
 * Where rulesets live. Reads are synchronous and from memory. Writes of one ruleset are serialised in call order.
 *
 * Guarantees: when a write's promise resolves, the change is durable (if the store is) and visible to every later
 * read; when it rejects, memory and disk are as before. A crash at any moment leaves each ruleset whole, old or new.
 */
export interface Store {
  readonly mode: 'persistent' | 'memory'
  /** Empty in memory mode. */
  readonly rulesDirectory: string
  readonly size: number
  list(): IterableIterator<StoredRuleset>
  get(name: string): StoredRuleset | undefined
  /** Creates or replaces. With persistence the replaced content becomes a version. Throws `StoreError`. */
  put(ruleset: StoredRuleset): Promise<{ status: 'created' | 'updated'; previous: StoredRuleset | undefined }>
  /** False when there was none. History is kept. */
  delete(name: string): Promise<StoredRuleset | undefined>
  /** Newest first; empty in memory mode. */
  versions(name: string): Promise<readonly VersionEntry[]>
  /** The content of one version, or undefined when there is none of that number. */
  version(name: string, seq: number): Promise<StoredRuleset | undefined>
  /** Readiness: read lock within `timeoutMs`, and in persistent mode the probe file. Specification 4.4. */
  probe(timeoutMs: number): Promise<{ readonly ok: true } | { readonly ok: false; check: 'store_lock' | 'disk_writable'; reason: string }>
  readonly rejected: readonly RejectedFile[]
  /** Waits for writes under way; later writes are refused. */
  close(): Promise<void>
}

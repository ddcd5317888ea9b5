import type { Value } from '@engine/expression'

/** The external calls of a ruleset, and its calls of other rulesets. */
export interface RulesetCalls {
  readonly isExternal: boolean
  /** Names of the rulesets that it calls. */
  readonly rulesets: ReadonlySet<string>
}

/**
 * The calls of the actions of a ruleset document, including those of sub-rules: any object with the member `action`
 * counts as an action, wherever it is nested. Linear in the size of the document.
 *
 * @internal
 */
export function callsOf(document: Value): RulesetCalls {
  let isExternal = false
  const rulesets = new Set<string>()
  const pending: Value[] = [document]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next !== 'object' || next === null) continue
    const members = Array.isArray(next) ? (next as readonly Value[]) : Object.values(next)
    for (const inner of members) if (typeof inner === 'object' && inner !== null) pending.push(inner)
    const { action, ruleset_name: name } = next as Readonly<Record<string, Value>>
    if (action === 'external_call') isExternal = true
    if ((action === 'call_ruleset' || action === 'call_rule_set') && typeof name === 'string') rulesets.add(name)
  }
  return { isExternal, rulesets }
}

/** Maximum number of cached contents; the oldest entry is evicted first. */
const MAX_CONTENTS = 50_000
/** Number of contents read concurrently. */
const BATCH_SIZE = 8

/** The calls of contents, by their digests. */
export interface KnownCalls {
  /** Undefined if not known yet. */
  of(digest: string): RulesetCalls | undefined
  /** Reads unknown contents. Resolves when all have been read, or cannot be read now; never rejects. */
  learn(digests: Iterable<string>): Promise<void>
}

/** @param read finds the stored contents of digests */
export function createKnownCalls(
  read: (digests: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): KnownCalls {
  const known = new Map<string, RulesetCalls>()
  const wanted = new Set<string>()
  let reading: Promise<void> | undefined

  async function readWanted(): Promise<void> {
    try {
      while (wanted.size > 0) {
        const batch = [...wanted].slice(0, BATCH_SIZE)
        for (const [digest, document] of await read(batch)) known.set(digest, callsOf(document))
        for (const digest of batch) wanted.delete(digest)
        for (const [oldest] of known) {
          if (known.size <= MAX_CONTENTS) break
          known.delete(oldest)
        }
      }
    } catch {
      // The database is unavailable. The next read of destinations requests them again.
      wanted.clear()
    }
  }

  return {
    of: (digest) => known.get(digest),
    learn(digests) {
      for (const digest of digests) if (!known.has(digest)) wanted.add(digest)
      if (wanted.size > 0)
        reading ??= readWanted().finally(() => {
          reading = undefined
        })
      return reading ?? Promise.resolve()
    },
  }
}

/**
 * True if a ruleset and all rulesets that it calls make no external calls, so that it may be executed twice. A name
 * with no contents, and an unknown content, count as making external calls.
 *
 * @param contents digests that engines may have under a name
 */
export function makesNoExternalCalls(
  known: Pick<KnownCalls, 'of'>,
  contents: ReadonlyMap<string, readonly string[]>,
  ruleset: string,
): boolean {
  const names = new Set([ruleset])
  for (const name of names) {
    const digests = contents.get(name)
    if (digests === undefined) return false
    for (const digest of digests) {
      const calls = known.of(digest)
      if (calls === undefined || calls.isExternal) return false
      // Iteration over a set includes values that are added meanwhile.
      for (const called of calls.rulesets) names.add(called)
    }
  }
  return true
}

import type { RulesetCatalog } from '../catalog/catalog.ts'
import { quote } from '@engine/expression'
import { EngineError } from '../errors.ts'
import { parsedJson } from '@engine/process'
import { StoreError, type StoreErrorCode, type StoredRuleset } from '../store/store.ts'

/** Applies changes made elsewhere: by a fleet's writer, or by the process that owns the store. */
export interface ReplicationService {
  /**
   * `text` is the JSON text of a ruleset, which must have this name and version.
   *
   * @param meetsPrecondition called immediately before the store is changed: decoding yields to other changes
   */
  put(ruleset: ReplicatedRuleset, meetsPrecondition?: () => boolean): Promise<Applied>
  delete(name: string): Promise<Applied>
}

/** A ruleset that another instance has accepted. */
export type ReplicatedRuleset = Pick<StoredRuleset, 'name' | 'version' | 'text'>

/**
 * `unchanged`: the content is the same. `refused`: it is not a ruleset or lacks a sufficient signature; a retry does
 * not help. `failed`: this instance could not apply it now (its disk).
 */
export type Applied =
  | { readonly kind: 'applied' }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }

export function createReplicationService(
  catalog: Pick<RulesetCatalog, 'admit' | 'get' | 'put' | 'delete'>,
  origin: 'sync' | 'adopted' = 'sync',
): ReplicationService {
  const cause = { origin } as const

  /** Throws `EngineError`. */
  async function admitted({ name, version, text }: ReplicatedRuleset): Promise<StoredRuleset> {
    const parsed = await parsedJson(text, REFUSE)
    if (parsed.kind === 'failed') throw new EngineError('invalid-ruleset', parsed.problem.message)
    const { ruleset } = await catalog.admit(parsed.value, 'sync', { text })
    if (ruleset.name !== name) throw new EngineError('invalid-ruleset', `it holds the ruleset ${quote(ruleset.name)}`)
    if (ruleset.version === version) return ruleset
    throw new EngineError(
      'invalid-ruleset',
      `it is announced as ${quote(version)}, and holds ${quote(ruleset.version)}`,
    )
  }

  async function put(replicated: ReplicatedRuleset, meetsPrecondition?: () => boolean): Promise<Applied> {
    const ruleset = await admitted(replicated)
    if (meetsPrecondition?.() === false || catalog.get(ruleset.name)?.text === ruleset.text) return UNCHANGED
    await catalog.put(ruleset, cause)
    return APPLIED
  }

  async function remove(name: string): Promise<Applied> {
    return (await catalog.delete(name, cause)) === undefined ? UNCHANGED : APPLIED
  }

  return {
    put: (ruleset, meetsPrecondition) => outcome(put(ruleset, meetsPrecondition)),
    delete: (name) => outcome(remove(name)),
  }
}

const REFUSE = { duplicateKeys: 'refuse', numbers: 'document' } as const
const APPLIED: Applied = { kind: 'applied' }
const UNCHANGED: Applied = { kind: 'unchanged' }

/** Errors that a retry cannot resolve, such as a name that differs from another one only by case. */
const PERMANENT_ERRORS: ReadonlySet<StoreErrorCode> = new Set(['conflict', 'too-large', 'invalid-name'])

/** The outcome of applying a change made elsewhere. */
export async function outcome(step: Promise<Applied>): Promise<Applied> {
  try {
    return await step
  } catch (error) {
    if (error instanceof EngineError) return { kind: 'refused', reason: error.message }
    if (error instanceof StoreError && PERMANENT_ERRORS.has(error.code))
      return { kind: 'refused', reason: error.message }
    if (error instanceof StoreError) return { kind: 'failed', reason: error.message }
    throw error
  }
}

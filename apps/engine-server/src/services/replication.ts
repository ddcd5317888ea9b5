import { LONG_JSON, parseJson, readJson, type Value, writeJson } from '@engine/expression'
import type { RulesetDocument } from '@engine/ruleset'
import { EngineError } from '../errors.ts'
import { type Store, StoreError, type StoreErrorCode, storedRuleset } from '../store/store.ts'
import { inTurns } from '../turns.ts'
import type { Events } from './events.ts'
import type { Programs } from './programs.ts'
import { invalid } from './rulesets.ts'

/** Taking over what was decided elsewhere: by the writer of a fleet, or by the process that owns the store. */
export interface ReplicationService {
  /**
   * `text` is the JSON text of a ruleset, which must be the one called `name`.
   *
   * @param isWanted asked right before the store is changed: decoding takes turns with other changes
   */
  put(name: string, text: string, isWanted?: () => boolean): Promise<Applied>
  delete(name: string): Promise<Applied>
}

/**
 * `unchanged`: the content is the same. `refused`: no ruleset, or its signature does not suffice; a retry does not help.
 * `failed`: this instance could not do it now (its disk).
 */
export type Applied =
  | { readonly kind: 'applied' }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }

export interface ReplicationParts {
  readonly store: Store
  readonly programs: Programs
  /** The document as it is to be stored. Throws `EngineError` when its signature is not good enough. */
  readonly admit: (document: Value) => Value
  readonly events: Pick<Events, 'created' | 'updated' | 'deleted'>
}

export function createReplicationService({ store, programs, admit, events }: ReplicationParts): ReplicationService {
  /** Throws `EngineError`. */
  async function decoded(name: string, text: string) {
    const isLong = text.length > LONG_JSON
    const parsed = isLong ? await inTurns(readJson(text, REFUSE)) : parseJson(text, REFUSE)
    if (parsed.kind === 'failed') throw new EngineError('invalid-ruleset', parsed.problem.message)
    const document = admit(parsed.value)
    const { ruleset, problems } = await programs.decode(document, text)
    if (ruleset === undefined) throw invalid(problems)
    if (ruleset.config.name !== name)
      throw new EngineError('invalid-ruleset', `it holds the ruleset \`${ruleset.config.name}\``)
    const stored = isLong ? await inTurns(writeJson(document)) : undefined
    return { stored: storedRuleset(document as RulesetDocument, stored), ruleset }
  }

  async function put(name: string, text: string, isWanted?: () => boolean): Promise<Applied> {
    const { stored, ruleset } = await decoded(name, text)
    if (isWanted?.() === false) return UNCHANGED
    if (store.get(name)?.text === stored.text) return UNCHANGED
    const { previous } = await store.put(stored)
    programs.changedTo(stored, ruleset)
    if (previous === undefined) void events.created(stored)
    else void events.updated({ name, from: previous.version, to: stored.version })
    return APPLIED
  }

  async function remove(name: string): Promise<Applied> {
    const deleted = await store.delete(name)
    if (deleted === undefined) return UNCHANGED
    programs.changed(name)
    void events.deleted(deleted)
    return APPLIED
  }

  return {
    put: (name, text, isWanted) => outcome(put(name, text, isWanted)),
    delete: (name) => outcome(remove(name)),
  }
}

const REFUSE = { duplicateKeys: 'refuse' } as const
const APPLIED: Applied = { kind: 'applied' }
const UNCHANGED: Applied = { kind: 'unchanged' }

/** Errors that a retry cannot change, such as a name that differs from another one only by case. */
const LASTING: ReadonlySet<StoreErrorCode> = new Set(['conflict', 'too-large', 'invalid-name'])

async function outcome(step: Promise<Applied>): Promise<Applied> {
  try {
    return await step
  } catch (error) {
    if (error instanceof EngineError) return { kind: 'refused', reason: error.message }
    if (error instanceof StoreError && LASTING.has(error.code)) return { kind: 'refused', reason: error.message }
    if (error instanceof StoreError) return { kind: 'failed', reason: error.message }
    throw error
  }
}

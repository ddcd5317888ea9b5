import type { ErrorDetail, RollbackResult, RulesetSummary, SavedRuleset, VersionList } from '@engine/api'
import { LONG_JSON, readJson, type Value, writeJson } from '@engine/expression'
import { type Fault, type RulesetDocument } from '@engine/ruleset'
import { EngineError, failures, quoted } from '../errors.ts'
import type { Requester } from '../requester.ts'
import type { OfferedSignature, SignatureGate } from '../signatures.ts'
import { documentOf, type Store, StoreError, type StoredRuleset, storedRuleset } from '../store/store.ts'
import type { ChangeGate } from '../tenants/change-gate.ts'
import { inTurns } from '../turns.ts'
import type { Events } from './events.ts'
import type { Programs } from './programs.ts'

/** Everything that is done to stored rulesets (specification 3.1, 4.1). Throws `EngineError`. */
export interface RulesetService {
  list(): readonly RulesetSummary[]
  /** The JSON text of a ruleset, as it was stored. */
  text(name: string): string
  put(document: Value, sent?: Sent): Promise<SavedRuleset>
  delete(name: string, by?: Requester): Promise<void>
  versions(name: string): Promise<VersionList>
  rollback(name: string, seq: number, by?: Requester): Promise<RollbackResult>
}

/** The metadata of a document. */
interface Sent {
  /** Its JSON text, for the places of faults. */
  readonly text?: string
  readonly signature?: OfferedSignature
  readonly by?: Requester
}

/** The dependencies of the service. */
export interface RulesetParts {
  readonly store: Store
  readonly programs: Programs
  readonly signatures: SignatureGate
  readonly events: Events
  /** The gate of every change. */
  readonly changes: Pick<ChangeGate, 'run'>
  /** Rulesets that may be stored; undefined: any number. */
  readonly most: () => number | undefined
}

export function createRulesetService(parts: RulesetParts): RulesetService {
  const { store, programs, signatures, events, changes, most } = parts
  /** New ones on their way to the store. */
  let creating = 0

  /** Two that are created at the same time must not both be the last one. */
  async function putWithinLimit(stored: StoredRuleset) {
    const limit = most()
    const isNew = store.get(stored.name) === undefined
    if (isNew && limit !== undefined && store.size + creating >= limit)
      throw new EngineError('conflict', `no more than ${limit} rulesets may be stored (max_rulesets)`)
    if (isNew) creating++
    try {
      return await attempted(() => store.put(stored))
    } finally {
      if (isNew) creating--
    }
  }

  /** A change that can be audited, and that no deletion of the tenant overtakes. */
  const changed = <T>(change: () => Promise<T>): Promise<T> =>
    changes.run(async () => {
      await events.auditable()
      return change()
    })

  const required = (name: string) => {
    const stored = store.get(name)
    if (stored === undefined) throw failures.noSuchRuleset(name)
    return stored
  }

  return {
    list: () => Array.from(store.list(), ({ name, version, description }) => ({ name, version, description })),

    text: (name) => required(name).text,

    async put(sent, { text, signature, by } = {}) {
      const document = signatures.admit(sent, 'api', signature, by)
      const { ruleset, problems, warnings } = await programs.decode(document, text)
      if (ruleset === undefined) throw invalid(problems)
      const stored = await attempted(() => storedFrom(document as RulesetDocument, text))
      const { name, version } = stored
      return changed(async () => {
        const { status, previous } = await putWithinLimit(stored)
        programs.changedTo(stored, ruleset)
        if (previous === undefined) await events.created({ name, version }, by)
        else await events.updated({ name, from: previous.version, to: version }, by)
        return warnings.length === 0 ? { status, name } : { status, name, warnings: warnings.map(detailOf) }
      })
    },

    delete: (name, by) =>
      changed(async () => {
        const deleted = await attempted(() => store.delete(name))
        if (deleted === undefined) throw failures.noSuchRuleset(name)
        programs.changed(name)
        await events.deleted({ name, version: deleted.version }, by)
      }),

    async versions(name) {
      const { version } = required(name)
      return { name, current_version: version, versions: await attempted(() => store.versions(name)) }
    },

    async rollback(name, seq, by) {
      required(name)
      if (store.mode === 'memory') throw failures.noHistory()
      const target = await attempted(() => store.version(name, seq))
      if (target === undefined) throw failures.noSuchVersion(name, seq)
      const document = await documentFrom(target)
      signatures.admit(document, 'rollback', undefined, by)
      const { ruleset, problems } = await programs.decode(document)
      if (ruleset === undefined) throw invalid(problems)
      return changed(async () => {
        const previous = await attempted(() => store.replace(target))
        if (previous === undefined) throw failures.noSuchRuleset(name)
        programs.changedTo(target, ruleset)
        await events.rolledBack({ name, from: previous.version, to: target.version, seq }, by)
        return { status: 'rolled_back', name, from_version: previous.version, to_version: target.version }
      })
    },
  }
}

/** The stored form of a document, written in turns with other requests when it is large. */
async function storedFrom(document: RulesetDocument, text: string | undefined): Promise<StoredRuleset> {
  // A compiled ruleset has no text: it may be large.
  if (text !== undefined && text.length <= LONG_JSON) return storedRuleset(document)
  return storedRuleset(document, await inTurns(writeJson(document)))
}

/** The document of a stored ruleset, read in turns with other requests when it is large. */
async function documentFrom(stored: StoredRuleset): Promise<RulesetDocument> {
  if (stored.text.length <= LONG_JSON) return documentOf(stored)
  return documentOf(stored, await inTurns(readJson(stored.text, { duplicateKeys: 'last' })))
}

/** The error for a document that is no ruleset: all its faults, the first ones in the message. */
export function invalid(problems: readonly Fault[]): EngineError {
  const details = problems.map(detailOf)
  const shown = details.slice(0, 3).map(({ path, message }) => (path === '' ? message : `${quoted(path)} ${message}`))
  const more = details.length > 3 ? `; and ${details.length - 3} more` : ''
  return new EngineError('invalid-ruleset', `invalid ruleset: ${shown.join('; ')}${more}`, { details })
}

function detailOf({ path, code, message, line, column, suggestion }: Fault): ErrorDetail {
  return {
    path,
    message,
    code,
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
    ...(suggestion === undefined ? {} : { suggestion }),
  }
}

async function attempted<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof StoreError) throw new EngineError(CODES[error.code], error.message, { cause: error })
    throw error
  }
}

const CODES = {
  conflict: 'conflict',
  disk: 'storage-failed',
  closed: 'shutting-down',
  'too-large': 'payload-too-large',
  'invalid-name': 'invalid-request',
} as const

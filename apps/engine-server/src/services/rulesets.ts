import type { RollbackResult, RulesetSummary, SavedRuleset, VersionList } from '@engine/api'
import type { Value } from '@engine/expression'
import { detailOf, type Sent } from '../catalog/admission.ts'
import type { RulesetCatalog, ShownRulesets } from '../catalog/catalog.ts'
import { EngineError, failures } from '../errors.ts'
import type { Requester } from '../requester.ts'
import { StoreError, type StoredRuleset } from '../store/store.ts'
import type { ChangeGate } from './change-gate.ts'
import type { Events } from './events.ts'

/** Everything that is done to stored rulesets (specification 3.1, 4.1). Throws `EngineError`. */
export interface RulesetService {
  list(): readonly RulesetSummary[]
  /** A row of the list. */
  summary(name: string): RulesetSummary
  /** The JSON text of a ruleset, as it was stored. */
  text(name: string): string
  put(document: Value, sent?: Sent): Promise<SavedRuleset>
  delete(name: string, by?: Requester): Promise<void>
  versions(name: string): Promise<VersionList>
  rollback(name: string, seq: number, by?: Requester): Promise<RollbackResult>
}

/** What the service works with. */
export interface RulesetParts {
  readonly catalog: RulesetCatalog
  /** What answers say of it: nothing by which not every process decides yet. */
  readonly shown: ShownRulesets
  readonly events: Pick<Events, 'auditable'>
  /** What every change goes through. */
  readonly changes: Pick<ChangeGate, 'run'>
  /** Rulesets that may be stored; undefined: any number. */
  readonly most: () => number | undefined
}

export function createRulesetService(parts: RulesetParts): RulesetService {
  const { catalog, shown, events, changes, most } = parts
  /** New ones on their way to the catalog. */
  let creating = 0

  /** Two that are created at the same time must not both be the last one. */
  async function putWithinLimit(stored: StoredRuleset, by: Requester | undefined) {
    const limit = most()
    const isNew = catalog.get(stored.name) === undefined
    if (isNew && limit !== undefined && catalog.size + creating >= limit)
      throw new EngineError('conflict', `no more than ${limit} rulesets may be stored (max_rulesets)`)
    if (isNew) creating++
    try {
      return await attempted(() => catalog.put(stored, { origin: 'api', by }))
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

  const required = (name: string, from = shown) => {
    const stored = from.get(name)
    if (stored === undefined) throw failures.noSuchRuleset(name)
    return stored
  }

  return {
    list: () => Array.from(shown.list(), summaryOf),

    summary: (name) => summaryOf(required(name)),

    text: (name) => required(name).text,

    async put(sent, more = {}) {
      const { ruleset, warnings } = await attempted(() => catalog.admit(sent, 'api', more))
      return changed(async () => {
        const { status } = await putWithinLimit(ruleset, more.by)
        const { name } = ruleset
        return warnings.length === 0 ? { status, name } : { status, name, warnings: warnings.map(detailOf) }
      })
    },

    delete: (name, by) =>
      changed(async () => {
        const deleted = await attempted(() => catalog.delete(name, { origin: 'api', by }))
        if (deleted === undefined) throw failures.noSuchRuleset(name)
      }),

    async versions(name) {
      const { version } = required(name)
      return { name, current_version: version, versions: await attempted(() => catalog.versions(name)) }
    },

    async rollback(name, seq, by) {
      required(name, catalog)
      if (catalog.mode === 'memory') throw failures.noHistory()
      const target = await attempted(() => catalog.version(name, seq))
      if (target === undefined) throw failures.noSuchVersion(name, seq)
      await catalog.admitAgain(target, { by })
      return changed(async () => {
        const previous = await attempted(() => catalog.replace(target, { origin: 'rollback', seq, by }))
        if (previous === undefined) throw failures.noSuchRuleset(name)
        return { status: 'rolled_back', name, from_version: previous.version, to_version: target.version }
      })
    },
  }
}

function summaryOf({ name, version, description, stepCount }: StoredRuleset): RulesetSummary {
  return { name, version, description, step_count: stepCount }
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

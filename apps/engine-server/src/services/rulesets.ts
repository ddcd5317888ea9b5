import type { RollbackResult, RulesetSummary, RulesetValidity, SavedRuleset, VersionList } from '@engine/api'
import { isObject, nearest, type Value } from '@engine/expression'
import { createPauses } from '@engine/process'
import { detailOf, type Sent } from '../catalog/admission.ts'
import type { RulesetCatalog, ShownRulesets } from '../catalog/catalog.ts'
import { contentDigest, entityTag } from '../catalog/content-digest.ts'
import { EngineError, failures, quoted } from '../errors.ts'
import type { Requester } from '../requester.ts'
import { caseConflict } from '../store/errors.ts'
import { type BeforeWrite, type StoredRuleset, storedInTurns } from '../store/store.ts'
import type { ChangeGate } from './change-gate.ts'
import type { FindingsOf } from './analysis.ts'
import type { Events } from './events.ts'
import { type Page, type PageQuery, pageOf } from './page.ts'
import { withStoreErrors } from './store-failures.ts'

/** A list row without the digest, which is only computed for returned rows. */
export type RulesetRow = Omit<RulesetSummary, 'digest'>

/** Maximum number of names compared with a wrong one: a few milliseconds. */
const MAX_COMPARED = 2000

/** All operations on stored rulesets (specification 3.1, 4.1). Throws `EngineError`. */
export interface RulesetService {
  list(): readonly RulesetRow[]
  page(query: PageQuery): Promise<Page<RulesetSummary>>
  /** A row of the list. */
  summary(name: string): RulesetRow
  /** The stored name that was probably meant by a wrong one; compares the first 2,000 names. */
  nearest(name: string): string | undefined
  /** The JSON text of a ruleset, as stored. */
  text(name: string): string
  /** The JSON text of a ruleset with its entity tag. */
  tagged(name: string): TaggedText
  /** Validates a document like storing it would, without storing; signatures are not checked. */
  validate(document: Value, text: string | undefined): Promise<RulesetValidity>
  put(document: Value, sent?: SentRuleset): Promise<SavedRuleset & { readonly tag: string }>
  delete(name: string, change?: Changing): Promise<void>
  versions(name: string): Promise<VersionList>
  /** The content of a version. */
  version(name: string, seq: number): Promise<TaggedText>
  rollback(name: string, seq: number, change?: Changing): Promise<RollbackResult & { readonly tag: string }>
}

/** A ruleset as stored. */
export interface TaggedText {
  readonly text: string
  /** Its entity tag. */
  readonly tag: string
}

/** Options of a change. */
export interface Changing {
  readonly by?: Requester | undefined
  /**
   * Called with the current entity tag (undefined if nothing is stored), when no other change can intervene. Throws to
   * reject the change.
   */
  readonly only?: ((tag: string | undefined) => void) | undefined
}

/** Options of storing a document. */
export interface SentRuleset extends Sent, Changing {
  /** Performs all checks of a write, but stores nothing. */
  readonly dryRun?: boolean | undefined
  /** `warn` returns the findings, `deny` refuses a ruleset with errors or warnings. Undefined: no analysis. */
  readonly analyze?: 'warn' | 'deny' | undefined
}

/** Dependencies of the service. */
export interface RulesetParts {
  readonly catalog: RulesetCatalog
  /** The state shown in responses: only content that every process already uses. */
  readonly shown: ShownRulesets
  readonly events: Pick<Events, 'auditable'>
  /** The gate that every change passes. */
  readonly changes: Pick<ChangeGate, 'run'>
  /** Analyses rulesets for writes that request it. */
  readonly findingsOf: FindingsOf
  /** Maximum number of rulesets; undefined: unlimited. */
  readonly most: () => number | undefined
}

export function createRulesetService(parts: RulesetParts): RulesetService {
  return { ...createRulesetReads(parts), ...createRulesetChanges(parts) }
}

type RulesetChanges = Pick<RulesetService, 'put' | 'delete' | 'rollback'>

function createRulesetReads({ catalog, shown }: RulesetParts): Omit<RulesetService, keyof RulesetChanges> {
  return {
    list: () => Array.from(shown.list(), summaryOf),

    summary: (name) => summaryOf(required(shown, name)),

    nearest(name) {
      if (shown.get(name) !== undefined) return undefined
      const compared = Iterator.from(shown.list()).take(MAX_COMPARED)
      return nearest(
        name,
        compared.map((stored) => stored.name),
      )
    },

    async page(query) {
      const { rows, next } = pageOf(
        shown.list(),
        query,
        ({ name }) => name,
        ({ name, description }) => [name, description],
      )
      const pauses = createPauses()
      const summaries: RulesetSummary[] = []
      for (const stored of rows) {
        summaries.push({ ...summaryOf(stored), digest: await contentDigest(stored) })
        const pause = pauses()
        if (pause !== undefined) await pause
      }
      return { rows: summaries, next }
    },

    text: (name) => required(shown, name).text,

    tagged: (name) => taggedText(required(shown, name)),

    async validate(document, text) {
      const { ruleset, problems, warnings } = await catalog.inspect(document, text)
      const oddities = warnings.length === 0 ? {} : { warnings: warnings.map(detailOf) }
      if (ruleset === undefined || !isObject(document))
        return { valid: false, errors: problems.map(detailOf), ...oddities }
      const stored = await withStoreErrors(() => storedInTurns(document))
      const { name, version } = stored
      return { valid: true, name, version, digest: await contentDigest(stored), ...oddities }
    },

    async versions(name) {
      const { version } = required(shown, name)
      return { name, current_version: version, versions: await withStoreErrors(() => catalog.versions(name)) }
    },

    async version(name, seq) {
      required(shown, name)
      return taggedText(await versionOf(catalog, name, seq))
    },
  }
}

function createRulesetChanges(parts: RulesetParts): RulesetChanges {
  const { catalog, events, changes, findingsOf } = parts
  const putWithinLimit = createLimitedPut(parts)

  /** Runs a change if it can be audited; the gate keeps a deletion of the tenant from overtaking it. */
  const changed = <T>(change: () => Promise<T>): Promise<T> =>
    changes.run(async () => {
      await events.auditable()
      return change()
    })

  return {
    async put(sent, more = {}) {
      const { ruleset, warnings } = await withStoreErrors(() => catalog.admit(sent, 'api', more))
      const findings = more.analyze === undefined ? undefined : await findingsOf(ruleset)
      if (more.analyze === 'deny' && findings !== undefined && findings.length > 0) throw refusedBy(findings)
      const store = async () => {
        const { status } = await putWithinLimit(ruleset, more)
        return {
          status: status === 'created' ? status : 'updated',
          name: ruleset.name,
          digest: await contentDigest(ruleset),
          ...(status === 'unchanged' ? { unchanged: true as const } : {}),
          ...(more.dryRun === true ? { dry_run: true as const } : {}),
          ...(warnings.length === 0 ? {} : { warnings: warnings.map(detailOf) }),
          ...(findings === undefined ? {} : { findings }),
          tag: entityTag(ruleset),
        } as const
      }
      return more.dryRun === true ? store() : changed(store)
    },

    delete: (name, { by, only } = {}) =>
      changed(async () => {
        const deleted = await withStoreErrors(() => catalog.delete(name, { origin: 'api', by }, wanted(only)))
        if (deleted === undefined) throw failures.noSuchRuleset(name)
      }),

    async rollback(name, seq, { by, only } = {}) {
      required(catalog, name)
      if (catalog.mode === 'memory') throw failures.noHistory()
      const target = await versionOf(catalog, name, seq)
      await catalog.admitAgain(target, { by })
      return changed(async () => {
        const previous = await withStoreErrors(() =>
          catalog.replace(target, { origin: 'rollback', seq, by }, wanted(only)),
        )
        if (previous === undefined) throw failures.noSuchRuleset(name)
        return {
          status: 'rolled_back',
          name,
          from_version: previous.version,
          to_version: target.version,
          digest: await contentDigest(target),
          tag: entityTag(target),
        }
      })
    },
  }
}

function refusedBy(findings: Awaited<ReturnType<FindingsOf>>): EngineError {
  const [{ kind, place, reason = '' } = { kind: '', place: '' }] = findings
  const more = findings.length > 1 ? `; and ${findings.length - 1} more` : ''
  const message = `the analysis refuses the ruleset: ${quoted(place)} ${kind}: ${reason}${more}`
  return new EngineError('analysis-findings', message, { findings })
}

/** Stores rulesets up to the limit of the tenant. */
function createLimitedPut({ catalog, most }: RulesetParts) {
  /** Number of new rulesets that are being stored. */
  let creating = 0

  /** Two concurrent creations must not both count as the last permitted one. */
  async function put(stored: StoredRuleset, { by, only, dryRun }: SentRuleset) {
    const limit = most()
    const isNew = catalog.get(stored.name) === undefined
    if (isNew && limit !== undefined && catalog.size + creating >= limit)
      throw new EngineError('conflict', `no more than ${limit} rulesets may be stored (max_rulesets)`)
    /** Content that is already stored is skipped: no new version, no publication. */
    const meetsPrecondition = (current: StoredRuleset | undefined) => {
      only?.(tagOf(current))
      return current?.text !== stored.text
    }
    if (dryRun === true) return withStoreErrors(async () => dryRunPut(stored, meetsPrecondition))
    if (isNew) creating++
    try {
      return await withStoreErrors(() => catalog.put(stored, { origin: 'api', by }, meetsPrecondition))
    } finally {
      if (isNew) creating--
    }
  }

  /** The result that `put` would have. */
  function dryRunPut(stored: StoredRuleset, meetsPrecondition: (current: StoredRuleset | undefined) => boolean) {
    catalog.acceptPut(stored, { origin: 'api' })
    const key = stored.name.toLowerCase()
    for (const { name } of catalog.list())
      if (name !== stored.name && name.toLowerCase() === key) throw caseConflict(stored.name, name)
    const previous = catalog.get(stored.name)
    if (!meetsPrecondition(previous)) return { status: 'unchanged' } as const
    return { status: previous === undefined ? 'created' : 'updated' } as const
  }

  return put
}

const required = (from: Pick<ShownRulesets, 'get'>, name: string) => {
  const stored = from.get(name)
  if (stored === undefined) throw failures.noSuchRuleset(name)
  return stored
}

const versionOf = async (catalog: RulesetCatalog, name: string, seq: number) => {
  const version = await withStoreErrors(() => catalog.version(name, seq))
  if (version === undefined) throw failures.noSuchVersion(name, seq)
  return version
}

function summaryOf({ name, version, description, stepCount }: StoredRuleset): RulesetRow {
  return { name, version, description, step_count: stepCount }
}

const tagOf = (stored: StoredRuleset | undefined) => (stored === undefined ? undefined : entityTag(stored))

const taggedText = (stored: StoredRuleset): TaggedText => ({ text: stored.text, tag: entityTag(stored) })

/** The condition of a change in the form that the store expects. */
function wanted(only: Changing['only']): BeforeWrite {
  return (current) => {
    only?.(tagOf(current))
    return true
  }
}

import { ARCHIVE_PATHS, conceptNamed, type ProjectArchive, sameValue } from '@engine/authoring'
import type { Value } from '@engine/expression'
import type { Caller } from '../../access/caller.ts'
import type { Author } from '../../database/audit.ts'
import type { Change, Database } from '../../database/database.ts'
import { changeConcept, createConcept, deleteConcept } from '../catalog/concepts.ts'
import { changeContract, createContract, deleteContract } from '../catalog/contracts.ts'
import { changeFact, createFact, deleteFact } from '../catalog/facts.ts'
import { ConceptRequest, ContractRequest, FactRequest } from '../catalog/model.ts'
import { requireName } from '../drafts/names.ts'
import { deleteDraft, saveDraft } from '../drafts/service.ts'
import type { InProject } from '../projects/place.ts'
import { contentIn } from '../sub-rules/reading.ts'
import { SubRuleRequest } from '../sub-rules/model.ts'
import { namesUsed } from '../sub-rules/repository.ts'
import { requireName as requireSubRuleName } from '../sub-rules/routes.ts'
import { deleteSubRule, saveSubRule } from '../sub-rules/service.ts'
import { applyEnvironments } from './environments.ts'
import { byReference } from './order.ts'
import { presentProject } from './present.ts'
import { ImportProblems } from './problems.ts'
import { applySuites } from './suites.ts'

/** An import while it is made, within one change. */
export interface Importing {
  /** Its changes are steps of `change`. */
  readonly database: Database
  readonly change: Change
  readonly place: InProject
  readonly caller: Caller
  readonly author: Author
  /** What the archive lacks is removed. */
  readonly prune: boolean
}

/** The kinds of what an import changes, each with the right that it needs. */
export type Kind = 'environment' | 'fact' | 'concept' | 'contract' | 'sub_rule' | 'ruleset' | 'suite'

/** Files of the archive by what their content became. */
export class Applied {
  readonly created: string[] = []
  readonly changed: string[] = []
  readonly removed: string[] = []
  readonly kinds = new Set<Kind>()

  note(verb: 'created' | 'changed' | 'removed', kind: Kind, path: string): void {
    this.kinds.add(kind)
    if (!this[verb].includes(path)) this[verb].push(path)
  }
}

/** One kind of things with names: how it is compared and stored. */
interface Step<Item> {
  readonly kind: Kind
  readonly path: (name: string) => string
  readonly before: readonly Item[]
  readonly after: readonly Item[]
  readonly nameOf: (item: Item) => string
  readonly accepts: (item: Item, path: string) => boolean
  readonly put: (item: Item, before: Item | undefined) => Promise<unknown>
}

/**
 * Make a project what an archive says, by the steps of the features themselves: their checks and their audit hold for an
 * import as for a request. Throws `RefusedImport` with everything that they refuse.
 */
export async function applyArchive(importing: Importing, archive: ProjectArchive): Promise<Applied> {
  const { change, place, database, caller, author, prune } = importing
  const problems = new ImportProblems()
  const applied = new Applied()
  const present = await presentProject(change.scope, place.project)
  const before = present.archive
  const at = ARCHIVE_PATHS

  await applyEnvironments(importing, archive, present, applied, problems)
  const concepts = byReference(archive.concepts, ({ fields }) => fields.map(({ type }) => conceptNamed(type) ?? ''))
  const isNew = ({ name }: { readonly name: string }) => !before.concepts.some((one) => one.name === name)
  for (const { name } of concepts.circular.filter(isNew))
    await problems.attempt(at.concept(name), () => createConcept(database, place, caller, author, { name, fields: [] }))
  const bare = new Set(concepts.circular.filter(isNew).map(({ name }) => name))
  await runStep({
    kind: 'concept',
    path: at.concept,
    before: before.concepts,
    after: [...concepts.ordered, ...concepts.circular],
    nameOf,
    accepts: (concept, path) => problems.isWithin(path, ConceptRequest, concept),
    put: (concept, earlier) => {
      const request = concept as ConceptRequest
      return earlier === undefined && !bare.has(concept.name)
        ? createConcept(database, place, caller, author, request)
        : changeConcept(database, place, author, concept.name, request, undefined)
    },
  })
  await runStep({
    kind: 'fact',
    path: at.fact,
    before: before.facts,
    after: archive.facts,
    nameOf,
    accepts: (fact, path) => problems.isWithin(path, FactRequest, fact),
    put: (fact, earlier): Promise<unknown> => {
      const request = fact as FactRequest
      return earlier === undefined
        ? createFact(database, place, caller, author, request)
        : changeFact(database, place, author, fact.name, request, undefined)
    },
  })
  await runStep({
    kind: 'contract',
    path: at.contract,
    before: before.contracts,
    after: archive.contracts,
    nameOf,
    accepts: (contract, path) => problems.isWithin(path, ContractRequest, contract),
    put: (contract, earlier) => {
      const request = contract as ContractRequest
      return earlier === undefined
        ? createContract(database, place, caller, author, request)
        : changeContract(database, place, author, contract.name, request, undefined)
    },
  })
  const subRules = byReference(archive.subRules, ({ graph }) => namesUsed(graph))
  const owned = { database, member: place.member, owner: place.project.id, caller, author }
  await runStep({
    kind: 'sub_rule',
    path: at.subRule,
    before: before.subRules,
    after: [...subRules.ordered, ...subRules.circular],
    nameOf,
    accepts: (subRule, path) => problems.isWithin(path, SubRuleRequest, subRule),
    put: async ({ name, version, graph, bindings, outputs }) => {
      requireSubRuleName(name)
      const sent = { version, graph, bindings: [...bindings], outputs: [...outputs] }
      const seq = present.subRules.find((row) => row.name === name)?.rev ?? 0
      await saveSubRule(owned, name, version, contentIn(sent), seq)
    },
  })
  const changing = { database, place, caller, author }
  await runStep({
    kind: 'ruleset',
    path: at.ruleset,
    before: before.rulesets,
    after: archive.rulesets,
    nameOf: ({ config }) => config.name,
    accepts: () => true,
    put: async (ruleset) => {
      const { name } = ruleset.config
      requireName(name, '/config/name')
      await saveDraft(changing, ruleset, present.drafts.find(({ row }) => row.name === name)?.seq ?? 0)
    },
  })
  await applySuites(importing, archive, present, applied, problems)
  if (prune) await removeTheRest()
  problems.refuse()
  return applied

  async function runStep<Item extends object>({
    kind,
    path,
    before: earlier,
    after,
    nameOf: named,
    accepts,
    put,
  }: Step<Item>) {
    const stored = new Map(earlier.map((item) => [named(item), item]))
    for (const item of after) {
      const name = named(item)
      const was = stored.get(name)
      if (was !== undefined && sameValue(was as Value, item as Value)) continue
      const file = path(name)
      if (!accepts(item, file) || !(await problems.attempt(file, () => put(item, was)))) continue
      applied.note(was === undefined ? 'created' : 'changed', kind, file)
    }
  }

  /** What uses others goes first. */
  async function removeTheRest(): Promise<void> {
    const lacking = <Item>(earlier: readonly Item[], later: readonly Item[], named: (item: Item) => string) => {
      const kept = new Set(later.map(named))
      return earlier.filter((item) => !kept.has(named(item)))
    }
    const remove = async (kind: Kind, file: string, step: () => Promise<unknown>) => {
      if (await problems.attempt(file, step)) applied.note('removed', kind, file)
    }
    for (const { config } of lacking(before.rulesets, archive.rulesets, (one) => one.config.name)) {
      const draft = present.drafts.find(({ row }) => row.name === config.name)
      if (draft !== undefined)
        await remove('ruleset', at.ruleset(config.name), () => deleteDraft(changing, draft.row, draft.seq))
    }
    const unused = byReference(lacking(before.subRules, archive.subRules, nameOf), ({ graph }) => namesUsed(graph))
    for (const { name } of unused.ordered.toReversed()) {
      const rev = present.subRules.find((row) => row.name === name)?.rev ?? 0
      await remove('sub_rule', at.subRule(name), () => deleteSubRule(owned, name, rev))
    }
    for (const { name } of lacking(before.contracts, archive.contracts, nameOf))
      await remove('contract', at.contract(name), () => deleteContract(database, place, author, name, undefined))
    for (const { name } of lacking(before.facts, archive.facts, nameOf))
      await remove('fact', at.fact(name), () => deleteFact(database, place, author, name, undefined))
    const free = byReference(lacking(before.concepts, archive.concepts, nameOf), ({ fields }) =>
      fields.map(({ type }) => conceptNamed(type) ?? ''),
    )
    for (const { name } of [...free.circular, ...free.ordered.toReversed()])
      await remove('concept', at.concept(name), () => deleteConcept(database, place, author, name, undefined))
  }
}

const nameOf = ({ name }: { readonly name: string }) => name

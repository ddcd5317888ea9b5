import {
  ARCHIVE_PATHS,
  type ArchivedSubRule,
  type Concept,
  type Contract,
  conceptNamed,
  type DraftRuleset,
  type Fact,
  withoutAcknowledgements,
} from '@engine/authoring'
import { changeConcept, createConcept } from '../catalog/concepts.ts'
import { changeContract, createContract } from '../catalog/contracts.ts'
import { importFact, reimportFact } from '../catalog/facts.ts'
import { ConceptRequest, ContractRequest, FactRequest } from '../catalog/model.ts'
import { requireName } from '../drafts/draft-name.ts'
import { smallDraft } from '../drafts/sent-draft.ts'
import { saveDraft } from '../drafts/service.ts'
import { contentIn } from '../sub-rules/sub-rule-content.ts'
import { SubRuleRequest } from '../sub-rules/model.ts'
import { namesUsed } from '../sub-rules/repository.ts'
import { requireName as requireSubRuleName } from '../sub-rules/routes.ts'
import { saveSubRule } from '../sub-rules/service.ts'
import type { Applying, Kind } from './import-context.ts'
import { byReference } from './reference-order.ts'

/** How resources of one kind are compared and stored. */
export interface Step<Item> {
  readonly kind: Kind
  readonly path: (name: string) => string
  readonly before: readonly Item[]
  readonly after: readonly Item[]
  readonly nameOf: (item: Item) => string
  readonly accepts: (item: Item, path: string) => boolean
  readonly put: (item: Item, before: Item | undefined) => Promise<unknown>
}

const nameOf = ({ name }: { readonly name: string }) => name

/** Concepts that refer to each other in a cycle are first created without fields. */
export async function conceptStep(applying: Applying): Promise<Step<Concept>> {
  const { acting, problems, present, archive } = applying
  const before = present.archive.concepts
  const { ordered, circular } = byReference(archive.concepts, ({ fields }) =>
    fields.map(({ type }) => conceptNamed(type) ?? ''),
  )
  const bare = circular.map(nameOf).filter((name) => !before.some((one) => one.name === name))
  for (const name of bare) {
    const make = () => createConcept(acting, { name, fields: [] })
    await problems.attempt(ARCHIVE_PATHS.concept(name), make)
  }
  return {
    kind: 'concept',
    path: ARCHIVE_PATHS.concept,
    before,
    after: [...ordered, ...circular],
    nameOf,
    accepts: (concept, path) => problems.isWithin(path, ConceptRequest, concept),
    put: (concept, earlier) => {
      const request = concept as ConceptRequest
      return earlier === undefined && !bare.includes(concept.name)
        ? createConcept(acting, request)
        : changeConcept(acting, concept.name, request, undefined)
    },
  }
}

export function factStep({ acting, problems, present, archive }: Applying): Step<Fact> {
  return {
    kind: 'fact',
    path: ARCHIVE_PATHS.fact,
    before: present.archive.facts,
    after: archive.facts,
    nameOf,
    accepts: (fact, path) => problems.isWithin(path, FactRequest, fact),
    put: (fact, earlier): Promise<unknown> => {
      const request = fact as FactRequest
      return earlier === undefined ? importFact(acting, request) : reimportFact(acting, fact.name, request, undefined)
    },
  }
}

export function contractStep({ acting, problems, present, archive }: Applying): Step<Contract> {
  return {
    kind: 'contract',
    path: ARCHIVE_PATHS.contract,
    before: present.archive.contracts,
    after: archive.contracts,
    nameOf,
    accepts: (contract, path) => problems.isWithin(path, ContractRequest, contract),
    put: (contract, earlier) => {
      const request = contract as ContractRequest
      return earlier === undefined
        ? createContract(acting, request)
        : changeContract(acting, contract.name, request, undefined)
    },
  }
}

export function subRuleStep({ acting, compute, problems, present, archive }: Applying): Step<ArchivedSubRule> {
  const { ordered, circular } = byReference(archive.subRules, ({ graph }) => namesUsed(graph))
  return {
    kind: 'sub_rule',
    path: ARCHIVE_PATHS.subRule,
    before: present.archive.subRules,
    after: [...ordered, ...circular],
    nameOf,
    accepts: (subRule, path) => problems.isWithin(path, SubRuleRequest, subRule),
    put: async ({ name, version, graph, bindings, outputs }) => {
      requireSubRuleName(name)
      const sent = { version, graph, bindings: [...bindings], outputs: [...outputs] }
      const seq = present.subRules.find((row) => row.name === name)?.rev ?? 0
      await saveSubRule(acting, compute, name, version, contentIn(sent), seq)
    },
  }
}

export function rulesetStep({ acting, present, archive }: Applying): Step<DraftRuleset> {
  return {
    kind: 'ruleset',
    path: ARCHIVE_PATHS.ruleset,
    // The one who imports a finding acknowledges it.
    before: present.archive.rulesets.map(withoutAcknowledgements),
    after: archive.rulesets.map(withoutAcknowledgements),
    nameOf: ({ config }) => config.name,
    accepts: () => true,
    put: async (ruleset) => {
      const { name } = ruleset.config
      requireName(name, '/config/name')
      const seq = present.drafts.find(({ row }) => row.name === name)?.seq ?? 0
      await saveDraft(acting, smallDraft(ruleset), seq)
    },
  }
}

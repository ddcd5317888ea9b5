import { ARCHIVE_PATHS, conceptNamed } from '@engine/authoring'
import { changeConcept, deleteConcept } from '../catalog/concepts.ts'
import { deleteContract } from '../catalog/contracts.ts'
import { deleteFact } from '../catalog/facts.ts'
import { deleteDraft } from '../drafts/service.ts'
import { namesUsed } from '../sub-rules/repository.ts'
import { deleteSubRule } from '../sub-rules/service.ts'
import type { Applying, Kind } from './import-context.ts'
import { byReference } from './reference-order.ts'

/** Delete resources that the archive does not contain, dependents before their dependencies. */
export async function removeTheRest(applying: Applying): Promise<void> {
  const { acting, archive, present, applied, problems } = applying
  const { archive: before, drafts, subRules } = present
  const remove = async (kind: Kind, file: string, step: () => Promise<unknown>) => {
    if (await problems.attempt(file, step)) applied.note('removed', kind, file)
  }
  for (const { config } of lacking(before.rulesets, archive.rulesets, (one) => one.config.name)) {
    const draft = drafts.find(({ row }) => row.name === config.name)
    if (draft === undefined) continue
    const step = () => deleteDraft(acting, draft.row, draft.seq)
    await remove('ruleset', ARCHIVE_PATHS.ruleset(config.name), step)
  }
  const unused = byReference(lacking(before.subRules, archive.subRules, nameOf), ({ graph }) => namesUsed(graph))
  for (const { name } of unused.ordered.toReversed()) {
    const rev = subRules.find((row) => row.name === name)?.rev ?? 0
    await remove('sub_rule', ARCHIVE_PATHS.subRule(name), () => deleteSubRule(acting, name, rev))
  }
  for (const { name } of lacking(before.contracts, archive.contracts, nameOf)) {
    const step = () => deleteContract(acting, name, undefined)
    await remove('contract', ARCHIVE_PATHS.contract(name), step)
  }
  for (const { name } of lacking(before.facts, archive.facts, nameOf))
    await remove('fact', ARCHIVE_PATHS.fact(name), () => deleteFact(acting, name, undefined))
  const free = byReference(lacking(before.concepts, archive.concepts, nameOf), ({ fields }) =>
    fields.map(({ type }) => conceptNamed(type) ?? ''),
  )
  // Concepts in a cycle use each other, and a concept in use cannot be deleted.
  for (const { name } of free.circular) {
    const empty = () => changeConcept(acting, name, { name, fields: [] }, undefined)
    await problems.attempt(ARCHIVE_PATHS.concept(name), empty)
  }
  for (const { name } of [...free.circular, ...free.ordered.toReversed()])
    await remove('concept', ARCHIVE_PATHS.concept(name), () => deleteConcept(acting, name, undefined))
}

function lacking<Item>(earlier: readonly Item[], later: readonly Item[], named: (item: Item) => string): Item[] {
  const kept = new Set(later.map(named))
  return earlier.filter((item) => !kept.has(named(item)))
}

const nameOf = ({ name }: { readonly name: string }) => name

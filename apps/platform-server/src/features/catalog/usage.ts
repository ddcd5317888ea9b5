import { type Concepts, conceptNamed, type Contract, parseType } from '@engine/authoring'
import { quote } from '@engine/expression'
import { invalidParameter } from '@engine/http-api'
import type { Compute } from '../../compute/compute.ts'
import type { UsageTask } from '../../compute/tasks.ts'
import { hasPathOf } from '../../database/text-lists.ts'
import type { Scope } from '../../database/scope.ts'
import { graphsFor, interfacesOf } from '../sub-rules/repository.ts'
import { type DraftText, draftsBehind } from './draft-iteration.ts'
import { pathsTo, usingContracts } from './impact.ts'
import type { FactUsage, RulesetUsage } from './model.ts'
import { conceptsOf, contractIn, contractOf } from './repository.ts'

/** Parameters of a usage query for one fact. */
export interface UsageRequest {
  readonly fact: string
  /** The proposed type; undefined leaves the type unchanged. */
  readonly type: string | undefined
  /** Maximum number of rulesets in the result. */
  readonly limit: number
  /** Name of the last ruleset of the previous page; empty for the first page. */
  readonly after: string
}

/** Limits of the work for one page; the remaining rulesets follow on the next page. */
const PAGE = { characters: 16 * 1024 * 1024, milliseconds: 5000 } as const

/** Dependencies of the scan over a project's drafts. */
export interface Usages {
  readonly compute: Compute
  readonly scope: Scope
  readonly project: string
}

/**
 * Usages of a fact: contracts by field name, rulesets by their contracts and the fields that they read. With a type, also the
 * problems that rulesets would have if the fields of this name had it. Throws 400 for an invalid type.
 *
 * Drafts are read one at a time and analysed on worker threads, up to the limits of a page: a page costs the drafts that it
 * scans, and all pages together scan each draft once.
 */
export async function usageOf(usages: Usages, asked: UsageRequest): Promise<FactUsage> {
  const { scope, project } = usages
  const concepts = await conceptsOf(scope, project)
  if (asked.type !== undefined) refuseType(asked.type, concepts)
  const using = await usingContracts(scope, project, hasPathOf('fields', [asked.fact]))
  const contracts = using.map(({ name, fields }) => ({
    name,
    fields: fields.filter((field) => pathsTo(field).includes(asked.fact)),
  }))
  const names = new Set(contracts.map(({ name }) => name))
  const changes = new Map<string, Promise<UsageTask['change']>>()
  const changeOf = (contract: string) => {
    const known = changes.get(contract) ?? changeTo(usages, contract, asked, concepts)
    changes.set(contract, known)
    return known
  }
  const items: RulesetUsage[] = []
  const end = performance.now() + PAGE.milliseconds
  let left: number = PAGE.characters
  let last = asked.after
  for await (const draft of draftsBehind(scope, project, asked.after)) {
    const isFull = items.length >= asked.limit || left < 0 || performance.now() > end
    // Each page covers at least one ruleset; a slow one would otherwise stop all progress.
    if (isFull && last !== asked.after) return { contracts, items, next_cursor: last }
    const contract = names.has(draft.contract) ? draft.contract : null
    const item = await usageIn(
      usages,
      asked.fact,
      draft,
      contract,
      contract === null ? undefined : await changeOf(contract),
    )
    if (item !== undefined) items.push(item)
    left -= draft.text.length
    last = draft.name
  }
  return { contracts, items, next_cursor: null }
}

/** Undefined if the ruleset does not use the fact. */
async function usageIn(
  { compute, scope, project }: Usages,
  field: string,
  { name, seq, text, uses }: DraftText,
  contract: string | null,
  change: UsageTask['change'],
): Promise<RulesetUsage | undefined> {
  const used = await graphsFor(scope, project, change === undefined ? [] : uses)
  const subRules = new Map(Array.from(used, ([key, { graph }]) => [key, graph]))
  const outcome = await compute.run({ kind: 'usage', field, text, change, subRules, used: interfacesOf(used) })
  const item = { name, seq, contract }
  if (outcome.kind === 'over') return { ...item, places: [], place_count: null, problems: [] }
  const { places, count, problems } = outcome.result
  if (contract === null && count === 0) return undefined
  return { ...item, places: [...places], place_count: count, problems: [...problems] }
}

/** A contract before and after the proposed type change; undefined if no type is proposed. */
async function changeTo(
  { scope, project }: Usages,
  name: string,
  { fact, type }: UsageRequest,
  concepts: Concepts,
): Promise<UsageTask['change']> {
  if (type === undefined) return undefined
  const row = await contractIn(scope, project, name)
  if (row === undefined) return undefined
  const contract = contractOf(row)
  return { before: { contract, concepts }, after: { contract: withType(contract, fact, type), concepts } }
}

function withType(contract: Contract, fact: string, type: string): Contract {
  const fields = contract.input.fields.map((field) => (field.name === fact ? { ...field, type } : field))
  return { ...contract, input: { fields } }
}

function refuseType(type: string, concepts: Concepts): void {
  const concept = conceptNamed(type)
  if (parseType(type) === undefined || (concept !== undefined && !concepts.has(concept)))
    throw invalidParameter('type', `is no type of this project: ${quote(type)}`)
}

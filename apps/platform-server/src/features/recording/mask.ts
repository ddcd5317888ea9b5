import { textAt } from '../../database/json-path.ts'
import type { Scope } from '../../database/scope.ts'

/** SQL has no empty lists; no ruleset has this name. */
const NO_NAME = ''

/**
 * The dotted paths that the contracts of rulesets mark as sensitive, by ruleset. The contract of a ruleset is the one
 * that its draft names; the contract with the name of the ruleset counts as well, since the live content may be an
 * earlier save. Linear in the number of rulesets.
 */
export async function sensitivePaths(
  scope: Scope,
  project: string,
  rulesets: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const named = await contractNames(scope, project, rulesets)
  const wanted = [...new Set([...rulesets, ...named.values()])]
  const contracts = await scope
    .read('contracts')
    .selectFrom('contracts')
    .select(['name', 'content'])
    .where('project_id', '=', project)
    .where('name', 'in', [...wanted, NO_NAME])
    .execute()
  const paths = new Map(contracts.map(({ name, content }) => [name, sensitiveIn(content)]))
  return new Map(
    rulesets.map((ruleset) => [
      ruleset,
      [...new Set([ruleset, named.get(ruleset) ?? ruleset].flatMap((name) => paths.get(name) ?? []))],
    ]),
  )
}

/** The contracts that drafts name. */
async function contractNames(
  scope: Scope,
  project: string,
  rulesets: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await scope
    .read('drafts', 'draft_saves')
    .selectFrom('drafts as d')
    .innerJoin('draft_saves as s', (join) => join.onRef('s.draft_id', '=', 'd.id').onRef('s.seq', '=', 'd.seq'))
    .select((eb) => ['d.name', textAt(eb.ref('s.ruleset'), ['config', 'contract']).as('contract')])
    .where('d.project_id', '=', project)
    .where('d.name', 'in', [...rulesets, NO_NAME])
    .where('d.deleted_at', 'is', null)
    .execute()
  return new Map(rows.flatMap(({ name, contract }) => (contract === null ? [] : [[name, contract] as const])))
}

/** Stored only by the routes of contracts, which validate it. */
function sensitiveIn(content: unknown): readonly string[] {
  const { input } = content as {
    readonly input?: { readonly fields: readonly { name: string; sensitive?: boolean }[] }
  }
  return (input?.fields ?? []).filter(({ sensitive }) => sensitive === true).map(({ name }) => name)
}

import { jsonText } from '@engine/process'
import type { Scope } from '../../database/scope.ts'
import type { SavesPage } from '../../resources/saves.ts'
import type { SubRuleContent, SubRuleRow } from './repository.ts'

/** A past content of a sub-rule. */
export interface SubRuleSaveRow extends SubRuleContent {
  readonly seq: number
  readonly version: string
  readonly savedAt: Date
  readonly savedBy: string
}

/** The saves of a sub-rule without their contents, newest first, with one extra row when another page follows. */
export function savesOfSubRule(scope: Scope, { id }: SubRuleRow, { limit, before }: SavesPage) {
  const all = scope
    .read('sub_rule_saves')
    .selectFrom('sub_rule_saves')
    .select(['seq', 'version', 'saved_at', 'saved_by'])
    .where('sub_rule_id', '=', id)
  return (before === undefined ? all : all.where('seq', '<', before))
    .orderBy('seq', 'desc')
    .limit(limit + 1)
    .execute()
}

/** One save of a sub-rule; undefined if there is none with this number. */
export async function saveOfSubRule(
  scope: Scope,
  { id }: SubRuleRow,
  seq: number,
): Promise<SubRuleSaveRow | undefined> {
  const save = await scope
    .read('sub_rule_saves')
    .selectFrom('sub_rule_saves')
    .select(['version', 'content', 'saved_at', 'saved_by'])
    .where('sub_rule_id', '=', id)
    .where('seq', '=', seq)
    .executeTakeFirst()
  if (save === undefined) return undefined
  const { version, content, saved_at: savedAt, saved_by: savedBy } = save
  // Written only by `store`, which takes a decoded sub-rule.
  return { ...content, seq, version, savedAt, savedBy }
}

/**
 * A save as the text of a draft, for comparison with another save: inputs and outputs have no ids, so their names
 * identify them. The steps and their order are those of the graph.
 */
export function comparedText(
  name: string,
  { graph, version, bindings, outputs }: SubRuleSaveRow,
): string | Promise<string> {
  const draft = { ...graph, config: { name, version }, bindings: byName(bindings), outputs: byName(outputs) }
  return jsonText(draft)
}

const byName = <Item extends { readonly name: string }>(items: readonly Item[]) =>
  Object.fromEntries(items.map(({ name, ...rest }) => [name, rest]))

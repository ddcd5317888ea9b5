import type { Member } from '../../access/membership.ts'
import { failures } from '../../errors.ts'
import { type Owner, subRuleIn, type SubRuleRow } from './repository.ts'

export const group = 'Sub-rules'

/** The owner of sub-rules, as a request names it. */
export interface Place {
  readonly member: Member
  readonly owner: Owner
  /** With the base path. */
  readonly path: string
}

/** The sub-rule that a path names. Throws `not-found`. */
export async function atSubRule(
  { member, owner }: Place,
  { name = '' }: Readonly<Record<string, string>>,
): Promise<SubRuleRow> {
  const row = await subRuleIn(member.scope, owner, name)
  if (row === undefined) throw failures.notFound('sub-rule', name)
  return row
}

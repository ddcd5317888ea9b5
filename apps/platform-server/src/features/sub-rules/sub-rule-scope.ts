import type { Member } from '../../access/membership.ts'
import { failures } from '../../errors.ts'
import { type Owner, subRuleIn, type SubRuleRow } from './repository.ts'

export const group = 'Sub-rules'

/** The owner of sub-rules, as a request names it. */
export interface Place {
  readonly member: Member
  /** The project that owns them; undefined: the organization does. */
  readonly project?: { readonly id: string }
  /** With the base path. */
  readonly path: string
}

export const ownerOf = ({ project }: Pick<Place, 'project'>): Owner => project?.id ?? null

/** The sub-rule that a path names. Throws `not-found`. */
export async function atSubRule(place: Place, { name = '' }: Readonly<Record<string, string>>): Promise<SubRuleRow> {
  const row = await subRuleIn(place.member.scope, ownerOf(place), name)
  if (row === undefined) throw failures.notFound('sub-rule', name)
  return row
}

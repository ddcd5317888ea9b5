import type { Member } from '../../access/membership.ts'
import { failures } from '../../errors.ts'
import { type Owner, subRuleIn, type SubRuleRow } from './repository.ts'

export const group = 'Sub-rules'

/** The owner of sub-rules in a request path. */
export interface Place {
  readonly member: Member
  /** The owning project; undefined for the organization. */
  readonly project?: { readonly id: string }
  /** With the base path. */
  readonly path: string
}

export const ownerOf = ({ project }: Pick<Place, 'project'>): Owner => project?.id ?? null

/** The sub-rule in the request path. Throws `not-found`. */
export async function atSubRule(place: Place, { name = '' }: Readonly<Record<string, string>>): Promise<SubRuleRow> {
  const row = await subRuleIn(place.member.scope, ownerOf(place), name)
  if (row === undefined) throw failures.notFound('sub-rule', name)
  return row
}

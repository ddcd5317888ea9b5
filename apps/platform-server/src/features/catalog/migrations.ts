import { sameValue } from '@engine/authoring'
import { quote, type Value } from '@engine/expression'
import type { Contract } from './model.ts'

/** The fact or concept because of which a field of a contract is flagged. */
export interface Cause {
  readonly kind: 'fact' | 'concept'
  readonly name: string
}

/** What a fact or concept is: a type, or the types of its fields; undefined: there is none of the name. */
export type Meaning = Value | undefined

/** A flag of a contract, in `contracts.migrations`. */
export type StoredMigration = Contract['migrations'][number] & {
  /** Undefined: flagged by an earlier version of the program, until the next change of the contract. */
  readonly cause?: Cause & {
    /** What it was when the contract changed last. */
    readonly was: Value
    /** It was deleted: shown again when it is made again as something else. */
    readonly isGone?: boolean
  }
}

/** The flags that are shown. */
export function shownMigrations(stored: readonly StoredMigration[]): Contract['migrations'] {
  return stored.filter(({ cause }) => cause?.isGone !== true).map(({ field, reason }) => ({ field, reason }))
}

/**
 * The flags of a contract after a fact or concept has changed. A field is flagged while its cause is something else than
 * when the contract changed last.
 *
 * @param fields of the contract that depend on it
 * @param before what it was until now
 */
export function changedMigrations(
  stored: readonly StoredMigration[],
  cause: Cause,
  fields: readonly string[],
  before: Meaning,
  after: Meaning,
): readonly StoredMigration[] {
  const isOwn = ({ cause: other }: StoredMigration) => other?.kind === cause.kind && other.name === cause.name
  const kept = stored.filter((one) => !isOwn(one) && !(one.cause === undefined && fields.includes(one.field)))
  const flags = fields.flatMap((field): readonly StoredMigration[] => {
    const flag = stored.find((one) => one.field === field && isOwn(one)) ?? stored.find((one) => isEarlier(one, field))
    const was = flag === undefined ? before : (flag.cause?.was ?? typeInReason(flag.reason) ?? before)
    if (was === undefined || (after !== undefined && sameValue(was, after))) return []
    const reason = reasonOf(cause, was, after)
    return [{ field, reason, cause: { ...cause, was, ...(after === undefined && { isGone: true }) } }]
  })
  return [...kept, ...flags]
}

const isEarlier = (one: StoredMigration, field: string) => one.field === field && one.cause === undefined

/** Of a flag of an earlier version, for a fact. */
const typeInReason = (reason: string) =>
  /^the type of the fact was changed from `([^`]*)` to `[^`]*`$/.exec(reason)?.[1]

function reasonOf({ kind, name }: Cause, was: Value, after: Meaning): string {
  if (kind === 'concept') return `the fields of the concept \`${name}\` were changed`
  return `the type of the fact was changed from ${typeText(was)} to ${typeText(after)}`
}

/** The meaning of a fact is the text of its type. */
const typeText = (type: Meaning) => quote(typeof type === 'string' ? type : 'none')

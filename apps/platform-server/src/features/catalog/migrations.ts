import { sameValue } from '@engine/authoring'
import { quote, type Value } from '@engine/expression'
import type { Contract } from './model.ts'

/** The fact or concept that caused a flag of a contract's field. */
export interface Cause {
  readonly kind: 'fact' | 'concept'
  readonly name: string
}

/** The definition of a fact or concept: a type, or the types of its fields; undefined if none has the name. */
export type Meaning = Value | undefined

/** A migration flag of a contract, as stored in `contracts.migrations`. */
export type StoredMigration = Contract['migrations'][number] & {
  /** Undefined for a flag of an earlier program version, until the contract changes next. */
  readonly cause?: Cause & {
    /** The definition at the contract's last change. */
    readonly was: Value
    /** It was deleted. The flag is hidden until a different one is created under its name. */
    readonly isGone?: boolean
  }
}

/** The visible flags. */
export function shownMigrations(stored: readonly StoredMigration[]): Contract['migrations'] {
  return stored.filter(({ cause }) => cause?.isGone !== true).map(({ field, reason }) => ({ field, reason }))
}

/**
 * The flags of a contract after a fact or concept has changed. A field stays flagged while the definition of its cause
 * differs from the one at the contract's last change.
 *
 * @param fields of the contract that depend on the cause
 * @param before its previous definition
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

/** The original type from the reason of a fact's flag, set by an earlier program version. */
const typeInReason = (reason: string) =>
  /^the type of the fact was changed from `([^`]*)` to `[^`]*`$/.exec(reason)?.[1]

function reasonOf({ kind, name }: Cause, was: Value, after: Meaning): string {
  if (kind === 'concept') return `the fields of the concept \`${name}\` were changed`
  return `the type of the fact was changed from ${typeText(was)} to ${typeText(after)}`
}

/** A fact's definition is the text of its type. */
const typeText = (type: Meaning) => quote(typeof type === 'string' ? type : 'none')

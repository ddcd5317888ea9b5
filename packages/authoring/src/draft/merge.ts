import { isList, type Value } from '@engine/expression'
import { type Fields, isFields, type Place, pointer } from '@engine/ruleset'
import { sameValue } from '../same-value.ts'
import { below } from '../place.ts'
import { decodeDraft } from './decode.ts'
import { type Items, itemsOf, merged as mergedOrder } from './merge-order.ts'
import type { DraftRuleset } from './model.ts'

/** A place that both sides changed differently. The value is null on a side without it. */
export interface MergeConflict {
  /** JSON pointer; list items are identified by id: `/steps/s1/rows/r7/cells/age`. */
  readonly path: string
  readonly base: Value
  readonly mine: Value
  readonly theirs: Value
}

export interface MergedDraft {
  /** Contains the changes of both sides; mine where they conflict. */
  readonly draft: DraftRuleset
  readonly conflicts: readonly MergeConflict[]
}

/**
 * Merges the changes of two authors to the same base draft: by step, then by field, branch, row and cell. Identical
 * changes are merged. Conflicts: different changes of the same part, a change against a deletion, and moves or
 * additions at the same position of an ordered list (branches, rows, assignments), whose order matters. Valid changes
 * may be invalid together, such as a new edge to a step that the other side deleted: convert the result to find out.
 * Linear in the size of the three drafts.
 */
export function merge3(base: DraftRuleset, mine: DraftRuleset, theirs: DraftRuleset): MergedDraft {
  const conflicts: MergeConflict[] = []
  const document = mergeValues(conflicts, undefined, base, mine, theirs)
  const draft = document === undefined ? undefined : decodeDraft(document).draft
  // Required members exist on each side and are never removed by both.
  if (draft === undefined) throw new Error('the merge of three drafts is not a draft')
  return { draft, conflicts }
}

type Sides = readonly [base: Value | undefined, mine: Value | undefined, theirs: Value | undefined]

function mergeValues(conflicts: MergeConflict[], place: Place | undefined, ...sides: Sides): Value | undefined {
  const [base, mine, theirs] = sides
  if (sameValue(mine, theirs) || sameValue(base, theirs)) return mine
  if (sameValue(base, mine)) return theirs
  if (isFields(base) && isFields(mine) && isFields(theirs)) return mergeFields(conflicts, place, base, mine, theirs)
  const [was, left, right] = isList(base) && isList(mine) && isList(theirs) ? (itemsOf([base, mine, theirs]) ?? []) : []
  if (was !== undefined && left !== undefined && right !== undefined)
    return mergeItems(conflicts, place, was, left, right)
  conflicts.push({ path: pointer(place), base: base ?? null, mine: mine ?? null, theirs: theirs ?? null })
  return mine
}

function mergeFields(
  conflicts: MergeConflict[],
  place: Place | undefined,
  base: Fields,
  mine: Fields,
  theirs: Fields,
): Value {
  const keys = new Set([...Object.keys(mine), ...Object.keys(theirs)])
  const members = [...keys].flatMap((key): (readonly [string, Value])[] => {
    const of = (side: Fields) => (Object.hasOwn(side, key) ? side[key] : undefined)
    const value = mergeValues(conflicts, below(place, key), of(base), of(mine), of(theirs))
    return value === undefined ? [] : [[key, value]]
  })
  return Object.fromEntries(members)
}

/** Lists whose order has no meaning: steps are identified by id, cells by column. */
const UNORDERED: ReadonlySet<string> = new Set(['steps', 'columns'])

function mergeItems(
  conflicts: MergeConflict[],
  place: Place | undefined,
  base: Items,
  mine: Items,
  theirs: Items,
): Value {
  const values = new Map<string, Value>()
  for (const key of new Set([...base.keys(), ...mine.keys(), ...theirs.keys()])) {
    const value = mergeValues(conflicts, below(place, key), base.get(key), mine.get(key), theirs.get(key))
    if (value !== undefined) values.set(key, value)
  }
  const present = (side: Items) => [...side.keys()].filter((key) => values.has(key))
  const [was, left, right] = [present(base), present(mine), present(theirs)]
  const { order, isConflict } = mergedOrder(was, left, right, place !== undefined && UNORDERED.has(String(place.key)))
  if (isConflict) {
    const [before, own, other] = [[...base.keys()], [...mine.keys()], [...theirs.keys()]]
    conflicts.push({ path: pointer(place), base: before, mine: own, theirs: other })
  }
  return order.flatMap((key) => {
    const value = values.get(key)
    return value === undefined ? [] : [value]
  })
}

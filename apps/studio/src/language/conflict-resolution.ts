import { decodeDraft, type DraftRuleset, type MergeConflict } from '@engine/authoring'
import { isObject, keysOfPointer, type Value } from '@engine/expression'

/**
 * Replaces my side of some conflicts in a merged draft with theirs. Paths address list items by id, as the paths of
 * conflicts do; a removed part stays removed. Cost: the draft, per conflict.
 */
export function withTheirs(
  draft: DraftRuleset,
  conflicts: readonly MergeConflict[],
  theirs: readonly string[],
): DraftRuleset {
  let document: Value = draft
  for (const { path, theirs: value } of conflicts)
    if (theirs.includes(path)) document = placed(document, keysOfPointer(path), value) ?? document
  return decodeDraft(document).draft ?? draft
}

/** The value with a replacement at a path; null means absent in a conflict, and removes the part. */
function placed(value: Value, [key, ...rest]: readonly string[], wanted: Value): Value | undefined {
  if (key === undefined) return wanted
  if (Array.isArray(value)) return placedInList(value as readonly Value[], key, rest, wanted)
  if (!isObject(value)) return undefined
  if (rest.length === 0 && wanted === null) {
    const { [key]: _removed, ...others } = value
    return others
  }
  const inner = rest.length === 0 ? wanted : placed(value[key] ?? {}, rest, wanted)
  return inner === undefined ? undefined : { ...value, [key]: inner }
}

function placedInList(list: readonly Value[], key: string, rest: readonly string[], wanted: Value): Value | undefined {
  const at = list.findIndex((item, index) =>
    isObject(item) && 'id' in item ? item['id'] === key : String(index) === key,
  )
  if (rest.length === 0 && wanted === null) return list.filter((_item, index) => index !== at)
  if (at < 0) return rest.length === 0 ? [...list, wanted] : undefined
  const inner = placed(list[at] ?? null, rest, wanted)
  return inner === undefined ? undefined : list.with(at, inner)
}

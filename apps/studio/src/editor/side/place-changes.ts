import type { components } from '../../api/schema.ts'

type Diff = components['schemas']['DraftDiff']

/** A change of one part between two saves, with its JSON pointer into the draft. */
export type PlaceChange =
  | { readonly kind: 'added' | 'removed'; readonly path: string }
  | { readonly kind: 'changed'; readonly path: string; readonly before: unknown; readonly after: unknown }

/** Whether a pointer equals another one or lies below it. */
const isWithin = (path: string, at: string) => path === at || path.startsWith(`${at}/`)

/**
 * The changes at or below a pointer. A change above it, such as that of a whole list of rows, is included, because it
 * may affect that part. Positions on the canvas are omitted.
 */
export function changesAt(diff: Diff, at: string): readonly PlaceChange[] {
  const whole = (ids: readonly string[], kind: 'added' | 'removed') =>
    ids.flatMap((id) => (isWithin(at, `/steps/${id}`) ? [{ kind, path: `/steps/${id}` } as const] : []))
  const changed = diff.steps_changed.flatMap(({ id, path, before, after }): readonly PlaceChange[] => {
    const full = `/steps/${id}${path}`
    if (path.startsWith('/position')) return []
    return isWithin(full, at) || (path !== '' && isWithin(at, full))
      ? [{ kind: 'changed', path: full, before, after }]
      : []
  })
  // Steps of sub-rules are stored in the settings of the ruleset.
  const inner = diff.config.flatMap(({ path, before, after }): readonly PlaceChange[] =>
    path.startsWith('/subRules/') && (isWithin(path, at) || isWithin(at, path))
      ? [{ kind: 'changed', path, before, after }]
      : [],
  )
  return [...whole(diff.steps_added, 'added'), ...whole(diff.steps_removed, 'removed'), ...changed, ...inner]
}

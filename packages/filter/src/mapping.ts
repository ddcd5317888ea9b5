import { type Budget, type Field, parsePath, printPath, quote, type Segment } from '@engine/expression'
import { BadFilterRequest, requireFew } from './columns.ts'
import type { Pausing } from './pausable-work.ts'

/** `field_mapping` by canonical path, so that `$.a.b` means `a.b`. Throws `BadFilterRequest`. */
export function* mappingOf(
  given: { readonly [path: string]: string },
  budget: Budget,
): Pausing<ReadonlyMap<string, string>> {
  requireFew(Object.keys(given), 'field_mapping')
  const mapping = new Map<string, string>()
  for (const [path, column] of Object.entries(given)) {
    budget.create(path.length + column.length)
    budget.spend(50 + 4 * path.length)
    if (budget.wantsPause) yield
    mapping.set(printPath(fieldAt(path, '/field_mapping')), column)
  }
  return mapping
}

/** Entries of `unknown_input`: each field of a ruleset is compared with all of them. */
const MAX_UNKNOWN = 100

/** `unknown_input` as paths. Throws `BadFilterRequest`. */
export function unknownPaths(given: readonly string[]): readonly (readonly Segment[])[] {
  if (given.length > MAX_UNKNOWN)
    throw new BadFilterRequest(
      `\`unknown_input\` names ${given.length} paths: at most ${MAX_UNKNOWN} are allowed`,
      '/unknown_input',
    )
  return given.map((path, index) => fieldAt(path, `/unknown_input/${index}`).path)
}

function fieldAt(path: string, place: string): Field {
  const parsed = parsePath(path)
  if (parsed.kind === 'parsed' && parsed.expression.kind === 'field') return parsed.expression
  throw new BadFilterRequest(`${quote(path)} is not a field path such as \`order.total\``, place)
}

import { type Budget, parsePath, printPath, quote } from '@engine/expression'
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
    const parsed = parsePath(path)
    if (parsed.kind !== 'parsed' || parsed.expression.kind !== 'field')
      throw new BadFilterRequest(`${quote(path)} is not a field path such as \`order.total\``, '/field_mapping')
    mapping.set(printPath(parsed.expression), column)
  }
  return mapping
}

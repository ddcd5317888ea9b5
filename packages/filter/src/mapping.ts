import { parsePath, printPath } from '@engine/expression'
import { BadFilterRequest } from './columns.ts'

/** `field_mapping` by canonical path, so that `$.a.b` names `a.b`. Throws `BadFilterRequest`. */
export function mappingOf(given: { readonly [path: string]: string }): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(given).map(([path, column]) => {
      const parsed = parsePath(path)
      if (parsed.kind !== 'parsed' || parsed.expression.kind !== 'field')
        throw new BadFilterRequest(
          `\`${path.slice(0, 80)}\` is not a field path such as \`order.total\``,
          '/field_mapping',
        )
      return [printPath(parsed.expression), column]
    }),
  )
}

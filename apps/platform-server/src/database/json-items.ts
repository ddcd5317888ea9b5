import type { Value } from '@engine/expression'
import { type AliasedRawBuilder, sql } from 'kysely'

/**
 * The objects of a list in a JSON column whose member is one of some texts, without transferring the rest of a long
 * list.
 */
export const itemsWith = <Name extends string>(
  column: string,
  member: string,
  texts: readonly string[],
  name: Name,
): AliasedRawBuilder<Value, Name> =>
  sql<Value>`(select coalesce(json_agg(one), '[]') from json_array_elements(${sql.ref(column)}) one
    where json_typeof(one) = 'object' and one ->> ${member} = any(${[...new Set(texts)]}::text[]))`.as(name)

/** True if a JSON column has a non-empty list. */
export const hasItems = (column: string) => sql<boolean>`${sql.ref(column)}::text <> '[]'`

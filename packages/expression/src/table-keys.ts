/** The keys of a table that has no others, typed: `Object.keys` returns strings. */
export function tableKeys<Table extends object>(table: Table): readonly (keyof Table & string)[] {
  return Object.keys(table) as (keyof Table & string)[]
}

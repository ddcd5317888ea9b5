import { nearest } from './nearest.ts'

/**
 * What other languages call our functions, in lower case.
 *
 * @internal
 */
export const FOREIGN_NAMES: ReadonlyMap<string, string> = new Map([
  ['length', 'len'],
  ['size', 'len'],
  ['strlen', 'len'],
  ['char_length', 'len'],
  ['touppercase', 'upper'],
  ['uppercase', 'upper'],
  ['ucase', 'upper'],
  ['tolowercase', 'lower'],
  ['lowercase', 'lower'],
  ['lcase', 'lower'],
  ['strip', 'trim'],
  ['substr', 'substring'],
  ['mid', 'substring'],
  ['position', 'index_of'],
  ['find_index', 'index_of'],
  ['replace_all', 'replace'],
  ['lpad', 'pad_left'],
  ['pad_start', 'pad_left'],
  ['rpad', 'pad_right'],
  ['pad_end', 'pad_right'],
  ['includes', 'contains'],
  ['has', 'contains'],
  ['is_match', 'matches'],
  ['regexp_like', 'matches'],
  ['average', 'avg'],
  ['mean', 'avg'],
  ['minimum', 'min'],
  ['maximum', 'max'],
  ['total', 'sum'],
  ['ceiling', 'ceil'],
  ['truncate', 'to_int'],
  ['trunc', 'to_int'],
  ['power', 'pow'],
  ['absolute', 'abs'],
  ['some', 'any'],
  ['every', 'all'],
  ['select', 'map'],
  ['where', 'filter'],
  ['head', 'first'],
  ['uniq', 'unique'],
  ['order_by', 'sort'],
  ['sorted', 'sort'],
  ['concat', 'array_concat'],
  ['ifnull', 'coalesce'],
  ['nvl', 'coalesce'],
  ['default', 'coalesce'],
  ['defined', 'exists'],
  ['is_defined', 'exists'],
  ['isset', 'exists'],
  ['typeof', 'type'],
  ['parse_int', 'to_int'],
  ['int', 'to_int'],
  ['parse_float', 'to_float'],
  ['float', 'to_float'],
  ['str', 'to_string'],
  ['bool', 'to_bool'],
  ['current_timestamp', 'now'],
  ['get_date', 'now'],
  ['parse_date', 'date'],
  ['to_date', 'date'],
  ['datediff', 'date_diff'],
  ['dateadd', 'date_add'],
  ['weekday', 'day_of_week'],
  ['sha_256', 'sha256'],
  ['to_json', 'json_marshal'],
  ['from_json', 'json_unmarshal'],
  ['parse_json', 'json_unmarshal'],
])

/** The function that was probably meant by a name that is none: by its name in another language, else by its letters. */
export function meantFunction(name: string, known: Iterable<string>): string | undefined {
  const letters = name.toLowerCase()
  const exact = FOREIGN_NAMES.get(letters) ?? FOREIGN_NAMES.get(snakeCase(name))
  if (exact !== undefined) return exact
  const near = nearest(name, [...known, ...FOREIGN_NAMES.keys()])
  return near === undefined ? undefined : (FOREIGN_NAMES.get(near) ?? near)
}

/** `parseInt` to `parse_int`. */
function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
}

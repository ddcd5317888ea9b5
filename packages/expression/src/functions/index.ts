import type { FunctionDefinition } from '../function-definition.ts'
import { ENCODING } from './encoding.ts'
import { LIST } from './list.ts'
import { NUMBER } from './number.ts'
import { OBJECT } from './object.ts'
import { TEXT } from './text.ts'
import { TYPES } from './type.ts'

/** Functions that programs may omit because of the size of their code. */
const GROUPED = [
  ['regex', ['matches', 'regex_match', 'regex_find', 'regex_find_all', 'regex_replace', 'regex_split', 'glob_match']],
  ['network', ['cidr_contains', 'cidr_intersects']],
  ['hash', ['md5', 'sha256', 'hmac_sha256', 'jwt_encode', 'jwt_verify', 'jwt_decode']],
  ['semver', ['semver_compare', 'semver_is_valid']],
  ['time', ['now', 'now_millis', 'date', 'date_add', 'date_diff', 'year', 'month', 'day', 'hour', 'day_of_week']],
  ['time', ['format_date', 'parse_time', 'format_time', 'time_diff', 'time_of_day']],
] as const

export type GroupName = (typeof GROUPED)[number][0]

const GROUPS: ReadonlyMap<string, GroupName> = new Map(
  GROUPED.flatMap(([group, names]) => names.map((name) => [name, group] as const)),
)

/** Functions that are loaded together. */
export interface FunctionGroup {
  readonly name: GroupName
  readonly functions: readonly FunctionDefinition[]
}

const CORE = [...TEXT, ...NUMBER, ...LIST, ...OBJECT, ...TYPES, ...ENCODING]

const known = new Map(CORE.map((definition) => [definition.name, definition]))

/** The built-in functions by name (docs/functions.md): those of the language's core, and of the groups that were added. */
export const FUNCTIONS: ReadonlyMap<string, FunctionDefinition> = known

/** Add groups of functions to the language, for the whole program. Groups that were already added are skipped. */
export function addFunctions(...groups: readonly FunctionGroup[]): void {
  for (const { functions } of groups) for (const definition of functions) known.set(definition.name, definition)
}

/** The group of a function, added or not; undefined for core and unknown functions. */
export function groupOf(name: string): GroupName | undefined {
  return GROUPS.get(name)
}

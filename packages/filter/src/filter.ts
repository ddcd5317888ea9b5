import type { Value } from '@engine/expression'
import { missingPolicy, type Ruleset } from '@engine/ruleset'
import { BadFilterRequest, type Columns, columnOf, columnsOf } from './columns.ts'
import type { Reading } from './condition.ts'
import { type DialectName, DIALECTS } from './dialect.ts'
import { explore } from './explore.ts'
import { mappingOf } from './mapping.ts'
import { mongoOf } from './mongo.ts'
import { type Path, pathsTo } from './paths.ts'
import { pathsOf, type Predicate } from './predicate.ts'
import { sqlOf } from './sql.ts'
import { treeOf } from './tree.ts'

/** What is asked: specification 4.3, and what we add to it (docs/filters.md). */
export interface FilterRequest {
  /** Values that are known already; fields that are not in it are columns. */
  readonly known_input: { readonly [key: string]: Value }
  /** Result codes that count; at least one. */
  readonly target_results: readonly string[]
  readonly format?: 'sql' | 'json' | 'mongo'
  /** Field path to column. */
  readonly field_mapping?: { readonly [path: string]: string }
  /** Default 100; 0: no limit but the one on work. */
  readonly max_paths?: number
  /** `sql` (default): bare comparisons, which no null passes. `match_rules`: what the rules say of null. */
  readonly nulls?: 'sql' | 'match_rules'
  /** Columns that hold no null. */
  readonly not_null?: readonly string[]
  readonly dialect?: DialectName
  /** Placeholders, and the values in `params`. */
  readonly parameters?: boolean
}

export interface FilterResult {
  readonly format: 'sql' | 'json' | 'mongo'
  /** Null exactly when no row can match. */
  readonly filter: string | { readonly [key: string]: Value } | null
  readonly always_matches: boolean
  readonly never_matches: boolean
  readonly truncated: boolean
  readonly unknown_fields: readonly string[]
  /** Whether the rows are those whose execution gives a target result; `superset`: too many are possible. */
  readonly exactness: 'exact' | 'superset' | 'subset'
  /** Why it is not exact. */
  readonly reasons?: readonly string[]
  readonly params?: readonly Value[]
}

const MAX_PATHS = 100

/**
 * The rows for which a ruleset gives one of the target results, as a condition for a database. `now` is what `now()` means,
 * in epoch milliseconds. Throws `BadFilterRequest` (400), or `FilterError` when a condition has no such form (500).
 */
export function createFilter(ruleset: Ruleset, request: FilterRequest, now: number): FilterResult {
  const { format = 'sql', max_paths: limit = MAX_PATHS, not_null: notNull = [] } = request
  refuseUseless(request, format)
  const mapping = mappingOf(request.field_mapping ?? {})
  const neverNull = new Set(notNull)
  const policy = missingPolicy(ruleset)
  const reading: Reading = {
    policy,
    isNeverNull: (path) => neverNull.has(columnOf(mapping, path)),
    comparesFields: format === 'sql',
    holdsContainers: format !== 'sql',
  }
  const targets = new Set(request.target_results)
  const explored = explore(ruleset, targets, { input: request.known_input, policy, now }, reading)
  const found = explored.truncated ? { paths: [[]], truncated: true } : pathsTo(explored.outcome, limit)
  const { paths, truncated } = found
  const fields = fieldsOf(paths)
  const columns = columnsOf(mapping, fields)
  const written = write(paths, columns, format, request)
  const isAlways = paths.some((path) => path.length === 0)
  return {
    format,
    filter: paths.length === 0 ? null : written.filter,
    always_matches: isAlways,
    never_matches: paths.length === 0,
    truncated,
    unknown_fields: fields.toSorted(),
    ...exactness(explored.widened, truncated, request.nulls === 'match_rules' ? [] : guarded(paths, format)),
    ...(request.parameters === true ? { params: written.params } : {}),
  }
}

/** An option that could have no effect is a mistake of whoever gives it. */
function refuseUseless({ dialect, parameters, target_results: targets }: FilterRequest, format: string): void {
  if (targets.length === 0)
    throw new BadFilterRequest('`target_results` must name at least one result code', '/target_results')
  if (format === 'sql') return
  if (dialect !== undefined) throw new BadFilterRequest('`dialect` belongs to the format `sql`', '/dialect')
  if (parameters === true) throw new BadFilterRequest('`parameters` belong to the format `sql`', '/parameters')
}

function fieldsOf(paths: readonly Path[]): readonly string[] {
  const fields = new Set<string>()
  for (const path of paths) for (const condition of path) pathsOf(condition, fields)
  return [...fields]
}

function write(
  paths: readonly Path[],
  columns: Columns,
  format: 'sql' | 'json' | 'mongo',
  request: FilterRequest,
): { readonly filter: string | { readonly [key: string]: Value }; readonly params: readonly Value[] } {
  const guards = request.nulls === 'match_rules'
  if (format === 'mongo') return { filter: mongoOf(paths, columns, guards), params: [] }
  if (format === 'json') return { filter: treeOf(paths, columns, guards), params: [] }
  const dialect = DIALECTS[request.dialect ?? 'ansi']
  const { text, params } = sqlOf(paths, { columns, dialect, guards, parameters: request.parameters === true })
  return { filter: text, params }
}

function exactness(
  widened: readonly string[],
  truncated: boolean,
  hidden: readonly string[],
): Pick<FilterResult, 'exactness' | 'reasons'> {
  const more = [...(truncated ? ['the rules were not followed to their end: every row passes'] : []), ...widened]
  const fewer = hidden.map((path) => `rows in which \`${path}\` is null may be missing (\`nulls\`: \`match_rules\`)`)
  if (more.length === 0 && fewer.length === 0) return { exactness: 'exact' }
  return { exactness: more.length > 0 ? 'superset' : 'subset', reasons: [...more, ...fewer] }
}

/** Fields of which the bare form leaves out a null that the rules let pass. */
function guarded(paths: readonly Path[], format: 'sql' | 'json' | 'mongo'): readonly string[] {
  const found = new Set<string>()
  const look = (predicate: Predicate): void => {
    if (predicate.kind === 'and' || predicate.kind === 'or') predicate.parts.forEach(look)
    if (predicate.kind === 'compare' && predicate.nulls !== 'none') found.add(predicate.left).add(predicate.right)
    if (predicate.kind !== 'test' || !predicate.orNull) return
    const { op } = predicate.test
    const passesNull =
      format === 'mongo' ? op === 'ne' || op.startsWith('not_') : op.startsWith('not_') && op !== 'not_in'
    if (format === 'sql' || !passesNull) found.add(predicate.path)
  }
  for (const path of paths) path.forEach(look)
  return [...found].sort()
}

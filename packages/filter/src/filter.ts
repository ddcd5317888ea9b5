import { Budget, type Value, quote } from '@engine/expression'
import { evaluationPolicy, type Ruleset } from '@engine/ruleset'
import { assumptions } from './assumptions.ts'
import { FieldTypes, type StatedTypes } from './column-types.ts'
import { BadFilterRequest, type Columns, columnOf, columnsOf, requireFew } from './columns.ts'
import type { Reading } from './to-predicate.ts'
import type { DialectName } from './dialect.ts'
import { followPaths } from './path-search.ts'
import { finish, type Pausing } from './pausable-work.ts'
import { mappingOf, unknownPaths } from './mapping.ts'
import { mongoOf } from './mongo.ts'
import { type Path, pathsTo } from './paths.ts'
import { fieldsOf, type Leaf, leavesOf, Predicates } from './predicate.ts'
import { sqlOf } from './sql.ts'
import { jsonOf } from './json.ts'

/** A filter request: specification 4.3 with the additions of docs/filters.md. */
export interface FilterRequest {
  /** Known values; fields that are not in it are columns. */
  readonly known_input: { readonly [key: string]: Value }
  /** Paths at and below which fields are columns; any other field that `known_input` lacks is missing. Default: all. */
  readonly unknown_input?: readonly string[]
  /** Result codes to filter for; at least one. */
  readonly target_results: readonly string[]
  readonly format?: 'sql' | 'json' | 'mongo'
  /** Field path to column. */
  readonly field_mapping?: { readonly [path: string]: string }
  /** Default 100; 0: only limited by work. */
  readonly max_paths?: number
  /** `sql` (default): bare comparisons, which null never passes. `match_rules`: null as the rules treat it. */
  readonly nulls?: 'sql' | 'match_rules'
  /** Columns without nulls. */
  readonly not_null?: readonly string[]
  /**
   * Types of columns: `text`, `number` (a double), `integer`, `boolean`. Unstated types are inferred from the rules.
   */
  readonly columns?: StatedTypes
  readonly dialect?: DialectName
  /** Use placeholders, with their values in `params`. */
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
  /**
   * Whether the rows are exactly those whose execution gives a target result; `superset`: too many are possible;
   * `subset`: some may be missing; `approximate`: both.
   */
  readonly exactness: 'exact' | 'superset' | 'subset' | 'approximate'
  /** Why it is not exact. */
  readonly reasons?: readonly string[]
  readonly params?: readonly Value[]
}

const MAX_PATHS = 100

/** A budget without limits. */
export function unlimited(): Budget {
  return new Budget({ monotonic: () => 0, processor: () => 0 }, { deadlineMs: 0 })
}

/**
 * The rows for which a ruleset gives one of the target results, as a database condition. `now` is the value of `now()`
 * in epoch milliseconds. Throws `BadFilterRequest` (400), `FilterError` when a condition cannot be translated or the
 * filter would be too long (500), or `BudgetError`.
 */
export function createFilter(
  ruleset: Ruleset,
  request: FilterRequest,
  now: number,
  budget: Budget = unlimited(),
): FilterResult {
  return finish(filterInTurns(ruleset, request, now, budget))
}

/** `createFilter` as a generator that yields where it may pause; it should pause when `budget.wantsPause`. */
export function* filterInTurns(
  ruleset: Ruleset,
  request: FilterRequest,
  now: number,
  budget: Budget,
): Pausing<FilterResult> {
  const { format = 'sql', dialect = 'ansi', max_paths: limit = MAX_PATHS, not_null: notNull = [] } = request
  refuseUseless(request, format)
  const mapping = yield* mappingOf(request.field_mapping ?? {}, budget)
  requireFew(notNull, 'not_null')
  const neverNull = new Set(notNull)
  const policy = evaluationPolicy(ruleset)
  const predicates = new Predicates(budget)
  const types = new FieldTypes(request.columns ?? {}, mapping, budget)
  const reading: Reading = {
    policy,
    budget,
    predicates,
    types,
    comparedWithNull: new Set(),
    askedForPresence: new Set(),
    isNeverNull: (path) => neverNull.size > 0 && neverNull.has(columnOf(mapping, path)),
    comparesFields: format === 'sql',
    holdsContainers: format !== 'sql',
  }
  const targets = new Set(request.target_results)
  const { known_input: input, unknown_input: columnPaths } = request
  // Generated clients send an absent list as an empty one, and a filter without columns would be useless.
  const unknown = columnPaths === undefined || columnPaths.length === 0 ? undefined : unknownPaths(columnPaths)
  const followed = yield* followPaths(ruleset, targets, { input, unknown, policy, now, budget }, reading)
  const found = followed.truncated
    ? { paths: [[]], truncated: true }
    : yield* pathsTo(followed.outcome, limit, predicates, budget)
  const { paths, truncated } = found
  if (budget.wantsPause) yield
  const leaves = leavesOf(paths.flat(), budget)
  const fields = [...new Set(leaves.flatMap(fieldsOf))]
  const columns = columnsOf(mapping, fields)
  if (budget.wantsPause) yield
  const written = yield* write(paths, { columns, request, reading, budget })
  return {
    format,
    filter: paths.length === 0 ? null : written.filter,
    always_matches: paths.some((path) => path.length === 0),
    never_matches: paths.length === 0,
    truncated,
    unknown_fields: fields.toSorted(),
    ...exactness({
      more: [...(truncated ? ['the rules were not followed to their end: every row passes'] : []), ...followed.widened],
      fewer: request.nulls === 'match_rules' ? [] : hidden(leaves, format),
      either: assumptions(leaves, { format, dialect, types }),
    }),
    ...(request.parameters === true ? { params: written.params } : {}),
  }
}

/** Reject options without effect, unless they have their default value. */
function refuseUseless({ dialect = 'ansi', parameters, target_results: targets }: FilterRequest, format: string): void {
  if (targets.length === 0)
    throw new BadFilterRequest('`target_results` must name at least one result code', '/target_results')
  if (format === 'sql') return
  if (dialect !== 'ansi') throw new BadFilterRequest('`dialect` requires the format `sql`', '/dialect')
  if (parameters === true) throw new BadFilterRequest('`parameters` requires the format `sql`', '/parameters')
}

interface Writing {
  readonly columns: Columns
  readonly request: FilterRequest
  readonly reading: Reading
  readonly budget: Budget
}

function* write(
  paths: readonly Path[],
  { columns, request, reading, budget }: Writing,
): Pausing<{ readonly filter: string | { readonly [key: string]: Value }; readonly params: readonly Value[] }> {
  const { format = 'sql', dialect = 'ansi', parameters = false, nulls } = request
  const guards = nulls === 'match_rules'
  if (format === 'mongo') {
    const { comparedWithNull, askedForPresence, types } = reading
    const plainNotNull = new Set([...comparedWithNull].filter((path) => !askedForPresence.has(path)))
    return { filter: yield* mongoOf(paths, { columns, guards, plainNotNull, types }, budget), params: [] }
  }
  if (format === 'json') return { filter: yield* jsonOf(paths, columns, guards, budget), params: [] }
  const { types, predicates } = reading
  const { text, params } = yield* sqlOf(paths, { columns, dialect, guards, parameters, types, predicates }, budget)
  return { filter: text, params }
}

/** Maximum number of reasons returned. */
const MAX_REASONS = 50

function exactness(reasons: {
  /** Why rows may pass that should not. */
  readonly more: readonly string[]
  /** Fields whose null rows may be missing. */
  readonly fewer: readonly string[]
  /** Reasons that can add or remove rows. */
  readonly either: readonly string[]
}): Pick<FilterResult, 'exactness' | 'reasons'> {
  const { more, either } = reasons
  const fewer = reasons.fewer.map(
    (path) => `rows in which ${quote(path)} is null may be missing (\`nulls\`: \`match_rules\`)`,
  )
  const all = [...more, ...fewer, ...either]
  if (all.length === 0) return { exactness: 'exact' }
  const told = all.length > MAX_REASONS ? [...all.slice(0, MAX_REASONS), `${all.length - MAX_REASONS} more`] : all
  if (either.length > 0 || (more.length > 0 && fewer.length > 0)) return { exactness: 'approximate', reasons: told }
  return { exactness: more.length > 0 ? 'superset' : 'subset', reasons: told }
}

/** Fields for which the bare form omits null rows that the rules let pass. */
function hidden(leaves: readonly Leaf[], format: 'sql' | 'json' | 'mongo'): readonly string[] {
  const found = new Set<string>()
  for (const leaf of leaves) {
    if (leaf.kind === 'compare' && leaf.nulls !== 'none') found.add(leaf.left).add(leaf.right)
    if (leaf.kind !== 'test' || !leaf.orNull) continue
    const { op } = leaf.test
    const passesNull =
      format === 'mongo' ? op === 'ne' || op.startsWith('not_') : op.startsWith('not_') && op !== 'not_in'
    if (format === 'sql' || !passesNull) found.add(leaf.path)
  }
  return [...found].sort()
}

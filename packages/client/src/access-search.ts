import { isObject, type ObjectValue, parseJson, quote, type Value } from '@engine/expression'
import { ClientError } from './errors.ts'
import { jsonOf } from './json-input.ts'
import type { BatchAnswer, Filtered } from './transport.ts'

/** Dialects of SQL in which a table can be searched. */
export type SearchDialect = 'postgres' | 'mysql' | 'sqlite' | 'duckdb'

/** A column of the searched table. A null means that the property is missing. */
export interface SearchColumn {
  /** Its name in the database. Default: the name of the property with `_` instead of each `.`. */
  readonly column?: string
  /** As for `POST /rulesets/:name/filter`. */
  readonly type: 'text' | 'number' | 'integer' | 'boolean' | `decimal(${number}, ${number})`
  /** Default true. */
  readonly nullable?: boolean
}

/** A subject or resource with all its properties. */
export interface AccessParty {
  readonly type: string
  readonly id: string
  readonly properties?: object
}

/** A search for rows of a table that the rules permit. */
export interface AccessSearch {
  readonly ruleset: string
  readonly action: { readonly name: string; readonly properties?: object }
  readonly context?: object
  /** The result codes that permit; any other code denies. */
  readonly permit: readonly string[]
  readonly dialect: SearchDialect
  /** The name of the table, with its schema if it needs one: `public.documents`. */
  readonly table: string
  /** The column of ids: texts, unique, without nulls. */
  readonly id: string
  /** By the property that each column holds, such as `owner` or `address.city`. */
  readonly columns: Readonly<Record<string, SearchColumn>>
  /** Runs one query with positional parameters, and returns rows with values by column name. */
  readonly query: (
    sql: string,
    parameters: readonly unknown[],
  ) => Promise<readonly Readonly<Record<string, unknown>>[]> | readonly Readonly<Record<string, unknown>>[]
  /** Maximum number of results per page: 1 to 10,000. Default 1,000. */
  readonly limit?: number
  /** `next` of the previous page. */
  readonly after?: string | undefined
}

/** Finds the resources of a type on which the subject may perform the action. */
export interface ResourceSearch extends AccessSearch {
  readonly subject: AccessParty
  readonly resource: { readonly type: string }
}

/** Finds the subjects of a type that may perform the action on the resource. */
export interface SubjectSearch extends AccessSearch {
  readonly subject: { readonly type: string }
  readonly resource: AccessParty
}

/** One page of results, sorted by the id column. */
export interface AccessPage {
  readonly results: readonly { readonly type: string; readonly id: string }[]
  /** For `after` of the next page, which may be empty; undefined on the last page. */
  readonly next: string | undefined
}

/** The methods of the engine that a search uses. */
export interface SearchedEngine {
  readonly filter: (ruleset: string, request: ObjectValue) => Promise<Filtered>
  readonly batch: (ruleset: string, inputs: readonly Value[]) => Promise<BatchAnswer>
}

const DEFAULT_LIMIT = 1000
const MAX_LIMIT = 10_000
/** Maximum number of rows that are executed in one batch. */
const MAX_CHECKED = 1000

/**
 * Searches a table with the filter of a ruleset (specification 4.3): the rows are exactly those on which an evaluation
 * permits. If the filter selects too many rows, the rules are executed for each of them. Rejects with a `ClientError`,
 * of kind `invalid` if the rules read a property without a column or the filter could miss rows, or with the error that
 * `query` throws.
 */
export async function searchAccess(
  kind: 'resource' | 'subject',
  search: ResourceSearch | SubjectSearch,
  engine: SearchedEngine,
): Promise<AccessPage> {
  const { limit = DEFAULT_LIMIT, permit, ruleset } = search
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
    throw invalid(`\`limit\` must be a whole number from 1 to ${MAX_LIMIT}, found ${limit}`)
  if (permit.length === 0) throw invalid('`permit` must name at least one result code')
  const table = new SearchedTable(kind, search)
  const known = knownInput(kind, search)
  const filtered = await filterOf(table, known, search, engine)
  if (filtered.filter === null) return { results: [], next: undefined }
  if (filtered.exactness !== 'exact' && filtered.exactness !== 'superset')
    throw invalid(`the filter of ${ruleset} could miss rows: ${filtered.reasons?.join('; ') ?? filtered.exactness}`)
  const { type } = search[kind]
  const pageOf = (ids: readonly string[], next: string | undefined) => ({
    results: ids.map((id) => ({ type, id })),
    next,
  })
  if (filtered.exactness === 'exact') {
    const rows = await table.select(filtered, search.after, limit + 1)
    const ids = rows.slice(0, limit).map((row) => table.idOf(row))
    return pageOf(ids, rows.length > limit ? ids.at(-1) : undefined)
  }
  const found: string[] = []
  let { after } = search
  for (;;) {
    const size = Math.min(limit, MAX_CHECKED)
    const rows = await table.select(filtered, after, size)
    const last = rows.at(-1)
    if (last === undefined) return pageOf(found, undefined)
    const { results } = await engine.batch(
      ruleset,
      rows.map((row) => ({ ...known, [kind]: table.partyOf(row) })),
    )
    for (const [index, row] of rows.entries()) {
      const result = results[index]
      if (result === undefined || result.error !== undefined || !permit.includes(result.code)) continue
      found.push(table.idOf(row))
      if (found.length === limit) return pageOf(found, table.idOf(row))
    }
    if (rows.length < size) return pageOf(found, undefined)
    after = table.idOf(last)
  }
}

/** The filter of the table: only the id and the properties of the searched party are columns. Throws `ClientError`. */
async function filterOf(
  table: SearchedTable,
  known: ObjectValue,
  { ruleset, permit, dialect }: AccessSearch,
  engine: SearchedEngine,
): Promise<Filtered> {
  const filtered = await engine.filter(ruleset, {
    known_input: known,
    unknown_input: table.unknown,
    target_results: [...permit],
    dialect,
    parameters: true,
    nulls: 'match_rules',
    field_mapping: Object.fromEntries(table.mapping),
    not_null: [...table.notNull],
    columns: Object.fromEntries(table.types),
  })
  const unmapped = filtered.unknown_fields.find((path) => !table.mapping.has(path))
  if (unmapped === undefined) return filtered
  throw invalid(`the rules of ${ruleset} read ${quote(unmapped)}, and \`columns\` has no column for it`)
}

/** The input of the ruleset without the searched party, in the form that the engine derives from an AuthZEN request. */
function knownInput(kind: 'resource' | 'subject', search: ResourceSearch | SubjectSearch): ObjectValue {
  const { action, context = {} } = search
  const partyOf = ({ type, id, properties = {} }: Partial<AccessParty>) => ({ type, id, properties })
  const parties =
    kind === 'resource'
      ? { subject: partyOf(search.subject), resource: { type: search.resource.type } }
      : { subject: { type: search.subject.type }, resource: partyOf(search.resource) }
  return jsonOf({ ...parties, action: { name: action.name, properties: action.properties ?? {} }, context })
}

type Row = Readonly<Record<string, unknown>>

/** The table of a search, and the conversion of its rows. */
class SearchedTable {
  /** Column by path in the input. */
  readonly mapping = new Map<string, string>()
  /** Type by column. */
  readonly types = new Map<string, string>()
  readonly notNull = new Set<string>()
  readonly #search: ResourceSearch | SubjectSearch
  readonly #kind: 'resource' | 'subject'
  readonly #columns: readonly (readonly [property: string, column: string, type: string])[]
  /** Paths at and below which fields are columns. */
  readonly unknown: readonly string[]

  constructor(kind: 'resource' | 'subject', search: ResourceSearch | SubjectSearch) {
    this.#kind = kind
    this.#search = search
    const { id, columns } = search
    this.unknown = [`${kind}.id`, `${kind}.properties`]
    this.#add(`${kind}.id`, id, 'text', false)
    this.#columns = Object.entries(columns).map(
      ([property, { column = property.replaceAll('.', '_'), type, nullable }]) => {
        this.#add(`${kind}.properties.${property}`, column, type, nullable !== false)
        return [property, column, type]
      },
    )
  }

  #add(path: string, column: string, type: string, nullable: boolean): void {
    this.mapping.set(path, column)
    this.types.set(column, type)
    if (!nullable) this.notNull.add(column)
  }

  /** The rows that match a filter and follow an id, sorted by id. */
  async select(filtered: Filtered, after: string | undefined, most: number): Promise<readonly Row[]> {
    const { filter, params = [], exactness } = filtered
    const { id, table, dialect, query } = this.#search
    const read = exactness === 'exact' ? [id] : [id, ...this.#columns.map(([, column]) => column)]
    const names = read.map((name) => quoted(name, dialect))
    const key = quoted(id, dialect)
    const source = table
      .split('.')
      .map((part) => quoted(part, dialect))
      .join('.')
    const placeholder = dialect === 'postgres' ? `$${params.length + 1}` : '?'
    const behind = after === undefined ? '' : ` AND ${key} > ${placeholder}`
    const sql = `SELECT ${[...new Set(names)].join(', ')} FROM ${source} WHERE (${filter ?? 'FALSE'})${behind} ORDER BY ${key} LIMIT ${most}`
    return query(sql, after === undefined ? params : [...params, after])
  }

  idOf(row: Row): string {
    const id = row[this.#search.id]
    if (typeof id === 'string') return id
    throw invalid(`the column ${this.#search.id} must hold texts, found ${typeof id}`)
  }

  /** The searched party in a row. */
  partyOf(row: Row): ObjectValue {
    const properties: { [name: string]: Value } = {}
    for (const [property, column, type] of this.#columns) {
      const value = valueIn(row[column], type, column)
      if (value !== undefined) setAt(properties, property.split('.'), value)
    }
    return { type: this.#search[this.#kind].type, id: this.idOf(row), properties }
  }
}

/** Sets a value in nested objects. Throws `ClientError` if one of them is the value of another column. */
function setAt(target: ObjectValue, [name = '', ...rest]: readonly string[], value: Value): void {
  if (rest.length === 0) return void define(target, name, value)
  if (!Object.hasOwn(target, name)) define(target, name, {})
  const inner = target[name]
  if (isObject(inner)) return setAt(inner, rest, value)
  throw invalid(`\`columns\` has the property ${quote(name)} and a part of it, ${quote([name, ...rest].join('.'))}`)
}

/** An assignment to `__proto__` would change the prototype. */
const define = (target: object, name: string, value: Value) =>
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })

/** The value of a column as its driver returns it; undefined for null. Throws `ClientError`. */
function valueIn(value: unknown, type: string, column: string): Value | undefined {
  if (value === null || value === undefined) return undefined
  if (type === 'text' && typeof value === 'string') return value
  if (type === 'boolean' && ['boolean', 'number', 'bigint'].includes(typeof value)) return Boolean(value)
  const isNumeric = typeof value === 'number' || typeof value === 'bigint' || typeof value === 'string'
  if (type === 'text' || type === 'boolean' || !isNumeric)
    throw invalid(`the column ${column} must hold values of type ${type}, found ${typeof value}`)
  // Drivers return numbers beyond doubles as texts.
  const read = parseJson(String(value), { duplicateKeys: 'last', numbers: type === 'number' ? 'double' : 'decimal' })
  if (read.kind === 'parsed') return read.value
  throw invalid(`the column ${column} must hold numbers of JSON, found ${JSON.stringify(value)}`)
}

/** A name quoted for a dialect of SQL. */
function quoted(name: string, dialect: SearchDialect): string {
  const mark = dialect === 'mysql' ? '`' : '"'
  if (name === '' || name.includes('\0')) throw invalid('a name of SQL is empty or contains a zero character')
  return `${mark}${name.replaceAll(mark, mark + mark)}${mark}`
}

const invalid = (message: string) => new ClientError('invalid', message)

import { type Around, decide, type Members, members, text } from './ruleset.ts'
import { equal, Failure, isList, isObject, json, ordered, type Value } from './value.ts'

/** The members of a filter request that determine the selected rows (docs/filters.md). */
export interface FilterRequest {
  readonly known_input: Members
  readonly target_results: readonly string[]
  /** Path to column. */
  readonly field_mapping?: { readonly [path: string]: string }
}

/**
 * Whether the exact filter of a ruleset selects a row: "the rows are then exactly those whose execution gives a target result. A row
 * whose execution fails is not among them." Throws `Unsupported`. @param paths fields of the rules that are columns
 */
export function selects(
  ruleset: Value,
  request: FilterRequest,
  paths: readonly string[],
  row: Members,
  around: Around,
): boolean {
  try {
    const { code } = decide(ruleset, inputOf(request, paths, row), around)
    return request.target_results.includes(code)
  } catch (error) {
    if (error instanceof Failure) return false
    throw error
  }
}

/** "A row stands for an input without the fields whose columns are null." Known values take precedence over columns. */
function inputOf(
  { known_input: known, field_mapping: mapping = {} }: FilterRequest,
  paths: readonly string[],
  row: Members,
) {
  return paths.reduce<Value>((input, path) => {
    const value = row[mapping[path] ?? path.replaceAll('.', '_')] ?? null
    return value === null ? input : withField(input, path.split('.'), value)
  }, known)
}

/** "A null in it is known to be null, and below a null, a text or a number there is nothing." */
function withField(input: Value, [name = '', ...rest]: readonly string[], value: Value): Value {
  if (!isObject(input)) return input
  const within = Object.hasOwn(input, name) ? input[name] : undefined
  if (rest.length === 0) return within === undefined ? { ...input, [name]: value } : input
  return { ...input, [name]: withField(within ?? {}, rest, value) }
}

/** Whether a filter of the format `json` selects a row. "Of a null every test is false but `is_null`; `not` exchanges true and false." */
export function holds(node: Value, row: Members): boolean {
  const { type, field, value = null, values, conditions, condition = null } = members(node)
  const parts = isList(conditions ?? null) ? (conditions as readonly Value[]) : []
  const own = field === undefined ? null : (row[text(field)] ?? null)
  const list = isList(values ?? null) ? (values as readonly Value[]) : []
  const isText = (test: (one: string, other: string) => boolean) =>
    typeof own === 'string' && typeof value === 'string' && test(own, value)
  switch (type) {
    case 'always':
    case 'never':
      return type === 'always'
    case 'and':
      return parts.every((part) => holds(part, row))
    case 'or':
      return parts.some((part) => holds(part, row))
    case 'not':
      return !holds(condition, row)
    case 'is_null':
    case 'not_null':
      return (own === null) === (type === 'is_null')
    case 'eq':
    case 'ne':
      return own !== null && equal(own, value) === (type === 'eq')
    case 'in':
    case 'not_in':
      return own !== null && list.some((one) => equal(own, one)) === (type === 'in')
    case 'contains':
      return isText((one, other) => one.includes(other))
    case 'starts_with':
      return isText((one, other) => one.startsWith(other))
    case 'ends_with':
      return isText((one, other) => one.endsWith(other))
    case 'lt':
    case 'le':
    case 'gt':
    case 'ge':
      return isComparable(own, value) && ordered(own, value, SIGNS[type])
    default:
      throw new SyntaxError(`a node of the type ${json(type ?? null)}`)
  }
}

const SIGNS = {
  lt: (sign: number) => sign < 0,
  le: (sign: number) => sign <= 0,
  gt: (sign: number) => sign > 0,
  ge: (sign: number) => sign >= 0,
}

/** A column of another type than the constant is in no order with it. */
const isComparable = (one: Value, other: Value) => {
  const kind = (value: Value) => (typeof value === 'bigint' ? 'number' : typeof value)
  return one !== null && kind(one) === kind(other)
}

import { ALL, type Expression, type Part } from './syntax.ts'
import { isList, isObject, partsOf, Unsupported, type Value } from './value.ts'

/** What an expression is evaluated in. */
export interface Scope {
  readonly input: Value
  /** Undefined: the variable is not set. */
  variable(name: string): Value | undefined
  readonly missing: 'lenient' | 'strict' | 'default'
  /** By the text of a path. */
  readonly defaults: { readonly [path: string]: Value }
  /** Epoch milliseconds. */
  readonly now: number
  /** Parameters of lambdas. */
  readonly locals: ReadonlyMap<string, Value>
}

export type Path = Extract<Expression, { kind: 'path' }>

/** The value at a path; undefined: it is missing. */
export function lookUp({ root, parts }: Path, scope: Scope): Value | undefined {
  if (root === '') return read([scope.input], parts)
  if (root !== undefined) {
    const variable = scope.variable(root)
    return variable === undefined ? undefined : read([variable], parts)
  }
  const [first, ...rest] = parts
  const local = typeof first === 'string' ? scope.locals.get(first) : undefined
  return local === undefined ? read([scope.input], parts) : read([local], rest)
}

const GAP = Symbol('missing')

/** "`exists(path)` is true for whatever is present, null included." Of a wildcard, one of the values has to be. */
export function isPresent(path: Path, scope: Scope): boolean {
  return (gathered(path, scope) ?? []).some((one) => one !== GAP)
}

/** Whether a wildcard of a path leads over values without the rest of it. */
export function hasGaps(path: Path, scope: Scope): boolean {
  return (gathered(path, scope) ?? []).includes(GAP)
}

function gathered({ root, parts }: Path, scope: Scope): readonly (Value | typeof GAP)[] | undefined {
  const [first, ...rest] = parts
  const local = root === undefined && typeof first === 'string' ? scope.locals.get(first) : undefined
  const begin = local ?? (root === undefined || root === '' ? scope.input : scope.variable(root))
  return begin === undefined ? undefined : walk([begin], local === undefined ? parts : rest)
}

/** "What follows a wildcard applies to each. Where the rest of the path is missing stands null." */
export function read(from: readonly Value[], parts: readonly Part[]): Value | undefined {
  const found = walk(from, parts)
  if (found === undefined) return undefined
  if (parts.includes(ALL)) return found.map((one) => (one === GAP ? null : one))
  const [only] = found
  return only === GAP ? undefined : only
}

/** The values that a path leads to; undefined: a wildcard stands over what has no parts. */
function walk(from: readonly Value[], parts: readonly Part[]): readonly (Value | typeof GAP)[] | undefined {
  let found: readonly (Value | typeof GAP)[] = from
  let isFirst = true
  for (const part of parts) {
    if (part !== ALL) {
      found = found.map((one) => (one === GAP ? GAP : stepped(one, part)))
      continue
    }
    const inner = found.map((one) => (one === GAP ? undefined : partsOf(one)))
    if (inner.includes(undefined)) {
      if (isFirst) return undefined
      throw new Unsupported('a later wildcard over what has no parts')
    }
    found = inner.flatMap((one) => one ?? [])
    isFirst = false
  }
  return found
}

function stepped(value: Value, part: string | number): Value | typeof GAP {
  const found = step(value, part)
  return found === undefined ? GAP : found
}

/** "A name reads an own property of an object; an index an element of a list, from the end when it is negative." */
function step(value: Value, part: string | number): Value | undefined {
  if (typeof part === 'number' && isList(value)) return value[part < 0 ? value.length + part : part]
  if (isObject(value) && Object.hasOwn(value, String(part))) return value[String(part)]
  return undefined
}

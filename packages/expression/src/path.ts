import type { Expression, Field, Local, Member, Segment, Variable } from './ast.ts'
import { failures } from './failures.ts'
import { printPath } from './printer.ts'
import { LIMITS, type EvaluationPolicy, type Runtime } from './runtime.ts'
import { createList } from './creation.ts'
import { defined } from './defined.ts'
import { keysOf } from './members.ts'
import { isList, isObject, type ObjectValue, type Value } from './value.ts'

/**
 * The expressions that look up a value which may be missing, as handled by `config.field_missing` and guarded
 * arguments.
 */
export type Reference = Field | Variable | Local | Member

const REFERENCES: ReadonlySet<Expression['kind']> = new Set(['field', 'variable', 'local', 'member'])

export function isReference(expression: Expression): expression is Reference {
  return REFERENCES.has(expression.kind)
}

export function hasWildcard(node: Reference): boolean {
  return node.path.some((segment) => segment.kind === 'wildcard')
}

/** An own property, or undefined: nothing is inherited, so `constructor` is missing. */
export function ownMember(value: Value | undefined, name: string): Value | undefined {
  if (typeof value !== 'object' || value === null || isList(value) || !Object.hasOwn(value, name)) return undefined
  return (value as ObjectValue)[name]
}

/** An array element, counting from the end when negative; on an object, the property with that decimal name. */
export function element(value: Value | undefined, index: number): Value | undefined {
  if (isList(value)) return value[index < 0 ? value.length + index : index]
  return index < 0 ? undefined : ownMember(value, String(index))
}

/**
 * The value of a reference from its root, or undefined when it is missing: no policy, no defaults. A wildcard member in
 * which the rest of the path is missing is passed to `absent`, which provides the substitute.
 */
function find(runtime: Runtime, node: Reference, root: Value | undefined, absent: Absent): Value | undefined {
  const wildcard = wildcardIn(node.path)
  if (wildcard < 0) return readPlainPath(root, node.path)
  const members = membersOf(runtime, node, readPlainPath(root, node.path.slice(0, wildcard)))
  if (members === undefined) return undefined
  const found: Value[] = []
  gather(members, node.path.slice(wildcard + 1), { runtime, node, absent, found })
  return found
}

type Absent = (node: Reference) => Value

interface Gathering {
  readonly runtime: Runtime
  readonly node: Reference
  readonly absent: Absent
  readonly found: Value[]
}

/** Nested wildcards produce one flat list; a nested wildcard over a value without members contributes nothing. */
function gather(members: readonly Value[], rest: readonly Segment[], gathering: Gathering): void {
  const { runtime, node, absent, found } = gathering
  const wildcard = wildcardIn(rest)
  const cost = 2 + 2 * rest.length
  if (wildcard < 0) {
    if (found.length + members.length > LIMITS.value) throw failures.valueTooLarge(node.span, 'list')
    createList(runtime, node, members.length)
    for (const member of members) {
      runtime.budget.spend(cost)
      found.push(readPlainPath(member, rest) ?? orNull(member, rest, absent, node))
    }
    return
  }
  for (const member of members) {
    runtime.budget.spend(cost)
    const inner = membersOf(runtime, node, readPlainPath(member, rest.slice(0, wildcard)))
    if (inner !== undefined) gather(inner, rest.slice(wildcard + 1), gathering)
  }
}

/** Distinguishes an existing null from a missing value. */
function orNull(member: Value, rest: readonly Segment[], absent: Absent, node: Reference): Value {
  return readPlainPath(member, rest) === null ? null : absent(node)
}

function wildcardIn(path: readonly Segment[]): number {
  return path.findIndex((segment) => segment.kind === 'wildcard')
}

/** The value at a path without wildcards, or undefined. */
export function readPlainPath(root: Value | undefined, path: readonly Segment[]): Value | undefined {
  let value = root
  for (const segment of path) {
    if (value === undefined) return undefined
    value =
      segment.kind === 'name'
        ? ownMember(value, segment.name)
        : segment.kind === 'index'
          ? element(value, segment.index)
          : undefined
  }
  return value
}

function membersOf(runtime: Runtime, at: Reference, value: Value | undefined): readonly Value[] | undefined {
  if (isList(value)) return value
  if (!isObject(value)) return undefined
  return valuesOf(runtime, at, value)
}

/** The values of an object in key order, as a new list. */
export function valuesOf(runtime: Runtime, at: Expression, value: ObjectValue): readonly Value[] {
  const keys = keysOf(value, runtime.budget)
  createList(runtime, at, keys.length)
  return keys.map((key) => {
    runtime.budget.spend(4)
    return defined(value[key])
  })
}

const NULL: Absent = () => null

/**
 * The value of a reference with the given root, under a policy; never undefined. In mode `strict` a missing value, also
 * after a wildcard, is an evaluation error that names the path.
 */
export function readReference(
  runtime: Runtime,
  node: Reference,
  root: Value | undefined,
  policy: EvaluationPolicy,
): Value {
  const value = find(runtime, node, root, policy.mode === 'strict' ? missing : NULL)
  return value === undefined ? instead(node, policy) : value
}

/** The value of a reference as a guarded argument: undefined when it is missing, regardless of the policy. */
export function readGuarded(runtime: Runtime, node: Reference, root: Value | undefined): Value | undefined {
  return find(runtime, node, root, NULL)
}

/** `exists(path)`: whether the path leads to a value, including null; with a wildcard, whether any member has it. */
export function isPresent(runtime: Runtime, node: Reference, root: Value | undefined): boolean {
  let misses = 0
  const value = find(runtime, node, root, () => {
    misses++
    return null
  })
  return value !== undefined && (!hasWildcard(node) || (isList(value) && value.length > misses))
}

/** The substitute for a missing value. */
export function instead(node: Reference, policy: EvaluationPolicy): Value {
  switch (policy.mode) {
    case 'lenient':
      return null
    case 'strict':
      return missing(node)
    case 'default':
      return (node.kind === 'field' ? policy.defaults.get(printPath(node)) : undefined) ?? null
  }
}

/** Fail because a reference is missing in strict mode. */
export function missing(node: Reference): never {
  throw failures.missing(node)
}
